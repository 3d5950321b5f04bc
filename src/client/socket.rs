//! The way to the socket: also where its path is longer than the kernel takes.

use std::{
    io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};
use tokio::net::UnixStream;

use super::error::ClientError;

/// `sun_path` holds 108 bytes on Linux, the closing NUL included.
const LONGEST_PATH: usize = 107;

/// A path to connect to, with the folder it leads through held open where that is needed.
pub(super) struct Socket {
    path: PathBuf,
    /// Keeps `/proc/self/fd/N` in `path` valid.
    _folder: Option<OwnedFd>,
}

impl Socket {
    /// The socket at `path`. A long path leads through its opened folder, so that folder must exist.
    pub(super) fn at(path: &Path) -> Result<Self, ClientError> {
        if path.as_os_str().len() <= LONGEST_PATH {
            return Ok(Self { path: path.to_owned(), _folder: None });
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ClientError::unreachable(io::Error::from(io::ErrorKind::InvalidFilename)));
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(parent, flags, Mode::empty()).map_err(ClientError::unreachable)?;
        let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        Ok(Self { path, _folder: Some(folder) })
    }

    /// The path to connect to.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Connects once and asks the kernel who serves the socket, before any request is written: a
    /// token handed to another user's process could not be taken back.
    pub(super) async fn check_server(&self) -> Result<(), ClientError> {
        let probe = UnixStream::connect(&self.path).await.map_err(ClientError::unreachable)?;
        let uid = probe.peer_cred().map_err(ClientError::unreachable)?.uid();
        trust(uid, rustix::process::geteuid().as_raw())
    }
}

/// Only a server of one's own user is trusted. Root's is not either: it may be a container's.
fn trust(server: u32, own: u32) -> Result<(), ClientError> {
    if server == own { Ok(()) } else { Err(ClientError::ForeignServer { uid: server }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_of_the_same_user_is_trusted() {
        assert!(trust(1000, 1000).is_ok());
        for server in [0, 1001] {
            assert!(matches!(trust(server, 1000), Err(ClientError::ForeignServer { uid }) if uid == server));
        }
    }
}
