//! The key under which a call is recorded at most once.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, request::Parts},
};

use crate::protocol::{
    IDEMPOTENCY_HEADER,
    error::{ApiError, ErrorCode},
};

/// The most characters a key may have.
const LONGEST: usize = 200;

/// 1–200 visible ASCII characters that the client chose for one call and repeats with each attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(pub String);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        key(&parts.headers)
    }
}

fn key(headers: &HeaderMap) -> Result<IdempotencyKey, ApiError> {
    let mut given = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let one = (given.next().map(HeaderValue::as_bytes), given.next());
    match one {
        (Some(text), None)
            if (1..=LONGEST).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic) =>
        {
            Ok(IdempotencyKey(String::from_utf8_lossy(text).into_owned()))
        }
        _ => Err(ApiError::new(
            ErrorCode::Invalid,
            format!("the header `{IDEMPOTENCY_HEADER}` must hold 1 to {LONGEST} visible characters"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(values: &[&[u8]]) -> HeaderMap {
        let name = HeaderName::from_static(IDEMPOTENCY_HEADER);
        values.iter().map(|value| (name.clone(), HeaderValue::from_bytes(value).unwrap())).collect()
    }

    #[test]
    fn a_key_is_1_to_200_visible_characters_and_there_is_one() {
        let longest = [b'x'; 200];
        for taken in [&b"toolu_01"[..], b"!", &longest] {
            assert_eq!(key(&headers(&[taken])).unwrap().0.as_bytes(), taken);
        }
        let beyond = [b'x'; 201];
        let wrong: [&[&[u8]]; 6] = [&[], &[b""], &[b"a b"], &[b"\xc3\xa9"], &[&beyond], &[b"a", b"a"]];
        for refused in wrong {
            let error = key(&headers(refused)).unwrap_err();
            assert!(error.message.contains("1 to 200"), "{error}");
        }
    }
}
