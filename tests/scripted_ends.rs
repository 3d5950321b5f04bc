//! How the scripted agent's runs end, well and badly, and how the adapter understands each.

use std::{fs, os::unix::process::ExitStatusExt as _};

use callbox::{ids::Timestamp, vocabulary::AgentEnd};
use rustix::process::Signal;

use crate::support::{
    played::Played,
    player::Player,
    processes::kill,
    wait::{SOON, wait_until},
};

fn failed(turn: &Played) -> String {
    match turn.conclusion().end {
        AgentEnd::Failed { fault } => fault.message,
        other => panic!("{other:?} from {turn:?}"),
    }
}

#[test]
fn a_prose_question_is_a_good_end_with_the_question_as_last_words() {
    let turn = Player::alone().play("- print: x\n- prose_question: Shall I?\n- exit: 1");
    turn.well("Shall I?");
    let conclusion = turn.conclusion();
    assert_eq!(conclusion.end, AgentEnd::Finished);
    assert_eq!(conclusion.final_message.as_deref(), Some("Shall I?"));
}

#[test]
fn costs_add_up_and_denials_are_counted() {
    let turn = Player::alone().play("- cost: 0.25\n- deny: Bash\n- cost: 0.5\n- deny: Bash\n- deny: Web");
    let conclusion = turn.conclusion();
    assert_eq!(conclusion.usage.cost_usd, Some(0.75));
    assert_eq!((conclusion.usage.tokens_in, conclusion.usage.tokens_out), (Some(200), Some(20)));
    let denied: Vec<_> =
        conclusion.denials.iter().map(|denial| (denial.tool.as_str(), denial.count)).collect();
    assert_eq!(denied, [("Bash", 2), ("Web", 1)]);
}

#[test]
fn what_a_provider_refuses_is_understood_and_not_repeated_by_a_resume() {
    let player = Player::alone();
    let before = Timestamp::now();
    match player.play("- rate_limit: {reset: 1h}\n- rate_limit\n- auth\n- print: at last").conclusion().end {
        AgentEnd::RateLimited { until: Some(until), .. } => {
            let after = until.since(before).as_secs();
            assert!((3_599..3_700).contains(&after), "{after}");
        }
        other => panic!("{other:?}"),
    }
    let again = player.resume("callbox: go on").conclusion().end;
    assert!(matches!(again, AgentEnd::RateLimited { until: None, .. }), "{again:?}");
    let again = player.resume("callbox: go on").conclusion().end;
    assert!(matches!(again, AgentEnd::Auth { .. }), "{again:?}");
    player.resume("callbox: go on").well("at last");
}

#[test]
fn an_exit_says_no_result_whatever_its_status() {
    for status in [0, 3, 255] {
        let player = Player::alone();
        let turn = player.play(&format!("- exit: {status}\n- print: behind"));
        assert_eq!((turn.status.code(), turn.names()), (Some(status), vec!["session".into(), "turn".into()]));
        assert!(failed(&turn).contains(&format!("status {status}")));
        player.resume("callbox: go on").well("behind");
    }
}

#[test]
fn a_crash_is_a_death_by_signal_that_a_resume_does_not_repeat() {
    let player = Player::alone();
    let turn = player.play("- crash\n- print: behind");
    assert_eq!(turn.status.signal(), Some(9));
    assert!(failed(&turn).contains("signal 9"));
    assert_eq!(fs::read_dir(player.directory()).unwrap().count(), 0, "no core file is left in the sandbox");
    player.resume("callbox: go on").well("behind");
}

#[test]
fn a_hang_takes_sigterm_and_goes_on_and_a_resume_does_not_repeat_it() {
    let player = Player::alone();
    let mut playing = player.open("- hang\n- print: behind");
    playing.wait_for("turn");
    // It says nothing once it hangs; from then on the kernel knows that it catches SIGTERM.
    let pid = playing.pid();
    wait_until("it listens for SIGTERM", SOON, || catches_sigterm(pid));
    for _ in 0..3 {
        kill(pid, Signal::TERM);
        // Taken, and not the end of it.
        wait_until("SIGTERM is taken", SOON, || pending(pid) == 0);
        assert!(playing.runs());
    }
    kill(pid, Signal::KILL);
    assert_eq!(playing.end().status.signal(), Some(9));
    player.resume("callbox: go on").well("behind");
}

#[test]
fn a_sleep_that_was_cut_short_is_behind() {
    let player = Player::alone();
    let mut playing = player.open("- print: before\n- sleep: 1h\n- print: behind");
    playing.wait_for("text");
    player.wait_for_place(2);
    kill(playing.pid(), Signal::TERM);
    assert_eq!(playing.end().status.signal(), Some(15));
    player.resume("callbox: go on").well("behind");
}

#[test]
fn an_orphan_outlives_its_agent_in_a_session_of_its_own() {
    let player = Player::alone();
    player.play("- orphan: {sleep: 1h}").well("all steps are played");
    let orphan = || {
        let processes = fs::read_dir("/proc").unwrap();
        let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        pids.find(|pid| {
            fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|directory| directory == player.directory())
                && fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
        })
    };
    wait_until("the orphan is there", SOON, || orphan().is_some());
    let pid = orphan().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    kill(pid, Signal::KILL);
    // Behind the name: state, parent, group, session (proc(5)).
    let session = stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap();
    assert_eq!(session, pid.to_string(), "{stat}");
}

#[test]
fn a_flood_is_as_long_as_it_says_and_the_result_comes_behind_it() {
    let turn = Player::alone().play("- flood: {bytes: 1000000}\n- print: behind");
    let length: usize = turn.lines.iter().map(|line| line.len() + 1).sum();
    assert!((1_000_000..1_010_000).contains(&length), "{length}");
    assert!(turn.lines.iter().all(|line| line.len() < 5_000));
    turn.well("behind");
}

/// A field of `/proc/PID/status` that holds a set of signals.
fn signals(pid: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let set = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(":\t")).unwrap();
    u64::from_str_radix(set, 16).unwrap()
}

fn catches_sigterm(pid: u32) -> bool {
    signals(pid, "SigCgt") & (1 << 14) != 0
}

fn pending(pid: u32) -> u64 {
    signals(pid, "ShdPnd") | signals(pid, "SigPnd")
}
