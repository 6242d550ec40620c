//! Checks of the machine.

use std::path::Path;

use foveal_agent_setup::FovealProgram;
use foveal_sandbox::{Confinement, ShellProgram, check_bubblewrap};
use foveal_settings::settings_file::SettingsFileError;
use foveal_settings::{SettingsParseError, UserSettings, apply_project_settings};

use super::diagnosis::{Diagnosis, HealthStatus};
use super::stored_data;
use crate::environment::{self, Environment};
use crate::grants::list_grants_of_current_folder;
use crate::numbers::format_plural;
use crate::project_settings::ProjectFile;

/// Runs all checks of the machine.
pub(super) fn check_machine(environment: &Environment) -> Vec<Diagnosis> {
    let mut findings = vec![check_program(environment), check_settings(environment)];
    findings.extend(check_project_settings());
    findings.push(check_permissions(environment));
    findings.push(stored_data::check_store(environment));
    findings.push(stored_data::check_index(environment));
    findings.push(check_shell());
    findings.push(check_confinement());
    findings.push(check_certificates());
    findings.push(check_terminal(environment));
    findings
}

fn check_program(environment: &Environment) -> Diagnosis {
    let about = "foveal";
    let version = env!("CARGO_PKG_VERSION");
    match FovealProgram::locate(&environment.user) {
        Ok(program) => {
            Diagnosis::new(HealthStatus::Ok, about, format!("{version}, {}", program.path()))
        }
        Err(error) => {
            let error = anyhow::Error::from(error);
            Diagnosis::new(HealthStatus::Broken, about, format!("{version}; {error:#}"))
        }
    }
}

fn check_settings(environment: &Environment) -> Diagnosis {
    let about = "settings";
    let path = environment.settings_path().map(|path| path.display().to_string());
    match (environment.read_user_settings(), path) {
        (Err(SettingsFileError::Invalid { path, source }), _) => {
            invalid_settings(about, &path, &source, "`foveal config edit` opens the file")
        }
        (Err(error), _) => {
            let error = format!("{:#}", anyhow::Error::from(error)).replace('\n', " ");
            Diagnosis::new(HealthStatus::Broken, about, error)
        }
        (Ok(_), Some(path)) if Path::new(&path).exists() => {
            Diagnosis::new(HealthStatus::Ok, about, path)
        }
        (Ok(_), Some(path)) => {
            Diagnosis::new(HealthStatus::Ok, about, format!("defaults; {path} does not exist"))
        }
        (Ok(_), None) => Diagnosis::new(HealthStatus::Note, about, "no settings folder")
            .with_remedy("set HOME or XDG_CONFIG_HOME"),
    }
}

/// Reports the settings file of the current project, if there is one.
fn check_project_settings() -> Option<Diagnosis> {
    let about = "project";
    let found = ProjectFile::find(&std::env::current_dir().ok()?);
    let file = match found {
        Ok(file) => file?,
        Err(error) => {
            return Some(Diagnosis::new(HealthStatus::Broken, about, format!("{error:#}")));
        }
    };
    let path = file.path.display().to_string();
    Some(match apply_project_settings(&UserSettings::default(), file.source()) {
        Err(error) => invalid_settings(about, &path, &error, "until then, the file is ignored"),
        Ok(_) => Diagnosis::new(HealthStatus::Ok, about, path)
            .with_remedy("`foveal trust` shows whether its settings are used"),
    })
}

/// Reports the line of an invalid settings file, and what to do.
fn invalid_settings(about: &str, path: &str, error: &SettingsParseError, more: &str) -> Diagnosis {
    let advice = error.advice.as_ref().map(|advice| format!("{advice} ")).unwrap_or_default();
    let remedy = format!("{advice}correct that line, or remove it; {more}");
    Diagnosis::new(HealthStatus::Broken, about, format!("{path}, {}", error.summary()))
        .with_remedy(remedy)
}

/// Reports the permission rules and the permanent grants for this folder.
fn check_permissions(environment: &Environment) -> Diagnosis {
    let rules =
        environment.read_user_settings().map_or(0, |user| user.permission_policy().rules.len());
    let rules = format_plural(rules as u64, "rule");
    let grants = list_grants_of_current_folder(environment).len();
    let always = format_plural(grants as u64, "permanent approval");
    let what = format!("{rules}; {always} in this folder");
    let found = Diagnosis::new(HealthStatus::Ok, "permissions", what);
    match grants {
        0 => found,
        _ => found.with_remedy("`foveal permissions` lists and revokes them"),
    }
}

fn check_shell() -> Diagnosis {
    let variables = environment::command_environment();
    match ShellProgram::find(variables.get("PATH")) {
        Some(shell) => {
            Diagnosis::new(HealthStatus::Ok, "shell", shell.path().display().to_string())
        }
        None => Diagnosis::new(HealthStatus::Broken, "shell", "no shell found to run commands")
            .with_remedy("install bash, or add sh to PATH"),
    }
}

fn check_confinement() -> Diagnosis {
    let about = "commands";
    let confinement = match Confinement::detect() {
        Ok(confinement) => confinement,
        Err(error) => return Diagnosis::new(HealthStatus::Broken, about, error.to_string()),
    };
    let what = match check_bubblewrap() {
        Ok(()) => {
            format!("{confinement}; bubblewrap isolates the mounts and processes of each command")
        }
        Err(why) => {
            format!("{confinement}; {why}: processes that leave their process group are not ended")
        }
    };
    match confinement {
        Confinement::Full | Confinement::Writes => Diagnosis::new(HealthStatus::Ok, about, what),
        Confinement::Partial => Diagnosis::new(HealthStatus::Note, about, what),
        Confinement::Absent { .. } => Diagnosis::new(HealthStatus::Note, about, what)
            .with_remedy("commands that agents run here can write wherever you can"),
    }
}

fn check_certificates() -> Diagnosis {
    let about = "certificates";
    let found = rustls_native_certs::load_native_certs();
    match found.certs.len() {
        0 => Diagnosis::new(
            HealthStatus::Note,
            about,
            "no system certificates found: pages cannot be fetched",
        )
        .with_remedy("install the package `ca-certificates`"),
        count => Diagnosis::new(HealthStatus::Ok, about, format!("{count} are trusted")),
    }
}

fn check_terminal(environment: &Environment) -> Diagnosis {
    let what = match (environment.terminal.output, environment.colour) {
        (true, true) => "yes, in colours",
        (true, false) => "yes, without colours (NO_COLOR, TERM or --color)",
        (false, _) => "standard output is not a terminal",
    };
    Diagnosis::new(HealthStatus::Ok, "terminal", what)
}
