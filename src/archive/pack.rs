//! Making an archive.

use super::{
    container::{self, File},
    contents::Contents,
    encryption::encrypt,
    key::Key,
    limits::LONGEST,
    manifest::{
        FORMAT, Listed, ListedSandbox, ListedTask, Manifest, NAME, ROWS, bundle_name, transcript_name,
    },
    refusal::Refusal,
    signature::sign,
};
use crate::ids::Timestamp;

/// Who may make and read an archive.
#[derive(Debug, Clone, Copy)]
pub enum Secrecy<'k> {
    /// Anybody: it has no signature.
    Open,
    /// It is signed, and everybody who has it can read it.
    Signed(&'k Key),
    /// It is signed, and whoever has the key can read it.
    Encrypted(&'k Key),
}

/// Packs `contents`, of this moment. Refused where no archive could be taken apart again that holds it.
pub fn pack(contents: &Contents, secrecy: Secrecy<'_>, at: Timestamp) -> Result<Vec<u8>, Refusal> {
    let mut files = vec![File { name: ROWS.to_owned(), bytes: &contents.rows }];
    for luggage in &contents.tasks {
        let bundle = luggage.sandbox.as_ref().and_then(|sandbox| sandbox.bundle.as_ref());
        files.extend(bundle.map(|bytes| File { name: bundle_name(luggage.task), bytes }));
        let transcript = luggage.transcript.iter().enumerate();
        files.extend(
            transcript
                .map(|(place, file)| File { name: transcript_name(luggage.task, place), bytes: &file.bytes }),
        );
    }
    let tasks = contents.tasks.iter().map(|luggage| ListedTask {
        task: luggage.task,
        sandbox: luggage.sandbox.as_ref().map(|sandbox| ListedSandbox {
            base: sandbox.base.clone(),
            head: sandbox.head.clone(),
            work: sandbox.work.clone(),
            bundle: sandbox.bundle.is_some(),
        }),
        transcript: luggage.transcript.iter().map(|file| file.path.clone()).collect(),
    });
    let manifest = Manifest {
        format: FORMAT,
        callbox: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: at,
        files: files.iter().map(Listed::of).collect(),
        tasks: tasks.collect(),
    };
    let manifest = serde_json::to_vec_pretty(&manifest)
        .map_err(|error| Refusal::broken(format!("its `{NAME}` could not be written ({error})")))?;
    files.insert(0, File { name: NAME.to_owned(), bytes: &manifest });
    let mut bytes = container::write(&files)?;
    super::unpack::take_apart(&bytes)?;
    let bytes = match secrecy {
        Secrecy::Open => bytes,
        Secrecy::Signed(key) => {
            sign(&mut bytes, key);
            bytes
        }
        Secrecy::Encrypted(key) => {
            sign(&mut bytes, key);
            encrypt(&bytes, key)?
        }
    };
    if bytes.len() as u64 > LONGEST { Err(Refusal::TooLong { limit: LONGEST }) } else { Ok(bytes) }
}
