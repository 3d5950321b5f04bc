//! Whether a sandbox fits on its disk, asked before anything is copied: a disk that fills up in the middle
//! takes more than the sandbox with it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The bytes that are free for `path`, which exists.
pub(super) fn free(path: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The bytes of all files below `folder`, symbolic links not followed. What vanishes meanwhile counts nothing.
pub(super) fn size(folder: &Path) -> u64 {
    let (mut sum, mut folders) = (0_u64, vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) => sum = sum.saturating_add(found.len()),
                Err(_) => {}
            }
        }
    }
    sum
}

/// What is missing for `needed` bytes where `free` are free and `keep_free` must stay so. Pure.
pub(super) fn missing(needed: u64, free: u64, keep_free: u64) -> Option<u64> {
    needed.saturating_add(keep_free).checked_sub(free).filter(|missing| *missing > 0)
}

/// A size as people read it.
pub fn readable(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes.div_ceil(1 << 20)),
        _ => format!("{}.{} GiB", bytes >> 30, ((bytes & ((1 << 30) - 1)) * 10) >> 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_fits_only_where_the_reserve_stays_free() {
        assert_eq!(missing(10, 110, 100), None);
        assert_eq!(missing(10, 109, 100), Some(1));
        assert_eq!(missing(0, 0, 100), Some(100));
    }

    #[test]
    fn the_files_of_a_folder_are_summed_and_links_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("deep/one"), [0; 1000]).unwrap();
        let before = size(folder.path());
        assert!(before >= 1000);
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        assert!(size(folder.path()) < before + 100);
    }

    #[test]
    fn sizes_are_told_in_a_unit_that_tells_something() {
        assert_eq!([1, 3 << 20, 5 << 30].map(readable), ["1 KiB", "3 MiB", "5.0 GiB"]);
    }
}
