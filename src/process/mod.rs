//! Process trees as the kernel tells of them: ancestors, descendants, markers, locks, signals.
//!
//! Reads `/proc` and sends signals; knows nothing of tasks or agents. The store and the supervisor
//! both end trees, and both must do it the same way.
