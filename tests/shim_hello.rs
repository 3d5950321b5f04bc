//! The shim announces the agent that connected, once, and keeps nobody waiting with it.

use serde_json::{Value, json};

use crate::support::{
    raw_store::{Answer, RawStore, TOKEN, header},
    shim::{Shim, modern_meta, tool_result},
};

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn the_first_list_announces_the_client_once() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    for _ in 0..3 {
        shim.ask("tools/list", &json!({}));
    }
    let hellos = store.hellos(1);
    assert_eq!(header(&hellos[0], "authorization"), format!("Bearer {TOKEN}"));
    let expected = json!({"client": "a test", "version": "1", "protocol": "2025-11-25"});
    assert_eq!(body(&hellos[0]), expected);

    // A call is answered behind it, so a second one would have come by now.
    shim.begin("tools/call", &json!({"name": "record_progress", "arguments": {"message": "m"}}));
    store.answer(Answer::Recorded("recorded"));
    assert!(!tool_result(&shim.next()).0);
    assert_eq!(store.hellos(1).len(), 1);
    shim.leave();
}

#[test]
fn initialize_alone_announces_nobody() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.expect_nothing_but_a_ping();
    shim.leave();
    assert!(store.hellos(0).is_empty());
}

#[test]
fn a_client_that_calls_without_listing_is_announced_all_the_same() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.begin("tools/call", &json!({"name": "record_progress", "arguments": {"message": "m"}}));
    store.answer(Answer::Recorded("recorded"));
    assert!(!tool_result(&shim.next()).0);
    assert_eq!(store.hellos(1).len(), 1);
    shim.leave();
}

#[test]
fn a_discover_announces_a_client_that_never_initializes() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim());
    shim.ask("server/discover", &json!({"_meta": modern_meta("2026-07-28")}));
    let expected = json!({"client": "a test", "version": "1", "protocol": "2026-07-28"});
    assert_eq!(body(&store.hellos(1)[0]), expected);
    shim.ask("tools/list", &json!({"_meta": modern_meta("2026-07-28")}));
    shim.leave();
}

#[test]
fn a_store_that_comes_later_still_hears_of_the_client() {
    let mut store = RawStore::absent();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.ask("tools/list", &json!({}));
    store.appear();
    assert_eq!(body(&store.hellos(1)[0])["client"], "a test");
    shim.leave();
}

#[test]
fn whatever_a_client_calls_itself_fits_the_wire() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim());
    let name = format!("\u{1b}[31m{}", "ü".repeat(1_000));
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": name, "version": ""}
    });
    shim.ask("initialize", &params);
    shim.ask("tools/list", &json!({}));
    let hello = body(&store.hellos(1)[0]);
    let client = hello["client"].as_str().unwrap();
    assert!(client.chars().count() == 200 && !client.chars().any(char::is_control), "{client}");
    assert_eq!(hello["protocol"], "2025-06-18");
    shim.leave();
}
