//! One change of one file: planned, shown, made.

use std::path::Path;

use foveal_secrets::without;
use similar::TextDiff;

use crate::clients::{self, Client, Edit, FileError, Target, backup_of};

/// Lines shown around what changes.
const CONTEXT_LINES: usize = 3;

/// One change of one file.
pub(crate) struct Change {
    pub(crate) client: &'static Client,
    /// `None` if there is no such file.
    pub(crate) target: Option<Target>,
    /// All that is ours in that file, whichever change put it there.
    ours: Vec<Edit>,
    before: Option<String>,
    after: Option<String>,
    pub(crate) outcome: Outcome,
    /// What a person should know beside it.
    pub(crate) remarks: Vec<String>,
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It can be made.
    Open,
    /// It need not be made.
    Already,
    /// It would have been made.
    Would,
    /// It was made.
    Done,
    /// It was not wanted.
    LeftAlone,
    /// Something has to be done first.
    NotYet(String),
    /// It cannot be made.
    Failed(String),
}

impl Change {
    /// What there is to do to a file, or why it cannot be done. One of the project in `folder`
    /// has to be in it.
    pub(crate) fn plan(
        client: &'static Client,
        (target, ours): (Target, Vec<Edit>),
        folder: Option<&Path>,
        removes: bool,
    ) -> Self {
        let leaves = folder.is_some_and(|folder| clients::leaves(&target.path, folder));
        let mut change = Self {
            client,
            target: Some(target),
            ours,
            before: None,
            after: None,
            outcome: Outcome::Already,
            remarks: Vec::new(),
        };
        if leaves {
            let why = "a link leads out of the project: set up the file that it leads to, or remove the link";
            change.outcome = Outcome::Failed(why.to_owned());
            return change;
        }
        change.look(removes);
        change
    }

    /// Finds out anew what there is to do, where an earlier change may have been of the same file.
    pub(crate) fn look_again(&mut self, removes: bool) {
        if self.is_open() {
            self.look(removes);
        }
    }

    fn look(&mut self, removes: bool) {
        self.outcome = match self.compare(removes) {
            Ok(true) => Outcome::Open,
            Ok(false) => Outcome::Already,
            Err(why) => Outcome::Failed(format!("{why:#}")),
        };
    }

    /// Whether foveal works without it, so that nobody need be told where it is of no use.
    pub(crate) fn is_extra(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.is_extra)
    }

    /// A change that cannot be made at all.
    pub(crate) fn failed(client: &'static Client, why: &str) -> Self {
        let outcome = Outcome::Failed(why.to_owned());
        Self {
            client,
            target: None,
            ours: Vec::new(),
            before: None,
            after: None,
            outcome,
            remarks: Vec::new(),
        }
    }

    /// Whether it waits for a word.
    pub(crate) fn is_open(&self) -> bool {
        self.outcome == Outcome::Open
    }

    /// The lines that change, with those around them.
    pub(crate) fn diff(&self) -> String {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        if before == after {
            return String::new();
        }
        let diff = TextDiff::from_lines(before.unwrap_or(""), after.unwrap_or(""));
        let diff = diff
            .unified_diff()
            .context_radius(CONTEXT_LINES)
            .missing_newline_hint(false)
            .to_string();
        match self.target.as_ref().is_some_and(|target| target.edit.is_beside_keys()) {
            true => without(&diff).into_owned(),
            false => diff,
        }
    }

    /// Finds out what changes; whether anything does.
    fn compare(&mut self, removes: bool) -> anyhow::Result<bool> {
        let Some(Target { path, edit, .. }) = &self.target else { return Ok(false) };
        self.before = clients::read(path)?;
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
        let kept = clients::read(&backup_of(path)).ok().flatten();
        // What else is in it decides: our entry may have been changed since it was put in.
        let leads_here = |text: &str| {
            let with = edit.apply(text).ok().flatten();
            with.and_then(|with| edit.remove(&with).ok().flatten()).as_ref() == Some(&without)
        };
        // Where nothing else changed since, all is again as it was, to the byte.
        self.after = match kept.filter(|kept| leads_here(kept)) {
            Some(kept) => Some(kept),
            None if leads_here("") => None,
            None => Some(without),
        };
        Ok(true)
    }

    /// Makes it.
    pub(crate) fn make(&mut self, removes: bool) {
        self.outcome = match self.written(removes) {
            Ok(true) => Outcome::Done,
            Ok(false) => Outcome::Failed(format!(
                "{} wrote it at the same time: end that, then run this again",
                self.client.title
            )),
            Err(why) => Outcome::Failed(format!("{:#}", anyhow::Error::from(why))),
        };
    }

    /// Writes it; whether it is still there afterwards.
    fn written(&self, removes: bool) -> Result<bool, FileError> {
        let Some(Target { path, edit, .. }) = &self.target else { return Ok(false) };
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let backup = backup_of(path);
        // What was there before the first change is what is kept, and nothing with our entry.
        let is_there = |edit: &Edit, text| matches!(edit.remove(text), Ok(Some(_)));
        let mut ours = self.ours.iter().chain([edit]);
        let has_ours = before.is_some_and(|text| ours.any(|edit| is_there(edit, text)));
        let keeps = before.is_some() && !has_ours;
        clients::write(path, before, after, keeps)?;
        if removes {
            // What is kept is what there is again, or would bring back only our own entry.
            let kept = clients::read(&backup)?;
            if kept.is_some() && (kept.as_deref() == after || after.is_none()) {
                std::fs::remove_file(&backup)?;
            }
            return Ok(clients::read(path)?.as_deref() == after);
        }
        let now = clients::read(path)?.unwrap_or_default();
        Ok(matches!(edit.apply(&now), Ok(None)))
    }

    /// Whether it is set up, and switched off.
    pub(crate) fn is_off(&self) -> bool {
        let edit = self.target.as_ref().map(|target| &target.edit);
        edit.zip(self.before.as_ref()).is_some_and(|(edit, before)| edit.is_off(before))
    }

    /// Where the file is kept as it was.
    pub(crate) fn backup(&self) -> Option<String> {
        let backup = backup_of(&self.target.as_ref()?.path);
        (self.before.is_some() && backup.exists()).then(|| backup.display().to_string())
    }
}
