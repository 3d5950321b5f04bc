//! A standard stream that is a socket, as Node gives its children.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, sockopt::socket_domain};
use tokio::io::{Interest, unix::AsyncFd};

/// Reads and writes without waiting, call by call. Setting `O_NONBLOCK` instead would change the
/// stream for whoever shares it.
pub(super) struct SocketStream {
    fd: AsyncFd<OwnedFd>,
}

impl SocketStream {
    /// A second handle on `stream`; `None` where that is no socket of this machine.
    pub(super) fn of(stream: BorrowedFd<'_>, interest: Interest) -> Option<Self> {
        if socket_domain(stream).ok()? != AddressFamily::UNIX {
            return None;
        }
        #[expect(
            deprecated,
            reason = "its successor is unsafe; an `OwnedFd` keeps the promise that asks for"
        )]
        let fd = AsyncFd::with_interest(stream.try_clone_to_owned().ok()?, interest).ok()?;
        Some(Self { fd })
    }

    /// Some bytes, or none at the end.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let receive = |fd: &OwnedFd| {
            let (taken, _) = rustix::net::recv(fd.as_fd(), &mut *buffer, RecvFlags::DONTWAIT)?;
            Ok(taken)
        };
        self.fd.async_io(Interest::READABLE, receive).await
    }

    /// Writes all of `bytes`.
    pub(super) async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            let send = |fd: &OwnedFd| Ok(rustix::net::send(fd.as_fd(), bytes, flags)?);
            let written = self.fd.async_io(Interest::WRITABLE, send).await?;
            bytes = &bytes[written..];
        }
        Ok(())
    }
}
