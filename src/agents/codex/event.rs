//! One line of `codex exec --json`, as far as callbox reads it.

use serde_json::Value;

use super::item::Item;

/// What a line says. Fields that are missing or of another type than expected read as absent, so that a newer
/// program's line never stops a run; only the end of a turn is read strictly.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The conversation has this id.
    Thread(String),
    /// Something of the turn begins or goes on.
    Begun(Item),
    /// Something of the turn is over.
    Ended {
        /// Its number within the turn.
        id: String,
        /// What it was.
        item: Item,
    },
    /// The provider refused, and is asked again.
    Retry {
        /// Such as `2/5`.
        count: String,
        /// Why.
        words: String,
    },
    /// Something failed; what follows says whether that was the end.
    Error(String),
    /// The turn went well. The conversation has used so much; `None` where that is not plainly said.
    Completed(Option<Totals>),
    /// The turn failed.
    Failed(String),
}

/// Tokens of the whole conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals {
    /// Read, from caches too.
    pub(super) read: u64,
    /// Written, thoughts too.
    pub(super) written: u64,
}

impl Event {
    /// Reads a line; `None` for what is no event callbox knows.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let event: Value = serde_json::from_slice(line).ok()?;
        Some(match text(&event, "type")? {
            "thread.started" => Self::Thread(text(&event, "thread_id")?.to_owned()),
            "item.started" | "item.updated" => Self::Begun(Item::read(event.get("item")?)?),
            "item.completed" => {
                let item = event.get("item")?;
                Self::Ended { id: text(item, "id").unwrap_or_default().to_owned(), item: Item::read(item)? }
            }
            "error" => error(text(&event, "message").unwrap_or_default()),
            "turn.completed" => Self::Completed(event.get("usage").and_then(Totals::read)),
            "turn.failed" => {
                let words = event.get("error").and_then(|error| text(error, "message"));
                Self::Failed(words.unwrap_or("it does not say why").to_owned())
            }
            _ => return None,
        })
    }
}

impl Totals {
    fn read(usage: &Value) -> Option<Self> {
        let number = |name: &str| usage.get(name).and_then(Value::as_u64);
        Some(Self { read: number("input_tokens")?, written: number("output_tokens")? })
    }
}

/// `Reconnecting... 2/5 (why)` is no end.
fn error(message: &str) -> Event {
    let Some(rest) = message.strip_prefix("Reconnecting... ") else {
        return Event::Error(message.to_owned());
    };
    let (count, words) = rest.split_once(" (").unwrap_or((rest, ""));
    let words = words.strip_suffix(')').unwrap_or(words);
    Event::Retry { count: count.to_owned(), words: words.to_owned() }
}

/// The text that stands under `key`.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
