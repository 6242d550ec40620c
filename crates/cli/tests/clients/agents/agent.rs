//! What the tests have to know of an agent.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::{Call, CallForm, Step};

/// One agent.
pub(crate) struct Agent {
    /// As `foveal init` calls it.
    pub(crate) name: &'static str,
    /// As its runs are called: the name, and the version where that is not the newest.
    pub(crate) runs: &'static str,
    /// The program that npm installs.
    pub(crate) program: &'static str,
    /// Files below the folder of the installation that are taken in the program's place if they
    /// are there: what the program itself would start.
    pub(crate) natives: &'static [&'static str],
    /// Whether `foveal init` sets it up.
    pub(crate) has_init: bool,
    /// Whether it sends requests to this machine to a proxy as well.
    pub(crate) proxies_all: bool,
    /// Writes its settings, and says how it is started for a prompt.
    pub(crate) set_up: fn(&Place<'_>) -> Start,
    /// The name of a tool of foveal there.
    pub(crate) tool: fn(&'static str) -> String,
    /// How a tool of foveal is called.
    pub(crate) form: CallForm,
    /// What the model has to call before it may call the tools of foveal.
    pub(crate) before: fn() -> Vec<Step>,
    /// Whether a request tells of a tool that is not in its list of tools, by its name.
    pub(crate) tells: fn(&str, &str) -> bool,
    /// The text of the answer within what the agent makes of it.
    pub(crate) unwrap: fn(&str) -> String,
}

/// Where an agent runs.
pub(crate) struct Place<'a> {
    /// Its home.
    pub(crate) home: &'a Path,
    /// Where the model listens, as `http://127.0.0.1:1234`.
    pub(crate) model: &'a str,
    /// What the agent is asked to do.
    pub(crate) prompt: &'a str,
}

/// How an agent is started.
pub(crate) struct Start {
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Agent {
    /// A call of a tool of foveal.
    pub(crate) fn call(&self, tool: &'static str, arguments: Value) -> Call {
        Call { tool: (self.tool)(tool), form: self.form, arguments, own: Some(tool) }
    }

    /// Its program, in the folder of the installation.
    pub(crate) fn program_in(&self, folder: &Path) -> Option<PathBuf> {
        let modules = folder.join("node_modules");
        let natives = self.natives.iter().map(|native| modules.join(native));
        natives.chain([modules.join(".bin").join(self.program)]).find(|path| path.exists())
    }
}

impl Place<'_> {
    /// Writes a file below the home.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
        fs::write(path, text).expect("a new file");
    }
}

impl Start {
    /// Started with `arguments`, and `variables` in its environment.
    pub(crate) fn new(arguments: &[&str], variables: &[(&'static str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        Self {
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            variables: variables.collect(),
        }
    }
}
