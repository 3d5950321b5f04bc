//! Landlock's rules for one run, and how a process puts itself under them.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::{
    privileges,
    surroundings::{Kind, Spot, all_but},
};

/// What every program needs to write to, and which keeps nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// callbox itself, which is part of each run: where its folder was removed since it was started, it stands beside no
/// way any more.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The rights that are asked for: all that this version of the crate names. What the kernel does not know
/// is left out, and whoever decides on a run knows by the kernel's version what that is.
const KNOWN: ABI = ABI::V9;

/// Where the processes of a run may go. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The folder of which only the places below are seen: the state directory.
    pub hidden: PathBuf,
    /// Places to read.
    pub readable: Vec<PathBuf>,
    /// Places to read and write.
    pub writable: Vec<PathBuf>,
}

/// Why a process is not held.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// A writable place holds the hidden folder.
    #[error("`{}` holds callbox's state directory and can't be a place that agents write to", .0.display())]
    Around(PathBuf),
    /// A place that must be there is not, or cannot be named to the kernel.
    #[error("`{}` can't be opened: {source}", path.display())]
    Place {
        /// The place.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What stands around the hidden folder cannot be found out.
    #[error("the folders around `{}` can't be listed: {source}", path.display())]
    Surroundings {
        /// The hidden folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The kernel refuses.
    #[error("Landlock refuses: {0}")]
    Refused(#[from] RulesetError),
    /// What root could get around the rules with could not be given up.
    #[error("root's privileges can't be given up: {0}")]
    Privileges(io::Error),
    /// The kernel holds nothing back.
    #[error("this kernel has no Landlock")]
    NotEnforced,
}

impl Fence {
    /// Puts this process, and all that it will start, under the rules for good. To be called where there is
    /// one thread: the others would go free.
    pub fn close(&self) -> Result<(), FenceError> {
        let hidden = real(&self.hidden)?;
        let writable: Vec<&PathBuf> = self.writable.iter().filter(|path| self.is_outermost(path)).collect();
        let mut rules = Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))?
            .scope(Scope::from_all(KNOWN))?
            .create()?;
        let around = all_but(&hidden);
        let around = around.map_err(|source| FenceError::Surroundings { path: hidden.clone(), source })?;
        for spot in around {
            rules = allow(rules, spot, reading())?;
        }
        for path in &self.readable {
            rules = allow(rules, open(path)?, reading())?;
        }
        for path in writable {
            if hidden.starts_with(real(path)?) {
                return Err(FenceError::Around(path.clone()));
            }
            rules = allow(rules, open(path)?, writing())?;
        }
        for device in DEVICES.iter().filter_map(|path| Spot::open(Path::new(path)).ok()) {
            rules = allow(rules, device, writing())?;
        }
        if let Ok(own) = Spot::open(Path::new(OWN_PROGRAM)) {
            rules = allow(rules, own, reading())?;
        }
        let status = rules.restrict_self()?;
        if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
            return Err(FenceError::NotEnforced);
        }
        privileges::give_up().map_err(|error| FenceError::Privileges(error.into()))
    }

    /// A place within another is the other's anyway, and a run may have put a link there that leads out.
    fn is_outermost(&self, path: &Path) -> bool {
        !self.writable.iter().any(|other| path != other && path.starts_with(other))
    }
}

/// Connecting to a socket is no reading of a file, and what listens beside the state directory is, as far
/// as the agent is concerned, the person's to guard.
fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(KNOWN) | AccessFs::ResolveUnix
}

/// Without making devices, with which root could get at the disk below.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

fn allow(
    rules: RulesetCreated,
    spot: Spot,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, FenceError> {
    let rights = match spot.kind {
        Kind::Folder => rights,
        Kind::File => rights & AccessFs::from_file(KNOWN),
    };
    Ok(rules.add_rule(PathBeneath::new(spot.handle, rights))?)
}

fn open(path: &Path) -> Result<Spot, FenceError> {
    Spot::open(path).map_err(|source| FenceError::Place { path: path.to_owned(), source })
}

fn real(path: &Path) -> Result<PathBuf, FenceError> {
    path.canonicalize().map_err(|source| FenceError::Place { path: path.to_owned(), source })
}
