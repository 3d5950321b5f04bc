//! What a line is: a message to pass on, or the error its sender must hear.
//!
//! Whoever wrote a request waits for its answer, so a line is only passed over in silence when no
//! request can have been in it.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, ConstString as _,
        ErrorCode, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    },
    service::RxJsonRpcMessage,
};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::{
    MAX_LINE_BYTES,
    envelope::{Document, Envelope},
    id_scan::{IdScan, read_id},
    lines::Line,
};

/// What to do about a line.
#[derive(Debug)]
pub(super) enum Reading {
    /// An empty line.
    Nothing,
    /// A message of the protocol.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Errors to answer with.
    Refused(Vec<ServerJsonRpcMessage>),
    /// Nothing that could be answered: a note for the log.
    Unanswerable(&'static str),
}

/// Reads a line. Bytes that are no UTF-8 are replaced, since the rest of the call may still be good.
pub(super) fn read(line: &Line) -> Reading {
    let bytes = match line {
        Line::Whole(bytes) => bytes,
        Line::TooLong(id) => return too_long(id.clone()),
    };
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Reading::Nothing;
    }
    match Document::read(text) {
        Ok(Document::Object(envelope)) => message(envelope),
        Ok(Document::Array(items)) => batch(&items),
        Ok(Document::Scalar) => Reading::Unanswerable("a line that is no JSON-RPC message"),
        Err(error) => unreadable(text, &error),
    }
}

fn too_long(id: Option<RequestId>) -> Reading {
    let message = format!("the line is longer than {MAX_LINE_BYTES} bytes");
    match id {
        Some(id) => refused(Some(id), ErrorCode::INVALID_REQUEST, message),
        None => Reading::Unanswerable("a line that is too long"),
    }
}

fn unreadable(text: &str, error: &serde_json::Error) -> Reading {
    let mut scan = IdScan::default();
    scan.feed(text.as_bytes());
    match scan.request_id() {
        Some(id) => refused(Some(id), ErrorCode::PARSE_ERROR, format!("the line is no JSON: {error}")),
        None => Reading::Unanswerable("a line that is no JSON"),
    }
}

fn batch(items: &[Value]) -> Reading {
    let requests = items.iter().filter(|item| item.get("method").is_some());
    let answers: Vec<_> = requests
        .filter_map(|request| read_id(request.get("id")?))
        .map(|id| {
            error(
                Some(id),
                ErrorCode::INVALID_REQUEST,
                "batches are not part of MCP; send one message a line",
            )
        })
        .collect();
    if answers.is_empty() {
        Reading::Unanswerable("a batch without a request")
    } else {
        Reading::Refused(answers)
    }
}

fn message(envelope: Envelope) -> Reading {
    let Envelope { mut fields, repeated } = envelope;
    let id = fields.get("id").and_then(read_id);
    let is_request = fields.contains_key("method") && fields.contains_key("id");
    if is_request && id.is_none() {
        let message = "`id` must be a string or a whole number of 64 bits";
        return refused(None, ErrorCode::INVALID_REQUEST, message);
    }
    if let Some(fault) = fault(&mut fields, repeated) {
        return match id {
            Some(id) => refused(Some(id), ErrorCode::INVALID_REQUEST, fault),
            None => Reading::Unanswerable("a message that is no JSON-RPC 2.0"),
        };
    }
    if let (Some(id), Some(call)) = (&id, tool_call(&fields)) {
        return Reading::Message(Box::new(JsonRpcMessage::request(call, id.clone())));
    }
    if let Some(id) = id.clone() {
        fields.insert("id".to_owned(), id.into_json_value());
    }
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(fields)) {
        Ok(message @ JsonRpcMessage::Request(_)) if is_request => Reading::Message(Box::new(message)),
        Ok(message) if !is_request => Reading::Message(Box::new(message)),
        _ if is_request => refused(id, ErrorCode::INVALID_REQUEST, "the request is not understood"),
        _ => Reading::Unanswerable("a message that is not understood"),
    }
}

/// The call of a tool in `fields`, as rmcp would read it. rmcp tries every kind of request in turn, which takes
/// longer than all else that is done to a call here; `None` leaves it to that.
fn tool_call(fields: &Map<String, Value>) -> Option<ClientRequest> {
    fields.get("method").filter(|method| *method == CallToolRequestMethod::VALUE)?;
    let mut params = CallToolRequestParams::deserialize(fields.get("params")?).ok()?;
    let meta = params.meta.take();
    let mut call = CallToolRequest::new(params);
    if let Some(meta) = meta {
        call.extensions.insert(meta);
    }
    Some(ClientRequest::CallToolRequest(call))
}

/// What keeps `fields` from being a JSON-RPC 2.0 message. `params: null` is taken for none.
fn fault(fields: &mut Map<String, Value>, repeated: Option<String>) -> Option<String> {
    if let Some(key) = repeated {
        return Some(format!("`{}` stands twice", key.escape_debug().take(60).collect::<String>()));
    }
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("`jsonrpc` must be \"2.0\"".to_owned());
    }
    match fields.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return Some("`method` must be a string".to_owned()),
        None if fields.contains_key("result") || fields.contains_key("error") => {}
        None => return Some("a message needs `method`, `result` or `error`".to_owned()),
    }
    match fields.get("params") {
        None | Some(Value::Object(_)) => {}
        Some(Value::Null) => {
            fields.remove("params");
        }
        Some(_) => return Some("`params` must be an object".to_owned()),
    }
    None
}

fn refused(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> Reading {
    Reading::Refused(vec![error(id, code, message)])
}

/// An error answer.
pub(super) fn error(
    id: Option<RequestId>,
    code: ErrorCode,
    message: impl Into<String>,
) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(code, message.into(), None), id)
}

#[cfg(test)]
mod tests;
