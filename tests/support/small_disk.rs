//! A disk of a few MiB on which nothing but a desk's state directory stands, and what can happen to it.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use super::{
    cli::{Desk, on_the_path},
    programs::skipped,
};

/// Mounts the disk at the path on its input and keeps the mount until its input ends.
const HOLDER: &str = "read -r at; /bin/mount -t tmpfs -o size=\"$1\"m,mode=700 none \"$at\" && echo ready; \
    exec /bin/cat >/dev/null";

/// The disk, mounted in namespaces of its own. Dropped, it is let go.
pub(crate) struct SmallDisk {
    holder: Child,
    at: PathBuf,
}

impl SmallDisk {
    /// A desk whose state directory stands on a disk of `mib` MiB. `None` where this machine does not let its
    /// users mount anything, which is said loudly.
    #[track_caller]
    pub(crate) fn of(mib: u32) -> Option<(Desk, Self)> {
        let mut desk = Desk::new();
        let at = desk.state();
        fs::create_dir_all(&at).unwrap();
        let (Some(unshare), Some(nsenter)) = (on_the_path("unshare"), on_the_path("nsenter")) else {
            skipped("the programs `unshare` and `nsenter` are needed for a disk of its own");
            return None;
        };
        let mut holder = Command::new(unshare);
        holder.args(["-rm", "/bin/sh", "-c", HOLDER, "sh"]).arg(mib.to_string()).env_clear();
        let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(holder.stdin.as_ref().unwrap(), "{}", at.display()).unwrap();
        let mut ready = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let pid = holder.id();
        let volume = Self { holder, at };
        if ready.trim() != "ready" {
            skipped("a user may mount no disk here");
            return None;
        }
        desk.lead_through(&format!("'{}' -t {pid} -U -m --preserve-credentials --", nsenter.display()));
        desk.see_through(format!("/proc/{pid}/root").into());
        Some((desk, volume))
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) {
        let mut filler = File::options().create(true).append(true).open(self.filler()).unwrap();
        while filler.write_all(&[1; 4096]).is_ok() {}
        while filler.write_all(&[1]).is_ok() {}
    }

    /// Fills it but for about `bytes`.
    pub(crate) fn fill_but(&self, bytes: u64) {
        self.fill();
        let filler = File::options().write(true).open(self.filler()).unwrap();
        filler.set_len(filler.metadata().unwrap().len() - bytes).unwrap();
    }

    /// Makes room again.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    /// Makes it read-only, which works only while nobody has a file there open for writing; or writable.
    #[track_caller]
    pub(crate) fn remount(&self, how: &str) {
        let _ = self.within(&["/bin/mount", "-o", &format!("remount,{how}"), self.at.to_str().unwrap()]);
    }

    /// Lets nothing be written there that is not open already, as a file system does that gave up.
    #[track_caller]
    pub(crate) fn cover(&self) {
        let at = self.at.to_str().unwrap();
        self.within(&["/bin/mount", "--bind", at, at]);
        self.within(&["/bin/mount", "-o", "remount,bind,ro", at]);
    }

    /// Takes that back.
    #[track_caller]
    pub(crate) fn uncover(&self) {
        self.within(&["/bin/umount", "-l", self.at.to_str().unwrap()]);
    }

    fn filler(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(self.at.strip_prefix("/").unwrap()).join("filler")
    }

    /// Runs `command` where the disk is seen; what it says.
    #[track_caller]
    pub(crate) fn within(&self, command: &[&str]) -> String {
        let mut enter = Command::new("nsenter");
        enter.arg("-t").arg(self.holder.id().to_string()).args(["-U", "-m", "--preserve-credentials", "--"]);
        let output = enter.args(command).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
