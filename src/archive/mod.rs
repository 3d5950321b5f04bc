//! A state that travels, as bytes: packed, signed, on request encrypted, and taken apart again.
//!
//! ```text
//! age( tar: manifest.json  rows.json  sandboxes/<task>.bundle…  transcripts/<task>/<n>…
//!      and behind it one line with the signature )
//! ```
//!
//! Whole archives are held in memory: nothing of one is written anywhere before all of it was checked, and nobody can
//! change it between the check and the use. Nothing here knows of disks, git, rows or agents.

mod container;
mod contents;
mod encryption;
mod key;
mod limits;
mod manifest;
mod pack;
mod refusal;
mod signature;
mod unpack;

pub use contents::{Contents, Luggage, Sandbox, Transcript};
pub use key::{Key, WrongKey};
pub use limits::LONGEST;
pub use pack::{Secrecy, pack};
pub use refusal::Refusal;
pub use unpack::{Demand, unpack};

#[cfg(test)]
mod tests;
