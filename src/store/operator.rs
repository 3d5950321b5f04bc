//! The right to the operator plane: the owner's, not their agents'.

use std::sync::Arc;

use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts},
    http::{header, request::Parts},
};

use super::{
    peer::Peer,
    runs::{Runs, Standing},
};
use crate::{
    protocol::error::{ApiError, ErrorCode},
    vocabulary::Shortage,
};

/// A peer that may ask and decide as the person does; it stands on every decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator(pub Arc<Peer>);

impl<S> FromRequestParts<S> for Operator
where
    S: Send + Sync,
    Runs: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let peer = parts.extensions.get::<ConnectInfo<Arc<Peer>>>().map(|ConnectInfo(peer)| peer.clone());
        let peer = peer.ok_or_else(|| refusal(Standing::Unknown))?;
        // A person has no token: whoever brings one speaks for a run.
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return Err(refusal(Standing::Orphan));
        }
        match Runs::from_ref(state).deciding(&peer) {
            Standing::Person => Ok(Self(peer)),
            standing => Err(refusal(standing)),
        }
    }
}

/// Why a peer of this standing may not decide, and what to do instead.
pub(super) fn refusal(standing: Standing) -> ApiError {
    let (message, hint) = match standing {
        Standing::Agent(execution) => (
            format!("this command runs inside execution `{execution}`, and only a person may give it"),
            "an agent asks with `ask_user` and ends its turn; a person answers from a terminal of their own",
        ),
        Standing::Orphan => (
            "this command was started by a run of this store, and only a person may give it".to_owned(),
            "an agent asks with `ask_user` and ends its turn; a person answers from a terminal of their own",
        ),
        Standing::Unlooked(shortage) => return unlooked(shortage),
        Standing::Person | Standing::Unknown => (
            "the store cannot see which processes started this command".to_owned(),
            "run callbox outside of containers and where `/proc` can be read",
        ),
    };
    ApiError::new(ErrorCode::ForbiddenPeer, message).hinted(hint)
}

/// The refusal of a peer whose processes nobody looked at, for lack of what that takes.
pub(super) fn unlooked(shortage: Shortage) -> ApiError {
    let message = "the store has no open files or memory left to see who asks; nothing was recorded";
    ApiError::new(ErrorCode::Exhausted, message).hinted(shortage.hint())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use axum::http::Request;

    use super::*;
    use crate::{ids::ExecutionNumber, layout::StateDir, store::peer::line};

    async fn asked(peer: Option<u32>, runs: &Runs) -> Result<Operator, ApiError> {
        asked_lacking(None, peer, runs).await
    }

    async fn asked_lacking(
        unlooked: Option<Shortage>,
        peer: Option<u32>,
        runs: &Runs,
    ) -> Result<Operator, ApiError> {
        let (mut parts, ()) = Request::new(()).into_parts();
        if let Some(pid) = peer {
            let line = if unlooked.is_some() { None } else { line(pid) };
            let peer = Peer {
                pid: Some(pid),
                uid: 0,
                program: None,
                terminal: None,
                line,
                unlooked,
                bearings: Vec::new(),
            };
            parts.extensions.insert(ConnectInfo(Arc::new(peer)));
        }
        Operator::from_request_parts(&mut parts, runs).await
    }

    #[tokio::test]
    async fn a_person_is_let_in_and_an_agent_is_told_what_to_do_instead() {
        let runs = Runs::of_this_store(&StateDir::at("/s")).unwrap();
        assert_eq!(asked(Some(std::process::id()), &runs).await.unwrap().0.pid, Some(std::process::id()));
        let mut agent = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let orphan = asked(Some(agent.id()), &runs).await.unwrap_err();
        runs.begin(ExecutionNumber::new(31), agent.id());
        let inside = asked(Some(agent.id()), &runs).await.unwrap_err();
        agent.kill().unwrap();
        agent.wait().unwrap();
        let gone = asked(Some(agent.id()), &runs).await.unwrap_err();
        let unseen = asked(None, &runs).await.unwrap_err();
        for error in [&orphan, &inside, &gone, &unseen] {
            assert_eq!(error.code, ErrorCode::ForbiddenPeer);
            assert!(error.hint.is_some());
        }
        assert!(inside.message.contains("`x31`"), "{inside}");
        assert!(inside.hint.unwrap().contains("ask_user"));
    }

    #[tokio::test]
    async fn a_peer_that_nobody_could_look_at_is_told_of_the_shortage_and_not_let_in() {
        let runs = Runs::of_this_store(&StateDir::at("/s")).unwrap();
        let error = asked_lacking(Some(Shortage::Files), Some(std::process::id()), &runs).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Exhausted);
        assert!(error.hint.unwrap().contains("`ulimit -n`"));
    }
}
