//! What git does not have of a project and a sandbox needs: copied, never linked, and no symbolic link is
//! followed on the way.
//!
//! What the clone has already stays as it is. What is copied is ignored in the sandbox, so that nobody commits
//! it, and callbox hands none of it over.

use std::{
    ffi::OsStr,
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path},
};

use rustix::fs::FileType;

use super::{beyond::Beyond, folder::Folder};

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Patterns for git that name what was copied and nothing else.
    pub(super) exclude: Vec<u8>,
    /// Sentences for the person, such as that something is not there.
    pub(super) notes: Vec<String>,
    led_out: usize,
    left_out: usize,
    spared: usize,
}

/// Copies `paths` of the work tree `root`, each relative to it, into the new clone `clone`, which was spared what is
/// `beyond`.
pub(super) fn copy_in<'p>(
    (root, clone): (&Path, &Path),
    beyond: &Beyond,
    paths: impl IntoIterator<Item = &'p Path>,
) -> io::Result<Copied> {
    let (from, to) = (Folder::open(root)?, Folder::open(clone)?);
    let mut copied = Copied::default();
    for path in paths {
        match copied.path(&from, &to, beyond, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                copied.notes.push(format!("`{}` is not in the project and was not copied", shown(path)));
            }
            // A link where a folder should be: nothing behind it belongs to the project.
            Err(error) if is_link(&error) => {
                copied
                    .notes
                    .push(format!("`{}` lies behind a symbolic link and was not copied", shown(path)));
            }
            result => result?,
        }
    }
    copied.count();
    Ok(copied)
}

impl Copied {
    /// Walks down to `path`, making the folders above it that the clone lacks.
    fn path(&mut self, from: &Folder, to: &Folder, beyond: &Beyond, path: &Path) -> io::Result<()> {
        let mut names = path.components().map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it leads out of the project")),
        });
        let Some(first) = names.next() else { return Ok(()) };
        let (mut name, mut above) = (first?, Vec::new());
        let (mut source, mut target) = (from.again()?, to.again()?);
        for next in names {
            let next = next?;
            source = source.enter(name)?;
            target = target.enter_or_make(name)?;
            above.extend_from_slice(name.as_bytes());
            above.push(b'/');
            name = next;
        }
        if source.kind(name)?.is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.entry(&source, &target, name, &Place { above: &above, named: Named::No, beyond })
    }

    fn entry(&mut self, from: &Folder, to: &Folder, name: &OsStr, place: &Place<'_>) -> io::Result<()> {
        let Some(kind) = from.kind(name)? else { return Ok(()) };
        if name == ".git" {
            self.left_out += 1;
            return Ok(());
        }
        let path = [place.above, name.as_bytes()].concat();
        let beyond = place.beyond;
        // Neither is a file that was committed brought along by a copy, nor does anything else take its place.
        if beyond.has(&path) || (kind != FileType::Directory && beyond.has_below(&path)) {
            self.spared += 1;
            return Ok(());
        }
        match (kind, to.kind(name)?) {
            // Part of it was committed, so the folder as a whole is no copy.
            (FileType::Directory, None) if beyond.has_below(&path) => {
                to.make(name, from.mode(name)?)?;
                self.below(from, to, name, &path, place)
            }
            (FileType::Directory, None) => {
                to.make(name, from.mode(name)?)?;
                self.exclude(&path, place, b"/");
                self.below(from, to, name, &path, &Place { named: Named::ByFolder, ..*place })
            }
            (FileType::Directory, Some(FileType::Directory)) => self.below(from, to, name, &path, place),
            // What the clone has is what was committed, and stays.
            (_, Some(_)) => Ok(()),
            (FileType::RegularFile, None) => {
                to.add(name, from.open_file(name)?, from.mode(name)?)?;
                self.exclude(&path, place, b"");
                Ok(())
            }
            (FileType::Symlink, None) => {
                let target = from.link_target(name)?;
                if !stays_within(place.above, &target) {
                    self.led_out += 1;
                    return Ok(());
                }
                to.link(name, &target)?;
                self.exclude(&path, place, b"");
                Ok(())
            }
            _ => {
                self.left_out += 1;
                Ok(())
            }
        }
    }

    fn below(
        &mut self,
        from: &Folder,
        to: &Folder,
        name: &OsStr,
        path: &[u8],
        place: &Place<'_>,
    ) -> io::Result<()> {
        let (from, to) = (from.enter(name)?, to.enter(name)?);
        let above = [path, b"/"].concat();
        for name in from.names()? {
            self.entry(&from, &to, &name, &Place { above: &above, ..*place })?;
        }
        Ok(())
    }

    fn exclude(&mut self, path: &[u8], place: &Place<'_>, end: &[u8]) {
        if place.named == Named::No {
            self.exclude.extend(pattern(path));
            self.exclude.extend_from_slice(end);
            self.exclude.push(b'\n');
        }
    }

    fn count(&mut self) {
        for (count, what) in [
            (self.led_out, "symbolic links lead out of the project and were not copied"),
            (self.left_out, "entries are no files, or repositories of their own, and were not copied"),
            (self.spared, "files that `copy` names are committed outside of `sparse`, and were not copied"),
        ] {
            if count > 0 {
                self.notes.push(format!("{count} {what}"));
            }
        }
    }
}

/// Where an entry stands.
struct Place<'a> {
    /// The path of its folder, with a slash at its end unless it is empty.
    above: &'a [u8],
    named: Named,
    beyond: &'a Beyond,
}

/// Whether a pattern names an entry already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// None does.
    No,
    /// That of a folder above it.
    ByFolder,
}

/// The line, without its end, that names `path` from the root of the work tree, and nothing else that is likely
/// to stand there: a line end in a name would begin a pattern of its own, so any letter may stand in its place.
pub(super) fn pattern(path: &[u8]) -> Vec<u8> {
    let mut line = vec![b'/'];
    for byte in path {
        match byte {
            b'\n' | b'\r' => line.push(b'?'),
            b'\\' | b'*' | b'?' | b'[' | b' ' => line.extend([b'\\', *byte]),
            _ => line.push(*byte),
        }
    }
    line
}

/// Whether a link in the folder `above` that says `target` leads to something in the tree, whatever stands
/// there. One that leads through another link may still lead elsewhere, as it does in the project.
fn stays_within(above: &[u8], target: &OsStr) -> bool {
    let mut depth = above.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).count();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

fn is_link(error: &io::Error) -> bool {
    let link = [rustix::io::Errno::LOOP, rustix::io::Errno::NOTDIR].map(|errno| Some(errno.raw_os_error()));
    link.contains(&error.raw_os_error())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_one_path_whatever_its_letters() {
        assert_eq!(pattern(b"a b/*[x]?\\#!"), b"/a\\ b/\\*\\[x]\\?\\\\#!");
        assert_eq!(pattern(b"x\n*\n!y\r"), b"/x?\\*?!y?");
    }

    #[test]
    fn a_link_stays_within_the_tree_or_is_known_to_lead_out() {
        for (above, target, within) in [
            ("", "a", true),
            ("", "../a", false),
            ("node_modules/.bin/", "../x/cli.js", true),
            ("node_modules/.bin/", "../../../x", false),
            ("a/", "b/../../c", true),
            ("a/", "/etc/passwd", false),
            ("", "./.", true),
        ] {
            assert_eq!(stays_within(above.as_bytes(), OsStr::new(target)), within, "{above} {target}");
        }
    }
}
