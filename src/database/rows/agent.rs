//! `agents`: what is known of agent programs beyond single tasks.

use std::collections::BTreeMap;

use super::column;
use crate::{
    database::{Read, StorageError, Write},
    domain::AgentHealth,
};

/// Everything that is known, by name.
pub fn all(read: &Read<'_>) -> Result<BTreeMap<String, AgentHealth>, StorageError> {
    let rows = read.all("SELECT name, health FROM agents", [], |row| {
        Ok((row.get::<String>("name")?, column::json(row, "health")?))
    })?;
    Ok(rows.into_iter().collect())
}

/// What is known of `name`.
pub fn get(read: &Read<'_>, name: &str) -> Result<AgentHealth, StorageError> {
    let health =
        read.one("SELECT health FROM agents WHERE name = ?1", [name], |row| column::json(row, "health"))?;
    Ok(health.unwrap_or_default())
}

/// Stores what is known of `name`.
pub fn save(write: &mut Write<'_>, name: &str, health: &AgentHealth) -> Result<(), StorageError> {
    let sql = "INSERT INTO agents (name, health) VALUES (?1, ?2)
               ON CONFLICT (name) DO UPDATE SET health = excluded.health";
    write.run(sql, (name, column::text_of(health)))?;
    Ok(())
}
