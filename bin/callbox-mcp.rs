//! The `callbox-mcp` program: the shim.

fn main() {}
