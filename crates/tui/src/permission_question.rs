//! The question whether a call may run, and its view.

use foveal_screen::numbers::format_plural;
use foveal_screen::{escape_one_line, quote_escaped};
use ratatui_core::text::{Line, Span};

use crate::key_press::{KeyCode, KeyPress};
use crate::text_layout::{WrapMode, render_diff, wrap_spans};
use crate::theme::{ColourSupport, TextRole};

/// Milliseconds without a key press, while the question is visible, after which keys may answer it.
/// A typist does not pause that long within a word, and no user reads a question faster.
const ANSWER_PAUSE_MS: u64 = 800;

/// A question to the user before a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionQuestion {
    /// The question's number, repeated in its answer.
    pub number: u64,
    /// The sub-agent that asks; `None` for the main agent.
    pub sub_agent: Option<String>,
    /// The tool.
    pub tool: String,
    /// The complete path, command or address that the call is about.
    pub subject: String,
    /// The reason for the question, beyond the fact that the tool has effects.
    pub reason: Option<String>,
    /// The call's change as a unified diff.
    pub diff: Option<String>,
    /// The scope of the answer "always", as a sentence; `None` where that answer is not available.
    pub permanent_grant: Option<String>,
}

/// The user's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// Allow this call only.
    Once,
    /// Allow the tool for this subject during this session.
    Session,
    /// Allow the tool for this subject in this folder from now on.
    Always,
    /// Deny the call.
    Deny,
}

/// The visible question.
#[derive(Debug)]
pub(crate) struct PermissionQuestionView {
    pub(crate) question: PermissionQuestion,
    /// The start of the current pause: the time from which on the question is visible unchanged.
    shown_ms: u64,
    /// Whether the user moved the focus to the question, even with a draft in the editor.
    has_focus: bool,
    /// Whether the view asks for a confirmation of "always".
    is_confirming_always: bool,
    /// The number of rows above the visible ones.
    rows_above: usize,
    /// The numbers of visible rows and of all rows in the last frame.
    visible_and_total_rows: (usize, usize),
}

/// The circumstances of a key press.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyPressContext {
    pub(crate) now_ms: u64,
    /// The time of the previous key press.
    pub(crate) last_key_ms: Option<u64>,
    /// Whether the editor holds a draft.
    pub(crate) has_draft: bool,
}

/// The effect of a key on a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum QuestionKeyOutcome {
    Answer(PermissionAnswer),
    /// The question used the key without an answer.
    Consumed,
    /// The key belongs to the message editor.
    PassToEditor,
}

impl PermissionQuestionView {
    pub(crate) fn new(question: PermissionQuestion, now_ms: u64) -> Self {
        let (has_focus, is_confirming_always) = (false, false);
        Self {
            question,
            shown_ms: now_ms,
            has_focus,
            is_confirming_always,
            rows_above: 0,
            visible_and_total_rows: (0, 0),
        }
    }

    /// Restarts the pause, because the question became visible or the user typed something else.
    pub(crate) fn restart_pause(&mut self, now_ms: u64) {
        (self.shown_ms, self.has_focus, self.is_confirming_always) = (now_ms, false, false);
    }

    /// Returns whether keys answer the question now: after a pause, and with an empty editor or the
    /// focus on the question.
    pub(crate) fn accepts_answers(&self, moment: KeyPressContext) -> bool {
        self.has_focus || (self.is_pause_over(moment) && !moment.has_draft)
    }

    fn is_pause_over(&self, KeyPressContext { now_ms, last_key_ms, .. }: KeyPressContext) -> bool {
        let since = self.shown_ms.max(last_key_ms.unwrap_or_default());
        now_ms.saturating_sub(since) >= ANSWER_PAUSE_MS
    }

    /// Returns whether the view changes as time passes.
    pub(crate) fn is_animated(&self, moment: KeyPressContext) -> bool {
        !moment.has_draft && !self.accepts_answers(moment)
            || self.is_confirmation_early(moment.now_ms)
    }

    /// Returns whether the confirmation appeared so recently that a `y` may be the next letter of a
    /// word.
    fn is_confirmation_early(&self, now_ms: u64) -> bool {
        self.is_confirming_always && now_ms.saturating_sub(self.shown_ms) < ANSWER_PAUSE_MS
    }

    pub(crate) fn handle_key(
        &mut self,
        key: KeyPress,
        moment: KeyPressContext,
    ) -> QuestionKeyOutcome {
        if !self.accepts_answers(moment) {
            return match key.code {
                KeyCode::PageUp => self.scroll(-self.page_rows()),
                KeyCode::PageDown => self.scroll(self.page_rows()),
                KeyCode::Tab if self.is_pause_over(moment) => {
                    self.has_focus = true;
                    QuestionKeyOutcome::Consumed
                }
                _ => QuestionKeyOutcome::PassToEditor,
            };
        }
        if self.is_confirming_always {
            return self.handle_confirmation_key(key, moment.now_ms);
        }
        self.has_focus = true;
        let answer = match (key.code, key.typed_char()) {
            (_, Some('y')) => PermissionAnswer::Once,
            (_, Some('s')) => PermissionAnswer::Session,
            (_, Some('a')) if self.question.permanent_grant.is_some() => {
                (self.is_confirming_always, self.shown_ms, self.rows_above) =
                    (true, moment.now_ms, 0);
                return QuestionKeyOutcome::Consumed;
            }
            (KeyCode::Esc, _) | (_, Some('n')) => PermissionAnswer::Deny,
            (KeyCode::Up, _) => return self.scroll(-1),
            (KeyCode::Down, _) => return self.scroll(1),
            (KeyCode::PageUp, _) => return self.scroll(-self.page_rows()),
            (KeyCode::PageDown, _) => return self.scroll(self.page_rows()),
            (KeyCode::Enter, _) => return QuestionKeyOutcome::Consumed,
            _ => return self.return_to_editor(moment.now_ms),
        };
        QuestionKeyOutcome::Answer(answer)
    }

    /// Handles a key of the confirmation. A `y` that comes at once is ignored, as it may be the
    /// next letter of a word.
    fn handle_confirmation_key(&mut self, key: KeyPress, now_ms: u64) -> QuestionKeyOutcome {
        match (key.code, key.typed_char()) {
            (_, Some('y')) if self.is_confirmation_early(now_ms) => QuestionKeyOutcome::Consumed,
            (_, Some('y')) => QuestionKeyOutcome::Answer(PermissionAnswer::Always),
            (KeyCode::Esc, _) | (_, Some('n')) => {
                self.is_confirming_always = false;
                QuestionKeyOutcome::Consumed
            }
            (KeyCode::Enter, _) => QuestionKeyOutcome::Consumed,
            _ => self.return_to_editor(now_ms),
        }
    }

    fn return_to_editor(&mut self, now_ms: u64) -> QuestionKeyOutcome {
        self.restart_pause(now_ms);
        QuestionKeyOutcome::PassToEditor
    }

    fn page_rows(&self) -> isize {
        isize::try_from(self.visible_and_total_rows.0.saturating_sub(1).max(1))
            .unwrap_or(isize::MAX)
    }

    pub(crate) fn scroll(&mut self, by: isize) -> QuestionKeyOutcome {
        let most = self.visible_and_total_rows.1.saturating_sub(self.visible_and_total_rows.0);
        self.rows_above = self.rows_above.saturating_add_signed(by).min(most);
        QuestionKeyOutcome::Consumed
    }

    /// Returns the question in at most `rows` rows. The subject scrolls; the answers stay visible
    /// below it.
    pub(crate) fn render(
        &mut self,
        columns: usize,
        rows: usize,
        colours: ColourSupport,
        moment: KeyPressContext,
    ) -> Vec<Line<'static>> {
        let answers = self.answer_lines(columns, colours, moment);
        let about = self.subject_lines(columns, colours);
        let room = rows.saturating_sub(answers.len() + 1).max(1);
        self.visible_and_total_rows = (room.min(about.len()), about.len());
        self.scroll(0);
        let below = about.len().saturating_sub(self.rows_above + room);
        let mut lines: Vec<Line<'static>> =
            about.into_iter().skip(self.rows_above).take(room).collect();
        if below > 0 || self.rows_above > 0 {
            let text =
                format!("  ↑ {} · ↓ {}", self.rows_above, format_plural(below as u64, "more line"));
            lines.push(Line::styled(text, colours.role_style(TextRole::Warning)));
        }
        lines.extend(answers);
        lines
    }

    fn subject_lines(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let PermissionQuestion { sub_agent: agent, tool, subject, reason, diff: change, .. } =
            &self.question;
        let mut spans = vec![Span::styled("? ", colours.role_style(TextRole::Warning))];
        if let Some(agent) = agent {
            spans.push(Span::raw(format!("sub-agent {}: ", quote_escaped(agent))));
        }
        spans.push(Span::styled(
            escape_one_line(tool).into_owned(),
            colours.role_style(TextRole::Strong),
        ));
        if !subject.is_empty() {
            spans.push(Span::raw(format!(" {}", quote_escaped(subject))));
        }
        if let Some(reason) = reason {
            let reason = escape_one_line(reason);
            spans.push(Span::styled(format!(": {reason}"), colours.role_style(TextRole::Warning)));
        }
        let mut lines = wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words);
        if let Some(change) = change {
            lines.extend(render_diff(change, columns, "  ", colours));
        }
        lines
    }

    /// Returns the last lines: the available answers, or the reason why keys do not answer yet.
    fn answer_lines(
        &self,
        columns: usize,
        colours: ColourSupport,
        moment: KeyPressContext,
    ) -> Vec<Line<'static>> {
        let is_open = self.accepts_answers(moment) && !self.is_confirmation_early(moment.now_ms);
        let strong = colours.role_style(if is_open { TextRole::Strong } else { TextRole::Aside });
        let always = self.question.permanent_grant.as_deref();
        let mut spans = vec![Span::raw("  ")];
        let all: &[(&str, &str)] = match (self.is_confirming_always, always.is_some()) {
            _ if moment.has_draft && !self.accepts_answers(moment) => {
                &[("Tab", "to answer: keys go to your message")]
            }
            (true, _) => &[("y", "always"), ("n", "back")],
            (false, true) => &[("y", "once"), ("s", "this session"), ("a", "always"), ("n", "no")],
            (false, false) => &[("y", "once"), ("s", "this session"), ("n", "no")],
        };
        if !is_open && (!moment.has_draft || self.is_confirming_always) {
            spans.push(Span::styled("… ", strong));
        }
        for (at, (key, what)) in all.iter().enumerate() {
            if at > 0 {
                spans.push(Span::raw("  "));
            }
            spans.push(Span::styled(*key, strong));
            // Non-breaking spaces keep a key and its label in one line.
            spans.push(Span::raw(format!("\u{a0}{}", what.replace(' ', "\u{a0}"))));
        }
        let mut lines = Vec::new();
        if let Some(always) = always.filter(|_| self.is_confirming_always) {
            let always = Span::styled(
                escape_one_line(always).into_owned(),
                colours.role_style(TextRole::Warning),
            );
            let indent: &[Span<'static>] = &[Span::raw("  ")];
            lines.extend(wrap_spans(
                &[Span::raw("  "), always],
                columns,
                &[],
                indent,
                WrapMode::Words,
            ));
        }
        lines.extend(wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words));
        lines
    }
}
