//! REFERENCE.md as tables and examples, and the shapes in the sources that it describes.

use std::fs;

use super::sources::{code, root};

/// A row of a table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its first cell, which is code.
    pub(crate) name: String,
    /// The cells behind it.
    pub(crate) cells: Vec<String>,
}

/// What stands below `heading`, a line of the page, before the next heading of any level.
#[track_caller]
pub(crate) fn section(heading: &str) -> String {
    let page = fs::read_to_string(root().join("REFERENCE.md")).unwrap();
    let (_, below) =
        page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading `{heading}`"));
    // A comment of an example begins with one mark, a heading here with two or three.
    let end = ["\n## ", "\n### "].iter().filter_map(|mark| below.find(mark)).min();
    below[..end.unwrap_or(below.len())].to_owned()
}

/// The rows of the first table below `heading`.
#[track_caller]
pub(crate) fn table(heading: &str) -> Vec<Row> {
    let section = section(heading);
    let lines = section.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        let name = cells.next().unwrap();
        let name = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        let name = name.unwrap_or_else(|| panic!("the first cell of a row must be code: {line}"));
        Row { name: name.to_owned(), cells: cells.collect() }
    });
    rows.collect()
}

/// The examples in `language` below `heading`.
#[track_caller]
pub(crate) fn examples(heading: &str, language: &str) -> Vec<String> {
    let section = format!("\n{}", section(heading));
    let begin = format!("\n```{language}\n");
    section.split(&begin).skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect()
}

/// The words in code of a cell.
pub(crate) fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The names of the fields of the struct `name` in the file `path` of `src`.
#[track_caller]
pub(crate) fn fields_of_struct(path: &str, name: &str) -> Vec<String> {
    let field = |line: &str| {
        let line = line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        let (name, _) = line.split_once(": ")?;
        name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_').then(|| name.to_owned())
    };
    body(path, &format!("struct {name}")).lines().filter_map(field).collect()
}

/// The variants of the enum `name` in the file `path` of `src`, as they travel.
#[track_caller]
pub(crate) fn words_of_enum(path: &str, name: &str) -> Vec<String> {
    let variant = |line: &str| line.trim().strip_suffix(',').map(snake_case);
    body(path, &format!("enum {name}")).lines().filter_map(variant).collect()
}

fn snake_case(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

#[track_caller]
fn body(path: &str, item: &str) -> String {
    let code = code(&root().join("src").join(path));
    let begin = [format!("{item} {{\n"), format!("{item}<'a> {{\n")];
    let found = begin.iter().find_map(|begin| Some(code.split_once(begin)?.1.to_owned()));
    let rest = found.unwrap_or_else(|| panic!("no `{item}` in src/{path}"));
    rest.split("\n}").next().unwrap().to_owned()
}
