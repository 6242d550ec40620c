//! Write protection for commands, as permission rules demand it: enforced by the kernel for files
//! that exist when a command starts, and checked afterwards for all others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::notes::RunNote;
use foveal_sandbox::{Sandbox, SandboxStatus, WriteProtection};

use crate::changed_files::ChangedFiles;
use crate::permission::refusal::describe_rule;
use crate::session::{CallContext, ForbiddenFiles, PATTERN_MATCHES_MAX, SCANNED_ENTRIES_MAX};

/// The forbidden files as they are before a command.
pub(crate) struct ProtectionSnapshot(ForbiddenFiles);

impl ProtectionSnapshot {
    pub(crate) fn take_snapshot(work: &CallContext<'_>) -> Self {
        Self(scan_forbidden(work))
    }

    /// Returns the sandbox in which the command may run, with the forbidden files protected.
    pub(crate) fn sandbox(&self, work: &CallContext<'_>) -> Option<Sandbox> {
        let sandbox = work.toolbox.sandbox.clone()?;
        Some(sandbox.with_write_rules(self.0.write_restrictions()))
    }

    /// Returns the notes to add after the command, which ran under the protection `holding`.
    pub(crate) fn notes_after_command(
        self,
        work: &CallContext<'_>,
        holding: Option<&WriteProtection>,
    ) -> Vec<RunNote> {
        let now = scan_forbidden(work);
        let mut changed = now.changed_since(&self.0);
        changed.extend(work.session.forbidden_files.take_changes(|| now.clone()));
        let held = holding.and_then(|protection| report_protection(work, &self.0, protection));
        let cut = report_scan_limit(work, &self.0);
        held.into_iter().chain(cut).chain(report_changes(work, &changed)).collect()
    }

    /// Returns the notes to add after a terminal was opened, and watches the files from then on.
    pub(crate) fn watch_terminal(
        self,
        work: &CallContext<'_>,
        holding: Option<&SandboxStatus>,
    ) -> Vec<RunNote> {
        let protection = holding.map(|holding| &holding.protection);
        let held = protection.and_then(|protection| report_protection(work, &self.0, protection));
        let told = held.into_iter().chain(report_scan_limit(work, &self.0)).collect();
        work.session.forbidden_files.start_watching(self.0);
        told
    }
}

/// Returns the note on forbidden files that changed since the last check while terminals run.
pub(crate) fn terminal_changes_note(work: &CallContext<'_>) -> Option<RunNote> {
    report_changes(work, &work.session.forbidden_files.take_changes(|| scan_forbidden(work)))
}

fn scan_forbidden(work: &CallContext<'_>) -> ForbiddenFiles {
    ForbiddenFiles::scan(&work.toolbox.policy, &work.roots())
}

/// Notifies the user of changed files, and returns the note for the model.
fn report_changes(work: &CallContext<'_>, changed: &BTreeMap<PathBuf, usize>) -> Option<RunNote> {
    let (_, rule) = changed.first_key_value()?;
    let rule = describe_rule(*rule, &work.toolbox.policy.rules[*rule]);
    let told = ChangedFiles::from_paths(work, changed.keys());
    told.notify_user(work, &format!(", which {rule} forbids to write"));
    Some(RunNote::Forbidden { files: told.files, more: told.more })
}

/// Reports to the user and the model, once in a session, that forbidden files are protected by
/// other means than mounts.
fn report_protection(
    work: &CallContext<'_>,
    of: &ForbiddenFiles,
    held: &WriteProtection,
) -> Option<RunNote> {
    let (path, rule) = of.first_existing()?;
    let rule = describe_rule(rule, &work.toolbox.policy.rules[rule]);
    let path = work.roots().display_path(path);
    let text = match held {
        WriteProtection::None | WriteProtection::ReadOnlyMounts => return None,
        WriteProtection::SiblingGrants { why } => format!(
            "{rule} forbids writing to `{path}`. Commands cannot have mounts of their own here \
             ({why}), so they cannot create, rename or remove entries directly in the folders that \
             contain such a file or folder; they can write to everything else there. Where the \
             system allows user name spaces (docs/security.md), only the forbidden paths are \
             blocked"
        ),
        WriteProtection::Unprotected { why } => format!(
            "{rule} forbids writing to `{path}`, but nothing enforces this for commands here: \
             there is no Landlock, and they cannot have mounts of their own ({why}). Do not write \
             there; with `--require-sandbox` no command runs"
        ),
    };
    if !work.session.workspace.take_protection_notice() {
        return None;
    }
    work.toolbox.user_notifier.notify(&text);
    Some(RunNote::Unconfined(text.into()))
}

/// Reports to the user and the model, once in a session, that patterns do not cover all forbidden
/// files.
fn report_scan_limit(work: &CallContext<'_>, of: &ForbiddenFiles) -> Option<RunNote> {
    if !of.is_incomplete() || !work.session.workspace.take_incomplete_notice() {
        return None;
    }
    let text = format!(
        "permission rules with patterns that forbid writing do not hold for all that commands \
         write here: foveal scans {SCANNED_ENTRIES_MAX} entries of the roots, outer \
         folders first, and protects {PATTERN_MATCHES_MAX} matches. Other files are neither \
         protected nor reported; a rule that names a folder (`docs/**`) holds for all of it"
    );
    work.toolbox.user_notifier.notify(&text);
    Some(RunNote::Unconfined(text.into()))
}
