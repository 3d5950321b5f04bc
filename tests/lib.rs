//! All integration tests, one file per feature, in one binary so that they link once.

mod claude_adapter;
mod claude_recorded;
mod cli_bad_input;
mod cli_doctor;
mod cli_usage;
mod forbidden_waits;
mod house;
mod inspector;
mod sandbox_cost;
mod sandbox_create;
mod sandbox_deliver;
mod sandbox_hostile;
mod sandbox_project;
mod sandbox_work;
mod shim_framing;
mod shim_hello;
mod shim_life;
mod shim_mixture;
mod shim_once;
mod shim_opening;
mod shim_pressure;
mod shim_schemas;
mod shim_waiting;
mod support;
