//! Edits of files, against the bytes on disk: all edits or none.

use foveal_workspace::edit::{
    Edit, EditMatch, IndexedEdit, MultiEditPlan, PlannedText, plan_edits,
};
use foveal_workspace::{FileReplacement, PathKey, ResolvedPath, WriteError, WriteOutcome};

use crate::answer::AnswerDependency;
use crate::error::ToolError;
use crate::findings::{FileChanges, FindingContent, Findings};
use crate::session::CallContext;

use super::edit_target::{EditTarget, TRIES_MAX, check_notebook};
use super::visibility_check::check_edit;
use super::write_record::{AuthoredLines, record_overwrite};

/// An edit of the file at a path.
#[derive(Debug)]
pub(crate) struct PathEdit {
    pub(crate) path: String,
    pub(crate) edit: Edit,
}

/// The reason why planned edits were not made.
enum EditFailure {
    /// A file changed meanwhile; no file was written.
    FileChanged(ToolError),
    Failed(ToolError),
}

impl From<ToolError> for EditFailure {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

/// Makes all edits, or none.
pub(crate) fn edit_files(
    work: &CallContext<'_>,
    edits: Vec<PathEdit>,
) -> Result<Findings, ToolError> {
    let mut located: Vec<(ResolvedPath, PathKey)> = Vec::new();
    let mut planned_edits = Vec::with_capacity(edits.len());
    for PathEdit { path, edit } in edits {
        let file = work.resolve_permitted(&path)?;
        let key = file.path_key();
        let text = match located.iter().position(|(_, known)| *known == key) {
            Some(at) => at,
            None => {
                located.push((file, key));
                located.len() - 1
            }
        };
        planned_edits.push(IndexedEdit { text, edit });
    }
    for _ in 1..TRIES_MAX {
        match try_edit_files(work, &located, &planned_edits) {
            Ok(found) => return Ok(found),
            Err(EditFailure::Failed(error)) => return Err(error),
            Err(EditFailure::FileChanged(_)) => {}
        }
    }
    try_edit_files(work, &located, &planned_edits).map_err(|not_made| match not_made {
        EditFailure::FileChanged(error) | EditFailure::Failed(error) => error,
    })
}

/// Reads the files, plans all edits and makes them.
fn try_edit_files(
    work: &CallContext<'_>,
    located: &[(ResolvedPath, PathKey)],
    edits: &[IndexedEdit],
) -> Result<Findings, EditFailure> {
    let targets =
        located.iter().map(|(located, key)| EditTarget::read(work, located.clone(), key.clone()));
    let targets: Vec<EditTarget> = targets.collect::<Result<_, _>>()?;
    let texts: Vec<&str> = targets.iter().map(|target| target.text.text()).collect();
    let planned = plan_edits(&texts, edits).map_err(|refused| match refused.of {
        1 => ToolError::from_error(refused.why),
        _ => ToolError::from_error(refused),
    })?;
    let MultiEditPlan { texts, how, .. } = planned;
    let changed = targets.iter().zip(texts);
    let changed: Vec<(&EditTarget, PlannedText)> =
        changed.filter_map(|(target, planned)| Some((target, planned?))).collect();
    let mut bytes = Vec::with_capacity(changed.len());
    let mut authored = Vec::with_capacity(changed.len());
    for (target, planned) in &changed {
        check_notebook(target, &planned.text)?;
        authored.push(AuthoredLines::Runs(check_edit(work, target, planned)?));
        let places = planned.changed.iter();
        let places: Vec<_> =
            places.map(|change| (change.bytes.clone(), change.new_bytes.clone())).collect();
        let encoded = target.text.encode_with_changes(&planned.text, &places);
        let encoded = encoded.map_err(ToolError::from_error)?;
        bytes.push(encoded);
    }
    let written = write_all(work, &changed, &bytes)?;
    let held = |((target, _), written): (&(&EditTarget, _), &WriteOutcome)| {
        AnswerDependency::File(target.located.absolute_path(), written.version)
    };
    let held = changed.iter().zip(&written).map(held);
    let depends = held.chain([work.directory_dependency()]).collect();
    let mut changes = FileChanges::default();
    for ((((target, planned), bytes), written), authored) in
        changed.iter().zip(&bytes).zip(&written).zip(&authored)
    {
        let mut change = record_overwrite(work, target, bytes, written, authored);
        let places = planned.changed.iter().map(|change| (change.before, change.after));
        change.changed_spans = places.collect();
        changes.files.push(change);
    }
    for how in how {
        if let EditMatch::WhiteSpace(differences) = how {
            changes.white_space.push(differences.to_string());
        }
    }
    Ok(Findings::from(FindingContent::Changes(changes)).with_dependencies(depends))
}

/// Writes all files, or none.
fn write_all(
    work: &CallContext<'_>,
    changed: &[(&EditTarget, PlannedText)],
    bytes: &[Vec<u8>],
) -> Result<Vec<WriteOutcome>, EditFailure> {
    let files: Vec<FileReplacement<'_>> = changed
        .iter()
        .zip(bytes)
        .map(|((target, _), bytes)| FileReplacement {
            located: &target.located,
            expected: target.version.hash,
            bytes,
        })
        .collect();
    let written = work.toolbox.writer.replace_all(&files, work.control.cancel);
    written.map_err(|why| match why {
        WriteError::Torn { .. } => EditFailure::Failed(ToolError::from_error(why)),
        WriteError::Changed { .. } => EditFailure::FileChanged(no_edit_made_error(&why)),
        _ => EditFailure::Failed(no_edit_made_error(&why)),
    })
}

fn no_edit_made_error(why: &WriteError) -> ToolError {
    ToolError::from_error(format!("{why}; none of the edits was made"))
}
