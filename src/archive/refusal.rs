//! Why an archive is not taken.

/// A refusal. Nothing of the archive was used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is larger than any archive.
    #[error("it is longer than {limit} bytes, and no archive is")]
    TooLong {
        /// The limit.
        limit: u64,
    },
    /// A part of it is larger than such a part may be.
    #[error("`{name}` in it has {size} bytes, and {limit} are taken at most")]
    TooLarge {
        /// The part.
        name: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// There is too much of something in it.
    #[error("it holds {count} {what}, and {limit} are taken at most")]
    TooMany {
        /// What.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// It has no signature.
    #[error("it has no signature: nobody knows who made it, or it was cut off")]
    Unsigned,
    /// It has one, and there is no key to check it with.
    #[error("it is signed, and there is no key to check that with")]
    NoKey,
    /// It is encrypted, and there is no key.
    #[error("it is encrypted, and there is no key for it")]
    Locked,
    /// Its signature is another.
    #[error("its signature is not that of this key: it was changed, or signed with another key")]
    Forged,
    /// It cannot be decrypted with this key.
    #[error("it cannot be decrypted with this key: it was changed, or encrypted with another key")]
    Undecryptable,
    /// It is none, or a broken one.
    #[error("it is no archive of callbox's, or a broken one: {reason}")]
    Broken {
        /// What is wrong, as the end of a sentence.
        reason: String,
    },
    /// Another callbox made it.
    #[error("it is of the format {found}, and this callbox reads format {read}")]
    Format {
        /// Its format.
        found: u32,
        /// Ours.
        read: u32,
    },
}

impl Refusal {
    pub(super) fn broken(reason: impl Into<String>) -> Self {
        Self::Broken { reason: reason.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unsigned => {
                "have it made with a key; `--unsigned` takes it all the same, and then whoever made it decides what \
                 its tasks are and may run"
            }
            Self::NoKey | Self::Locked => "`--key-env NAME` names the variable that holds the key",
            Self::Forged | Self::Undecryptable => "ask who made it for the key, or for another copy",
            Self::Format { .. } => "use the callbox that made it, or a newer one",
            Self::TooLong { .. } | Self::TooLarge { .. } | Self::TooMany { .. } => {
                "export fewer tasks into each archive"
            }
            Self::Broken { .. } => "have it made again",
        }
    }
}
