//! The popup of completions for the word at the cursor.

use std::ops::Range;

use foveal_screen::escape_one_line;
use ratatui_core::text::{Line, Span};

use crate::text_layout::{display_width, truncate_to_width};
use crate::theme::{ColourSupport, TextRole};

/// The number of visible candidates at most.
const POPUP_ROWS_MAX: usize = 8;

/// A completion of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionCandidate {
    /// The text that replaces the word.
    pub replacement: String,
    /// The description beside it.
    pub description: String,
}

/// The completions of a word, one of which is selected.
#[derive(Debug)]
pub(crate) struct CompletionPopup {
    /// The byte range of the word.
    pub(crate) replaced_range: Range<usize>,
    pub(crate) candidates: Vec<CompletionCandidate>,
    pub(crate) selected: usize,
}

impl CompletionPopup {
    /// Selects the next candidate, or the previous one if `is_up`.
    pub(crate) fn move_selection(&mut self, is_up: bool) {
        let count = self.candidates.len().max(1);
        self.selected = (self.selected + if is_up { count - 1 } else { 1 }) % count;
    }

    /// Returns the visible rows.
    pub(crate) fn render(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let from = (self.selected + 1).saturating_sub(POPUP_ROWS_MAX);
        let shown = self.candidates.iter().enumerate().skip(from).take(POPUP_ROWS_MAX);
        let wide = shown.clone().map(|(_, it)| display_width(&it.replacement)).max().unwrap_or(0);
        shown
            .map(|(at, candidate)| {
                let role = if at == self.selected { TextRole::Selected } else { TextRole::Plain };
                let text = escape_one_line(&candidate.replacement).into_owned();
                let text = truncate_to_width(&text, columns.saturating_sub(4)).into_owned();
                let blank = wide.saturating_sub(display_width(&text));
                let room = columns.saturating_sub(wide + 6);
                let about = escape_one_line(&candidate.description).into_owned();
                let about = if room < 8 {
                    String::new()
                } else {
                    truncate_to_width(&about, room).into_owned()
                };
                Line::from(vec![
                    Span::styled(
                        format!("  {text}{} ", " ".repeat(blank)),
                        colours.role_style(role),
                    ),
                    Span::styled(format!(" {about}"), colours.role_style(TextRole::Aside)),
                ])
            })
            .collect()
    }
}
