//! Templates in manifest strings: native values, checked when loaded, bounded.
