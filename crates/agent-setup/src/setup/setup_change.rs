//! One change of one settings file: planned, shown, applied.

use std::error::Error;
use std::path::Path;

use foveal_redaction::redact_text;
use similar::TextDiff;

use crate::agent_settings_file::{
    self, SettingsFileError, backup_path, read_settings_file, replace_settings_file,
};
use crate::client_agents::ClientAgent;
use crate::foveal_entry::EditError;
use crate::settings_edit::SettingsEdit;
use crate::settings_targets::SettingsTarget;

/// Unchanged lines shown around a change.
const DIFF_CONTEXT_LINES: usize = 3;

/// One change of one settings file.
pub struct SetupChange {
    /// The agent.
    pub client: &'static ClientAgent,
    /// The file and its edit; `None` if there is no such file.
    pub target: Option<SettingsTarget>,
    /// All edits of ours that the file may contain, from any change.
    own_edits: Vec<SettingsEdit>,
    before: Option<String>,
    after: Option<String>,
    /// The outcome.
    pub outcome: SetupOutcome,
    /// Further information for the user.
    pub remarks: Vec<String>,
}

/// The outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupOutcome {
    /// It can be applied.
    Pending,
    /// It is not needed.
    UpToDate,
    /// A dry run: it would have been applied.
    WouldChange,
    /// It was applied.
    Applied,
    /// The user declined it.
    Declined,
    /// A precondition is missing.
    Blocked(String),
    /// It cannot be applied.
    Failed(String),
}

/// The reason why a change cannot be computed.
#[derive(Debug, thiserror::Error)]
enum ChangeError {
    #[error(transparent)]
    File(#[from] SettingsFileError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl SetupChange {
    /// Plans the change of a file, or records why it is impossible. A file of the project in
    /// `folder` must lie inside of it.
    pub(crate) fn plan(
        client: &'static ClientAgent,
        target: SettingsTarget,
        ours: Vec<SettingsEdit>,
        folder: Option<&Path>,
        removes: bool,
    ) -> Self {
        let leaves = folder
            .is_some_and(|folder| agent_settings_file::is_linked_outside(&target.path, folder));
        let mut change = Self {
            client,
            target: Some(target),
            own_edits: ours,
            before: None,
            after: None,
            outcome: SetupOutcome::UpToDate,
            remarks: Vec::new(),
        };
        if leaves {
            let why = "the path is a link to outside the project: set up the file that it links \
                       to, or remove the link";
            change.outcome = SetupOutcome::Failed(why.to_owned());
            return change;
        }
        change.update_outcome(removes);
        change
    }

    /// Plans the change again, since an earlier change may have been of the same file.
    pub fn replan(&mut self, removes: bool) {
        if self.is_pending() {
            self.update_outcome(removes);
        }
    }

    fn update_outcome(&mut self, removes: bool) {
        self.outcome = match self.compute_change(removes) {
            Ok(true) => SetupOutcome::Pending,
            Ok(false) => SetupOutcome::UpToDate,
            Err(why) => SetupOutcome::Failed(error_chain(&why)),
        };
    }

    /// Returns true if foveal works without this change.
    pub(crate) fn is_optional(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.is_optional)
    }

    /// Creates a change that cannot be applied.
    pub(crate) fn new_failed(client: &'static ClientAgent, why: &str) -> Self {
        let outcome = SetupOutcome::Failed(why.to_owned());
        Self {
            client,
            target: None,
            own_edits: Vec::new(),
            before: None,
            after: None,
            outcome,
            remarks: Vec::new(),
        }
    }

    /// Returns true if the change waits for confirmation.
    pub fn is_pending(&self) -> bool {
        self.outcome == SetupOutcome::Pending
    }

    /// Returns the diff, with context lines, redacted if the file holds keys.
    pub fn diff(&self) -> String {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        if before == after {
            return String::new();
        }
        let diff = TextDiff::from_lines(before.unwrap_or(""), after.unwrap_or(""));
        let diff = diff
            .unified_diff()
            .context_radius(DIFF_CONTEXT_LINES)
            .missing_newline_hint(false)
            .to_string();
        match self.target.as_ref().is_some_and(|target| target.edit.is_beside_credentials()) {
            true => redact_text(&diff).into_owned(),
            false => diff,
        }
    }

    /// Computes the new text; returns true if it differs.
    fn compute_change(&mut self, removes: bool) -> Result<bool, ChangeError> {
        let Some(SettingsTarget { path, edit, .. }) = &self.target else { return Ok(false) };
        self.before = read_settings_file(path)?;
        if !removes {
            let added = edit.apply(self.before.as_deref().unwrap_or(""))?;
            let changes = added.is_some();
            self.after = added.or_else(|| self.before.clone());
            return Ok(changes);
        }
        let Some(before) = &self.before else { return Ok(false) };
        let Some(without) = edit.remove(before)? else {
            self.after = self.before.clone();
            return Ok(false);
        };
        let kept = read_settings_file(&backup_path(path)).ok().flatten();
        // The rest of the file decides, because our entry may have been edited since.
        let leads_here = |text: &str| {
            let with = edit.apply(text).ok().flatten();
            with.and_then(|with| edit.remove(&with).ok().flatten()).as_ref() == Some(&without)
        };
        // If nothing else changed since, the original is restored byte by byte.
        self.after = match kept.filter(|kept| leads_here(kept)) {
            Some(kept) => Some(kept),
            None if leads_here("") => None,
            None => Some(without),
        };
        Ok(true)
    }

    /// Applies the change and records the outcome.
    pub fn apply(&mut self, removes: bool) {
        self.outcome = match self.write_file(removes) {
            Ok(true) => SetupOutcome::Applied,
            Ok(false) => SetupOutcome::Failed(format!(
                "{} wrote it at the same time: close it, then run this again",
                self.client.title
            )),
            Err(why) => SetupOutcome::Failed(error_chain(&why)),
        };
    }

    /// Writes the file; returns true if the change is still there afterwards.
    fn write_file(&self, removes: bool) -> Result<bool, SettingsFileError> {
        let Some(SettingsTarget { path, edit, .. }) = &self.target else { return Ok(false) };
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let backup = backup_path(path);
        // The backup is the file before the first change, without any entry of ours.
        let is_there = |edit: &SettingsEdit, text| matches!(edit.remove(text), Ok(Some(_)));
        let mut ours = self.own_edits.iter().chain([edit]);
        let has_ours = before.is_some_and(|text| ours.any(|edit| is_there(edit, text)));
        let keeps = before.is_some() && !has_ours;
        replace_settings_file(path, before, after, keeps)?;
        if removes {
            // The backup equals the restored file, or would bring back only our entry.
            let kept = read_settings_file(&backup)?;
            if kept.is_some() && (kept.as_deref() == after || after.is_none()) {
                std::fs::remove_file(&backup)?;
            }
            return Ok(read_settings_file(path)?.as_deref() == after);
        }
        let now = read_settings_file(path)?;
        // An entry for a program of another name is not recognised as ours.
        Ok(now.as_deref() == after || matches!(edit.apply(&now.unwrap_or_default()), Ok(None)))
    }

    /// Returns true if foveal is set up in the file, but switched off.
    pub fn is_switched_off(&self) -> bool {
        let edit = self.target.as_ref().map(|target| &target.edit);
        edit.zip(self.before.as_ref()).is_some_and(|(edit, before)| edit.is_disabled(before))
    }

    /// Returns the path of the backup, if there is one.
    pub fn backup_path(&self) -> Option<String> {
        let backup = backup_path(&self.target.as_ref()?.path);
        (self.before.is_some() && backup.exists()).then(|| backup.display().to_string())
    }
}

/// Returns an error and its causes on one line.
fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
