//! The bearer secret of a request: an execution's token, or its supervisor's secret.

use std::sync::Arc;

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
};

use super::peer::Peer;
use crate::{
    ids::{Secret, TokenHash},
    protocol::error::{ApiError, ErrorCode},
};

/// What every minted secret begins with, and how long all of it is.
const FORM: (&str, usize) = ("cbx_", 47);

/// A well-formed secret, as its hash, and who sent it. Whose it is, the database knows.
#[derive(Debug, Clone)]
pub struct Bearer {
    /// The secret's hash.
    pub hash: TokenHash,
    /// The process that sent it.
    pub peer: Arc<Peer>,
}

impl Bearer {
    /// The refusal of a secret that the store does not know.
    pub fn unknown() -> ApiError {
        ApiError::new(ErrorCode::Unauthorized, "this store does not know the token").hinted(
            "the token belongs to another state directory, or was never one of callbox's: use what the run was started with",
        )
    }

    /// The refusal of a token whose run has ended.
    pub fn revoked() -> ApiError {
        ApiError::new(ErrorCode::Revoked, "this run has ended, and nothing more is recorded for it")
            .hinted("end your turn; a later run of the task is given a token of its own")
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let secret = secret(&parts.headers)?;
        let peer = parts.extensions.get::<ConnectInfo<Arc<Peer>>>().map(|ConnectInfo(peer)| peer.clone());
        let peer = peer.ok_or_else(|| ApiError::new(ErrorCode::ForbiddenPeer, "the peer is not known"))?;
        Ok(Self { hash: TokenHash::of(&secret), peer })
    }
}

/// The one secret in the headers. What is wrong with it is said without a character of it.
fn secret(headers: &HeaderMap) -> Result<Secret, ApiError> {
    let refused = |message: &str| {
        Err(ApiError::new(ErrorCode::Unauthorized, message)
            .hinted("send the run's token as `Authorization: Bearer cbx_…`"))
    };
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return refused("the request carries no token, or more than one");
    };
    let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' ')) else {
        return refused("the request's token is not a bearer token");
    };
    if !scheme.eq_ignore_ascii_case("bearer") {
        return refused("the request's token is not a bearer token");
    }
    let (prefix, length) = FORM;
    let plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !token.starts_with(prefix) || token.len() != length || !plain {
        return refused("the request's token is not one of callbox's");
    }
    Ok(Secret::new(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[String]) -> HeaderMap {
        let values = values.iter().map(|value| (header::AUTHORIZATION, value.parse().unwrap()));
        values.collect()
    }

    #[test]
    fn a_minted_secret_is_taken_whatever_the_case_of_the_scheme() {
        let minted = Secret::mint();
        for scheme in ["Bearer", "bearer"] {
            let given = headers(&[format!("{scheme} {}", minted.expose())]);
            assert_eq!(secret(&given).unwrap(), minted);
        }
    }

    #[test]
    fn anything_else_is_refused_without_a_word_of_it() {
        let minted = Secret::mint();
        let token = minted.expose();
        let one = format!("Bearer {token}");
        let wrong = [
            vec![],
            vec![one.clone(), one.clone()],
            vec![token.to_owned()],
            vec!["Bearer".to_owned()],
            vec!["Bearer ".to_owned()],
            vec![format!("Basic {token}")],
            vec![format!("Bearer  {token}")],
            vec![format!("{one}x")],
            vec![one.replace("cbx_", "abc_")],
            vec![format!("Bearer cbx_{}", "!".repeat(43))],
        ];
        for given in wrong {
            let error = secret(&headers(&given)).unwrap_err();
            assert_eq!(error.code, ErrorCode::Unauthorized, "{given:?}");
            assert!(!format!("{error:?}").contains(&token[4..]), "{error:?}");
        }
    }
}
