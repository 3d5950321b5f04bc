//! What the tests share: waiting for a state with a deadline, throw-away projects, real programs.

pub(crate) mod agent;
pub(crate) mod belongings;
pub(crate) mod books;
pub(crate) mod by_hand;
pub(crate) mod cli;
pub(crate) mod dice;
pub(crate) mod held_run;
pub(crate) mod inside;
pub(crate) mod landlock;
pub(crate) mod leftovers;
pub(crate) mod limited;
pub(crate) mod office;
pub(crate) mod played;
pub(crate) mod player;
pub(crate) mod processes;
pub(crate) mod programs;
pub(crate) mod random_tasks;
pub(crate) mod raw_request;
pub(crate) mod raw_store;
pub(crate) mod raw_supervision;
pub(crate) mod reference;
pub(crate) mod repository;
pub(crate) mod resident;
pub(crate) mod restless_person;
pub(crate) mod service_manager;
pub(crate) mod shim;
pub(crate) mod small_disk;
pub(crate) mod sources;
pub(crate) mod speaking;
pub(crate) mod supervised;
pub(crate) mod terminal;
pub(crate) mod wait;
pub(crate) mod whole_work;
pub(crate) mod workshop;

pub(crate) use callbox::fake_model;
