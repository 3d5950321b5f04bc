//! Whether the system has room for what a program begins with. A runtime takes descriptors and threads in places
//! where it can only panic without, and a store without any answers nobody, so it is asked for before.

use std::{io, os::unix::net::UnixStream, thread};

/// Descriptors that a runtime begins with.
pub const RUNTIME: usize = 5;

/// Whether `count` descriptors more can be had, at least two; the system's reason where they cannot.
pub fn for_descriptors(count: usize) -> io::Result<()> {
    // No file is opened: an isolated program may open none.
    let (one, _other) = UnixStream::pair()?;
    let _further = (2..count).map(|_| one.try_clone()).collect::<io::Result<Vec<_>>>()?;
    Ok(())
}

/// Whether one thread more can be started; the system's reason where it cannot.
pub fn for_a_thread() -> io::Result<()> {
    // It does nothing and cannot panic.
    let _ = thread::Builder::new().spawn(|| {})?.join();
    Ok(())
}
