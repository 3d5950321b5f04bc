//! A terminal of the test's own, and what a program shows on it.

use std::{
    fs::{File, OpenOptions},
    io::Read as _,
    os::unix::fs::OpenOptionsExt as _,
    sync::{Arc, Mutex},
    thread,
};

use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

/// A terminal, and everything that was written to it.
pub(crate) struct Terminal {
    name: String,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// One of so many lines and columns.
    pub(crate) fn new(rows: u16, columns: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, written) = (File::from(master), Arc::clone(&shown));
        // The other side is kept open, so that reading ends with the test and not with the program.
        let kept = open(&name);
        thread::spawn(move || {
            let _kept = kept;
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                written.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self { name, shown }
    }

    /// The side that a program has for its own.
    pub(crate) fn side(&self) -> File {
        open(&self.name)
    }

    /// Everything that was shown so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }
}

fn open(name: &str) -> File {
    let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(name).unwrap()
}
