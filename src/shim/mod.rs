//! The stdio MCP server beside an agent, with four tools.
//!
//! Holds no state and knows nothing of tasks, SQLite or the server: it answers the protocol by
//! itself and forwards tool calls to the store. Identity is the token in its environment.
