//! The status of the model that describes files for the index: a box with its progress and its
//! reasoning, and at the end a block of the transcript.

use foveal_agent::IndexingProgress;
use foveal_screen::{escape_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::session_status::{format_duration, spinner_frame};
use crate::text_layout::truncate_to_width;
use crate::theme::{ColourSupport, TextRole};
use crate::transcript_view::{ChatBlock, THINKING_BYTES_MAX, latest_reasoning_lines};

/// The progress of the indexing model.
#[derive(Debug, Default)]
pub(crate) struct IndexingStatus {
    /// The start of the current work in milliseconds, and the progress until then.
    started: Option<(u64, IndexingProgress)>,
    latest: IndexingProgress,
    /// The reasoning of the current work.
    reasoning: String,
}

impl IndexingStatus {
    /// Updates the progress. Returns a summary when the work has ended.
    pub(crate) fn update(&mut self, told: IndexingProgress, now_ms: u64) -> Option<ChatBlock> {
        if self.reasoning.len() + told.reasoning.len() <= THINKING_BYTES_MAX {
            self.reasoning.push_str(&told.reasoning);
        }
        let before = std::mem::replace(&mut self.latest, told);
        if self.latest.is_active() {
            self.started.get_or_insert((now_ms, before));
            return None;
        }
        let (since_ms, before) = self.started.take()?;
        let time_ms = now_ms.saturating_sub(since_ms);
        let time = format_duration(time_ms);
        let summary = self.latest.summary_since(&before, &time);
        let summary = escape_one_line(&summary).into_owned();
        Some(ChatBlock::Indexing { summary, reasoning: std::mem::take(&mut self.reasoning) })
    }

    /// Returns whether the model works.
    pub(crate) fn is_active(&self) -> bool {
        self.started.is_some()
    }

    /// Returns the lines of the box during the work.
    pub(crate) fn render_progress(
        &self,
        now_ms: u64,
        columns: usize,
        colours: ColourSupport,
    ) -> Vec<Line<'static>> {
        let Some((since_ms, _)) = &self.started else { return Vec::new() };
        let so_far_ms = now_ms.saturating_sub(*since_ms);
        let IndexingProgress { model, file, waiting, .. } = &self.latest;
        let [model, file] = [model.as_str(), file.as_deref().unwrap_or("…")].map(escape_one_line);
        let mut told = format!("{model} is indexing {file}");
        if *waiting > 0 {
            told.push_str(&format!(", {} more", numbers::format_count(*waiting)));
        }
        told.push_str(&format!(", {}", format_duration(so_far_ms)));
        let mut lines = vec![Line::from(vec![
            Span::styled(spinner_frame(so_far_ms), colours.role_style(TextRole::Good)),
            Span::raw(" "),
            Span::styled(
                truncate_to_width(&told, columns.saturating_sub(2)).into_owned(),
                colours.role_style(TextRole::Aside),
            ),
        ])];
        lines.extend(latest_reasoning_lines(&self.reasoning, columns, colours));
        lines
    }
}
