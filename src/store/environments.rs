//! Values of variables for launches: held in memory as clients gave them, never written.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

use crate::ids::{Secret, TaskNumber};

/// What clients gave, by the root of the tree they gave it for.
#[derive(Debug, Default)]
pub(super) struct Environments {
    given: Mutex<HashMap<TaskNumber, BTreeMap<String, Secret>>>,
}

impl Environments {
    /// Keeps `values` for the tree under `root`; later values replace earlier ones.
    pub(super) fn remember(&self, root: TaskNumber, values: BTreeMap<String, Secret>) {
        if !values.is_empty() {
            let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            given.entry(root).or_default().extend(values);
        }
    }

    /// The values of `names` for the tree under `root`: as given, else from this store's own
    /// environment, else from `file`, which holds `NAME=value` lines. Names without a value are left out.
    pub(super) fn look_up(
        &self,
        root: TaskNumber,
        names: &[String],
        file: Option<&Path>,
    ) -> BTreeMap<String, Secret> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner).get(&root).cloned();
        let given = given.unwrap_or_default();
        let file = file.map(read_file).unwrap_or_default();
        let value = |name: &String| {
            let own = || std::env::var(name).ok().map(Secret::new);
            given.get(name).cloned().or_else(own).or_else(|| file.get(name).cloned())
        };
        names.iter().filter_map(|name| Some((name.clone(), value(name)?))).collect()
    }
}

/// A file that can't be read gives nothing; the variable that is then missing is named at launch.
fn read_file(path: &Path) -> BTreeMap<String, Secret> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.trim().split_once('='))
        .filter(|(name, _)| !name.starts_with('#'))
        .map(|(name, value)| (name.trim().to_owned(), Secret::new(value.trim())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_gave_goes_before_the_stores_own_and_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "# keys\nCALLBOX_TEST_A=file\nCALLBOX_TEST_B = file\n").unwrap();
        let environments = Environments::default();
        let root = TaskNumber::new(1);
        environments.remember(root, BTreeMap::from([("CALLBOX_TEST_A".into(), Secret::new("given"))]));
        let names = ["CALLBOX_TEST_A", "CALLBOX_TEST_B", "PATH", "CALLBOX_TEST_NONE"].map(String::from);
        let found = environments.look_up(root, &names, Some(file.path()));
        assert_eq!(found["CALLBOX_TEST_A"].expose(), "given");
        assert_eq!(found["CALLBOX_TEST_B"].expose(), "file");
        assert_eq!(found["PATH"].expose(), std::env::var("PATH").unwrap());
        assert!(!found.contains_key("CALLBOX_TEST_NONE"));
    }
}
