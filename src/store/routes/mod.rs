//! The routes of the three planes, one file each for what belongs together.

mod acting;
mod answering;
mod attaching;
mod backing_up;
mod events;
mod logs;
mod looking;
mod opening;
mod run;
mod supervising;
mod sweeping;
mod travelling;

use axum::{
    Router,
    extract::FromRef,
    routing::{get, post},
};

use super::{engine::Engine, runs::Runs};

impl FromRef<Engine> for Runs {
    fn from_ref(engine: &Engine) -> Self {
        engine.runs().clone()
    }
}

/// The agent plane.
pub(super) fn agent(engine: Engine) -> Router {
    Router::new()
        .route("/v1/run", get(run::identity))
        .route("/v1/run/hello", post(run::hello))
        .route("/v1/run/signals", post(run::signal))
        .with_state(engine)
}

/// The operator and supervisor planes.
pub(super) fn store(engine: Engine) -> Router {
    Router::new()
        .route("/v1/supervise/report", post(supervising::report))
        .route("/v1/supervise/orders", get(supervising::orders))
        .route("/v1/status", get(looking::status))
        .route("/v1/metrics", get(looking::metrics))
        .route("/v1/tasks", get(looking::tasks).post(acting::submit))
        .route("/v1/tasks/{task}", get(looking::task))
        .route("/v1/tasks/{task}/why", get(looking::why))
        .route("/v1/tasks/{task}/cancel", post(acting::cancel))
        .route("/v1/tasks/{task}/start", post(acting::start))
        .route("/v1/tasks/{task}/resume", post(acting::resume))
        .route("/v1/tasks/{task}/project", post(acting::relocate))
        .route("/v1/tasks/{task}/accept", post(acting::accept))
        .route("/v1/tasks/{task}/reject", post(acting::reject))
        .route("/v1/tasks/{task}/tell", post(acting::tell))
        .route("/v1/tasks/{task}/retry", post(acting::retry))
        .route("/v1/tasks/{task}/sweep", post(sweeping::sweep))
        .route("/v1/backup", post(backing_up::back_up))
        .route("/v1/export", post(travelling::export))
        .route("/v1/import/check", post(travelling::check))
        .route("/v1/import", post(travelling::import))
        .route("/v1/remains", get(sweeping::remains))
        .route("/v1/questions", get(looking::questions))
        .route("/v1/questions/{question}/answer", post(answering::answer))
        .route("/v1/questions/{question}/dismiss", post(answering::dismiss))
        .route("/v1/events", get(events::follow))
        .route("/v1/executions/{execution}/log", get(logs::log))
        .route("/v1/attach", post(attaching::attach))
        .route("/v1/unbound", post(opening::open))
        .route("/v1/tasks/{task}/end", post(opening::end))
        .with_state(engine)
}
