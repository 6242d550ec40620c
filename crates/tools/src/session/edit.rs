//! Changing files for a session: against the bytes on disk, all or none, each with an undo.

use std::fmt::Write;
use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_files::edit::{
    Edit, EditOf, How, PlannedText, PlannedTexts, Run, plan_edits, refuse_placeholders,
};
use foveal_files::kind::Notebook;
use foveal_files::kind::{self, Content, ReadLimits};
use foveal_files::{
    LineEnding, Located, PathKey, ReadError, TextFile, Version, WriteError, Written, create,
    replace_if,
};

use crate::answer::{Dependency, Found};
use crate::error::ToolError;

use super::check::view_of;
use super::files::written_lines;
use super::{KnownFile, Work};

/// One change of several.
#[derive(Debug)]
pub(crate) struct EditAt {
    pub(crate) path: String,
    pub(crate) edit: Edit,
}

/// A file about to be changed, as it is on disk.
pub(super) struct Target {
    pub(super) located: Located,
    pub(super) key: PathKey,
    pub(super) text: TextFile,
    pub(super) version: Version,
    /// What a read shows of it: the text, or the cells of a notebook.
    pub(super) view: Arc<TextFile>,
    pub(super) is_notebook: bool,
}

/// Which lines of a file the model wrote itself, so that it knows them.
pub(super) enum Ours {
    All,
    Runs(Vec<Run>),
    Nothing,
}

/// Times that edits are planned, where files change between being read and written. Whoever
/// writes elsewhere in a file is no reason to refuse an edit.
const PLANS_MAX: usize = 5;

/// Why edits that were planned were not made.
enum NotMade {
    /// A file was changed meanwhile, and all is as it was.
    Changed(ToolError),
    Failed(ToolError),
}

impl From<ToolError> for NotMade {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

impl Work<'_> {
    /// Carries out all edits, or none.
    pub(crate) fn edit(&self, edits: Vec<EditAt>) -> Result<Found, ToolError> {
        let mut located: Vec<(Located, PathKey)> = Vec::new();
        let mut planned_edits = Vec::with_capacity(edits.len());
        for EditAt { path, edit } in edits {
            let file = self.file(&path)?;
            let key = file.key();
            let text = match located.iter().position(|(_, known)| *known == key) {
                Some(at) => at,
                None => {
                    located.push((file, key));
                    located.len() - 1
                }
            };
            planned_edits.push(EditOf { text, edit });
        }
        for _ in 1..PLANS_MAX {
            match self.edit_once(&located, &planned_edits) {
                Ok(found) => return Ok(found),
                Err(NotMade::Failed(error)) => return Err(error),
                Err(NotMade::Changed(_)) => {}
            }
        }
        self.edit_once(&located, &planned_edits).map_err(|not_made| match not_made {
            NotMade::Changed(error) | NotMade::Failed(error) => error,
        })
    }

    /// Reads the files, plans all edits of them and makes them.
    fn edit_once(
        &self,
        located: &[(Located, PathKey)],
        edits: &[EditOf],
    ) -> Result<Found, NotMade> {
        let targets =
            located.iter().map(|(located, key)| self.target(located.clone(), key.clone()));
        let targets: Vec<Target> = targets.collect::<Result<_, _>>()?;
        let texts: Vec<&str> = targets.iter().map(|target| target.text.text()).collect();
        let planned = plan_edits(&texts, edits).map_err(|refused| match refused.of {
            1 => ToolError::failed(refused.why),
            _ => ToolError::failed(refused),
        })?;
        let PlannedTexts { texts, how, .. } = planned;
        let changed = targets.iter().zip(texts);
        let changed: Vec<(&Target, PlannedText)> =
            changed.filter_map(|(target, planned)| Some((target, planned?))).collect();
        let mut bytes = Vec::with_capacity(changed.len());
        let mut ours = Vec::with_capacity(changed.len());
        for (target, planned) in &changed {
            check_notebook(target, &planned.text)?;
            ours.push(Ours::Runs(self.check_edit(target, planned)?));
            bytes.push(target.text.encode_edited(&planned.text).map_err(ToolError::failed)?);
        }
        let written = self.write_all(&changed, &bytes)?;
        let held = |((target, _), written): (&(&Target, _), &Written)| {
            Dependency::File(target.located.absolute(), written.version)
        };
        let held = changed.iter().zip(&written).map(held);
        let depends = held.chain([self.seen_from()]).collect();
        let mut said = String::new();
        for ((((target, planned), bytes), written), ours) in
            changed.iter().zip(&bytes).zip(&written).zip(&ours)
        {
            said.push_str(&self.wrote_over(target, bytes, written, ours));
            said.push_str(&places(planned));
        }
        for how in how {
            if let How::WhiteSpace(differences) = how {
                // Writing to a string cannot fail.
                let _ = writeln!(
                    said,
                    "[old_str differed from the file in {differences}; new_str was given the file's]"
                );
            }
        }
        Ok(Found { depends, ..Found::text(said) })
    }

    fn target(&self, located: Located, key: PathKey) -> Result<Target, ToolError> {
        let read = || kind::read(&located, &ReadLimits::default(), self.control.cancel);
        let mut found = read();
        for _ in 1..PLANS_MAX {
            if !matches!(found, Err(ReadError::Changing { .. })) {
                break;
            }
            found = read();
        }
        let read = found.map_err(ToolError::failed)?;
        let described = read.description().unwrap_or_default();
        let (text, view, is_notebook) = match read.content {
            Content::Text(text) => (text.clone(), text, false),
            Content::Notebook(notebook, text) => (text, TextFile::new(&notebook.to_text()), true),
            Content::Empty => (TextFile::new(""), TextFile::new(""), false),
            Content::Image(..) | Content::Binary(_) | Content::TooLarge { .. } => {
                return Err(ToolError::failed(format!(
                    "`{}` cannot be edited as text: {described}",
                    located.shown()
                )));
            }
        };
        let Some(version) = read.version else {
            return Err(ToolError::failed(format!("`{}` was not read whole", located.shown())));
        };
        Ok(Target { located, key, text, version, view: Arc::new(view), is_notebook })
    }

    /// Writes all files, or puts back what was there.
    fn write_all(
        &self,
        changed: &[(&Target, PlannedText)],
        bytes: &[Vec<u8>],
    ) -> Result<Vec<Written>, NotMade> {
        let mut written: Vec<Written> = Vec::with_capacity(changed.len());
        for ((target, _), bytes) in changed.iter().zip(bytes) {
            let done =
                replace_if(&target.located, &target.version.hash, bytes, self.control.cancel);
            match done {
                Ok(done) => written.push(done),
                Err(error) => {
                    let targets = changed.iter().map(|(target, _)| *target);
                    return Err(put_back(targets.zip(&written), &error));
                }
            }
        }
        Ok(written)
    }

    /// Puts `content` into the file at `path`, new or seen before.
    pub(crate) fn write(&self, path: &str, content: &str) -> Result<Found, ToolError> {
        let located = self.file(path)?;
        let key = located.key();
        match located.metadata() {
            Ok(_) => self.overwrite(located, key, content),
            Err(foveal_files::PathError::NotFound { .. }) => {
                refuse(refuse_placeholders("", content))?;
                let bytes = TextFile::new(content).encode().map_err(ToolError::failed)?;
                self.write_new(&located, &key, &bytes)
            }
            Err(error) => Err(ToolError::failed(error)),
        }
    }

    /// Makes a file where there is none.
    pub(super) fn write_new(
        &self,
        located: &Located,
        key: &PathKey,
        bytes: &[u8],
    ) -> Result<Found, ToolError> {
        let written = create(located, bytes, self.control.cancel).map_err(ToolError::failed)?;
        if let Ok(text) = TextFile::decode(bytes) {
            let view = Arc::new(view_of(located, text));
            let known = KnownFile::after(None, written.version, view, None);
            self.session.know(key.clone(), known.all_written());
        }
        let held = Dependency::File(located.absolute(), written.version);
        let depends = vec![held, self.seen_from()];
        let said = self.say_written(located, key, bytes, &written);
        Ok(Found { depends, ..Found::text(said) })
    }

    fn overwrite(&self, located: Located, key: PathKey, content: &str) -> Result<Found, ToolError> {
        let _turn = self.session.turn_to_write();
        let target = self.target(located, key)?;
        refuse(refuse_placeholders(target.text.text(), content))?;
        self.check_overwrite(&target)?;
        check_notebook(&target, content)?;
        // Line ends are those of the file, however they are spelled in the call.
        let content = match target.text.line_ending() {
            LineEnding::Lf => content.to_owned(),
            LineEnding::CrLf | LineEnding::Mixed => content.replace("\r\n", "\n"),
        };
        let bytes = target.text.encode_edited(&content).map_err(ToolError::failed)?;
        let written =
            replace_if(&target.located, &target.version.hash, &bytes, self.control.cancel);
        let written = written.map_err(ToolError::failed)?;
        let held = Dependency::File(target.located.absolute(), written.version);
        let depends = vec![held, self.seen_from()];
        Ok(Found { depends, ..Found::text(self.wrote_over(&target, &bytes, &written, &Ours::All)) })
    }

    /// Remembers what was written over a file and which lines are ours; says so, and how to go
    /// back.
    pub(super) fn wrote_over(
        &self,
        target: &Target,
        bytes: &[u8],
        written: &Written,
        ours: &Ours,
    ) -> String {
        let Target { located, key, .. } = target;
        match TextFile::decode(bytes) {
            Ok(text) => {
                let view = Arc::new(view_of(located, text));
                let known = self.known_after(target, written.version, view, ours);
                self.session.know(key.clone(), known);
            }
            Err(_) => self.session.forget_file(key),
        }
        self.say_written(located, key, bytes, written)
    }

    /// What is known of a file after it was written.
    fn known_after(
        &self,
        target: &Target,
        version: Version,
        view: Arc<TextFile>,
        ours: &Ours,
    ) -> KnownFile {
        let is_after = |known: &KnownFile| known.version.hash == version.hash;
        let met = self.session.known_file(&target.key).filter(is_after);
        let before = || {
            let view = Arc::clone(&target.view);
            let unknown = || KnownFile::after(None, target.version, view, None);
            self.known_now(target).unwrap_or_else(unknown)
        };
        match (met, ours) {
            // Another call was faster to read what was written.
            (Some(met), Ours::All) => met.all_written(),
            (Some(mut met), Ours::Runs(runs)) => {
                met.show(&written_lines(runs));
                met
            }
            (Some(met), Ours::Nothing) => met,
            (None, Ours::All) => before().written(version, view, &[]).all_written(),
            (None, Ours::Runs(runs)) => before().written(version, view, runs),
            (None, Ours::Nothing) => {
                let before = before();
                KnownFile::after(Some(&before), version, view, before.question.as_deref())
            }
        }
    }

    /// Keeps what was there before a file was written; says that it was, and how to go back.
    pub(super) fn say_written(
        &self,
        located: &Located,
        key: &PathKey,
        bytes: &[u8],
        written: &Written,
    ) -> String {
        let path = located.shown();
        let undo = self.session.keep_write(key, written.before.as_deref(), Some(bytes));
        self.session.forget_reads(key);
        self.toolbox.index.touch(&located.absolute());
        let mut said = match (&written.before, undo) {
            (None, Ok(undo)) => format!("Wrote {path} (new) [before: {undo}]\n"),
            (Some(_), Ok(undo)) => format!("Wrote {path} [before: {undo}]\n"),
            (_, Err(why)) => format!("Wrote {path} [no way back: {why}]\n"),
        };
        for note in &written.notes {
            // Writing to a string cannot fail.
            let _ = writeln!(said, "[{note}]");
        }
        said
    }
}

fn refuse(found: Option<foveal_files::edit::PlaceholderFound>) -> Result<(), ToolError> {
    found.map_or(Ok(()), |found| Err(ToolError::failed(found.to_string())))
}

/// That a notebook stays one: it is read as cells, and stored as JSON.
fn check_notebook(target: &Target, text: &str) -> Result<(), ToolError> {
    if target.is_notebook && Notebook::parse(text).is_none() {
        return Err(ToolError::failed(format!(
            "`{}` is a notebook, which is JSON in the file; this change would break it: see its \
             JSON with bash, and edit that",
            target.located.shown()
        )));
    }
    Ok(())
}

/// Puts back what files held before, newest first; the error to be told.
fn put_back<'a>(
    written: impl Iterator<Item = (&'a Target, &'a Written)>,
    why: &WriteError,
) -> NotMade {
    let mut left: Vec<String> = Vec::new();
    for (target, written) in written {
        let Some(before) = &written.before else { continue };
        let back = replace_if(&target.located, &written.version.hash, before, &Cancel::NEVER);
        if let Err(error) = back {
            left.push(format!("`{}` could not be put back: {error}", target.located.shown()));
        }
    }
    if !left.is_empty() {
        return NotMade::Failed(ToolError::failed(format!("{why}; {}", left.join("; "))));
    }
    let error = ToolError::failed(format!("{why}; none of the edits was made"));
    match why {
        WriteError::Changed { .. } => NotMade::Changed(error),
        _ => NotMade::Failed(error),
    }
}

/// Places told of one file.
const PLACES_MAX: usize = 20;

/// Where a text was changed.
fn places(planned: &PlannedText) -> String {
    let mut said = String::new();
    for change in planned.changed.iter().take(PLACES_MAX) {
        // Writing to a string cannot fail.
        let _ = writeln!(said, "{} → {}", change.before, change.after);
    }
    if planned.changed.len() > PLACES_MAX {
        let _ = writeln!(said, "and {} more places", planned.changed.len() - PLACES_MAX);
    }
    said
}
