//! What an archive is taken for, whoever made it.

use proptest::prelude::*;
use tar::{EntryType, Header};

use super::{
    Contents, Demand, Key, Luggage, Refusal, Sandbox, Secrecy, Transcript, WrongKey,
    limits::EACH,
    manifest::{FORMAT, Listed, NAME},
    pack, unpack,
};
use crate::ids::{Secret, Timestamp, UniqueId};

fn key(text: &str) -> Key {
    Key::new(&Secret::new(text)).unwrap()
}

fn mine() -> Key {
    key("a key of both ends")
}

fn contents() -> Contents {
    let transcript = Transcript { path: vec!["2026".into(), "a.jsonl".into()], bytes: b"{}\n".to_vec() };
    let sandbox = Sandbox {
        base: Some("a".repeat(40)),
        head: Some("b".repeat(40)),
        work: None,
        bundle: Some(b"# v2 git bundle\n".to_vec()),
    };
    let bare = Luggage { task: UniqueId::mint(), sandbox: None, transcript: Vec::new() };
    let full = Luggage { task: UniqueId::mint(), sandbox: Some(sandbox), transcript: vec![transcript] };
    Contents { rows: b"{}".to_vec(), tasks: vec![full, bare] }
}

fn packed(secrecy: Secrecy<'_>) -> Vec<u8> {
    pack(&contents(), secrecy, Timestamp::now()).unwrap()
}

/// Without a signature.
fn taken(bytes: &[u8]) -> Result<Contents, Refusal> {
    unpack(bytes, None, Demand::Anybody)
}

#[track_caller]
fn is_broken(bytes: &[u8], words: &str) {
    match taken(bytes) {
        Err(Refusal::Broken { reason }) => assert!(reason.contains(words), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_packed_is_unpacked_signed_encrypted_or_neither() {
    let (contents, key) = (contents(), mine());
    for secrecy in [Secrecy::Open, Secrecy::Signed(&key), Secrecy::Encrypted(&key)] {
        let bytes = pack(&contents, secrecy, Timestamp::now()).unwrap();
        assert_eq!(unpack(&bytes, Some(&key), Demand::Anybody).unwrap(), contents);
        let signed = unpack(&bytes, Some(&key), Demand::Signed);
        match secrecy {
            Secrecy::Open => assert_eq!(signed, Err(Refusal::Unsigned)),
            Secrecy::Signed(_) | Secrecy::Encrypted(_) => assert_eq!(signed.unwrap(), contents),
        }
    }
}

#[test]
fn a_signature_counts_only_with_its_own_key_and_is_checked_wherever_it_can_be() {
    let (own, other) = (mine(), key("some other key, as long"));
    let bytes = packed(Secrecy::Signed(&own));
    for demand in [Demand::Signed, Demand::Anybody] {
        assert_eq!(unpack(&bytes, Some(&other), demand), Err(Refusal::Forged));
    }
    assert_eq!(unpack(&bytes, None, Demand::Signed), Err(Refusal::NoKey));
    assert!(unpack(&bytes, None, Demand::Anybody).is_ok());
    let locked = packed(Secrecy::Encrypted(&own));
    assert_eq!(unpack(&locked, Some(&other), Demand::Anybody), Err(Refusal::Undecryptable));
    assert_eq!(unpack(&locked, None, Demand::Anybody), Err(Refusal::Locked));
}

#[test]
fn an_archive_that_was_cut_off_anywhere_is_refused() {
    let key = mine();
    let bytes = packed(Secrecy::Signed(&key));
    for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        assert!(unpack(&bytes[..length], Some(&key), Demand::Signed).is_err(), "{length}");
        assert!(unpack(&bytes[..length], Some(&key), Demand::Anybody).is_err(), "{length}");
    }
}

#[test]
fn a_key_that_is_too_short_is_none() {
    assert_eq!(Key::new(&Secret::new("short")).unwrap_err(), WrongKey);
    assert_eq!(Key::new(&Secret::new(" ".repeat(40))).unwrap_err(), WrongKey);
}

/// One entry of a tar that somebody made up.
struct Entry<'a> {
    name: &'a str,
    kind: EntryType,
    bytes: &'a [u8],
}

fn file<'a>(name: &'a str, bytes: &'a [u8]) -> Entry<'a> {
    Entry { name, kind: EntryType::Regular, bytes }
}

/// Whatever is wrong with it.
fn tar(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for Entry { name, kind, bytes } in entries {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_entry_type(*kind);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A table of contents that tells the truth of `files`.
fn manifest(files: &[Entry<'_>], tasks: &str) -> Vec<u8> {
    let listed = files.iter().map(|entry| {
        let file = super::container::File { name: entry.name.to_owned(), bytes: entry.bytes };
        serde_json::to_string(&Listed::of(&file)).unwrap()
    });
    let listed = listed.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"format":{FORMAT},"callbox":"0","made_at":"2026-12-01T00:00:00Z","files":[{listed}],"tasks":{tasks}}}"#
    )
    .into_bytes()
}

/// An archive with `more` behind the rows, of all of which its table of contents tells the truth.
fn with(more: Vec<Entry<'_>>) -> Vec<u8> {
    let mut files = vec![file("rows.json", b"{}")];
    files.extend(more);
    let manifest = manifest(&files, "[]");
    files.insert(0, file(NAME, &manifest));
    tar(&files)
}

#[test]
fn nothing_is_taken_under_a_name_that_an_archive_chooses() {
    assert!(taken(&with(Vec::new())).is_ok());
    for name in [
        "../up",
        "/etc/passwd",
        "rows.json",
        "sandboxes/../../up",
        ".git/config",
        ".git/hooks/pre-commit",
        "x",
    ] {
        is_broken(&with(vec![file(name, b"x")]), "tells of 1");
    }
}

#[test]
fn only_plain_files_are_taken() {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::Directory,
        EntryType::Continuous,
        EntryType::GNULongName,
        EntryType::GNULongLink,
        EntryType::GNUSparse,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
        EntryType::new(b'Z'),
    ] {
        is_broken(&with(vec![Entry { name: "x", kind, bytes: b"" }]), "no plain file");
    }
}

#[test]
fn what_stands_behind_the_last_file_is_refused() {
    let whole = with(Vec::new());
    is_broken(&[&whole[..], b"x"].concat(), "behind its last file");
    is_broken(&[&whole[..], &vec![0; 20_000]].concat(), "behind its last file");
    is_broken(&[&whole[..], &whole[..]].concat(), "behind its last file");
}

#[test]
fn a_file_must_be_what_the_table_of_contents_says_and_stand_where_it_says() {
    let rows = [file("rows.json", b"{}")];
    let said = manifest(&rows, "[]");
    is_broken(&tar(&[file(NAME, &said), file("rows.json", b"[]")]), "is not what");
    is_broken(&tar(&[file("rows.json", b"{}"), file(NAME, &said)]), "first file");
    is_broken(&tar(&[file(NAME, &said)]), "0 files");
    let other = [file("other", b"{}")];
    let said = manifest(&other, "[]");
    is_broken(&tar(&[file(NAME, &said), file("other", b"{}")]), "stands where `rows.json` should");
    is_broken(&tar(&[]), "first file");
}

#[test]
fn a_table_of_contents_that_names_what_it_must_not_is_refused() {
    let id = UniqueId::mint();
    let task = |rest: &str| format!(r#"[{{"task":"{id}",{rest}}}]"#);
    let twice = format!(
        r#"[{{"task":"{id}","sandbox":null,"transcript":[]}},{{"task":"{id}","sandbox":null,"transcript":[]}}]"#
    );
    let deep = r#""a","#.repeat(8) + r#""a""#;
    for (tasks, words) in [
        (twice, "listed twice"),
        (task(r#""sandbox":null,"transcript":[["..","x"]]"#), "no way to a file"),
        (task(r#""sandbox":null,"transcript":[["a/b"]]"#), "no way to a file"),
        (task(r#""sandbox":null,"transcript":[[""]]"#), "no way to a file"),
        (task(r#""sandbox":null,"transcript":[["a\u0000"]]"#), "no way to a file"),
        (task(r#""sandbox":null,"transcript":[[]]"#), "no way to a file"),
        (task(&format!(r#""sandbox":null,"transcript":[[{deep}]]"#)), "no way to a file"),
        (
            task(r#""sandbox":{"base":"--all","head":null,"work":null,"bundle":false},"transcript":[]"#),
            "is no commit",
        ),
        (task(r#""sandbox":null,"transcript":[],"hooks":{}"#), "cannot be read"),
    ] {
        let said = manifest(&[file("rows.json", b"{}")], &tasks);
        is_broken(&tar(&[file(NAME, &said), file("rows.json", b"{}")]), words);
    }
    let newer = br#"{"format":2,"whatever":[]}"#;
    assert_eq!(taken(&tar(&[file(NAME, newer)])), Err(Refusal::Format { found: 2, read: FORMAT }));
}

#[test]
fn too_many_tasks_and_files_are_refused_by_their_number() {
    let one = || format!(r#"{{"task":"{}","sandbox":null,"transcript":[]}}"#, UniqueId::mint());
    let many = format!("[{}]", (0..1_001).map(|_| one()).collect::<Vec<_>>().join(","));
    let said = manifest(&[], &many);
    let refusal = taken(&tar(&[file(NAME, &said)])).unwrap_err();
    assert_eq!(refusal, Refusal::TooMany { what: "tasks", count: 1_001, limit: 1_000 });
    let files = vec![r#"["a"]"#; 65].join(",");
    let tasks = format!(r#"[{{"task":"{}","sandbox":null,"transcript":[{files}]}}]"#, UniqueId::mint());
    let said = manifest(&[], &tasks);
    assert!(matches!(taken(&tar(&[file(NAME, &said)])), Err(Refusal::TooMany { count: 65, .. })));
}

#[test]
fn a_size_that_is_not_there_is_refused_before_anything_is_set_aside_for_it() {
    let mut header = Header::new_ustar();
    header.set_path(NAME).unwrap();
    header.set_size(u64::MAX >> 1);
    header.set_entry_type(EntryType::Regular);
    header.set_cksum();
    let bytes = [header.as_bytes().as_slice(), &[0; 4096]].concat();
    assert!(matches!(taken(&bytes), Err(Refusal::Broken { .. })));
}

#[test]
fn a_part_that_is_too_large_does_not_go_into_an_archive() {
    let rows = vec![b' '; (64 << 20) + 1];
    let large = Contents { rows, tasks: Vec::new() };
    let refusal = pack(&large, Secrecy::Open, Timestamp::now()).unwrap_err();
    assert!(refusal.to_string().contains("`rows.json` in it has 67108865 bytes"), "{refusal}");
    const { assert!(EACH * 2 <= super::LONGEST) };
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        prop_assert!(taken(&bytes).is_err());
    }

    #[test]
    fn no_change_of_a_signed_archive_is_taken(place in any::<prop::sample::Index>(), bit in 0..8) {
        let key = mine();
        let mut bytes = packed(Secrecy::Signed(&key));
        let place = place.index(bytes.len());
        bytes[place] ^= 1_u8 << bit;
        prop_assert!(unpack(&bytes, Some(&key), Demand::Signed).is_err());
    }

    #[test]
    fn no_change_of_an_unsigned_archive_makes_the_reader_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = packed(Secrecy::Open);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // Taken or not: what is taken holds what its digests say.
        let _ = taken(&bytes);
    }
}
