//! The status of the model that describes files for the index: a line during its work, and a
//! summary at the end.

use foveal_agent::IndexingProgress;
use foveal_screen::{escape_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::session_status::{format_duration, spinner_frame};
use crate::text_layout::truncate_to_width;
use crate::theme::{ColourSupport, TextRole};

/// The progress of the indexing model.
#[derive(Debug, Default)]
pub(crate) struct IndexingStatus {
    /// The start of the current work in milliseconds, and the progress until then.
    started: Option<(u64, IndexingProgress)>,
    latest: IndexingProgress,
}

impl IndexingStatus {
    /// Updates the progress. Returns a summary line when the work has ended.
    pub(crate) fn update(&mut self, told: IndexingProgress, now_ms: u64) -> Option<String> {
        let before = std::mem::replace(&mut self.latest, told);
        if self.latest.is_active() {
            self.started.get_or_insert((now_ms, before));
            return None;
        }
        let (since_ms, before) = self.started.take()?;
        let time_ms = now_ms.saturating_sub(since_ms);
        Some(self.latest.summary_since(&before, &format_duration(time_ms), numbers::format_count))
    }

    /// Returns whether the model works.
    pub(crate) fn is_active(&self) -> bool {
        self.started.is_some()
    }

    /// Returns the progress line during the work.
    pub(crate) fn render_progress(
        &self,
        now_ms: u64,
        columns: usize,
        colours: ColourSupport,
    ) -> Option<Line<'static>> {
        let (since_ms, _) = self.started.as_ref()?;
        let so_far_ms = now_ms.saturating_sub(*since_ms);
        let IndexingProgress { model, file, waiting, .. } = &self.latest;
        let [model, file] = [model.as_str(), file.as_deref().unwrap_or("…")].map(escape_one_line);
        let mut told = format!("{model} is indexing {file}");
        if *waiting > 0 {
            told.push_str(&format!(", {} more", numbers::format_count(*waiting)));
        }
        told.push_str(&format!(", {}", format_duration(so_far_ms)));
        Some(Line::from(vec![
            Span::styled(spinner_frame(so_far_ms), colours.role_style(TextRole::Good)),
            Span::raw(" "),
            Span::styled(
                truncate_to_width(&told, columns.saturating_sub(2)).into_owned(),
                colours.role_style(TextRole::Aside),
            ),
        ]))
    }
}
