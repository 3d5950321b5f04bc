//! The two sockets, bound in the state directory.

use std::{
    fs, io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::{
            fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
            net,
        },
    },
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};
use tokio::net::UnixListener;

use super::lock::Locked;
use crate::layout::StateDir;

/// `sun_path` holds 108 bytes on Linux, the closing NUL included.
const LONGEST_PATH: usize = 107;

/// A socket that was not bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Something that is no socket stands in its place.
    #[error("`{}` is not a socket", path.display())]
    Occupied {
        /// What stands there.
        path: PathBuf,
    },
    /// The kernel refused.
    #[error("the socket `{}` could not be bound", path.display())]
    File {
        /// Where it should stand.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Both sockets, listening. Each is removed when it is dropped.
#[derive(Debug)]
pub struct Sockets {
    /// The agent plane's.
    pub agent: Socket,
    /// That of the operator and supervisor planes.
    pub store: Socket,
}

/// A listening socket of mode 0600 in a folder of mode 0700.
#[derive(Debug)]
pub struct Socket {
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Which file it is, so that another store's socket in the same place is not removed.
    identity: (u64, u64),
}

impl Sockets {
    /// Binds both, inside a tokio runtime. Only the holder of the lock may: what stands there is then
    /// left over from a store that was killed, and is removed.
    pub fn bind(state: &StateDir, _holder: &Locked) -> Result<Self, BindError> {
        Ok(Self { agent: Socket::bind(state.agent_socket())?, store: Socket::bind(state.store_socket())? })
    }
}

impl Socket {
    fn bind(path: PathBuf) -> Result<Self, BindError> {
        let failed = |source| BindError::File { path: path.clone(), source };
        match fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_socket() => fs::remove_file(&path).map_err(failed)?,
            Ok(_) => return Err(BindError::Occupied { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let listener = listen(&path).map_err(failed)?;
        // Until here the folder's mode alone keeps others away.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let found = fs::symlink_metadata(&path).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let listener = UnixListener::from_std(listener).map_err(failed)?;
        Ok(Self { listener, identity: (found.dev(), found.ino()), path })
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes it out of the way: nobody connects any more, and who has connected is still to be accepted.
    pub(super) fn remove(&self) {
        let found = fs::symlink_metadata(&self.path);
        if found.is_ok_and(|found| (found.dev(), found.ino()) == self.identity)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), error = &error as &dyn std::error::Error, "the socket was not removed");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Binds at `path`; a long one through its opened folder, since the kernel takes 107 bytes.
fn listen(path: &Path) -> io::Result<net::UnixListener> {
    if path.as_os_str().len() <= LONGEST_PATH {
        return net::UnixListener::bind(path);
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder: OwnedFd = rustix::fs::open(parent, flags, Mode::empty())?;
    net::UnixListener::bind(Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixStream;

    use super::*;
    use crate::store::state_dir::prepare;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[tokio::test]
    async fn both_are_the_owners_alone_and_gone_at_the_end() {
        let place = tempfile::tempdir().unwrap();
        let state = prepare(place.path()).unwrap();
        let lock = Locked::take(&state).unwrap();
        let sockets = Sockets::bind(&state, &lock).unwrap();
        assert_eq!(sockets.agent.path(), state.agent_socket());
        for path in [state.agent_socket(), state.store_socket()] {
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
        UnixStream::connect(state.store_socket()).await.unwrap();
        drop(sockets);
        assert!(!state.agent_socket().exists());
        assert!(!state.store_socket().exists());
    }

    #[tokio::test]
    async fn a_socket_left_over_from_a_killed_store_is_replaced_and_nothing_else_is() {
        let place = tempfile::tempdir().unwrap();
        let state = prepare(place.path()).unwrap();
        let lock = Locked::take(&state).unwrap();
        drop(net::UnixListener::bind(state.store_socket()).unwrap());
        assert!(state.store_socket().exists());
        let sockets = Sockets::bind(&state, &lock).unwrap();
        UnixStream::connect(state.store_socket()).await.unwrap();
        drop(sockets);
        fs::write(state.agent_socket(), "mine").unwrap();
        assert!(matches!(Sockets::bind(&state, &lock), Err(BindError::Occupied { .. })));
        assert_eq!(fs::read_to_string(state.agent_socket()).unwrap(), "mine");
    }

    #[tokio::test]
    async fn a_store_that_was_replaced_leaves_its_successors_socket() {
        let place = tempfile::tempdir().unwrap();
        let state = prepare(place.path()).unwrap();
        let lock = Locked::take(&state).unwrap();
        let old = Sockets::bind(&state, &lock).unwrap();
        let _new = Sockets::bind(&state, &lock).unwrap();
        drop(old);
        UnixStream::connect(state.store_socket()).await.unwrap();
    }

    #[tokio::test]
    async fn a_path_beyond_the_kernels_limit_is_bound_all_the_same() {
        let place = tempfile::tempdir().unwrap();
        let mut deep = place.path().to_owned();
        while deep.as_os_str().len() < 400 {
            deep.push("a rather long name of a folder");
        }
        let state = prepare(&deep).unwrap();
        let lock = Locked::take(&state).unwrap();
        let sockets = Sockets::bind(&state, &lock).unwrap();
        assert_eq!(mode(&state.agent_socket()), 0o600);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(state.agent_folder(), flags, Mode::empty()).unwrap();
        UnixStream::connect(format!("/proc/self/fd/{}/agent.sock", folder.as_raw_fd())).await.unwrap();
        drop(sockets);
        assert!(!state.agent_socket().exists());
    }
}
