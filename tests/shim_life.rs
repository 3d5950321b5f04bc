//! How long a shim lives: as long as its client and not a moment longer.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::ExitStatusExt as _,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::json;

use crate::support::{
    raw_store::{Answer, RawStore},
    shim::{SHIM, Shim, initialize_params, shim_command, tool_result},
    wait::{SOON, wait_until},
};

/// What the official TypeScript client waits before it sends SIGTERM.
const CLIENTS_PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn when_the_input_ends_it_goes_at_once_opened_or_not() {
    Shim::start().leave();
    Shim::initialized().leave();
    Shim::on_sockets(shim_command()).leave();
    Shim::on_sockets(shim_command()).initialize().leave();
}

#[test]
fn a_call_that_ends_soon_after_the_input_is_still_answered() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    let params = json!({"name": "report_summary", "arguments": {"summary": "s"}});
    let id = shim.begin("tools/call", &params);
    store.signals(1);
    shim.close_input();
    // The answer comes once the shim has seen the end: it is then waiting on nothing but the store.
    store.answer(Answer::Recorded("recorded"));
    let rest = shim.rest();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!((rest[0]["id"].as_i64(), tool_result(&rest[0]).1), (Some(id), "recorded".to_owned()));
    assert_eq!(shim.end().0.code(), Some(0));
}

#[test]
fn a_call_that_does_not_end_keeps_it_less_than_clients_wait() {
    for store in [RawStore::present(), RawStore::absent()] {
        let mut shim = Shim::from(store.shim()).initialize();
        let params = json!({"name": "ask_user", "arguments": {"question": "?"}});
        shim.begin("tools/call", &params);
        shim.expect_nothing_but_a_ping();
        shim.close_input();
        let (status, took) = shim.end();
        assert_eq!(status.code(), Some(0));
        assert!(took < CLIENTS_PATIENCE * 3 / 4, "{took:?}");
    }
}

#[test]
fn answers_that_nobody_reads_do_not_keep_it() {
    let mut command = shim_command();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let first = initialize_params("2025-11-25");
    let mut requests =
        format!("{}\n", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": first}));
    for id in 1..100 {
        requests += &json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string();
        requests.push('\n');
    }
    input.write_all(requests.as_bytes()).unwrap();
    drop(input);
    let begun = std::time::Instant::now();
    wait_until("the shim ends", SOON, || child.try_wait().unwrap().is_some());
    assert!(begun.elapsed() < CLIENTS_PATIENCE, "{:?}", begun.elapsed());
}

#[test]
fn a_client_that_stops_reading_for_good_ends_it() {
    let mut command = shim_command();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    wait_until("the shim ends", SOON, || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_terminals_interrupt_is_not_meant_for_it() {
    let mut shim = Shim::initialized();
    signal(shim.pid(), "INT");
    signal(shim.pid(), "INT");
    shim.expect_nothing_but_a_ping();
    shim.leave();
}

#[test]
fn a_terminate_signal_ends_it_at_once() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.begin("tools/call", &json!({"name": "record_progress", "arguments": {"message": "m"}}));
    store.signals(1);
    signal(shim.pid(), "TERM");
    let (status, took) = shim.end();
    assert_eq!(status.signal(), Some(15));
    assert!(took < Duration::from_millis(500), "{took:?}");
}

#[test]
fn a_killed_parent_ends_it_although_its_input_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("input");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // This test holds the other end of the input open, as another child of the agent would.
    let mut input = std::fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let mut parent = Command::new("sh")
        .args(["-c", "\"$0\" <\"$1\" & echo $!; wait"])
        .args([SHIM.as_ref(), fifo.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    // The shim must have seen its parent before it can miss it.
    writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).unwrap();
    let mut said = ["", ""].map(str::to_owned);
    for line in &mut said {
        output.read_line(line).unwrap();
    }
    let pid = said.iter().find(|line| line.trim().parse::<u32>().is_ok()).unwrap();
    assert!(said.iter().any(|line| line.contains("result")), "{said:?}");
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until("the shim is gone", SOON, || !is_alive(pid.trim()));
    drop(input);
}

#[test]
fn it_runs_on_one_thread_on_pipes_and_on_sockets() {
    for shim in [Shim::from(shim_command()), Shim::on_sockets(shim_command())].map(Shim::initialize) {
        assert_eq!(shim.status_field("Threads"), 1);
        shim.leave();
    }
}

#[test]
fn files_serve_as_streams_too() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let first =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18")});
    let last = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    std::fs::write(&input, format!("{first}\n{last}")).unwrap();
    let mut command = shim_command();
    command.stdin(std::fs::File::open(&input).unwrap()).stdout(std::fs::File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    let said = std::fs::read_to_string(&output).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(shim_command().stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap().success());
}

#[test]
fn an_empty_environment_is_enough_to_be_served() {
    let mut command = Command::new(SHIM);
    command.env_clear();
    let mut shim = Shim::from(command).initialize();
    assert_eq!(shim.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().len(), 4);
    for missing in ["CALLBOX_SOCKET", "`env`"] {
        let (is_error, text) = shim.call("ask_user", &json!({"question": "?"}));
        assert!(is_error && text.contains(missing), "{text}");
    }
    shim.leave();
}

fn signal(pid: u32, name: &str) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let signal = match name {
        "INT" => rustix::process::Signal::INT,
        _ => rustix::process::Signal::TERM,
    };
    rustix::process::kill_process(pid, signal).unwrap();
}

fn is_alive(pid: &str) -> bool {
    // A zombie that nobody reaped yet is gone all the same.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z')
}
