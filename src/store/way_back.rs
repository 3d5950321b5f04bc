//! The way back from a database that was damaged: the newest good copy, and the commands that put it in its place.

use std::{fs, io, path::Path};

use super::copies::{Copy, copies};
use crate::{
    database::{OpenError, check_copy},
    ids::Timestamp,
    layout::StateDir,
};

/// What to do about a database that is refused for `error`; `None` where its file is not the trouble.
pub(super) fn way_back(state: &StateDir, error: &OpenError) -> Option<String> {
    match error {
        OpenError::Damaged { .. } | OpenError::NotDatabase { .. } | OpenError::Foreign { .. } => {
            Some(commands(state, Timestamp::now()))
        }
        _ => None,
    }
}

/// What became of the file, where it is empty or gone although callbox has worked here: SQLite would begin a new database.
/// One that was only just made is empty too, where the process was killed that made it.
pub(super) fn loss(state: &StateDir) -> Option<&'static str> {
    let found = match fs::metadata(state.database()) {
        Ok(file) if file.len() == 0 => "it is empty",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "it is gone",
        _ => return None,
    };
    let has_log = fs::metadata(beside(state, "-wal")).is_ok_and(|log| log.len() > 0);
    let worked = || fs::read_dir(state.executions()).is_ok_and(|mut all| all.next().is_some());
    let has_copies = || copies(state).map_or(true, |all| !all.is_empty());
    (has_log || worked() || has_copies()).then_some(found)
}

/// In words and in commands that a shell takes as they stand.
pub(super) fn commands(state: &StateDir, now: Timestamp) -> String {
    let all = copies(state).unwrap_or_default();
    let Some(good) = all.iter().find(|copy| check_copy(&copy.path).is_ok()) else {
        let folder = state.backups();
        return format!(
            "no copy in `{}` is whole; put one that `callbox backup` made, or `callbox.db.before-…` beside it, in its \
             place, and move `callbox.db`, `callbox.db-wal` and `callbox.db-shm` away before",
            folder.display()
        );
    };
    let aside = Copy::of(state, now).path.with_extension("");
    let aside = aside.file_name().unwrap_or_default().to_string_lossy().replacen("callbox", "damaged", 1);
    let aside = quoted(&state.root().join(aside));
    let files = ["", "-wal", "-shm"].map(|ending| beside(state, ending));
    let there: Vec<String> = files.iter().filter(|file| file.exists()).map(|file| quoted(file)).collect();
    let moved = if there.is_empty() { String::new() } else { format!("mv {} {aside} && ", there.join(" ")) };
    format!(
        "`mkdir -p {aside} && {moved}cp {} {}` puts the copy of {} in its place; what was recorded since then is lost, \
         and sandboxes and projects stay as they are",
        quoted(&good.path),
        quoted(&state.database()),
        good.at,
    )
}

fn beside(state: &StateDir, ending: &str) -> std::path::PathBuf {
    let mut name = state.database().into_os_string();
    name.push(ending);
    name.into()
}

/// As a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@%".contains(letter);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_a_shell_whatever_it_is() {
        let words =
            ["/plain/x-1.db", "/with a space", "/it's", "/$HOME/`x`"].map(|path| quoted(Path::new(path)));
        assert_eq!(words, ["/plain/x-1.db", "'/with a space'", r"'/it'\''s'", "'/$HOME/`x`'"]);
    }
}
