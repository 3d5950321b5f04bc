//! How a connection to the shim is opened, in either era, and what must not end it.

use std::{os::unix::net::UnixListener, time::Duration, time::Instant};

use serde_json::json;

use crate::support::shim::{Shim, error_code, initialize_params, modern_meta, shim_command};

const MODERN: &str = "2026-07-28";

#[test]
fn each_known_revision_is_echoed_and_any_other_answered_with_the_newest_that_has_a_handshake() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        (MODERN, "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("", "2025-11-25"),
        ("DRAFT-2027", "2025-11-25"),
    ] {
        let mut shim = Shim::start();
        let answer = shim.ask("initialize", &initialize_params(asked));
        assert_eq!(answer["result"]["protocolVersion"], answered, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "callbox");
        assert!(answer["result"]["instructions"].as_str().unwrap().contains("`ask_user`"));
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
        shim.leave();
    }
}

#[test]
fn a_broken_initialize_is_refused_and_a_good_one_still_taken() {
    let mut shim = Shim::start();
    for params in [json!({}), json!({"protocolVersion": 5}), json!({"protocolVersion": "2025-11-25"})] {
        assert_eq!(error_code(&shim.ask("initialize", &params)), -32602);
    }
    shim.initialize().leave();
}

#[test]
fn a_ping_before_initialize_is_answered() {
    let mut shim = Shim::start();
    assert_eq!(shim.ask("ping", &json!({}))["result"], json!({}));
    shim.initialize().leave();
}

#[test]
fn a_request_before_initialize_that_names_no_version_is_an_error_and_no_end() {
    let mut shim = Shim::start();
    for method in ["tools/list", "tools/call", "no/such"] {
        error_code(&shim.ask(method, &json!({"name": "ask_user"})));
    }
    shim.initialize().leave();
}

#[test]
fn notifications_and_answers_before_the_opening_are_passed_over() {
    let mut shim = Shim::start();
    let stray = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    shim.send(&stray);
    shim.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    shim.send(&json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}));
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    shim.expect_nothing_but_a_ping();
    // A probe does not open the connection, so what follows it is still before the opening.
    shim.send(&stray);
    let probe = shim.ask("server/discover", &json!({"_meta": modern_meta(MODERN)}));
    assert!(probe["result"].is_object(), "{probe}");
    shim.send(&stray);
    shim.initialize().leave();
}

#[test]
fn a_batch_as_the_first_message_is_answered_by_id_and_no_end() {
    let mut shim = Shim::start();
    shim.send(&json!([{"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": initialize_params("2025-03-26")}]));
    let answer = shim.next();
    assert_eq!((answer["id"].as_i64(), error_code(&answer)), (Some(7), -32600));
    shim.initialize().leave();
}

#[test]
fn a_request_before_initialized_is_served() {
    let mut shim = Shim::start();
    shim.ask("initialize", &initialize_params("2025-11-25"));
    assert_eq!(shim.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().len(), 4);
    shim.leave();
}

#[test]
fn a_second_initialize_is_refused_and_changes_nothing() {
    let mut shim = Shim::initialized();
    for version in ["2025-11-25", MODERN] {
        assert_eq!(error_code(&shim.ask("initialize", &initialize_params(version))), -32600);
        shim.expect_nothing_but_a_ping();
    }
    shim.leave();
}

#[test]
fn discover_names_all_revisions_and_leaves_both_eras_open() {
    let mut shim = Shim::start();
    assert_eq!(error_code(&shim.ask("server/discover", &json!({}))), -32602);
    let answer = shim.ask("server/discover", &json!({"_meta": modern_meta(MODERN)}));
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert_eq!(versions.len(), 5, "{answer}");
    assert!(answer["result"]["instructions"].is_string());
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callbox");
    shim.initialize().leave();

    let mut shim = Shim::start();
    shim.ask("server/discover", &json!({"_meta": modern_meta(MODERN)}));
    let list = shim.ask("tools/list", &json!({"_meta": modern_meta(MODERN)}));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 4);
    shim.leave();
}

#[test]
fn an_unknown_revision_in_a_request_is_refused_with_the_known_ones() {
    let mut shim = Shim::start();
    let answer = shim.ask("tools/list", &json!({"_meta": modern_meta("2099-01-01")}));
    assert_eq!(error_code(&answer), -32022);
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)), "{answer}");
    shim.initialize().leave();
}

#[test]
fn a_connection_without_a_handshake_is_served_by_its_own_rules() {
    let mut shim = Shim::start();
    let list = shim.ask("tools/list", &json!({"_meta": modern_meta(MODERN)}));
    assert_eq!(list["result"]["resultType"], "complete", "{list}");
    assert!(list["result"]["ttlMs"].is_u64() && list["result"]["cacheScope"].is_string(), "{list}");
    assert_eq!(list["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callbox");
    let call = json!({"name": "ask_user", "arguments": {}, "_meta": modern_meta(MODERN)});
    let result = shim.ask("tools/call", &call);
    assert_eq!(result["result"]["resultType"], "complete", "{result}");
    assert_eq!(result["result"]["isError"], true);
    assert_eq!(result["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callbox");

    assert_eq!(error_code(&shim.ask("tools/list", &json!({}))), -32602);
    assert_eq!(error_code(&shim.ask("ping", &json!({"_meta": modern_meta(MODERN)}))), -32601);
    assert_eq!(error_code(&shim.ask("initialize", &initialize_params("2025-11-25"))), -32600);
    shim.leave();
}

#[test]
fn after_a_handshake_one_request_may_still_speak_the_new_way() {
    let mut shim = Shim::initialized();
    let modern = shim.ask("tools/list", &json!({"_meta": modern_meta(MODERN)}));
    assert_eq!(modern["result"]["resultType"], "complete");
    let legacy = shim.ask("tools/list", &json!({}));
    assert!(
        legacy["result"].get("resultType").is_none() && legacy["result"].get("_meta").is_none(),
        "{legacy}"
    );
    shim.leave();
}

#[test]
fn a_store_that_accepts_nobody_delays_neither_the_opening_nor_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agent.sock");
    let _deaf = UnixListener::bind(&socket).unwrap();
    for socket in [socket, folder.path().join("absent.sock"), folder.path().join("x".repeat(200)).join("s")] {
        let mut command = shim_command();
        command.env("CALLBOX_SOCKET", socket).env("CALLBOX_TOKEN", "cbx_x");
        let mut shim = Shim::from(command).initialize();
        let begun = Instant::now();
        shim.ask("tools/list", &json!({}));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        shim.leave();
    }
}

#[test]
fn fifty_that_start_at_once_all_answer_in_time() {
    let begun = Instant::now();
    let mut shims: Vec<Shim> = (0..50).map(|_| Shim::start()).collect();
    for shim in &mut shims {
        shim.begin("initialize", &initialize_params("2025-11-25"));
    }
    for shim in &mut shims {
        assert_eq!(shim.next()["result"]["protocolVersion"], "2025-11-25");
    }
    // Codex gives a server ten seconds, Claude Code thirty.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
