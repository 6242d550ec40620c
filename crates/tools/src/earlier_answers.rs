//! Reuse of earlier answers, if nothing that they depend on has changed.

use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use crate::duplicate_calls::{CallQuery, LookupMiss, MatchExtent};
use foveal_transcript::Handle;
use foveal_workspace::FileFreshness;
use foveal_workspace::file_search::{self, SearchScope};

use crate::answer::AnswerDependency;
use crate::file_reading::covers_all_roots;
use crate::findings::{AnswerText, FindingContent, Findings, ReusedAnswer, TextOutput};
use crate::session::{CallContext, RecordedAnswer, ToolSession, hash_long_texts};
use crate::tool_definition::{ParsedCall, Tool};

/// Longest structured data, in bytes of JSON, that is stored with an answer.
const DATA_BYTES_MAX: usize = 4 * 1024;

/// Returns the query for earlier calls like this one.
pub(crate) fn duplicate_query(
    work: &CallContext<'_>,
    tool: &Tool,
    call: &dyn ParsedCall,
    arguments: &Value,
    detect: bool,
) -> CallQuery {
    let roots = work.roots();
    let key = |path: &str| match roots.resolve(path) {
        Ok(located) => located.path_key().as_str().to_owned(),
        Err(_) => path.to_owned(),
    };
    let mut arguments = hash_long_texts(arguments);
    if call.is_about_working_directory()
        && let Value::Object(arguments) = &mut arguments
    {
        // The call refers to the working directory, which may be another one later, or to all
        // roots.
        let path = if covers_all_roots(&roots, None) { "every root\n" } else { "." };
        arguments.insert("path".to_owned(), path.into());
    }
    let asked = work.session.duplicates.make_query(tool.name, arguments, &key);
    if detect { asked } else { asked.without_detection() }
}

/// Returns the findings of an earlier call, if they still hold.
pub(crate) fn find_earlier_answer(
    work: &CallContext<'_>,
    tool: &Tool,
    call: &dyn ParsedCall,
    asked: &CallQuery,
) -> Result<Findings, LookupMiss> {
    let duplicates = &work.session.duplicates;
    // Lines that are given again count as seen, which only the read itself records.
    let is_seen = has_seen_lines(work, call);
    let earlier = duplicates.look_up(asked, |hit| {
        hit.extent == MatchExtent::Same
            && is_seen
            && call.context_lines() <= hit.record.result.context_lines
    })?;
    let depends = earlier.depends.iter().cloned();
    let holds: Option<Vec<AnswerDependency>> =
        depends.map(|dependency| revalidate(work, dependency)).collect();
    let holds = holds.zip(work.session.unredacted_content(earlier.recorded.content));
    let Some((depends, text)) = holds else {
        duplicates.invalidate(earlier.id);
        return Err(LookupMiss::New);
    };
    duplicates.confirm_hit(asked, &earlier, depends);
    let time = work.toolbox.clock.local_time(earlier.time);
    let text = AnswerText::from_content(text);
    let data = earlier.recorded.data;
    let content = FindingContent::Output(TextOutput { text, data, ..TextOutput::default() });
    let earlier = Some(ReusedAnswer { time, is_write: !tool.hints.read_only });
    Ok(Findings { reused: earlier, ..content.into() })
}

/// Returns whether the model has seen the lines that a call names, if it names any.
fn has_seen_lines(work: &CallContext<'_>, call: &dyn ParsedCall) -> bool {
    let Some(lines) = call.named_lines() else { return true };
    let Ok(located) = work.roots().resolve(lines.path) else { return false };
    let seen = work.files().map_file(&located.path_key(), |known| {
        known.seen.contains_range(lines.start, lines.end.min(known.line_count()))
    });
    seen.unwrap_or(false)
}

/// Returns the dependency in its current form, if it still holds.
fn revalidate(work: &CallContext<'_>, dependency: AnswerDependency) -> Option<AnswerDependency> {
    match dependency {
        // Permissions are checked again, since a grant may have been for one call.
        AnswerDependency::Directory(path) => {
            (path == work.roots().working_directory()).then_some(AnswerDependency::Directory(path))
        }
        AnswerDependency::File(path, version) => {
            let located = work.resolve_permitted(&file_search::path_for_display(&path)).ok()?;
            match version.check_freshness(&located, work.control.cancel).ok()? {
                FileFreshness::Same(version) => Some(AnswerDependency::File(path, version)),
                FileFreshness::Changed => None,
            }
        }
        AnswerDependency::Tree(path, since) => {
            is_folder_unchanged(work, &path, since).then_some(AnswerDependency::Tree(path, since))
        }
        AnswerDependency::Index(query, since) => {
            work.require_permission(&query, None).ok()?;
            let is_unchanged =
                |root: &Path| is_scope_unchanged(work, root, &SearchScope::default(), since);
            let all = work.roots().all().all(|root| is_unchanged(root.path()));
            all.then_some(AnswerDependency::Index(query, since))
        }
    }
}

fn is_folder_unchanged(work: &CallContext<'_>, path: &Path, since: SystemTime) -> bool {
    let Ok(located) = work.resolve_permitted(&file_search::path_for_display(path)) else {
        return false;
    };
    let path = file_search::path_for_display(located.relative_path()).into_owned();
    let scope = SearchScope { path, ..SearchScope::default() };
    is_scope_unchanged(work, located.root().path(), &scope, since)
}

fn is_scope_unchanged(
    work: &CallContext<'_>,
    base: &Path,
    scope: &SearchScope,
    since: SystemTime,
) -> bool {
    file_search::is_tree_unchanged(base, scope, since, work.control.cancel).unwrap_or(false)
}

/// The record of a call, without the place of its text.
pub(crate) struct CallRecord {
    data: Option<Value>,
    context_lines: u64,
    dependencies: Vec<AnswerDependency>,
}

impl CallRecord {
    /// Creates the record of a call with these findings, if its dependencies are known.
    pub(crate) fn from_findings(findings: &Findings, context_lines: u64) -> Option<Self> {
        if findings.content.is_error() || findings.dependencies.is_empty() {
            return None;
        }
        let data =
            findings.structured_data().filter(|data| data.to_string().len() <= DATA_BYTES_MAX);
        Some(Self { data, context_lines, dependencies: findings.dependencies.clone() })
    }

    /// Stores the record; the text of `bytes` bytes is kept under `content`.
    pub(crate) fn store(
        self,
        session: &ToolSession,
        asked: CallQuery,
        content: Handle,
        bytes: u64,
    ) {
        let Self { data, context_lines, dependencies: depends } = self;
        let recorded = RecordedAnswer { content, bytes, data, context_lines };
        session.duplicates.record_call(asked, recorded, depends);
    }
}
