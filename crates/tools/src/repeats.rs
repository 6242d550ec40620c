//! Whether an earlier answer can be given again: only if nothing that it depends on has changed.

use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use foveal_calls::{Declared, Extent, Miss, Query};
use foveal_files::Freshness;
use foveal_files::tree::{self, Scope};
use foveal_transcript::Handle;

use crate::answer::Dependency;
use crate::definition::{Call, Tool};
use crate::findings::{AnswerText, Content, Earlier, Findings, Output};
use crate::reading::means_all;
use crate::session::{Recorded, Session, Work, shortened};

/// Data that is longer, as JSON, is not remembered.
const DATA_BYTES_MAX: usize = 4 * 1024;

/// The call as it is looked up.
pub(crate) fn key(
    work: &Work<'_>,
    tool: &Tool,
    call: &dyn Call,
    arguments: &Value,
    detect: bool,
) -> Query {
    let declared = if tool.hints.read_only { Declared::ReadOnly } else { Declared::Other };
    let roots = work.roots();
    let key = |path: &str| match roots.resolve(path) {
        Ok(located) => located.key().as_str().to_owned(),
        Err(_) => path.to_owned(),
    };
    let mut arguments = shortened(arguments);
    if call.is_about_working_directory()
        && let Value::Object(arguments) = &mut arguments
    {
        // It means the folder of commands, which is another one later, or what no path means.
        let path = if means_all(&roots, None) { "every root\n" } else { "." };
        arguments.insert("path".to_owned(), path.into());
    }
    let asked = work.session.duplicates.key((tool.name, declared), arguments, &key);
    if detect { asked } else { asked.without_detection() }
}

/// What an earlier call found, if it still holds.
pub(crate) fn earlier(
    work: &Work<'_>,
    tool: &Tool,
    call: &dyn Call,
    asked: &Query,
) -> Result<Findings, Miss> {
    let duplicates = &work.session.duplicates;
    // Lines that are given again count as seen; that is for the read to note.
    let is_seen = has_seen(work, call);
    let earlier = duplicates.look_up(asked, |hit| {
        hit.extent == Extent::Same
            && is_seen
            && call.context_lines() <= hit.record.result.context_lines
    })?;
    let depends = earlier.depends.iter().cloned();
    let holds: Option<Vec<Dependency>> =
        depends.map(|dependency| still_holds(work, dependency)).collect();
    let holds = holds.zip(work.session.whole_content(earlier.recorded.content));
    let Some((depends, text)) = holds else {
        duplicates.refuse(earlier.id);
        return Err(Miss::New);
    };
    duplicates.confirm(asked, &earlier, depends);
    let time = work.toolbox.clock.local(earlier.time);
    let text = AnswerText::of_content(text);
    let data = earlier.recorded.data;
    let content = Content::Output(Output { text, data, ..Output::default() });
    let earlier = Some(Earlier { time, is_write: !tool.hints.read_only });
    Ok(Findings { earlier, ..content.into() })
}

/// Whether the lines that a call names, if it names any, count as seen.
fn has_seen(work: &Work<'_>, call: &dyn Call) -> bool {
    let Some(lines) = call.lines() else { return true };
    let Ok(located) = work.roots().resolve(lines.path) else { return false };
    let seen = work.files().part(&located.key(), |known| {
        known.seen.holds_all(lines.start, lines.end.min(known.count()))
    });
    seen.unwrap_or(false)
}

/// What an answer rests on, if that is as it was then.
fn still_holds(work: &Work<'_>, dependency: Dependency) -> Option<Dependency> {
    match dependency {
        // What was allowed once is asked about again.
        Dependency::Directory(path) => {
            (path == work.roots().working_directory()).then_some(Dependency::Directory(path))
        }
        Dependency::File(path, version) => {
            let located = work.file(&tree::name_of(&path)).ok()?;
            match version.check(&located, work.control.cancel).ok()? {
                Freshness::Same(version) => Some(Dependency::File(path, version)),
                Freshness::Changed => None,
            }
        }
        Dependency::Tree(path, since) => {
            is_unchanged(work, &path, since).then_some(Dependency::Tree(path, since))
        }
        Dependency::Index(query, since) => {
            work.permit(&query, None).ok()?;
            let is_unchanged =
                |root: &Path| is_scope_unchanged(work, root, &Scope::default(), since);
            let all = work.roots().all().all(|root| is_unchanged(root.path()));
            all.then_some(Dependency::Index(query, since))
        }
    }
}

fn is_unchanged(work: &Work<'_>, path: &Path, since: SystemTime) -> bool {
    let Ok(located) = work.file(&tree::name_of(path)) else { return false };
    let path = tree::name_of(located.relative()).into_owned();
    let scope = Scope { path, ..Scope::default() };
    is_scope_unchanged(work, located.root().path(), &scope, since)
}

fn is_scope_unchanged(work: &Work<'_>, base: &Path, scope: &Scope, since: SystemTime) -> bool {
    tree::is_unchanged(base, scope, since, work.control.cancel).unwrap_or(false)
}

/// What is to be remembered of a call, but for where its text is kept.
pub(crate) struct ToRecord {
    data: Option<Value>,
    context_lines: u64,
    depends: Vec<Dependency>,
}

impl ToRecord {
    /// That of a call that found this, where it can be told whether that still holds.
    pub(crate) fn of(findings: &Findings, context_lines: u64) -> Option<Self> {
        if findings.content.is_error() || findings.depends.is_empty() {
            return None;
        }
        let data = findings.data().filter(|data| data.to_string().len() <= DATA_BYTES_MAX);
        Some(Self { data, context_lines, depends: findings.depends.clone() })
    }

    /// Remembers the call; its text of so many bytes stands behind `content`.
    pub(crate) fn record(self, session: &Session, asked: Query, content: Handle, bytes: u64) {
        let Self { data, context_lines, depends } = self;
        let recorded = Recorded { content, bytes, data, context_lines };
        session.duplicates.record(asked, recorded, depends);
    }
}
