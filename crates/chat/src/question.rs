//! What the person is asked before a call is carried out.

use foveal_screen::{in_one_line, quoted};
use ratatui_core::text::{Line, Span};

use crate::key::{Key, KeyCode};
use crate::lines::{Break, diff, wrap};
use crate::theme::{Colours, Role};

/// What the person is asked before a call is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Which question: its answer bears the same number.
    pub number: u64,
    /// The sub-agent that asks; `None`: the agent itself does.
    pub agent: Option<String>,
    /// The tool.
    pub tool: String,
    /// The path, command or address that it is about, all of it.
    pub subject: String,
    /// Why it is asked, where it is not only because the tool changes something.
    pub reason: Option<String>,
    /// What it changes, as a unified diff.
    pub diff: Option<String>,
}

/// What the person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// This call and no other.
    Once,
    /// The same tool about the same subject, in this session.
    Session,
    /// The same tool about the same subject, in this folder from now on.
    Always,
    /// No.
    Deny,
}

/// A question on the screen.
#[derive(Debug)]
pub(crate) struct Asking {
    pub(crate) question: Question,
    /// Rows of it above the screen.
    top: usize,
    /// Rows that are on the screen, and all, as they were drawn last.
    rows: (usize, usize),
}

/// What a key does to a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Answer(Permission),
    /// It is looked at further.
    Nothing,
}

impl Asking {
    pub(crate) fn new(question: Question) -> Self {
        Self { question, top: 0, rows: (0, 0) }
    }

    pub(crate) fn key(&mut self, key: Key) -> Pressed {
        let answer = match (key.code, key.typed()) {
            (_, Some('y')) => Permission::Once,
            (_, Some('s')) => Permission::Session,
            (_, Some('a')) => Permission::Always,
            (KeyCode::Esc, _) | (_, Some('n')) => Permission::Deny,
            (KeyCode::Up, _) => return self.scroll(-1),
            (KeyCode::Down, _) => return self.scroll(1),
            (KeyCode::PageUp, _) => return self.scroll(-self.page()),
            (KeyCode::PageDown, _) => return self.scroll(self.page()),
            _ => return Pressed::Nothing,
        };
        Pressed::Answer(answer)
    }

    fn page(&self) -> isize {
        isize::try_from(self.rows.0.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
    }

    pub(crate) fn scroll(&mut self, by: isize) -> Pressed {
        let most = self.rows.1.saturating_sub(self.rows.0);
        self.top = self.top.saturating_add_signed(by).min(most);
        Pressed::Nothing
    }

    /// The question in so many columns, and at most so many rows: what it is about can be moved
    /// through, the answers always stand below it.
    pub(crate) fn lines(
        &mut self,
        columns: usize,
        rows: usize,
        colours: Colours,
    ) -> Vec<Line<'static>> {
        let answers = answers(columns, colours);
        let about = self.about(columns, colours);
        let room = rows.saturating_sub(answers.len() + 1).max(1);
        self.rows = (room.min(about.len()), about.len());
        self.scroll(0);
        let below = about.len().saturating_sub(self.top + room);
        let mut lines: Vec<Line<'static>> = about.into_iter().skip(self.top).take(room).collect();
        if below > 0 || self.top > 0 {
            let text = format!("  ↑ {} · ↓ {below} more lines", self.top);
            lines.push(Line::styled(text, colours.style(Role::Warning)));
        }
        lines.extend(answers);
        lines
    }

    fn about(&self, columns: usize, colours: Colours) -> Vec<Line<'static>> {
        let Question { agent, tool, subject, reason, diff: change, .. } = &self.question;
        let mut spans = vec![Span::styled("? ", colours.style(Role::Warning))];
        if let Some(agent) = agent {
            spans.push(Span::raw(format!("sub-agent {}: ", quoted(agent))));
        }
        spans.push(Span::styled(in_one_line(tool).into_owned(), colours.style(Role::Strong)));
        if !subject.is_empty() {
            spans.push(Span::raw(format!(" {}", quoted(subject))));
        }
        if let Some(reason) = reason {
            let reason = in_one_line(reason);
            spans.push(Span::styled(format!(": {reason}"), colours.style(Role::Warning)));
        }
        let mut lines = wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words);
        if let Some(change) = change {
            lines.extend(diff(change, columns, "  ", colours));
        }
        lines
    }
}

/// What can be answered.
fn answers(columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let strong = colours.style(Role::Strong);
    let mut spans = vec![Span::raw("  ")];
    let all = [("y", "once"), ("s", "this session"), ("a", "always"), ("n", "no")];
    for (at, (key, what)) in all.into_iter().enumerate() {
        if at > 0 {
            spans.push(Span::raw("  "));
        }
        spans.push(Span::styled(key, strong));
        // Both stand in one line.
        spans.push(Span::raw(format!("\u{a0}{}", what.replace(' ', "\u{a0}"))));
    }
    wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words)
}
