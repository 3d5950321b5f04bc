//! Much at once, and clients that do not read: nothing lost, nothing hoarded, nothing stuck.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use crate::support::{
    shim::{Shim, initialize_params, shim_command},
    wait::{SOON, wait_until},
};

#[test]
fn under_load_no_answer_is_lost_or_mixed_up() {
    for mut shim in [Shim::from(shim_command()), Shim::on_sockets(shim_command())].map(Shim::initialize) {
        let mut load = String::new();
        for id in 1_000..3_000 {
            let method = if id % 3 == 0 { "tools/call" } else { "ping" };
            let request = json!({
                "jsonrpc": "2.0",
                "id": id,
                "method": method,
                "params": {"name": "record_progress", "arguments": {"message": "m"}}
            });
            load += &request.to_string();
            load.push('\n');
        }
        // In pieces that end in the middle of lines.
        for piece in load.as_bytes().chunks(1_777) {
            shim.send_bytes(piece);
        }
        let mut ids: Vec<i64> = (1_000..3_000).map(|_| shim.next()["id"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(1_000..3_000));
        shim.expect_nothing_but_a_ping();
        shim.leave();
    }
}

#[test]
fn a_client_that_reads_nothing_is_not_read_either_and_loses_no_answer() {
    // Some 25 MB of answers, three times what may be owed.
    let asked = 5_000;
    let mut command = shim_command();
    let (mut child, stdin) = start(command.stdout(Stdio::piped()));
    let stdout = child.stdout.take().unwrap();
    let padding = "n".repeat(4_000);
    let writer = thread::spawn(move || {
        write_requests(stdin, "tools/list", &json!({"cursor": padding}), asked);
    });
    wait_until_idle(child.id());
    assert!(!writer.is_finished());
    assert!(peak_kib(child.id()) < 60 << 10, "{} KiB", peak_kib(child.id()));

    let mut lines = BufReader::new(stdout).lines();
    for _ in 0..=asked {
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(answer.get("result").is_some(), "{answer}");
    }
    writer.join().unwrap();
    assert_eq!(lines.count(), 0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_client_that_never_reads_standard_error_is_served_all_the_same() {
    let mut command = shim_command();
    command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1").stderr(Stdio::piped());
    let mut shim = Shim::from(command).initialize();
    for _ in 0..5_000 {
        shim.send_line("a line that is no JSON and would be worth a word to somebody who reads it");
    }
    shim.expect_nothing_but_a_ping();
    shim.leave();
}

#[test]
fn standard_error_that_is_full_already_stops_nothing() {
    let (near, far) = std::io::pipe().unwrap();
    let mut filler = Command::new("dd");
    filler.args(["if=/dev/zero", "bs=4096", "count=15"]).stderr(Stdio::null());
    assert!(filler.stdout(far.try_clone().unwrap()).status().unwrap().success());
    let mut rest = Command::new("dd");
    rest.args(["if=/dev/zero", "bs=1", "count=4095"]).stderr(Stdio::null());
    assert!(rest.stdout(far.try_clone().unwrap()).status().unwrap().success());
    let mut command = shim_command();
    command.stderr(far);
    let mut shim = Shim::from(command).initialize();
    for _ in 0..30 {
        shim.send_line("no JSON");
    }
    shim.expect_nothing_but_a_ping();
    shim.leave();
    drop(near);
}

fn start(command: &mut Command) -> (Child, ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

fn write_requests(mut stdin: ChildStdin, method: &str, params: &Value, count: usize) {
    let first = initialize_params("2025-11-25");
    let first = json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": first});
    writeln!(stdin, "{first}").unwrap();
    for id in 0..count {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{request}").unwrap();
    }
}

/// Waits until a process that had something to do uses no more time.
fn wait_until_idle(pid: u32) {
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let (mut before, mut same) = (0, 0);
    wait_until("the shim stops reading", SOON, || {
        let now = used();
        same = if now == before && now > 0 { same + 1 } else { 0 };
        before = now;
        same > 50
    });
}

fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
