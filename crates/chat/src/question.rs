//! What the person is asked before a call is carried out.

use foveal_screen::{in_one_line, quoted};
use ratatui_core::text::{Line, Span};

use crate::key::{Key, KeyCode};
use crate::lines::{Break, diff, wrap};
use crate::theme::{Colours, Role};

/// Milliseconds without a key, the question in sight, after which keys may answer it. Who types does
/// not pause that long within a word, and nobody reads a question faster.
const PAUSE_MS: u64 = 800;

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
    /// What "always" would allow, in a sentence; `None`: it cannot be allowed for good.
    pub always: Option<String>,
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
    /// Since when it is in sight as it is.
    shown_ms: u64,
    /// Whether the person turned to it, whatever is typed of a message.
    has_focus: bool,
    /// Whether it is asked once more, before it is allowed for good.
    confirms_always: bool,
    /// Rows of it above the screen.
    top: usize,
    /// Rows that are on the screen, and all, as they were drawn last.
    rows: (usize, usize),
}

/// The moment at which a key comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now_ms: u64,
    /// When the last key was pressed before.
    pub(crate) last_key_ms: Option<u64>,
    /// Whether something of a message is typed.
    pub(crate) has_draft: bool,
}

/// What a key does to a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Answer(Permission),
    /// It is looked at further.
    Nothing,
    /// The key is none for the question: it belongs to the message.
    Draft,
}

impl Asking {
    pub(crate) fn new(question: Question, now_ms: u64) -> Self {
        let (has_focus, confirms_always) = (false, false);
        Self { question, shown_ms: now_ms, has_focus, confirms_always, top: 0, rows: (0, 0) }
    }

    /// Begins its pause anew: it comes into sight, or something else was typed.
    pub(crate) fn rest(&mut self, now_ms: u64) {
        (self.shown_ms, self.has_focus, self.confirms_always) = (now_ms, false, false);
    }

    /// Whether keys answer it at this moment: after a pause, and with nothing typed or where the
    /// person turned to it.
    pub(crate) fn takes_keys(&self, moment: Moment) -> bool {
        self.has_focus || (self.is_quiet(moment) && !moment.has_draft)
    }

    fn is_quiet(&self, Moment { now_ms, last_key_ms, .. }: Moment) -> bool {
        let since = self.shown_ms.max(last_key_ms.unwrap_or_default());
        now_ms.saturating_sub(since) >= PAUSE_MS
    }

    /// Whether it looks different once time has passed.
    pub(crate) fn is_live(&self, moment: Moment) -> bool {
        !moment.has_draft && !self.takes_keys(moment) || self.is_early(moment.now_ms)
    }

    /// Whether it is asked for good so recently that a yes may be the next letter of a word.
    fn is_early(&self, now_ms: u64) -> bool {
        self.confirms_always && now_ms.saturating_sub(self.shown_ms) < PAUSE_MS
    }

    pub(crate) fn key(&mut self, key: Key, moment: Moment) -> Pressed {
        if !self.takes_keys(moment) {
            return match key.code {
                KeyCode::PageUp => self.scroll(-self.page()),
                KeyCode::PageDown => self.scroll(self.page()),
                KeyCode::Tab if self.is_quiet(moment) => {
                    self.has_focus = true;
                    Pressed::Nothing
                }
                _ => Pressed::Draft,
            };
        }
        if self.confirms_always {
            return self.key_of_always(key, moment.now_ms);
        }
        self.has_focus = true;
        let answer = match (key.code, key.typed()) {
            (_, Some('y')) => Permission::Once,
            (_, Some('s')) => Permission::Session,
            (_, Some('a')) if self.question.always.is_some() => {
                (self.confirms_always, self.shown_ms, self.top) = (true, moment.now_ms, 0);
                return Pressed::Nothing;
            }
            (KeyCode::Esc, _) | (_, Some('n')) => Permission::Deny,
            (KeyCode::Up, _) => return self.scroll(-1),
            (KeyCode::Down, _) => return self.scroll(1),
            (KeyCode::PageUp, _) => return self.scroll(-self.page()),
            (KeyCode::PageDown, _) => return self.scroll(self.page()),
            (KeyCode::Enter, _) => return Pressed::Nothing,
            _ => return self.leave(moment.now_ms),
        };
        Pressed::Answer(answer)
    }

    /// Takes a key where it is asked whether it is to be allowed for good. A yes that comes at once
    /// is none: it may be the next letter of a word.
    fn key_of_always(&mut self, key: Key, now_ms: u64) -> Pressed {
        match (key.code, key.typed()) {
            (_, Some('y')) if self.is_early(now_ms) => Pressed::Nothing,
            (_, Some('y')) => Pressed::Answer(Permission::Always),
            (KeyCode::Esc, _) | (_, Some('n')) => {
                self.confirms_always = false;
                Pressed::Nothing
            }
            (KeyCode::Enter, _) => Pressed::Nothing,
            _ => self.leave(now_ms),
        }
    }

    fn leave(&mut self, now_ms: u64) -> Pressed {
        self.rest(now_ms);
        Pressed::Draft
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
        (colours, moment): (Colours, Moment),
    ) -> Vec<Line<'static>> {
        let answers = self.answers(columns, (colours, moment));
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

    /// The last lines: what can be answered, or why nothing can be.
    fn answers(&self, columns: usize, (colours, moment): (Colours, Moment)) -> Vec<Line<'static>> {
        let is_open = self.takes_keys(moment) && !self.is_early(moment.now_ms);
        let strong = colours.style(if is_open { Role::Strong } else { Role::Aside });
        let always = self.question.always.as_deref();
        let mut spans = vec![Span::raw("  ")];
        let all: &[(&str, &str)] = match (self.confirms_always, always.is_some()) {
            _ if moment.has_draft && !self.takes_keys(moment) => {
                &[("Tab", "to answer: keys go to your message")]
            }
            (true, _) => &[("y", "always"), ("n", "back")],
            (false, true) => &[("y", "once"), ("s", "this session"), ("a", "always"), ("n", "no")],
            (false, false) => &[("y", "once"), ("s", "this session"), ("n", "no")],
        };
        if !is_open && (!moment.has_draft || self.confirms_always) {
            spans.push(Span::styled("… ", strong));
        }
        for (at, (key, what)) in all.iter().enumerate() {
            if at > 0 {
                spans.push(Span::raw("  "));
            }
            spans.push(Span::styled(*key, strong));
            // Both stand in one line.
            spans.push(Span::raw(format!("\u{a0}{}", what.replace(' ', "\u{a0}"))));
        }
        let mut lines = Vec::new();
        if let Some(always) = always.filter(|_| self.confirms_always) {
            let always =
                Span::styled(in_one_line(always).into_owned(), colours.style(Role::Warning));
            let indent: &[Span<'static>] = &[Span::raw("  ")];
            lines.extend(wrap(&[Span::raw("  "), always], columns, (&[], indent), Break::Words));
        }
        lines.extend(wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words));
        lines
    }
}
