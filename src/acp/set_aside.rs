//! Files of a conversation, put where the program does not overwrite them.

use std::{fs, io, path::Path};

use super::told::Remembered;

/// What tells a name that was given here.
const MARK: &str = "kept-";

/// Gives the files of `remembered` names that no run of the program makes. One that has such a name already is the
/// conversation; others of it are what later runs began.
pub(super) fn set_aside(remembered: &Remembered) -> io::Result<()> {
    for project in entries(&remembered.folder)? {
        let folder = project.join(&remembered.within);
        let kept = format!("{}{MARK}", remembered.beginning);
        let files: Vec<_> = entries(&folder)?.into_iter().filter(|file| is_of(file, remembered)).collect();
        if files.iter().any(|file| name(file).starts_with(&kept)) {
            continue;
        }
        for file in files {
            let rest = &name(&file)[remembered.beginning.len()..];
            fs::rename(&file, folder.join(format!("{kept}{rest}")))?;
        }
    }
    Ok(())
}

fn is_of(file: &Path, remembered: &Remembered) -> bool {
    let name = name(file);
    name.starts_with(&remembered.beginning)
        && name.ends_with(&remembered.ending)
        && name.len() >= remembered.beginning.len() + remembered.ending.len()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What stands in `folder`; nothing where it is none.
fn entries(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_is_put_aside_once_and_what_later_runs_begin_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let chats = folder.path().join("work/chats");
        fs::create_dir_all(&chats).unwrap();
        fs::write(folder.path().join("no-folder"), "").unwrap();
        for name in ["session-01-02-aa.jsonl", "session-01-02-bb.jsonl"] {
            fs::write(chats.join(name), name).unwrap();
        }
        let remembered = Remembered {
            folder: folder.path().to_owned(),
            within: "chats".to_owned(),
            beginning: "session-".to_owned(),
            ending: "-aa.jsonl".to_owned(),
        };
        set_aside(&remembered).unwrap();
        fs::write(chats.join("session-01-02-aa.jsonl"), "begun later").unwrap();
        set_aside(&remembered).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&chats).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(
            names,
            ["session-01-02-aa.jsonl", "session-01-02-bb.jsonl", "session-kept-01-02-aa.jsonl"]
        );
        assert_eq!(
            fs::read_to_string(chats.join("session-kept-01-02-aa.jsonl")).unwrap(),
            "session-01-02-aa.jsonl"
        );
    }
}
