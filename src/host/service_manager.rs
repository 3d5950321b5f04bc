//! What the service manager that started this process is told of it, as `sd_notify(3)` has it. Where none did, nobody
//! is told.

use std::{
    env,
    ffi::OsStr,
    io,
    os::{
        linux::net::SocketAddrExt as _,
        unix::{
            ffi::OsStrExt as _,
            net::{SocketAddr, UnixDatagram},
        },
    },
};

use rustix::time::{ClockId, clock_gettime};

/// Names the socket at which it listens.
const SOCKET: &str = "NOTIFY_SOCKET";

/// The store answers, with the configuration that holds now.
pub(super) fn ready() {
    tell("READY=1\n");
}

/// The store is about to end.
pub(super) fn stopping() {
    tell("STOPPING=1\n");
}

/// The configuration is being read again; [`ready`] ends that, whatever came of it. The time tells the manager which
/// of its requests this answers.
pub(super) fn reloading() {
    let now = clock_gettime(ClockId::Monotonic);
    let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
    tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}\n"));
}

/// A manager that cannot be told ends this process when its patience does: all that is left is to say why.
fn tell(state: &str) {
    let Some(address) = env::var_os(SOCKET).filter(|address| !address.is_empty()) else { return };
    if let Err(error) = send(&address, state) {
        tracing::warn!(%error, state = state.trim_end(), "the service manager could not be told");
    }
}

fn send(address: &OsStr, state: &str) -> io::Result<()> {
    let address = match address.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(address)?,
    };
    let socket = UnixDatagram::unbound()?;
    // A manager that reads nothing must not hold the store.
    socket.set_nonblocking(true)?;
    socket.send_to_addr(state.as_bytes(), &address)?;
    Ok(())
}
