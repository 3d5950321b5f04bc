//! How much of its tree's budget a run has left, for its agent.

/// A sentence for an agent whose tree has `left` dollars; empty where they are not limited. What the run itself
/// has used counts only once its program has named it.
pub(super) fn dollars_left(left: Option<f64>) -> String {
    left.map_or_else(String::new, |left| format!(" About ${:.2} of the budget are left.", left.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_in_cents_where_it_is_limited() {
        assert_eq!(dollars_left(Some(0.4)), " About $0.40 of the budget are left.");
        assert_eq!(dollars_left(Some(-0.1)), " About $0.00 of the budget are left.");
        assert_eq!(dollars_left(None), "");
    }
}
