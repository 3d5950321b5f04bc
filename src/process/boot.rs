//! Which start of the machine this is.

use std::{fs, io};

/// A number that the kernel draws at random at each start (`random(4)`); no process outlives it.
pub fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}
