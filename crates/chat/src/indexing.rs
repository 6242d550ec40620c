//! The model that reads files into the index: a line while it does, and one with figures at the end.

use foveal_agent::ToldIndexing;
use foveal_screen::{in_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::lines::cut;
use crate::status::{seconds, spinner};
use crate::theme::{Colours, Role};

/// How far it is.
#[derive(Debug, Default)]
pub(crate) struct Indexing {
    /// Since when it is at work, and what it had done until then.
    since: Option<(u64, ToldIndexing)>,
    latest: ToldIndexing,
}

impl Indexing {
    /// Takes how far it is; when it has come to rest, what that came to.
    pub(crate) fn take(&mut self, told: ToldIndexing, now_ms: u64) -> Option<String> {
        let before = std::mem::replace(&mut self.latest, told);
        if self.latest.is_at_work() {
            self.since.get_or_insert((now_ms, before));
            return None;
        }
        let (since_ms, before) = self.since.take()?;
        let time_ms = now_ms.saturating_sub(since_ms);
        Some(self.latest.line_since(&before, &seconds(time_ms), numbers::count))
    }

    /// Whether it is at work.
    pub(crate) fn is_live(&self) -> bool {
        self.since.is_some()
    }

    /// The line that says what it does, while it does something.
    pub(crate) fn line(
        &self,
        now_ms: u64,
        columns: usize,
        colours: Colours,
    ) -> Option<Line<'static>> {
        let (since_ms, _) = self.since.as_ref()?;
        let so_far_ms = now_ms.saturating_sub(*since_ms);
        let ToldIndexing { model, file, waiting, .. } = &self.latest;
        let [model, file] = [model.as_str(), file.as_deref().unwrap_or("…")].map(in_one_line);
        let mut told = format!("{model} reads {file} into the index");
        if *waiting > 0 {
            told.push_str(&format!(", {} more", numbers::count(*waiting)));
        }
        told.push_str(&format!(", {}", seconds(so_far_ms)));
        Some(Line::from(vec![
            Span::styled(spinner(so_far_ms), colours.style(Role::Good)),
            Span::raw(" "),
            Span::styled(
                cut(&told, columns.saturating_sub(2)).into_owned(),
                colours.style(Role::Aside),
            ),
        ]))
    }
}
