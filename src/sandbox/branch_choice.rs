//! Which branch of the project a piece of work goes to: a pure decision.

/// A branch of the project whose name is, or stands in the way of, one that could be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Existing {
    /// Without `refs/heads/`.
    pub(super) name: String,
    /// Where it stands.
    pub(super) commit: String,
    /// Whether a work tree stands on it.
    pub(super) checked_out: bool,
}

/// Where the work of this sandbox went the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Earlier {
    /// Without `refs/heads/`.
    pub(super) branch: String,
    /// The delivered commit.
    pub(super) head: String,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// The branch stands where it should: the work was delivered, and only the report got lost.
    Standing(String),
    /// The branch is to be made, or to go on from where callbox left it.
    Write(String),
}

/// Branches are tried up to this number.
const LAST: u32 = 99;

/// Decides for `head` and the `wanted` name. A branch that callbox did not leave where it stands is
/// the person's, whatever is on it. `None` when every name is taken.
pub(super) fn choose(
    wanted: &str,
    head: &str,
    earlier: Option<&Earlier>,
    existing: &[Existing],
) -> Option<Choice> {
    let find = |name: &str| existing.iter().find(|branch| branch.name == name);
    if let Some(earlier) = earlier {
        match find(&earlier.branch) {
            Some(branch) if branch.commit == head => return Some(Choice::Standing(branch.name.clone())),
            Some(branch) if branch.commit == earlier.head && !branch.checked_out => {
                return Some(Choice::Write(branch.name.clone()));
            }
            // Deleted, it may be made again; moved or checked out, it is the person's.
            _ => {}
        }
    }
    let names = || (1..=LAST).map(|number| numbered(wanted, number));
    if let Some(standing) = names().find(|name| find(name).is_some_and(|branch| branch.commit == head)) {
        return Some(Choice::Standing(standing));
    }
    let below = |name: &str| existing.iter().any(|branch| is_below(&branch.name, name));
    names().find(|name| find(name).is_none() && !below(name)).map(Choice::Write)
}

fn numbered(wanted: &str, number: u32) -> String {
    if number == 1 { wanted.to_owned() } else { format!("{wanted}-{number}") }
}

/// Git keeps `a` and `a/b` in the same place, so that only one of them can be.
fn is_below(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str, commit: &str) -> Existing {
        Existing { name: name.to_owned(), commit: commit.to_owned(), checked_out: false }
    }

    fn checked_out(name: &str, commit: &str) -> Existing {
        Existing { checked_out: true, ..at(name, commit) }
    }

    fn earlier(branch: &str, head: &str) -> Earlier {
        Earlier { branch: branch.to_owned(), head: head.to_owned() }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it stands where `choose` returns an option")]
    fn write(name: &str) -> Option<Choice> {
        Some(Choice::Write(name.to_owned()))
    }

    #[test]
    fn a_free_name_is_taken() {
        assert_eq!(choose("b", "new", None, &[]), write("b"));
        assert_eq!(choose("b", "new", None, &[at("b-2", "x")]), write("b"));
    }

    #[test]
    fn a_branch_that_callbox_did_not_leave_there_is_never_moved() {
        assert_eq!(choose("b", "new", None, &[at("b", "x")]), write("b-2"));
        assert_eq!(choose("b", "new", None, &[at("b", "x"), at("b-2", "y")]), write("b-3"));
        assert_eq!(choose("b", "new", Some(&earlier("b", "old")), &[at("b", "moved")]), write("b-2"));
        assert_eq!(choose("b", "new", Some(&earlier("b", "old")), &[checked_out("b", "old")]), write("b-2"));
    }

    #[test]
    fn a_branch_goes_on_from_where_callbox_left_it() {
        assert_eq!(choose("b", "new", Some(&earlier("b", "old")), &[at("b", "old")]), write("b"));
        let existing = [at("b", "persons"), at("b-2", "old")];
        assert_eq!(choose("b", "new", Some(&earlier("b-2", "old")), &existing), write("b-2"));
        assert_eq!(choose("b", "new", Some(&earlier("b", "old")), &[]), write("b"));
    }

    #[test]
    fn what_was_delivered_is_not_delivered_again() {
        let standing = |name: &str| Some(Choice::Standing(name.to_owned()));
        assert_eq!(choose("b", "new", None, &[at("b", "new")]), standing("b"));
        assert_eq!(choose("b", "new", None, &[checked_out("b", "new")]), standing("b"));
        assert_eq!(choose("b", "new", None, &[at("b", "x"), at("b-2", "new")]), standing("b-2"));
        assert_eq!(choose("b", "new", Some(&earlier("b", "old")), &[at("b", "new")]), standing("b"));
    }

    #[test]
    fn a_branch_below_the_name_is_in_the_way() {
        assert_eq!(choose("b", "new", None, &[at("b/deep", "x")]), write("b-2"));
    }

    #[test]
    fn when_every_name_is_taken_that_is_said() {
        let all: Vec<_> = (1..=LAST).map(|number| at(&numbered("b", number), "x")).collect();
        assert_eq!(choose("b", "new", None, &all), None);
    }
}
