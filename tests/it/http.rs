//! Streamable HTTP: headers, statuses, limits, origins.
