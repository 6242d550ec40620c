//! What a word may be completed to.

use std::ops::Range;

use foveal_screen::in_one_line;
use ratatui_core::text::{Line, Span};

use crate::lines::{cut, width};
use crate::theme::{Colours, Role};

/// Rows of candidates that are shown.
const ROWS_MAX: usize = 8;

/// What a word may be completed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What is put in place of the word.
    pub text: String,
    /// What is said beside it.
    pub about: String,
}

/// Candidates for a word, one of which is chosen.
#[derive(Debug)]
pub(crate) struct Popup {
    /// The bytes of the text that are replaced.
    pub(crate) range: Range<usize>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) chosen: usize,
}

impl Popup {
    /// Chooses the next one, or the one before.
    pub(crate) fn choose(&mut self, is_up: bool) {
        let count = self.candidates.len().max(1);
        self.chosen = (self.chosen + if is_up { count - 1 } else { 1 }) % count;
    }

    /// The rows that are shown.
    pub(crate) fn lines(&self, columns: usize, colours: Colours) -> Vec<Line<'static>> {
        let from = (self.chosen + 1).saturating_sub(ROWS_MAX);
        let shown = self.candidates.iter().enumerate().skip(from).take(ROWS_MAX);
        let wide = shown.clone().map(|(_, it)| width(&it.text)).max().unwrap_or(0);
        shown
            .map(|(at, candidate)| {
                let role = if at == self.chosen { Role::Chosen } else { Role::Plain };
                let text = in_one_line(&candidate.text).into_owned();
                let text = cut(&text, columns.saturating_sub(4)).into_owned();
                let blank = wide.saturating_sub(width(&text));
                let room = columns.saturating_sub(wide + 6);
                let about = in_one_line(&candidate.about).into_owned();
                let about = if room < 8 { String::new() } else { cut(&about, room).into_owned() };
                Line::from(vec![
                    Span::styled(format!("  {text}{} ", " ".repeat(blank)), colours.style(role)),
                    Span::styled(format!(" {about}"), colours.style(Role::Aside)),
                ])
            })
            .collect()
    }
}
