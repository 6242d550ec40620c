//! What the permission rules, and the person at the terminal, say of what a command is asked for.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_cancel::Cancel;
use foveal_screen::{in_one_line, quoted};
use foveal_tools::control::{Approval, Question};
use foveal_tools::{Control, Session};

use crate::environment::Environment;
use crate::notice;
use crate::repository_index;
use crate::source_file::SourceFileError;
use crate::toolbox::{Opener, Place};

/// What is called a session that only asks; nothing of it is stored.
const SESSION: &str = "rules";

/// What the rules, and the person, allow commands that read files themselves.
pub(crate) struct Rules {
    session: Session,
    asks: bool,
    /// The path that is asked about, from the folder on.
    path: String,
}

impl Rules {
    /// Those about the file at `path`.
    ///
    /// # Errors
    /// If there is no such file, or the user's settings cannot be used.
    pub(crate) fn about(path: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let (place, path) = place_of(path)?;
        Self::at(&place, path, environment)
    }

    /// Those about what is in the folder `root`, a canonical path that the user named.
    ///
    /// # Errors
    /// If the user's settings cannot be used.
    pub(crate) fn within(root: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let place = Place { meant: root.to_owned(), working: root.to_owned() };
        Self::at(&place, ".".to_owned(), environment)
    }

    fn at(place: &Place, path: String, environment: &Environment) -> anyhow::Result<Self> {
        let toolbox = Opener::new(environment)?.open_for_rules(place)?;
        Ok(Self { session: Session::new(&toolbox, SESSION), asks: can_ask(environment), path })
    }

    /// Goes on if `tool` may read the file.
    ///
    /// # Errors
    /// If a rule or the person says no.
    pub(crate) fn permit_file(&self, tool: &'static str) -> anyhow::Result<()> {
        let control = control(&Cancel::NEVER, self.asks);
        Ok(self.session.permit_file(tool, &self.path, &control)?)
    }

    /// Goes on if `tool` may be asked about `subject`; an empty one is the call itself.
    ///
    /// # Errors
    /// If a rule or the person says no.
    pub(crate) fn permit(&self, tool: &'static str, subject: &str) -> anyhow::Result<()> {
        let control = control(&Cancel::NEVER, self.asks);
        Ok(self.session.permit(tool, subject, &control)?)
    }

    /// Whether `tool` may tell of the file at `path`, from the folder on, without asking anybody.
    pub(crate) fn allow(&self, tool: &'static str, path: &str) -> bool {
        self.session.permissions.allow(tool, path)
    }
}

/// Where the file or folder at `path` is, and what it is called from there: from the current
/// folder where it is in there, so that paths read as the user writes them; else from the folder
/// it is in. What the user means without naming it is the working copy of the current folder.
///
/// # Errors
/// If there is no such file.
pub(crate) fn place_of(path: &Path) -> anyhow::Result<(Place, String)> {
    let current = std::env::current_dir().context("there is no current folder")?;
    let current = current.canonicalize().unwrap_or(current);
    let found = path.canonicalize().map_err(|why| match why.kind() {
        std::io::ErrorKind::NotFound => SourceFileError::Missing { path: path.to_owned() },
        _ => SourceFileError::Unreadable { path: path.to_owned(), why },
    })?;
    let meant = repository_index::working_copy(&current);
    let (working, inside) = match found.strip_prefix(&current) {
        Ok(inside) => (current.clone(), inside.to_owned()),
        Err(_) if found.is_dir() => (found, PathBuf::new()),
        Err(_) => {
            let name = found.file_name().map(PathBuf::from).unwrap_or_default();
            (found.parent().map_or(current, Path::to_owned), name)
        }
    };
    let Some(inside) = inside.to_str() else {
        bail!("`{}` is no Unicode text: rename it", path.display());
    };
    let path = if inside.is_empty() { "." } else { inside }.to_owned();
    Ok((Place { meant, working }, path))
}

/// Whether there is a person who can be asked.
pub(crate) fn can_ask(environment: &Environment) -> bool {
    environment.terminal.input && environment.terminal.error
}

/// A call that a person may be asked about.
pub(crate) fn control<'a>(cancel: &'a Cancel<'a>, asks: bool) -> Control<'a> {
    Control { cancel, person: asks.then_some(&ask), ..Control::NONE }
}

/// Asks the person at the terminal.
pub(crate) fn ask(question: &Question) -> Approval {
    once(notice::confirm(&words(question)))
}

fn words(question: &Question) -> String {
    let Question { tool, subject, reason } = question;
    let about = if subject.is_empty() { String::new() } else { format!(" {}", quoted(subject)) };
    format!("{tool}{about}: {}. Go on?", in_one_line(reason))
}

fn once(yes: bool) -> Approval {
    if yes { Approval::Once } else { Approval::No }
}
