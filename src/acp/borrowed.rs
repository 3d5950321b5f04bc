//! Files of the person's, lent to a program.

use std::{fs, io, os::unix::fs::symlink};

use super::told::Borrowed;

/// Puts a link where the program looks for it; what stood there before is gone. Where the person has no such file there
/// is none.
pub(super) fn lend(file: &Borrowed) -> io::Result<()> {
    match fs::remove_file(&file.to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if !file.from.exists() {
        return Ok(());
    }
    if let Some(folder) = file.to.parent() {
        fs::create_dir_all(folder)?;
    }
    symlink(&file.from, &file.to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_is_the_persons_own_file_and_nothing_stays_where_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("login"), "old").unwrap();
        let file = Borrowed { from: path("login"), to: path("home/login") };
        for _ in 0..2 {
            lend(&file).unwrap();
        }
        fs::write(path("home/login"), "renewed").unwrap();
        assert_eq!(fs::read_to_string(path("login")).unwrap(), "renewed");
        fs::remove_file(path("login")).unwrap();
        lend(&file).unwrap();
        assert!(path("home/login").symlink_metadata().is_err());
    }
}
