//! The unit: what systemd is to do with `callbox serve`.

use std::{fmt::Write as _, path::PathBuf};

use sha2::{Digest as _, Sha256};

use super::quoting::{Unsayable, argument, program, variable};

/// The unit's name.
pub(super) const NAME: &str = "callbox.service";
/// What the first line begins with.
const MARK: &str = "# Written by `callbox service install`, which writes it anew; what is yours belongs into \
                    `systemctl --user edit callbox`. sha256 of the rest: ";

/// What a unit says of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The program; absolute.
    pub(crate) program: PathBuf,
    /// The state directory, where it is not the one that a service without a word of it has.
    pub(crate) state: Option<PathBuf>,
    /// The PATH of the person, in which agents and their tools are found.
    pub(crate) path: String,
    /// XDG_CONFIG_HOME where the person has set it: the service reads the same configuration.
    pub(crate) configuration: Option<String>,
}

/// Who wrote a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// callbox, and it stands as it was written.
    Callbox,
    /// callbox, and somebody has changed it.
    Changed,
    /// Somebody else.
    Another,
}

impl Unit {
    /// The text of its file.
    ///
    /// `KillMode=process`: the runs are the supervisors' and go on while the store is stopped or started anew.
    /// `OOMPolicy=continue`: a run that takes all memory and is killed does not take the store along.
    /// `TimeoutStartSec=infinity`: with `--wait` it may begin when another store ends, whenever that is.
    /// `RestartPreventExitStatus=2`: a wrong configuration is as wrong the next time.
    pub(crate) fn text(&self) -> Result<String, Unsayable> {
        let body = format!(
            "[Unit]\n\
             Description=callbox, the store of coding agents\n\
             StartLimitIntervalSec=300\n\
             StartLimitBurst=5\n\
             \n\
             [Service]\n\
             Type=notify\n\
             ExecStart={command}\n\
             ExecReload=kill -HUP $MAINPID\n\
             {environment}\
             KillMode=process\n\
             OOMPolicy=continue\n\
             Restart=on-failure\n\
             RestartSec=5\n\
             RestartPreventExitStatus=2\n\
             TimeoutStartSec=infinity\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n",
            command = self.command()?,
            environment = self.environment()?,
        );
        Ok(format!("{MARK}{}\n{body}", hash(&body)))
    }

    /// Whether the unit `text` starts this program.
    pub(super) fn starts_this_program(&self, text: &str) -> bool {
        let wanted = self.word().map(|word| format!("ExecStart={word} "));
        wanted.is_ok_and(|wanted| text.lines().any(|line| line.starts_with(&wanted)))
    }

    /// Whether the unit `text` gives it this PATH.
    pub(super) fn gives_this_path(&self, text: &str) -> bool {
        let wanted = variable("PATH", &self.path).map(|word| format!("Environment={word}"));
        wanted.is_ok_and(|wanted| text.lines().any(|line| line == wanted))
    }

    fn command(&self) -> Result<String, Unsayable> {
        let mut command = format!("{} \"serve\" \"--wait\"", self.word()?);
        if let Some(state) = &self.state {
            let state = state.to_str().ok_or(no_text("the state directory"))?;
            // Writing to a string cannot fail.
            let _ = write!(command, " \"--state\" {}", argument(state));
        }
        Ok(command)
    }

    fn word(&self) -> Result<String, Unsayable> {
        program(self.program.to_str().ok_or(no_text("the program"))?)
    }

    fn environment(&self) -> Result<String, Unsayable> {
        let mut lines = format!("Environment={}\n", variable("PATH", &self.path)?);
        if let Some(folder) = &self.configuration {
            let _ = writeln!(lines, "Environment={}", variable("XDG_CONFIG_HOME", folder)?);
        }
        Ok(lines)
    }
}

/// Who wrote `text`.
pub(super) fn author(text: &str) -> Author {
    let Some(marked) = text.strip_prefix(MARK) else { return Author::Another };
    match marked.split_once('\n') {
        Some((written, body)) if written == hash(body) => Author::Callbox,
        _ => Author::Changed,
    }
}

/// The refusal of a word that is no text.
pub(super) fn no_text(what: &'static str) -> Unsayable {
    Unsayable { what, why: "it is not UTF-8" }
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Unit {
        Unit {
            program: "/home/ada/.cargo/bin/callbox".into(),
            state: Some("/var/50% $HOME".into()),
            path: "/home/ada/my \"bin\":/usr/bin".to_owned(),
            configuration: Some("/etc/%h".to_owned()),
        }
    }

    #[test]
    fn a_unit_says_what_the_service_is_and_quotes_what_it_is_given() {
        let text = unit().text().unwrap();
        insta::assert_snapshot!(text.split_once('\n').unwrap().1, @r#"
        [Unit]
        Description=callbox, the store of coding agents
        StartLimitIntervalSec=300
        StartLimitBurst=5

        [Service]
        Type=notify
        ExecStart="/home/ada/.cargo/bin/callbox" "serve" "--wait" "--state" "/var/50%% $$HOME"
        ExecReload=kill -HUP $MAINPID
        Environment="PATH=/home/ada/my \"bin\":/usr/bin"
        Environment="XDG_CONFIG_HOME=/etc/%%h"
        KillMode=process
        OOMPolicy=continue
        Restart=on-failure
        RestartSec=5
        RestartPreventExitStatus=2
        TimeoutStartSec=infinity

        [Install]
        WantedBy=default.target
        "#);
    }

    #[test]
    fn only_what_stands_as_it_was_written_is_callboxs() {
        let text = unit().text().unwrap();
        assert_eq!(author(&text), Author::Callbox);
        assert_eq!(author(&text.replace("RestartSec=5", "RestartSec=6")), Author::Changed);
        assert_eq!(author(&format!("{text}# mine\n")), Author::Changed);
        assert_eq!(author("[Service]\nExecStart=/usr/bin/callbox serve\n"), Author::Another);
        assert_eq!(author(""), Author::Another);
    }

    #[test]
    fn another_program_or_another_path_is_noticed() {
        let (unit, text) = (unit(), unit().text().unwrap());
        assert!(unit.starts_this_program(&text) && unit.gives_this_path(&text));
        let moved = Unit { program: "/opt/callbox".into(), path: "/usr/bin".to_owned(), ..unit };
        assert!(!moved.starts_this_program(&text) && !moved.gives_this_path(&text));
    }

    #[test]
    fn what_cannot_be_said_is_refused_and_never_written_half() {
        let refused = |unit: Unit| unit.text().unwrap_err().what;
        assert_eq!(refused(Unit { program: "/opt/it's/callbox".into(), ..unit() }), "the program");
        assert_eq!(refused(Unit { path: "/bin\n[Service]".to_owned(), ..unit() }), "PATH");
    }
}
