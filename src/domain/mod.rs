//! The pure core: what a task, an execution, a signal is and what may happen to it.
//!
//! No I/O, no clock, no randomness: every function here is a decision from values to values, so that
//! its laws can be tested by the thousand.
