//! `callbox service`: a unit of systemd's that callbox writes, and asks systemd to run.
//!
//! systemd is played by programs that note what they are asked: a user manager is not to be had everywhere. The unit is
//! read by the real `systemd-analyze` where there is one.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{
    cli::{CALLBOX, Desk, Ended, on_the_path},
    programs::skipped,
};

/// systemd as a person's desk has it: what it is asked is noted in `asked`, how the service stands in `standing`.
struct Manager {
    desk: Desk,
}

impl Manager {
    /// One that works.
    fn new() -> Self {
        let desk = Desk::new();
        let (asked, standing) = (desk.path("asked"), desk.path("standing"));
        let unit = desk.path("home/.config/systemd/user/callbox.service");
        let systemctl = format!(
            "#!/bin/sh\nshift\n\
             if [ -e '{fails}' ] && grep -q \"^$1$\" '{fails}'; then echo \"no $1 today\" >&2; exit 1; fi\n\
             case \"$1 $2\" in\n\
             'show --property=Version') echo Version=252;;\n\
             show*) echo \"ActiveState=$(cat '{standing}')\"; echo UnitFileState=enabled; \
             [ -e '{unit}' ] && echo 'FragmentPath={unit}'; exit 0;;\n\
             *) echo \"$*\" >> '{asked}';;\n\
             esac\n\
             case \"$1\" in enable) echo active > '{standing}';; disable) echo inactive > '{standing}';; esac\n",
            fails = desk.path("fails").display(),
            standing = standing.display(),
            unit = unit.display(),
            asked = asked.display(),
        );
        let manager = Self { desk };
        manager.program("systemctl", &systemctl);
        manager.lingers("no");
        symlink(on_the_path("grep").unwrap(), manager.desk.path("bin/grep")).unwrap();
        manager.desk.write("standing", "inactive\n");
        manager
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.desk.write(&format!("bin/{name}"), text);
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    fn lingers(&self, answer: &str) {
        self.program("loginctl", &format!("#!/bin/sh\n[ \"$1\" = show-user ] && echo Linger={answer}\n"));
    }

    /// From now on `systemctl` does not do this.
    fn fails_at(&self, verb: &str) {
        self.desk.write("fails", &format!("{verb}\n"));
    }

    fn unit(&self) -> PathBuf {
        self.desk.path("home/.config/systemd/user/callbox.service")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.unit()).unwrap()
    }

    /// What was asked so far besides how the service stands.
    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.desk.path("asked")).unwrap_or_default();
        asked.lines().map(str::to_owned).collect()
    }

    fn service<const N: usize>(&self, words: [&str; N]) -> Ended {
        self.desk.callbox(["service"].iter().chain(&words)).end()
    }

    /// The files beside the unit: no draft may stay.
    fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.unit().parent().unwrap()) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn a_service_is_installed_whole_and_said_to_be_what_it_is() {
    let manager = Manager::new();
    let ended = manager.service(["install"]).expect(0);
    assert_eq!(manager.asked(), ["daemon-reload", "enable --now --no-block callbox.service"]);
    assert!(
        ended.stdout.contains("active, enabled") && ended.stdout.contains("loginctl enable-linger"),
        "{ended}"
    );
    let text = manager.text();
    assert!(text.contains(&format!("ExecStart=\"{CALLBOX}\" \"serve\" \"--wait\"\n")), "{text}");
    let path = format!("Environment=\"PATH={}\"\n", manager.desk.path("bin").display());
    for line in [path.as_str(), "Type=notify\n", "KillMode=process\n", "OOMPolicy=continue\n"] {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
    let mode = fs::metadata(manager.unit()).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode, manager.files()), (0o600, vec!["callbox.service".to_owned()]));
    manager.lingers("yes");
    let json = manager.service(["status", "--json"]).expect(0).json();
    let wanted = serde_json::json!({
        "unit": manager.unit(), "written_by": "callbox", "active": "active", "enabled": "enabled",
        "lingering": true, "program_matches": true, "path_matches": true, "unreachable": null,
    });
    assert_eq!(json, wanted);
    // Nothing of it was needed for that.
    assert!(!manager.desk.has_database());
}

#[test]
fn the_unit_names_what_differs_from_the_usual() {
    let manager = Manager::new();
    let folder = manager.desk.path("50% \"of\" $it");
    let print = ["service", "install", "--print", "--state", folder.to_str().unwrap()];
    let print = manager.desk.callbox(print).variable("XDG_CONFIG_HOME", manager.desk.path("xdg"));
    let printed = print.end().expect(0);
    let state = manager.desk.path("50%% \\\"of\\\" $$it");
    let state = format!("\"--state\" \"{}\"\n", state.display());
    assert!(printed.stdout.contains(&state), "{printed}");
    let folder = format!("Environment=\"XDG_CONFIG_HOME={}\"\n", manager.desk.path("xdg").display());
    assert!(printed.stdout.contains(&folder), "{printed}");
    assert!(manager.files().is_empty() && manager.asked().is_empty());
}

#[test]
fn the_real_systemd_reads_the_unit_as_it_is_meant() {
    let Some(analyze) = on_the_path("systemd-analyze") else {
        return skipped("`systemd-analyze` is not installed");
    };
    let manager = Manager::new();
    let folder = manager.desk.path("50% \"of\" \\ it;");
    fs::create_dir(&folder).unwrap();
    let path = format!("{}:{}", folder.display(), manager.desk.path("bin").display());
    let state = manager.desk.path("state $HOME %h");
    let print = ["service", "install", "--print", "--state", state.to_str().unwrap()];
    let printed = manager.desk.callbox(print).variable("PATH", &path).end().expect(0).stdout;
    let file = manager.desk.write("units/callbox.service", &printed);
    let verify = |level: &str| {
        let mut command = Command::new(&analyze);
        command
            .args(["--user", "--man=no", "verify"])
            .arg(&file)
            .env("XDG_RUNTIME_DIR", manager.desk.path("tmp"));
        command.env("HOME", manager.desk.path("home")).env("SYSTEMD_LOG_LEVEL", level).output().unwrap()
    };
    let quiet = verify("info");
    let said = String::from_utf8_lossy(&quiet.stderr);
    assert!(quiet.status.success() && said.is_empty(), "{said}");
    let told = verify("debug");
    let told = String::from_utf8_lossy(&[told.stdout, told.stderr].concat()).into_owned();
    assert!(told.lines().any(|line| line.trim() == format!("Environment: PATH={path}")), "{told}");
    // `%` is filled in by then, and `$$` is made `$` when the command is started.
    let state = manager.desk.path("state \\$\\$HOME %h").display().to_string();
    assert!(told.contains(&format!("serve --wait --state \"{state}\"")), "{told}");
}

#[test]
fn what_callbox_did_not_write_stays_unless_it_is_told_otherwise() {
    let manager = Manager::new();
    let foreign = "[Service]\nExecStart=/usr/bin/true\n";
    manager.desk.write("home/.config/systemd/user/callbox.service", foreign);
    for word in ["install", "uninstall"] {
        let _ = manager.service([word]).expect(1).says("was not written by callbox").says("--replace");
    }
    assert_eq!((manager.text().as_str(), manager.asked().len()), (foreign, 0));
    manager.service(["install", "--replace"]).expect(0);
    let changed = manager.text().replace("RestartSec=5", "RestartSec=50");
    manager.desk.write("home/.config/systemd/user/callbox.service", &changed);
    for word in ["install", "uninstall"] {
        let _ = manager.service([word]).expect(1).says("was changed since callbox wrote it");
    }
    assert_eq!(manager.text(), changed);
    fs::remove_file(manager.unit()).unwrap();
    symlink("/dev/null", manager.unit()).unwrap();
    let _ = manager.service(["install"]).expect(1).says("was not written by callbox");
    assert_eq!(fs::read_link(manager.unit()).unwrap(), Path::new("/dev/null"));
}

#[test]
fn without_a_user_manager_nothing_is_written_and_the_other_ways_are_said() {
    let manager = Manager::new();
    manager.fails_at("show");
    let ended = manager.service(["install"]).expect(69);
    let _ =
        ended.says("no systemd user manager can be reached").says("no show today").says("`callbox serve`");
    assert!(manager.files().is_empty() && manager.asked().is_empty());
    let _ = manager.service(["status"]).expect(69);
    fs::remove_file(manager.desk.path("bin/systemctl")).unwrap();
    let _ = manager.service(["install"]).expect(69).says("`systemctl` is not installed");
    assert!(manager.files().is_empty());
}

#[test]
fn without_a_user_manager_the_unit_stays_and_the_way_to_remove_it_is_said() {
    let manager = Manager::new();
    manager.service(["install"]).expect(0);
    let before = manager.text();
    fs::remove_file(manager.desk.path("bin/systemctl")).unwrap();
    let ended = manager.service(["uninstall"]).expect(69);
    assert!(!ended.stderr.contains("install --print"), "{ended}");
    let _ = ended.says(&format!("nothing reads `{}`: remove it yourself", manager.unit().display()));
    assert_eq!(manager.text(), before);
}

#[test]
fn an_installation_that_breaks_off_leaves_everything_as_it_was() {
    for verb in ["daemon-reload", "enable"] {
        let manager = Manager::new();
        manager.fails_at(verb);
        let _ = manager.service(["install"]).expect(69).says(&format!("no {verb} today"));
        assert!(manager.files().is_empty(), "{:?}", manager.files());
        fs::remove_file(manager.desk.path("fails")).unwrap();
        manager.service(["install"]).expect(0);
        let before = manager.text();
        manager.fails_at(verb);
        let install = ["service", "install"];
        let other = format!("{}:/usr/bin", manager.desk.path("bin").display());
        manager.desk.callbox(install).variable("PATH", other).end().expect(69);
        assert_eq!((manager.text(), manager.files().len()), (before, 1));
    }
}

#[test]
fn a_manager_that_looks_elsewhere_is_noticed() {
    let manager = Manager::new();
    let elsewhere =
        manager.desk.callbox(["service", "install"]).variable("XDG_CONFIG_HOME", manager.desk.path("xdg"));
    let _ = elsewhere.end().expect(69).says("has another XDG_CONFIG_HOME");
    assert!(fs::read_dir(manager.desk.path("xdg/systemd/user")).unwrap().next().is_none());
}

#[test]
fn a_changed_path_is_said_and_installed_anew_starts_the_store_again() {
    let manager = Manager::new();
    manager.service(["install"]).expect(0);
    let other = format!("{}:/usr/bin", manager.desk.path("bin").display());
    let service =
        |word: &str| manager.desk.callbox(["service", word]).variable("PATH", &other).end().expect(0);
    assert!(service("status").stdout.contains("PATH       another than yours"));
    let installed = service("install");
    assert!(!installed.stdout.contains("another than"), "{installed}");
    assert_eq!(manager.asked().last().unwrap(), "try-restart --no-block callbox.service");
    manager.desk.write("standing", "failed\n");
    let failed = manager.service(["status"]).expect(69);
    assert!(failed.stdout.contains("journalctl --user"), "{failed}");
}

#[test]
fn a_service_is_removed_whole() {
    let manager = Manager::new();
    manager.service(["install"]).expect(0);
    let json = manager.service(["uninstall", "--json"]).expect(0).json();
    assert_eq!(json, serde_json::json!({"unit": manager.unit(), "removed": true}));
    assert!(manager.files().is_empty());
    assert_eq!(manager.asked()[2..], ["disable --now callbox.service", "daemon-reload"]);
    assert_eq!(manager.service(["uninstall", "--json"]).expect(0).json()["removed"], false);
    assert!(manager.service(["status"]).expect(0).stdout.starts_with("not installed"));
}
