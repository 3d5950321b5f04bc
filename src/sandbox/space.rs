//! Whether a sandbox fits on its disk, asked before anything is copied: a disk that fills up in the middle
//! takes more than the sandbox with it.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// The unit in which the kernel counts what a file takes.
const BLOCK: u64 = 512;

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

/// The bytes that `folders` and all below them take on their disks, symbolic links not followed.
pub fn taken(folders: &[PathBuf]) -> u64 {
    let (mut sum, mut folders) = (0_u64, folders.to_vec());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            sum = sum.saturating_add(found.blocks().saturating_mul(BLOCK));
            if found.is_dir() {
                folders.push(entry.path());
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
    fn a_file_of_holes_takes_nothing_and_one_that_is_written_what_it_takes() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let place = [folder.path().to_owned()];
        let before = taken(&place);
        fs::File::create(folder.path().join("holes")).unwrap().set_len(1 << 40).unwrap();
        assert!(taken(&place) < before + (1 << 20));
        fs::write(folder.path().join("deep/written"), vec![1; 1 << 20]).unwrap();
        assert!(taken(&place) >= 1 << 20);
    }

    #[test]
    fn sizes_are_told_in_a_unit_that_tells_something() {
        assert_eq!([1, 3 << 20, 5 << 30].map(readable), ["1 KiB", "3 MiB", "5.0 GiB"]);
    }
}
