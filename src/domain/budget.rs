//! Whether a tree of tasks has used what it may use. Pure.

use crate::vocabulary::{Budget, Fault, Usage};

/// Why nothing of the tree may run on, where its budget is used up. What is not reported is not counted.
pub fn used_up(budget: Budget, used: &Usage) -> Option<Fault> {
    let dollars = used.cost_usd.unwrap_or(0.0);
    let tokens = used.tokens_in.unwrap_or(0).saturating_add(used.tokens_out.unwrap_or(0));
    let message = match budget {
        Budget { max_cost_usd: Some(limit), .. } if dollars >= limit => {
            format!("the budget is used up: `max_cost_usd` is {limit} and ${} was spent", cents(dollars))
        }
        Budget { max_tokens: Some(limit), .. } if tokens >= limit => {
            format!("the budget is used up: `max_tokens` is {limit} and {tokens} tokens were used")
        }
        _ => return None,
    };
    Some(spent(message))
}

/// The fault of a budget that is used up, with what raises it.
pub(super) fn spent(message: impl Into<String>) -> Fault {
    Fault::new("budget", message).hinted(
        "`callbox resume` with `--max-cost-usd DOLLARS` or `--max-tokens NUMBER` raises it, and the conversation goes on",
    )
}

/// The dollars that are left, where they are limited.
pub fn dollars_left(budget: Budget, used: &Usage) -> Option<f64> {
    Some((budget.max_cost_usd? - used.cost_usd.unwrap_or(0.0)).max(0.0))
}

/// What a person must know of a run that has `used` this and whose budget could not hold it, since its
/// agent does not say what it uses.
pub fn unmeasured(budget: Budget, used: &Usage) -> Option<&'static str> {
    match (budget, used) {
        (Budget { max_cost_usd: Some(_), .. }, Usage { cost_usd: None, .. }) => {
            Some("the agent reported no cost, so `max_cost_usd` could not hold this run")
        }
        (Budget { max_tokens: Some(_), .. }, Usage { tokens_in: None, tokens_out: None, .. }) => {
            Some("the agent reported no tokens, so `max_tokens` could not hold this run")
        }
        _ => None,
    }
}

/// An amount with the places that tell something, and no noise of binary fractions.
fn cents(amount: f64) -> String {
    let text = format!("{amount:.4}");
    text.strip_suffix("00").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(dollars: f64, tokens: u64) -> Usage {
        Usage { cost_usd: Some(dollars), tokens_in: Some(tokens), tokens_out: Some(1) }
    }

    #[test]
    fn a_budget_is_used_up_when_it_is_reached_and_says_which_and_by_how_much() {
        let money = Budget { max_cost_usd: Some(0.3), ..Budget::default() };
        assert_eq!(used_up(money, &used(0.29, 999)), None);
        let fault = used_up(money, &used(0.1 + 0.2, 0)).unwrap();
        assert_eq!(fault.message, "the budget is used up: `max_cost_usd` is 0.3 and $0.30 was spent");
        assert!(fault.code == "budget" && fault.hint.unwrap().contains("--max-cost-usd"));
        let tokens = Budget { max_tokens: Some(100), ..Budget::default() };
        assert_eq!(used_up(tokens, &used(99.0, 98)), None);
        assert!(used_up(tokens, &used(0.0, 99)).unwrap().message.contains("100 tokens were used"));
        assert_eq!(used_up(Budget::default(), &used(1e9, u64::MAX)), None);
    }

    #[test]
    fn what_is_left_is_never_less_than_nothing() {
        let budget = Budget { max_cost_usd: Some(1.0), ..Budget::default() };
        assert_eq!(dollars_left(budget, &used(0.25, 0)), Some(0.75));
        assert_eq!(dollars_left(budget, &used(3.0, 0)), Some(0.0));
        assert_eq!(dollars_left(Budget::default(), &used(3.0, 0)), None);
    }

    #[test]
    fn a_limit_on_what_nobody_reports_is_said_not_to_hold() {
        let budget = Budget { max_cost_usd: Some(1.0), max_tokens: Some(5) };
        assert_eq!(unmeasured(budget, &used(0.0, 0)), None);
        let tokens_only = Usage { cost_usd: None, ..used(0.0, 0) };
        assert!(unmeasured(budget, &tokens_only).unwrap().contains("`max_cost_usd`"));
        let tokens = Budget { max_cost_usd: None, ..budget };
        assert!(unmeasured(tokens, &Usage::default()).unwrap().contains("`max_tokens`"));
        assert_eq!(unmeasured(Budget::default(), &Usage::default()), None);
    }
}
