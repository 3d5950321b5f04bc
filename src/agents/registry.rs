//! The agent programs callbox knows.

use std::collections::BTreeSet;

use super::{Adapter, Claude};

/// Every adapter, in the order in which they are listed to people.
pub fn all() -> &'static [&'static dyn Adapter] {
    &[&Claude]
}

/// The adapter of the program called `name`.
pub fn find(name: &str) -> Option<&'static dyn Adapter> {
    all().iter().copied().find(|adapter| adapter.name() == name)
}

/// Every variable that some agent program reads, each once, in order.
pub fn variables() -> Vec<&'static str> {
    let names: BTreeSet<_> = all().iter().flat_map(|adapter| adapter.variables()).copied().collect();
    names.into_iter().collect()
}
