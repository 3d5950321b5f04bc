//! Why an agent was never started, told by what was to become it.

use super::enter::{NOT_ENTERED, NOT_ISOLATED, SAID_BY};
use crate::vocabulary::{Exit, Fault, Shortage};

/// What kept `enter` from becoming the agent, where this `exit` and these words on its standard error are its own. An
/// agent that ends like that without a turn of its model has failed as well.
pub(super) fn not_entered(exit: Exit, complaint: &str) -> Option<Fault> {
    let words = complaint.trim().strip_prefix(SAID_BY)?;
    if exit != Exit::Code(i32::from(NOT_ENTERED)) {
        return None;
    }
    let shortage = Shortage::told_by(words);
    let code = match shortage {
        Some(_) => "exhausted",
        None if words.starts_with(NOT_ISOLATED) => "isolation",
        None => "supervisor",
    };
    Some(Fault::new(code, words).lacking(shortage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_started_is_no_failure_of_the_agents() {
        let told =
            |code, words: &str| not_entered(Exit::Code(code), words).map(|fault| (fault.code, fault.message));
        let found = |code: &str, words: &str| Some((code.to_owned(), words.to_owned()));
        let full = &*format!("{NOT_ISOLATED}: Too many open files (os error 24)");
        assert_eq!(told(125, &format!("callbox: {full}\n")), found("exhausted", full));
        let hidden = &*format!("{NOT_ISOLATED}: no Landlock");
        assert_eq!(told(125, &format!("callbox: {hidden}")), found("isolation", hidden));
        assert_eq!(
            told(125, "callbox: the supervisor was gone"),
            found("supervisor", "the supervisor was gone")
        );
        assert_eq!((told(1, "callbox: x"), told(125, "claude: x"), told(125, "")), (None, None, None));
    }
}
