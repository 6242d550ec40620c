//! Editing files: against the bytes on disk, all edits or none.

use foveal_files::edit::{Edit, EditOf, How, PlannedText, PlannedTexts, plan_edits};
use foveal_files::{Located, PathKey, Replacement, WriteError, Written};

use crate::answer::Dependency;
use crate::error::ToolError;
use crate::findings::{Changes, Content, Findings};
use crate::session::Work;

use super::check::check_edit;
use super::keep::{AuthoredLines, wrote_over};
use super::target::{TRIES_MAX, Target, check_notebook};

/// One change of several.
#[derive(Debug)]
pub(crate) struct EditAt {
    pub(crate) path: String,
    pub(crate) edit: Edit,
}

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

/// Carries out all edits, or none.
pub(crate) fn edit(work: &Work<'_>, edits: Vec<EditAt>) -> Result<Findings, ToolError> {
    let mut located: Vec<(Located, PathKey)> = Vec::new();
    let mut planned_edits = Vec::with_capacity(edits.len());
    for EditAt { path, edit } in edits {
        let file = work.file(&path)?;
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
    for _ in 1..TRIES_MAX {
        match edit_once(work, &located, &planned_edits) {
            Ok(found) => return Ok(found),
            Err(NotMade::Failed(error)) => return Err(error),
            Err(NotMade::Changed(_)) => {}
        }
    }
    edit_once(work, &located, &planned_edits).map_err(|not_made| match not_made {
        NotMade::Changed(error) | NotMade::Failed(error) => error,
    })
}

/// Reads the files, plans all edits of them and makes them.
fn edit_once(
    work: &Work<'_>,
    located: &[(Located, PathKey)],
    edits: &[EditOf],
) -> Result<Findings, NotMade> {
    let targets =
        located.iter().map(|(located, key)| Target::read(work, located.clone(), key.clone()));
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
    let mut authored = Vec::with_capacity(changed.len());
    for (target, planned) in &changed {
        check_notebook(target, &planned.text)?;
        authored.push(AuthoredLines::Runs(check_edit(work, target, planned)?));
        let places = planned.changed.iter();
        let places: Vec<_> =
            places.map(|change| (change.bytes.clone(), change.new_bytes.clone())).collect();
        let encoded = target.text.encode_changed(&planned.text, &places);
        let encoded = encoded.map_err(ToolError::failed)?;
        bytes.push(encoded);
    }
    let written = write_all(work, &changed, &bytes)?;
    let held = |((target, _), written): (&(&Target, _), &Written)| {
        Dependency::File(target.located.absolute(), written.version)
    };
    let held = changed.iter().zip(&written).map(held);
    let depends = held.chain([work.seen_from()]).collect();
    let mut changes = Changes::default();
    for ((((target, planned), bytes), written), authored) in
        changed.iter().zip(&bytes).zip(&written).zip(&authored)
    {
        let mut change = wrote_over(work, target, bytes, written, authored);
        let places = planned.changed.iter().map(|change| (change.before, change.after));
        change.places = places.collect();
        changes.files.push(change);
    }
    for how in how {
        if let How::WhiteSpace(differences) = how {
            changes.white_space.push(differences.to_string());
        }
    }
    Ok(Findings::from(Content::Changes(changes)).resting_on(depends))
}

/// Writes all files, or none.
fn write_all(
    work: &Work<'_>,
    changed: &[(&Target, PlannedText)],
    bytes: &[Vec<u8>],
) -> Result<Vec<Written>, NotMade> {
    let files: Vec<Replacement<'_>> = changed
        .iter()
        .zip(bytes)
        .map(|((target, _), bytes)| Replacement {
            located: &target.located,
            expected: target.version.hash,
            bytes,
        })
        .collect();
    let written = work.toolbox.writer.replace_all(&files, work.control.cancel);
    written.map_err(|why| match why {
        WriteError::Torn { .. } => NotMade::Failed(ToolError::failed(why)),
        WriteError::Changed { .. } => NotMade::Changed(none_made(&why)),
        _ => NotMade::Failed(none_made(&why)),
    })
}

fn none_made(why: &WriteError) -> ToolError {
    ToolError::failed(format!("{why}; none of the edits was made"))
}
