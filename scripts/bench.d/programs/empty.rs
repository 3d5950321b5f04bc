//! Does nothing: the floor for starting a program.

fn main() {}
