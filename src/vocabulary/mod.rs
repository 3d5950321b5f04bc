//! The values that the pure core, the wire, the files and the agents share.
//!
//! Each is data with a serial form and nothing else: no decision, no I/O. They stand in a room of
//! their own because the domain, the protocol, task files and adapters would otherwise each spell
//! the same fields again and convert between them.

mod agent_description;
mod agent_option;
mod agent_setup;
mod budget;
mod call_key;
mod conflict;
mod ending;
mod fact;
mod fault_code;
mod isolation;
mod launcher;
mod line_rule;
mod mcp_server;
mod message;
mod notify_command;
mod quotas;
mod sandbox_rules;
mod shortage;
mod spec;
pub mod tools;
mod variables;
mod verified;
mod with_sources;
mod work;

pub use agent_description::{AgentDescription, AgentProtocol, McpForm, PLACEHOLDERS, StopWord};
pub use agent_option::{ANY, AgentOption};
pub use agent_setup::AgentSetup;
pub use budget::{Budget, IdleLimit};
pub use call_key::{SCRIPTED_CALL, call_key, is_named, silent_call_key, unnamed_call_key};
pub use conflict::Conflict;
pub use ending::{AgentEnd, ClosedBy, Ending, Finish, StopReason};
pub use fact::Fact;
pub use fault_code::FAULT_CODES;
pub use isolation::{Isolation, IsolationChoice};
pub use launcher::{Launcher, LauncherError, Place};
pub use line_rule::{LineEnd, LineRule};
pub use mcp_server::{McpServer, ServerWay};
pub use message::{CAME_MEANWHILE, Message, MessageBuilder};
pub use notify_command::NotifyCommand;
pub use quotas::{ProjectQuota, Quotas};
pub use sandbox_rules::SandboxRules;
pub use shortage::Shortage;
pub use spec::{
    ATTACHED, BaseChoice, Deliver, OnRateLimit, Permissions, Priority, RetryPolicy, STORE_WAIT, TaskSpec,
    UNBOUND_WAIT, slug,
};
pub use tools::{ArgumentFault, AskUser, Call, RecordProgress, ReportSummary, SpawnSubtask, SummaryOutcome};
pub use variables::{
    EXECUTION_VARIABLE, ORDINARY_VARIABLES, SERVICE_VARIABLES, SOCKET_VARIABLE, TOKEN_VARIABLE,
    TOOL_LIMIT_VARIABLE, is_ordinary,
};
pub use verified::Verified;
pub use with_sources::with_sources;
pub use work::{Delivery, Denial, Exit, Fault, Kept, Usage};
