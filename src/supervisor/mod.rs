//! One process per execution: owns the sandbox and the agent's process tree.
//!
//! It starts nothing before the store accepted it, reports everything it learns, and outlives the
//! store. It knows nothing of tasks beyond its launch plan.
