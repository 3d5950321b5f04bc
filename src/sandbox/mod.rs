//! The private clone an agent works in, and the way of its work into the project.
//!
//! The only room that runs git, and never with a sandbox's own configuration: what an agent had in
//! its hands can name programs that git would run. `git` is the runner with callbox's own
//! configuration, `view` the git directory beside each sandbox through which its work is looked at,
//! `agent_git` the few files of the agent's `.git` that are read and written, without git.
//!
//! ```text
//! inspect ── create ── (the agent works) ── state ── commit_leftovers ── deliver ── remove
//! ```
//!
//! All functions block. Nothing here knows of tasks' states, processes or the store.

mod agent_git;
mod arrival;
mod base;
mod beyond;
mod branch_choice;
mod carrier;
mod clone_config;
mod committed_file;
mod compare;
mod cone;
mod configuration;
mod copy;
mod create;
mod create_error;
mod deliver;
mod deliver_error;
mod departure;
mod diff;
mod exclude;
mod folder;
mod git;
mod git_error;
mod identity;
mod include;
mod invocation;
mod keep;
mod keep_out;
mod kept_references;
mod leftovers;
mod merge;
mod merge_tree;
mod merged;
mod new_project;
mod numbers;
mod pack;
mod patch;
mod project;
mod project_config;
mod project_error;
mod project_notes;
mod project_ref;
mod related;
mod removal;
mod room;
mod scratch;
mod set_aside;
mod snapshot;
mod space;
mod state;
mod submodules;
mod take;
mod take_error;
mod trash;
mod undelivered;
mod version;
mod view;
mod work_error;
mod work_tree;
mod worktree_base;

pub use arrival::{Arrival, ArrivalError, Claim, look};
pub use base::{BaseRequest, find_base, is_branch};
pub use committed_file::committed_file;
pub use compare::{compare, compare_stat};
pub use create::{CreateRequest, Created, create};
pub use create_error::CreateError;
pub use deliver::{DeliverRequest, Delivered, deliver};
pub use deliver_error::DeliverError;
pub use departure::{Departure, depart};
pub use diff::{DIFF_LIMIT, Patch, Work, diff, diff_stat};
pub use git::Git;
pub use git_error::GitError;
pub use keep::{KeepRequest, keep};
pub use keep_out::{keep_out, set_up_mark};
pub use kept_references::kept_references;
pub use leftovers::{LeftoverRequest, Leftovers, commit_leftovers};
pub use merge::{MergeRequest, MovedOn, Rebased, hindrance, merged, move_on, rebase, settle};
pub use merged::{OWN_BRANCHES, OwnBranch, is_merged, is_removable, remove_merged};
pub use new_project::new_project;
pub use patch::{PatchRequest, write_patch};
pub use project::{Project, inspect, work_tree_root};
pub use project_error::ProjectError;
pub use project_notes::{Lack, Prepared, Submodules};
pub use related::is_related;
pub use space::{readable, taken};
pub use state::{WorkState, head, recorded_base, state};
pub use take::{TakeRequest, Taken, TakenBy, take};
pub use take_error::TakeError;
pub use trash::{Trash, size};
pub use undelivered::{Handed, Leaving, Undelivered, undelivered};
pub use version::GitVersion;
pub use work_error::WorkError;
