//! Names of the environment variables between callbox, an agent and its shim.

/// Names the socket of the agent plane in a shim's environment.
pub const SOCKET_VARIABLE: &str = "CALLBOX_SOCKET";
/// Holds an execution's token in a shim's environment.
pub const TOKEN_VARIABLE: &str = "CALLBOX_TOKEN";
/// Names the execution in the environment of everything an agent starts.
pub const EXECUTION_VARIABLE: &str = "CALLBOX_EXECUTION";
/// Tells the shim after how many whole seconds its agent gives up on a tool call.
pub const TOOL_LIMIT_VARIABLE: &str = "CALLBOX_TOOL_LIMIT";

/// By which systemd speaks to the one process that is its service, here the store. Whoever it starts is no service
/// and must not answer in its name.
pub const SERVICE_VARIABLES: [&str; 11] = [
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
    "JOURNAL_STREAM",
    "INVOCATION_ID",
    "SYSTEMD_EXEC_PID",
    "MEMORY_PRESSURE_WATCH",
    "MEMORY_PRESSURE_WRITE",
];

/// What any program needs to run as this person on this machine, besides `LC_*`.
pub const ORDINARY_VARIABLES: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LANGUAGE",
];

/// Whether any program may need the variable `name` to run as this person on this machine.
pub fn is_ordinary(name: &str) -> bool {
    ORDINARY_VARIABLES.contains(&name) || name.starts_with("LC_")
}
