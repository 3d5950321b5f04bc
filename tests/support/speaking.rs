//! Agents that call the tools from a shell, with their own token.

use super::{cli::Desk, shim::SHIM, supervised::write_agent};

/// Makes `script` the program `claude` of `desk`. It may use `call TOOL JSON`, whose first words may be a program
/// that starts the shim in `$by`; whatever comes of it is noted in `notes` on the desk with its status. `wait_for`
/// waits until there is a file of that name on the desk. Calls are tried for `patience` seconds. What takes longer
/// than a shim may take to announce itself stands before `begin`.
pub(crate) fn speaking(desk: &Desk, patience: u32, script: &str) {
    let tools = format!(
        r#"notes={notes}; S={state}; n=${{CALLBOX_EXECUTION#x}}; by=
token=$(cat $S/executions/$n/mcp.json); token=${{token#*CALLBOX_TOKEN\":\"}}; token=${{token%%\"*}}
export CALLBOX_SOCKET=$S/agent/agent.sock CALLBOX_TOKEN=$token CALLBOX_TOOL_LIMIT={limit}
call() {{ $by {SHIM} call "$1" "$2" >>$notes 2>&1; status=$?; echo "status $status" >>$notes; return $status; }}
wait_for() {{ left=3000; until [ -e {desk}/$1 ] || [ $left = 0 ]; do left=$((left - 1)); sleep 0.02; done; }}
cat >/dev/null
"#,
        notes = desk.path("notes").display(),
        state = desk.state().display(),
        desk = desk.path("").display(),
        // The shim gives up ten seconds before the agent would.
        limit = patience + 10,
    );
    write_agent(&desk.path("bin/claude"), &(tools + script));
}
