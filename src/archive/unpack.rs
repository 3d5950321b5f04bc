//! Taking an archive apart: the signature first, then the table of contents, then every file against it.

use super::{
    container,
    contents::{Contents, Luggage, Sandbox, Transcript},
    encryption::{decrypt, is_encrypted},
    key::Key,
    limits::{LONGEST, MANIFEST},
    manifest::{Listed, Manifest, NAME},
    refusal::Refusal,
    signature::part,
};

/// What is demanded of whoever made an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// The key.
    Signed,
    /// Nothing. A signature that can be checked is checked all the same.
    Anybody,
}

/// Takes `bytes` apart. Before the signature was checked nothing of them is looked at but whether there is one.
pub fn unpack(bytes: &[u8], key: Option<&Key>, demand: Demand) -> Result<Contents, Refusal> {
    if bytes.len() as u64 > LONGEST {
        return Err(Refusal::TooLong { limit: LONGEST });
    }
    if is_encrypted(bytes) {
        let key = key.ok_or(Refusal::Locked)?;
        return authentic(&decrypt(bytes, key)?, Some(key), demand);
    }
    authentic(bytes, key, demand)
}

fn authentic(whole: &[u8], key: Option<&Key>, demand: Demand) -> Result<Contents, Refusal> {
    let signed = part(whole);
    match (signed.code, key, demand) {
        (Some(code), Some(key), _) if !key.is_code(&code, signed.bytes) => return Err(Refusal::Forged),
        (Some(_), None, Demand::Signed) => return Err(Refusal::NoKey),
        (None, _, Demand::Signed) => return Err(Refusal::Unsigned),
        _ => {}
    }
    take_apart(signed.bytes)
}

/// Holds every file against the table of contents.
pub(super) fn take_apart(bytes: &[u8]) -> Result<Contents, Refusal> {
    let files = container::read(bytes)?;
    let Some((first, files)) = files.split_first().filter(|(first, _)| first.name == NAME) else {
        return Err(Refusal::broken(format!("its first file is not `{NAME}`")));
    };
    limited(NAME, first.bytes.len() as u64, MANIFEST)?;
    let manifest = Manifest::read(first.bytes)?;
    let names = manifest.names();
    let counts = (files.len(), manifest.files.len(), names.len());
    if counts.0 != counts.1 || counts.1 != counts.2 {
        return Err(Refusal::broken(format!(
            "it holds {} files, and `{NAME}` tells of {}",
            counts.0, counts.2
        )));
    }
    for ((file, listed), (name, limit)) in files.iter().zip(&manifest.files).zip(&names) {
        if file.name != *name {
            return Err(Refusal::broken(format!("`{}` stands where `{name}` should", file.name)));
        }
        limited(name, file.bytes.len() as u64, *limit)?;
        if Listed::of(file) != *listed {
            return Err(Refusal::broken(format!("`{name}` is not what `{NAME}` says of it")));
        }
    }
    let mut contents = files.iter().map(|file| file.bytes.to_vec());
    let mut next = || contents.next().unwrap_or_default();
    let rows = next();
    let tasks = manifest.tasks.into_iter().map(|listed| Luggage {
        task: listed.task,
        sandbox: listed.sandbox.map(|sandbox| Sandbox {
            base: sandbox.base,
            head: sandbox.head,
            work: sandbox.work,
            bundle: sandbox.bundle.then(&mut next),
        }),
        transcript: listed.transcript.into_iter().map(|path| Transcript { path, bytes: next() }).collect(),
    });
    let tasks = tasks.collect();
    Ok(Contents { rows, tasks })
}

fn limited(name: &str, size: u64, limit: u64) -> Result<(), Refusal> {
    if size > limit { Err(Refusal::TooLarge { name: name.to_owned(), size, limit }) } else { Ok(()) }
}
