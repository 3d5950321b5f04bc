//! The files in an archive, as a tar that any tar lists: plain files, one after the other, and nothing else.

use tar::{Archive, EntryType, Header};

use super::refusal::Refusal;

/// A tar is padded to this many bytes at most.
const PADDING: usize = 10_240;

/// One file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File<'a> {
    pub(super) name: String,
    pub(super) bytes: &'a [u8],
}

/// Puts `files` one behind the other.
pub(super) fn write(files: &[File<'_>]) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| Refusal::broken(format!("it could not be written ({error})"));
    let mut builder = tar::Builder::new(Vec::new());
    for file in files {
        let mut header = Header::new_ustar();
        header.set_path(&file.name).map_err(failed)?;
        header.set_size(file.bytes.len() as u64);
        header.set_mode(0o600);
        header.set_entry_type(EntryType::Regular);
        header.set_cksum();
        builder.append(&header, file.bytes).map_err(failed)?;
    }
    builder.into_inner().map_err(failed)
}

/// The files in `bytes`, as they stand there. Everything that is not a plain file is refused, and so is what stands
/// behind the last one: an extension of tar's could give a file another name or size than this says.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<File<'_>>, Refusal> {
    let mut files = Vec::new();
    let mut behind = 0;
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(unreadable)?.raw(true) {
        let entry = entry.map_err(unreadable)?;
        let name = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|_| Refusal::broken("the name of a file in it is no text"))?;
        if entry.header().entry_type() != EntryType::Regular || entry.header().as_ustar().is_none() {
            return Err(Refusal::broken(format!("`{name}` in it is no plain file")));
        }
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        let start = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
        let content = start.checked_add(size).and_then(|end| bytes.get(start..end));
        let content = content.ok_or_else(|| Refusal::broken(format!("`{name}` in it is cut off")))?;
        behind = start + size.next_multiple_of(512);
        files.push(File { name, bytes: content });
    }
    let padding = bytes.get(behind..).unwrap_or_default();
    if !(1024..=PADDING).contains(&padding.len()) || padding.iter().any(|byte| *byte != 0) {
        return Err(Refusal::broken("something stands behind its last file, or its end is missing"));
    }
    Ok(files)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands on")]
fn unreadable(error: std::io::Error) -> Refusal {
    Refusal::broken(format!("it cannot be read as a tar ({error})"))
}
