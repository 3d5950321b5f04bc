//! What holds an agent to its places: Landlock, of the kernel's own accord and without privileges, or a
//! launcher of the person's.
//!
//! It guards a person's files and other runs against an agent that goes astray. It is not called more than
//! that anywhere: what the person can read an agent can read and send out.

mod decide;
mod fence;
mod kernel;
mod privileges;
mod surroundings;
mod words;

pub use decide::decide;
pub use fence::{Fence, FenceError};
pub use kernel::{FULL_ABI, Kernel, Lack};
pub use words::{NOT_STOPPED, notice, shortfall, stopped};
