//! The short numbers a person types: `t12`, `x31`, `q7`.
//!
//! They count up within one state directory, because prefixes of UUIDv7 made together are equal
//! and therefore useless to a person.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Text that is not a number of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted}")]
pub struct ParseNumberError {
    /// What was given.
    pub text: String,
    /// What was wanted, with an example.
    pub wanted: &'static str,
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $wanted:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(i64);

        impl $name {
            /// The number of a stored row; rows count from 1.
            pub fn new(value: i64) -> Self {
                Self(value)
            }

            /// The bare value, as the database keeps it.
            pub fn value(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseNumberError;

            /// Reads the number with or without its letter.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = text.strip_prefix($prefix).unwrap_or(text);
                let refused = || ParseNumberError { text: text.to_owned(), wanted: $wanted };
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(refused());
                }
                match digits.parse() {
                    Ok(value) if value > 0 => Ok(Self(value)),
                    _ => Err(refused()),
                }
            }
        }

        impl From<$name> for String {
            fn from(number: $name) -> Self {
                number.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseNumberError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

number!(
    /// A task, `t12`.
    TaskNumber, "t", "a task number such as `t12`"
);
number!(
    /// One run of a task by one agent process, `x31`.
    ExecutionNumber, "x", "an execution number such as `x31`"
);
number!(
    /// A question an agent asked, `q7`.
    QuestionNumber, "q", "a question number such as `q7`"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_with_or_without_its_letter() {
        assert_eq!("t12".parse(), Ok(TaskNumber::new(12)));
        assert_eq!("12".parse(), Ok(TaskNumber::new(12)));
        assert_eq!(QuestionNumber::new(7).to_string(), "q7");
    }

    #[test]
    fn what_is_no_number_of_this_kind_is_refused_with_an_example() {
        for text in ["", "t", "x1", "t-1", "t0", "t+1", "t1 ", "t99999999999999999999"] {
            let error = text.parse::<TaskNumber>().unwrap_err();
            assert!(error.to_string().contains("such as `t12`"), "{error}");
        }
    }

    #[test]
    fn json_carries_the_letter() {
        let json = serde_json::to_string(&ExecutionNumber::new(31)).unwrap();
        assert_eq!(json, "\"x31\"");
        assert_eq!(serde_json::from_str::<ExecutionNumber>(&json).unwrap(), ExecutionNumber::new(31));
    }
}
