//! The table `[notify]`: the command that is told what happens.

use crate::{
    document::{Faults, Node, Value, entries, list, text, unknown},
    taskfile::seconds,
    vocabulary::NotifyCommand,
};

/// Every key of the table.
pub(super) const NAMES: [&str; 2] = ["command", "limit"];
/// How long the command has where nothing is said.
const LIMIT: u64 = 30;

/// Reads the table; without a command there is nobody to tell.
pub(super) fn notify(node: &Node, faults: &mut Faults) -> Option<NotifyCommand> {
    let (mut words, mut limit_seconds) = (None, LIMIT);
    for entry in entries(node, "notify", faults)? {
        match entry.key.as_str() {
            "command" => words = Some(command(&entry.value, faults)),
            "limit" => {
                limit_seconds = seconds(&entry.value, "notify.limit", faults).unwrap_or(limit_seconds);
            }
            _ => unknown(entry, "notify", NAMES, faults),
        }
    }
    let Some(words) = words else {
        faults.field(node.line, "notify", "needs a `command`");
        return None;
    };
    let (program, arguments) = words?;
    Some(NotifyCommand { program, arguments, limit_seconds })
}

/// A line for a shell, or a program and its arguments.
fn command(node: &Node, faults: &mut Faults) -> Option<(String, Vec<String>)> {
    const FIELD: &str = "notify.command";
    let mut words = if matches!(node.value, Value::List(_)) {
        let items = list(node, FIELD, faults)?.iter();
        items.map(|item| text(item, FIELD, faults).map(str::to_owned)).collect::<Option<Vec<_>>>()?
    } else {
        let line = text(node, FIELD, faults)?;
        let shell = if line.trim().is_empty() { Vec::new() } else { vec!["sh", "-c", line] };
        shell.into_iter().map(str::to_owned).collect()
    };
    if words.first().is_none_or(String::is_empty) || words.iter().any(|word| word.contains('\0')) {
        faults.field(node.line, FIELD, "must name a program, as a line for a shell or as a list of words");
        return None;
    }
    Some((words.remove(0), words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::read_toml;

    /// What `toml` says, or what is wrong with it.
    fn read(toml: &str) -> Result<Option<NotifyCommand>, String> {
        let (tree, mut faults) = (read_toml(toml).unwrap(), Faults::default());
        let read = notify(&tree, &mut faults);
        faults.into_result(read).map_err(|faults| faults[0].to_string())
    }

    #[test]
    fn a_line_is_a_shells_and_a_list_is_a_program_with_its_arguments() {
        let told = |program: &str, arguments: &[&str], limit_seconds| {
            let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
            Ok(Some(NotifyCommand { program: program.to_owned(), arguments, limit_seconds }))
        };
        assert_eq!(read("command = 'cat > x'"), told("sh", &["-c", "cat > x"], 30));
        assert_eq!(read("command = ['mail', '-s', 'a b']\nlimit = '5s'"), told("mail", &["-s", "a b"], 5));
        for wrong in
            ["command = ''", "command = []", "command = ['']", "command = 3", "limit = '5s'", "x = 1"]
        {
            read(wrong).unwrap_err();
        }
    }
}
