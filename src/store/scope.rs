//! Which trees this store may run: all, or those that its clients follow.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::settings::Residency;
use crate::ids::TaskNumber;

/// Which trees may be claimed.
#[derive(Debug, Clone)]
pub(super) enum Scope {
    /// Every one.
    All,
    /// Those that are followed, with how many follow.
    Followed(Arc<Mutex<HashMap<TaskNumber, usize>>>),
}

/// Keeps trees in the scope while it lives.
#[derive(Debug)]
pub(super) struct Following {
    scope: Scope,
    roots: Vec<TaskNumber>,
}

impl Scope {
    /// The scope of a store of this residency.
    pub(super) fn new(residency: Residency) -> Self {
        match residency {
            Residency::Resident => Self::All,
            Residency::Hosted { .. } => Self::Followed(Arc::default()),
        }
    }

    /// Whether the tree under `root` may be claimed.
    pub(super) fn holds(&self, root: TaskNumber) -> bool {
        match self {
            Self::All => true,
            Self::Followed(counts) => {
                counts.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&root)
            }
        }
    }

    /// Lets the trees under `roots` be claimed until the returned value is dropped.
    pub(super) fn follow(&self, roots: Vec<TaskNumber>) -> Following {
        if let Self::Followed(counts) = self {
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            for root in &roots {
                *counts.entry(*root).or_default() += 1;
            }
        }
        Following { scope: self.clone(), roots }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let Scope::Followed(counts) = &self.scope else { return };
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        for root in &self.roots {
            if let Some(count) = counts.get_mut(root) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(root);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hosted_store_runs_a_tree_while_anyone_follows_it() {
        let scope = Scope::new(Residency::Hosted { patience: std::time::Duration::ZERO });
        let tree = TaskNumber::new(1);
        assert!(!scope.holds(tree));
        let one = scope.follow(vec![tree]);
        let two = scope.follow(vec![tree]);
        drop(one);
        assert!(scope.holds(tree));
        drop(two);
        assert!(!scope.holds(tree));
        assert!(Scope::new(Residency::Resident).holds(tree));
    }
}
