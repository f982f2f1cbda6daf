//! Watching manifests and swapping the runtime.
