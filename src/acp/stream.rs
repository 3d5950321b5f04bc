//! The lines between the client and the program.

use std::io;

use futures::{Sink, Stream, sink, stream};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader},
    process::ChildStdin,
};

use super::line::{Line, beginning, say};

/// The longest line that is read, in bytes; a longer one is left out whole.
const MAX_LINE: usize = 16 << 20;

/// How much of a line that is no message is told, in characters.
const STRAY: usize = 2000;

/// Where messages go.
pub(super) fn outgoing(stdin: ChildStdin) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(stdin, |mut stdin, line: String| async move {
        stdin.write_all(line.as_bytes()).await?;
        stdin.write_all(b"\n").await?;
        stdin.flush().await?;
        Ok(stdin)
    })
}

/// Where they come from. What is no message is told and not answered: an answer would be one more line that the
/// program does not expect.
pub(super) fn incoming<R>(output: R) -> impl Stream<Item = io::Result<String>> + Send + 'static
where
    R: AsyncRead + Unpin + Send + 'static,
{
    stream::unfold(Lines::of_at_most(MAX_LINE, output), |mut lines| async move {
        loop {
            match lines.next().await {
                Ok(None) => return None,
                Ok(Some(Read::Message(text))) => return Some((Ok(text), lines)),
                Ok(Some(Read::Stray(text))) => say(&Line::Stray { text }),
                Ok(Some(Read::TooLong)) => say(&Line::LeftOut),
                Err(error) => return Some((Err(error), lines)),
            }
        }
    })
}

/// A line.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    /// It may be a message.
    Message(String),
    /// It is none.
    Stray(String),
    /// It was too long.
    TooLong,
}

struct Lines<R> {
    output: BufReader<R>,
    held: Vec<u8>,
    limit: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn of_at_most(limit: usize, output: R) -> Self {
        Self { output: BufReader::with_capacity(64 << 10, output), held: Vec::new(), limit, skipping: false }
    }

    /// The next line that says anything; `None` at the end.
    async fn next(&mut self) -> io::Result<Option<Read>> {
        loop {
            let buffer = self.output.fill_buf().await?;
            let ended = buffer.is_empty();
            let (taken, whole) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (buffer.len(), false),
            };
            let piece = buffer[..taken].strip_suffix(b"\n").unwrap_or(&buffer[..taken]);
            if self.held.len() + piece.len() > self.limit {
                self.skipping = true;
                self.held = Vec::new();
            } else if !self.skipping {
                self.held.extend_from_slice(piece);
            }
            self.output.consume(taken);
            if !whole && !ended {
                continue;
            }
            let line = std::mem::take(&mut self.held);
            if std::mem::take(&mut self.skipping) {
                return Ok(Some(Read::TooLong));
            }
            let text = line.trim_ascii();
            if text.is_empty() {
                if ended {
                    return Ok(None);
                }
                continue;
            }
            return Ok(Some(match std::str::from_utf8(text) {
                Ok(text) if is_message(text) => Read::Message(text.to_owned()),
                _ => {
                    let head = &text[..text.len().min(4 * STRAY)];
                    Read::Stray(beginning(&String::from_utf8_lossy(head), STRAY))
                }
            }));
        }
    }
}

/// Whether `text` is JSON that a message could be.
fn is_message(text: &str) -> bool {
    text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &'static [u8]) -> Vec<Read> {
        let mut lines = Lines::of_at_most(20, bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn messages_are_told_from_noise_and_a_line_too_long_takes_no_other_along() {
        let lines = read(
            b"hello\n\n{\"a\":1}\r\n{\"a\":\n{\"aaaaaaaaaaaaaaaaaaaaaa\":1}\n[1]\n{\"b\":\xff}\n{\"c\":2}",
        )
        .await;
        let stray = |text: &str| Read::Stray(text.to_owned());
        assert_eq!(
            lines,
            [
                stray("hello"),
                Read::Message("{\"a\":1}".to_owned()),
                stray("{\"a\":"),
                Read::TooLong,
                stray("[1]"),
                stray("{\"b\":\u{fffd}}"),
                Read::Message("{\"c\":2}".to_owned()),
            ]
        );
    }
}
