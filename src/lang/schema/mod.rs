//! JSON Schema: compiled once, checked against its dialect, bounded.
