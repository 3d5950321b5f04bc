//! How the house's values stand in columns.

use std::path::PathBuf;

use rusqlite::types::Type;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    database::Row,
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp},
};

/// The text under which a value is kept.
///
/// Serialising the house's own types cannot fail: their maps have text for keys.
pub(super) fn text_of<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Tasks as one parameter: a JSON array, for `IN (SELECT value FROM json_each(?1))`.
pub(super) fn tasks(numbers: &[TaskNumber]) -> String {
    let numbers: Vec<i64> = numbers.iter().map(|number| number.value()).collect();
    text_of(&numbers)
}

/// Reads a column of JSON.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    let text: String = row.get(name)?;
    parse(&text)
}

/// Reads a column of JSON that may be absent.
pub(super) fn json_or_null<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<T>> {
    row.get::<Option<String>>(name)?.map(|text| parse(&text)).transpose()
}

/// Reads a word of an enum that is kept as plain text.
pub(super) fn word<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    let text: String = row.get(name)?;
    parse(&text_of(&text))
}

/// Reads a word of an enum that may be absent.
pub(super) fn word_or_null<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<T>> {
    row.get::<Option<String>>(name)?.map(|text| parse(&text_of(&text))).transpose()
}

/// The plain text of an enum's word.
pub(super) fn plain<T: Serialize>(value: &T) -> String {
    text_of(value).trim_matches('"').to_owned()
}

fn parse<T: DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

pub(super) fn task(row: &Row<'_>, name: &str) -> rusqlite::Result<TaskNumber> {
    row.get(name).map(TaskNumber::new)
}

pub(super) fn task_or_null(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<TaskNumber>> {
    Ok(row.get::<Option<i64>>(name)?.map(TaskNumber::new))
}

pub(super) fn execution(row: &Row<'_>, name: &str) -> rusqlite::Result<ExecutionNumber> {
    row.get(name).map(ExecutionNumber::new)
}

pub(super) fn execution_or_null(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<ExecutionNumber>> {
    Ok(row.get::<Option<i64>>(name)?.map(ExecutionNumber::new))
}

pub(super) fn question(row: &Row<'_>, name: &str) -> rusqlite::Result<QuestionNumber> {
    row.get(name).map(QuestionNumber::new)
}

pub(super) fn time(row: &Row<'_>, name: &str) -> rusqlite::Result<Timestamp> {
    row.get(name).map(Timestamp::from_millis)
}

pub(super) fn time_or_null(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<Option<i64>>(name)?.map(Timestamp::from_millis))
}

pub(super) fn path_or_null(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<PathBuf>> {
    Ok(row.get::<Option<String>>(name)?.map(PathBuf::from))
}

/// A count that the schema keeps non-negative.
pub(super) fn count(row: &Row<'_>, name: &str) -> rusqlite::Result<u32> {
    row.get(name)
}
