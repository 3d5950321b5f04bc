//! A service manager's end of the socket at which a service says how it stands.

use std::{
    ffi::OsString,
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram},
    },
    time::{Duration, Instant},
};

use super::{
    cli::{Call, Desk},
    wait::SOON,
};

/// A socket that hears.
pub(crate) struct ServiceManager {
    socket: UnixDatagram,
    address: OsString,
}

impl ServiceManager {
    /// One at a path.
    pub(crate) fn at_a_path(desk: &Desk) -> Self {
        let path = desk.path("notify");
        Self::on(UnixDatagram::bind(&path).unwrap(), path.into())
    }

    /// One whose name is in no file system, which systemd's own is too.
    pub(crate) fn abstractly(desk: &Desk) -> Self {
        let name = desk.path("notify").display().to_string();
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        Self::on(UnixDatagram::bind_addr(&address).unwrap(), format!("@{name}").into())
    }

    fn on(socket: UnixDatagram, address: OsString) -> Self {
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        Self { socket, address }
    }

    /// `call` as its service.
    pub(crate) fn starts(&self, call: Call) -> Call {
        call.variable("NOTIFY_SOCKET", &self.address)
    }

    /// The next thing that it is told, line by line.
    #[track_caller]
    pub(crate) fn hears(&self) -> Vec<String> {
        let (begun, mut buffer) = (Instant::now(), [0; 4096]);
        loop {
            if let Ok(length) = self.socket.recv(&mut buffer) {
                let text = String::from_utf8(buffer[..length].to_vec()).unwrap();
                return text.lines().map(str::to_owned).collect();
            }
            assert!(begun.elapsed() < SOON, "the service says nothing");
        }
    }
}
