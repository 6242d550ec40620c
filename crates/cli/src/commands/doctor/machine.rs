//! What foveal needs of the machine.

use std::fs;
use std::path::Path;

use foveal_index::Index;
use foveal_processes::{Confinement, Shell};
use foveal_store::{SqliteStore, Store};

use super::finding::{Finding, State};
use crate::clients::Program;
use crate::environment::{self, Environment};
use crate::numbers::plural;
use crate::{repository_index, toolbox, user_settings};

/// Largest store of which every page is looked at: 256 MiB take about a second.
const STORE_BYTES_MAX: u64 = 256 << 20;

/// All of it.
pub(super) fn look(environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![program(environment), settings(environment)];
    findings.push(store(environment));
    findings.push(index(environment));
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
    let path = user_settings::path(environment).map(|path| path.display().to_string());
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

fn store(environment: &Environment) -> Finding {
    let about = "store";
    let Some(path) = toolbox::store_path(environment) else {
        return Finding::new(State::Broken, about, "there is no place for it")
            .remedy("set HOME or XDG_DATA_HOME");
    };
    let shown = path.display();
    let store = match SqliteStore::open(&path) {
        Ok(store) => store,
        Err(error) => {
            let why = format!("{:#}", anyhow::Error::from(error));
            return Finding::new(State::Broken, about, why).remedy(format!(
                "make the folder of `{shown}` writable, or set XDG_DATA_HOME to another one; \
                 until then, what is left out of answers is kept only while foveal runs"
            ));
        }
    };
    if let Some(notice) = store.take_notices().first() {
        return Finding::new(State::Note, about, notice.to_string());
    }
    let bytes = fs::metadata(&path).map_or(0, |data| data.len());
    let size = format!("{shown}, {} KiB", bytes.div_ceil(1024));
    let broken = |why: String| {
        Finding::new(State::Broken, about, format!("{shown} is damaged: {why}"))
            .remedy("move the file away: the store begins anew")
    };
    if bytes <= STORE_BYTES_MAX {
        match store.check() {
            Ok(wrong) if wrong.is_empty() => {}
            Ok(wrong) => return broken(wrong.join("; ")),
            Err(error) => return broken(error.to_string()),
        }
    }
    match store.sessions() {
        Ok(sessions) => {
            let sessions = plural(sessions.len() as u64, "session");
            Finding::new(State::Ok, about, format!("{size}, {sessions}"))
        }
        Err(error) => broken(format!("{:#}", anyhow::Error::from(error))),
    }
}

/// The index of the folder that searches would use here.
fn index(environment: &Environment) -> Finding {
    let about = "index";
    let (root, path) = match repository_index::place(None, environment) {
        Ok(place) => place,
        Err(error) => return Finding::new(State::Broken, about, format!("{error:#}")),
    };
    if !path.exists() {
        return Finding::new(State::Note, about, format!("{} has none yet", root.display()))
            .remedy("the first search makes it, or `foveal index`");
    }
    let opened = Index::open(&root, &path, None);
    let chosen = opened.and_then(|mut index| {
        let size = index.size()?;
        Ok((index.chosen()?.embedder, size))
    });
    match chosen {
        Ok((embedder, size)) => {
            let files = plural(size.files, "file");
            let embedder = embedder.unwrap_or_else(|| "built-in".to_owned());
            let what = format!("{files} of {}, vectors: {embedder}", root.display());
            Finding::new(State::Ok, about, what)
        }
        Err(error) => {
            let why = format!("{:#}", anyhow::Error::from(error));
            Finding::new(State::Broken, about, why)
                .remedy(format!("remove `{}`: the next search makes it anew", path.display()))
        }
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
    let what = confinement.to_string();
    match confinement {
        Confinement::Full => Finding::new(State::Ok, about, what),
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
