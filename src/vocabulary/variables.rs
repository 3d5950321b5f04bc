//! Names of the environment variables between callbox, an agent and its shim.

/// Names the socket of the agent plane in a shim's environment.
pub const SOCKET_VARIABLE: &str = "CALLBOX_SOCKET";
/// Holds an execution's token in a shim's environment.
pub const TOKEN_VARIABLE: &str = "CALLBOX_TOKEN";
/// Names the execution in the environment of everything an agent starts.
pub const EXECUTION_VARIABLE: &str = "CALLBOX_EXECUTION";
/// Tells the shim after how many whole seconds its agent gives up on a tool call.
pub const TOOL_LIMIT_VARIABLE: &str = "CALLBOX_TOOL_LIMIT";
