//! Changing files for a session: against the bytes on disk, all or none, each with an undo.

use std::fmt::Write;
use std::sync::Arc;

use foveal_files::edit::{
    Edit, EditOf, How, LineSpan, PlannedText, changed_since, plan_edits, refuse_placeholders,
};
use foveal_files::kind::Notebook;
use foveal_files::kind::{self, Content, ReadLimits};
use foveal_files::{
    LineEnding, Located, PathKey, TextFile, Version, WriteError, Written, create, replace_if,
};

use crate::answer::{Dependency, Found};
use crate::error::ToolError;

use super::{KnownFile, Work};

/// One change of several.
#[derive(Debug)]
pub(crate) struct EditAt {
    pub(crate) path: String,
    pub(crate) edit: Edit,
}

/// A file about to be changed, as it is on disk.
struct Target {
    located: Located,
    key: PathKey,
    text: TextFile,
    version: Version,
    is_notebook: bool,
}

impl Work<'_> {
    /// Carries out all edits, or none.
    pub(crate) fn edit(&self, edits: Vec<EditAt>) -> Result<Found, ToolError> {
        let mut targets: Vec<Target> = Vec::new();
        let mut planned_edits = Vec::with_capacity(edits.len());
        for EditAt { path, edit } in edits {
            let located = self.file(&path)?;
            let key = located.key();
            let known = targets.iter().position(|target| target.key == key);
            let text = match known {
                Some(at) => at,
                None => {
                    targets.push(self.target(located, key)?);
                    targets.len() - 1
                }
            };
            planned_edits.push(EditOf { text, edit });
        }
        let texts: Vec<&str> = targets.iter().map(|target| target.text.text()).collect();
        let planned = plan_edits(&texts, &planned_edits).map_err(|refused| match refused.of {
            1 => ToolError::failed(refused.why),
            _ => ToolError::failed(refused),
        })?;
        let changed = targets.iter().zip(planned.texts);
        let changed: Vec<(&Target, PlannedText)> =
            changed.filter_map(|(target, planned)| Some((target, planned?))).collect();
        let mut bytes = Vec::with_capacity(changed.len());
        for (target, planned) in &changed {
            check_notebook(target, &planned.text)?;
            self.check_seen(target, planned)?;
            bytes.push(target.text.encode_edited(&planned.text).map_err(ToolError::failed)?);
        }
        let written = self.write_all(&changed, &bytes)?;
        let held = |((target, _), written): (&(&Target, _), &Written)| {
            Dependency::File(target.located.absolute(), written.version)
        };
        let depends = changed.iter().zip(&written).map(held).collect();
        let mut said = String::new();
        for (((target, planned), bytes), written) in changed.iter().zip(&bytes).zip(&written) {
            said.push_str(&self.wrote(&target.located, &target.key, bytes, written));
            said.push_str(&places(planned));
        }
        for how in planned.how {
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
        let read = kind::read(&located, &ReadLimits::default(), self.control.go_on)
            .map_err(ToolError::failed)?;
        let described = read.description().unwrap_or_default();
        match (read.content, read.version) {
            (Content::Text(text), Some(version)) => {
                Ok(Target { located, key, text, version, is_notebook: false })
            }
            (Content::Notebook(_, text), Some(version)) => {
                Ok(Target { located, key, text, version, is_notebook: true })
            }
            (Content::Empty, Some(version)) => {
                Ok(Target { located, key, text: TextFile::new(""), version, is_notebook: false })
            }
            _ => Err(ToolError::failed(format!(
                "`{}` cannot be edited as text: {described}",
                located.shown()
            ))),
        }
    }

    /// That the lines an edit touches are those the model saw, where it saw any.
    fn check_seen(&self, target: &Target, planned: &PlannedText) -> Result<(), ToolError> {
        let Some(known) = self.session.known_file(&target.key) else { return Ok(()) };
        if known.version.hash == target.version.hash {
            return Ok(());
        }
        let path = target.located.shown();
        let Some(seen) = known.text else {
            return Err(ToolError::failed(format!(
                "`{path}` was changed since you saw it; read it again"
            )));
        };
        let touched: Vec<LineSpan> = planned.changed.iter().map(|change| change.before).collect();
        match changed_since(seen.text(), target.text.text(), &touched) {
            None => Ok(()),
            Some(delta) => Err(ToolError::failed(format!(
                "`{path}` was changed since you saw these lines (- seen, + now); read it again:\n{}",
                delta.text
            ))),
        }
    }

    /// Writes all files, or puts back what was there.
    fn write_all(
        &self,
        changed: &[(&Target, PlannedText)],
        bytes: &[Vec<u8>],
    ) -> Result<Vec<Written>, ToolError> {
        let mut written: Vec<Written> = Vec::with_capacity(changed.len());
        for ((target, _), bytes) in changed.iter().zip(bytes) {
            let done = replace_if(&target.located, &target.version.hash, bytes, self.control.go_on);
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
        let written = match located.metadata() {
            Ok(_) => self.overwrite(&located, &key, content)?,
            Err(foveal_files::PathError::NotFound { .. }) => {
                refuse(refuse_placeholders("", content))?;
                let bytes = TextFile::new(content).encode().map_err(ToolError::failed)?;
                let written = create(&located, &bytes, self.control.go_on);
                (bytes, written.map_err(ToolError::failed)?)
            }
            Err(error) => return Err(ToolError::failed(error)),
        };
        let (bytes, written) = written;
        let depends = vec![Dependency::File(located.absolute(), written.version)];
        Ok(Found { depends, ..Found::text(self.wrote(&located, &key, &bytes, &written)) })
    }

    /// Puts bytes that were kept back into a file.
    pub(super) fn write_bytes(&self, located: &Located, bytes: &[u8]) -> Result<Found, ToolError> {
        let key = located.key();
        let version = kind::read(located, &ReadLimits::default(), self.control.go_on);
        let version = version.map_err(ToolError::failed)?.version;
        let known = self.session.known_file(&key).map(|known| known.version.hash);
        let Some(version) = version.filter(|version| Some(version.hash) == known) else {
            return Err(ToolError::failed(format!(
                "`{}` is not as you last saw it; read it before putting anything back",
                located.shown()
            )));
        };
        let written = replace_if(located, &version.hash, bytes, self.control.go_on);
        let written = written.map_err(ToolError::failed)?;
        Ok(Found::text(self.wrote(located, &key, bytes, &written)))
    }

    fn overwrite(
        &self,
        located: &Located,
        key: &PathKey,
        content: &str,
    ) -> Result<(Vec<u8>, Written), ToolError> {
        let path = located.shown();
        let target = self.target(located.clone(), key.clone())?;
        refuse(refuse_placeholders(target.text.text(), content))?;
        let Some(known) = self.session.known_file(key) else {
            return Err(ToolError::failed(format!(
                "`{path}` is there already and you have not read it; read it before replacing it"
            )));
        };
        let count = u32::try_from(target.text.text().lines().count()).unwrap_or(u32::MAX);
        if known.version.hash == target.version.hash && !known.seen.covers(count) {
            return Err(ToolError::failed(format!(
                "you have seen {} of the {count} lines of `{path}`: read it with mode full before \
                 replacing it, or use edit_file",
                known.seen.count()
            )));
        }
        if known.version.hash != target.version.hash {
            let all = LineSpan::of_indices(0, target.text.text().lines().count());
            let seen = known.text.as_ref().map_or("", |seen| seen.text());
            let delta = changed_since(seen, target.text.text(), &[all]);
            let delta = delta.map(|delta| delta.text).unwrap_or_default();
            return Err(ToolError::failed(format!(
                "`{path}` was changed since you saw it (- seen, + now); read it again:\n{delta}"
            )));
        }
        check_notebook(&target, content)?;
        // Line ends are those of the file, however they are spelled in the call.
        let content = match target.text.line_ending() {
            LineEnding::Lf => content.to_owned(),
            LineEnding::CrLf | LineEnding::Mixed => content.replace("\r\n", "\n"),
        };
        let bytes = target.text.encode_edited(&content).map_err(ToolError::failed)?;
        let written = replace_if(located, &target.version.hash, &bytes, self.control.go_on);
        Ok((bytes, written.map_err(ToolError::failed)?))
    }

    /// Remembers what was written; says so, and how to go back.
    fn wrote(&self, located: &Located, key: &PathKey, bytes: &[u8], written: &Written) -> String {
        let path = located.shown();
        let undo = self.session.keep_write(&located.lasting(), written.before.as_deref(), bytes);
        if let Ok(text) = TextFile::decode(bytes) {
            let before = self.session.known_file(key);
            let question = before.as_ref().and_then(|before| before.question.as_deref());
            let text = Arc::new(text);
            let known = KnownFile::after(before.as_ref(), written.version, text, question);
            self.session.know(key.clone(), KnownFile { is_written: true, ..known });
        }
        self.session.forget_reads(key);
        self.toolbox.index.touch(&located.absolute());
        let mut said = match (&written.before, undo) {
            (None, _) => format!("Wrote {path} (new)\n"),
            (Some(_), Ok(handle)) => format!("Wrote {path} [before: {handle}]\n"),
            (Some(_), Err(why)) => format!("Wrote {path} [no way back: {why}]\n"),
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
) -> ToolError {
    let mut left: Vec<String> = Vec::new();
    for (target, written) in written {
        let Some(before) = &written.before else { continue };
        let back = replace_if(&target.located, &written.version.hash, before, &|| true);
        if let Err(error) = back {
            left.push(format!("`{}` could not be put back: {error}", target.located.shown()));
        }
    }
    match left.is_empty() {
        true => ToolError::failed(format!("{why}; none of the edits was made")),
        false => ToolError::failed(format!("{why}; {}", left.join("; "))),
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
