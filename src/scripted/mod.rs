//! The scripted agent: a real MCP client in a process of its own that plays a list of steps.
//!
//! It is the demo, the dry run and the tests' agent; callbox treats it like any other program.
