//! The one way of an agent's words to a terminal.
//!
//! Everything that came from an agent, a file or a socket is hostile: it may move the cursor, set the
//! clipboard, retitle the window, reorder a line or hide in no width at all. What passed here has no
//! control character but newline and tab. It knows nothing of tasks or of colours of our own, which
//! are added behind it.

mod hostile;
mod width;

pub(crate) use hostile::{json, line, text};
pub(crate) use width::{columns, cut};
