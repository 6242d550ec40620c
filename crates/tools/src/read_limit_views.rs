//! Views of reads for a caller that shapes whole requests: the limits by which a session of the
//! toolbox decides itself where it answers alone.

use std::sync::Arc;

use foveal_engine::settings::{CurateSettings, Settings};
use foveal_engine::views::{LineSelection, ProgressListener, ReadContext, ViewRequest, ViewSource};
use foveal_transcript::{ContentBlock, LineNumber};
use foveal_workspace::PathKey;

use crate::read_view::ReadView;
use crate::settings::ReadLineLimits;
use crate::tool::{read_file, read_files};
use crate::toolbox::Toolbox;

/// A [`ViewSource`] that asks another one only about reads that are not shown whole: files above
/// the limit of their path, unless they are in focus, and reads in the mode `curated`.
#[derive(Debug)]
pub struct ReadLimitViews {
    toolbox: Arc<Toolbox>,
    /// Whether first reads are curated if the call does not ask for it.
    curates_first_reads: bool,
    views: Arc<dyn ViewSource>,
}

impl ReadLimitViews {
    /// Creates a source that asks `views` within the limits of `toolbox`. With
    /// `curates_first_reads` false, only reads in the mode `curated` get views.
    pub fn new(
        toolbox: Arc<Toolbox>,
        curates_first_reads: bool,
        views: Arc<dyn ViewSource>,
    ) -> Self {
        Self { toolbox, curates_first_reads, views }
    }

    /// Returns the curation settings with which the engine asks this source about every first read.
    pub fn curate_settings() -> Option<CurateSettings> {
        Settings::curated().curate.map(|curate| CurateSettings { lines_min: 1, ..curate })
    }

    /// Returns the request for the view of a read, or `None` if it is shown whole.
    fn limit_request(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<ViewRequest> {
        let call = read.record.facts(read.upto).call.as_ref();
        if call.is_some_and(|call| call.effect.curated) {
            return Some(ReadView::Curated.selection_target(read.text, wanted));
        }
        if !self.curates_first_reads {
            return None;
        }
        let reads_files =
            |tool: &str| [read_file::TOOL.name, read_files::TOOL.name].contains(&tool);
        let limits = match call.is_some_and(|call| reads_files(&call.tool)) {
            true => self.line_limits(read.path),
            // A command that prints a file has no mode for the whole.
            false => ReadLineLimits { small: command_lines_max(), large: None },
        };
        let ReadLineLimits { small, large } = limits;
        let view = ReadView::Auto { small, large };
        let is_whole = view.is_short(read.text) || self.is_in_focus(read);
        (!is_whole).then(|| view.selection_target(read.text, wanted))
    }

    /// Returns the limits for the file at `path`.
    fn line_limits(&self, path: &str) -> ReadLineLimits {
        let resolved = self.toolbox.roots.resolve(path);
        self.toolbox.line_limits(&resolved.map_or_else(|_| path.to_owned(), |it| it.rule_path()))
    }

    /// Returns whether the model has put the file of a read in focus.
    fn is_in_focus(&self, read: &ReadContext<'_>) -> bool {
        let Some(file) = self.path_key(read.path) else { return false };
        let entries = read.record.entries();
        let before = &entries[..read.upto.as_usize().min(entries.len())];
        let calls = before.iter().rev().flat_map(|entry| entry.blocks.iter().rev());
        let decides = |block: &ContentBlock| {
            let ContentBlock::Call(call) = block else { return None };
            let paths = call.arguments.get("paths").and_then(|paths| paths.as_array());
            let mut paths = paths.into_iter().flatten().filter_map(|path| path.as_str()).peekable();
            match &*call.name {
                "unfocus" if paths.peek().is_none() => Some(false),
                name @ ("focus" | "unfocus") => paths
                    .any(|path| self.path_key(path).is_some_and(|key| key == file))
                    .then_some(name == "focus"),
                _ => None,
            }
        };
        calls.filter_map(decides).next().unwrap_or(false)
    }

    fn path_key(&self, path: &str) -> Option<PathKey> {
        Some(self.toolbox.roots.resolve(path).ok()?.path_key())
    }
}

/// Returns the most lines of a file that a command prints and that is shown whole.
fn command_lines_max() -> u32 {
    Settings::curated().curate.map_or(u32::MAX, |curate| curate.lines_min.saturating_sub(1))
}

impl ViewSource for ReadLimitViews {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.choose_view_with_progress(read, wanted, ProgressListener::IGNORED)
    }

    fn choose_view_with_progress(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        let wanted = match wanted {
            ViewRequest::Curated(_) => self.limit_request(read, wanted)?,
            ViewRequest::Summary(_) => wanted,
        };
        self.views.choose_view_with_progress(read, wanted, watch)
    }

    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        self.views.choose_views(reads)
    }

    fn last_complete_line(
        &self,
        path: &str,
        text: &str,
        first: LineNumber,
        last: LineNumber,
    ) -> Option<LineNumber> {
        self.views.last_complete_line(path, text, first, last)
    }

    fn supports_prefetch(&self) -> bool {
        self.views.supports_prefetch()
    }

    fn announce_read(&self, read: &ReadContext<'_>, wanted: ViewRequest) {
        self.views.announce_read(read, wanted);
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        self.views.predict_views(reads, go_on)
    }
}
