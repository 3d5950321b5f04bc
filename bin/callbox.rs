//! The `callbox` program: command line, store and supervisor.

fn main() {}
