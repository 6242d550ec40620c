//! What foveal needs of the machine.

use std::path::Path;

use foveal_processes::{Confinement, Shell, has_control_groups};

use super::data;
use super::finding::{Finding, State};
use crate::clients::Program;
use crate::environment::{self, Environment};
use crate::grants::list_grants_here;
use crate::numbers::plural;
use crate::user_settings;

/// All of it.
pub(super) fn look(environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![program(environment), settings(environment)];
    findings.push(permissions(environment));
    findings.push(data::store(environment));
    findings.push(data::index(environment));
    findings.push(shell());
    findings.push(confinement());
    findings.push(certificates());
    findings.push(terminal(environment));
    findings
}

fn program(environment: &Environment) -> Finding {
    let about = "foveal";
    let version = env!("CARGO_PKG_VERSION");
    match Program::own(environment) {
        Ok(program) => Finding::new(State::Ok, about, format!("{version}, {}", program.shown())),
        Err(error) => Finding::new(State::Broken, about, format!("{version}; {error:#}")),
    }
}

fn settings(environment: &Environment) -> Finding {
    let about = "settings";
    let path = user_settings::file::path(environment).map(|path| path.display().to_string());
    match (user_settings::read(environment), path) {
        (Err(error), _) => {
            Finding::new(State::Broken, about, format!("{error:#}").replace('\n', " "))
        }
        (Ok(_), Some(path)) if Path::new(&path).exists() => Finding::new(State::Ok, about, path),
        (Ok(_), Some(path)) => {
            Finding::new(State::Ok, about, format!("as they come; {path} is not there"))
        }
        (Ok(_), None) => Finding::new(State::Note, about, "there is no place for them")
            .remedy("set HOME or XDG_CONFIG_HOME"),
    }
}

/// The rules and what was allowed for good in this folder.
fn permissions(environment: &Environment) -> Finding {
    let rules = user_settings::read(environment).map_or(0, |user| user.policy.rules.len());
    let rules = plural(rules as u64, "rule");
    let grants = list_grants_here(environment).len();
    let always = plural(grants as u64, "approval");
    let what = format!("{rules}; {always} for good in this folder");
    let found = Finding::new(State::Ok, "permissions", what);
    match grants {
        0 => found,
        _ => found.remedy("`foveal permissions` lists them, and takes them back"),
    }
}

fn shell() -> Finding {
    let variables = environment::of_commands();
    match Shell::find(variables.get("PATH")) {
        Some(shell) => Finding::new(State::Ok, "shell", shell.path().display().to_string()),
        None => Finding::new(State::Broken, "shell", "there is none to run commands in")
            .remedy("install bash, or put sh into PATH"),
    }
}

fn confinement() -> Finding {
    let about = "commands";
    let confinement = match Confinement::available() {
        Ok(confinement) => confinement,
        Err(error) => return Finding::new(State::Broken, about, error.to_string()),
    };
    let needs_group = confinement != Confinement::Full;
    let groups = if needs_group && has_control_groups() {
        "; each in a control group of its own"
    } else {
        ""
    };
    let what = format!("{confinement}{groups}");
    match confinement {
        Confinement::Full | Confinement::Writes => Finding::new(State::Ok, about, what),
        Confinement::Partial => Finding::new(State::Note, about, what),
        Confinement::Absent { .. } => Finding::new(State::Note, about, what)
            .remedy("commands that agents run here can write wherever you can"),
    }
}

fn certificates() -> Finding {
    let about = "certificates";
    let found = rustls_native_certs::load_native_certs();
    match found.certs.len() {
        0 => Finding::new(State::Note, about, "this system has none: pages cannot be fetched")
            .remedy("install the package `ca-certificates`"),
        count => Finding::new(State::Ok, about, format!("{count} are trusted")),
    }
}

fn terminal(environment: &Environment) -> Finding {
    let what = match (environment.terminal.output, environment.colour) {
        (true, true) => "yes, in colours",
        (true, false) => "yes, without colours (NO_COLOR, TERM or --color)",
        (false, _) => "standard output is none",
    };
    Finding::new(State::Ok, "terminal", what)
}
