//! What actions do when a tool is called: shell, file, http.
