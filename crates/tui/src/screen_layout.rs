//! The layout of the screen.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::chat::Chat;
use crate::text_layout::truncate_to_width;
use crate::theme::TextRole;

/// Rows of the message editor that are visible at most.
const INPUT_ROWS_MAX: usize = 10;

/// The screen height in rows from which on blank lines separate parts.
const SPACIOUS_ROWS_MIN: usize = 16;

/// Draws the chat into a frame.
pub fn draw_chat(chat: &mut Chat, frame: &mut Frame<'_>) {
    let area = frame.area();
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    if columns == 0 || rows == 0 {
        return;
    }
    let room = rows.saturating_sub(1);
    let (mut lines, cursor) = match (&chat.map_view, &mut chat.settings_view) {
        (Some(_), _) => (prompt_map_lines(chat, columns, room), None),
        (None, Some(settings)) => settings.render(columns, room, chat.colours),
        (None, None) => conversation_lines(chat, columns, room),
    };
    let status = match chat.question_view.is_some() && !chat.is_question_visible() {
        true => {
            let text = truncate_to_width("a question is waiting: press Esc to answer it", columns)
                .into_owned();
            Line::styled(text, chat.colours.role_style(TextRole::Warning))
        }
        false => chat.status.render_line(columns, chat.colours),
    };
    lines.truncate(room);
    lines.resize(room, Line::default());
    lines.push(status);
    write_lines(frame.buffer_mut(), area, &lines);
    if let Some((x, y)) = cursor {
        let (x, y) = (x.min(columns - 1), y.min(rows - 1));
        let at = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        frame.set_cursor_position(Position::new(area.x + at(x), area.y + at(y)));
    }
}

fn write_lines(buffer: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
}

fn prompt_map_lines(chat: &mut Chat, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let colours = chat.colours;
    chat.map_view.as_mut().map(|map| map.render(columns, rows, colours)).unwrap_or_default()
}

/// Returns the open question in at most `rows` rows.
fn question_lines(chat: &mut Chat, columns: usize, rows: usize) -> Option<Vec<Line<'static>>> {
    let (colours, moment) = (chat.colours, chat.key_press_context());
    Some(chat.question_view.as_mut()?.render(columns, rows, colours, moment))
}

/// Returns the conversation with the message editor below it, and the cursor's column and row.
fn conversation_lines(
    chat: &mut Chat,
    columns: usize,
    rows: usize,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let colours = chat.colours;
    let typed = chat.editor.layout_rows(columns.saturating_sub(2));
    let most = INPUT_ROWS_MAX.min(rows / 2).max(1);
    let from = (typed.cursor.0 + 1).saturating_sub(most);
    let mark = Span::styled("> ", colours.role_style(TextRole::User));
    let input: Vec<Line<'static>> = typed
        .rows
        .iter()
        .enumerate()
        .skip(from)
        .take(most)
        .map(|(at, row)| {
            let mark = if at == 0 { mark.clone() } else { Span::raw("  ") };
            Line::from(vec![mark, Span::raw(row.clone())])
        })
        .collect();
    let typed_rows = if chat.editor.is_empty() { 0 } else { input.len() + 1 };
    let most = (rows * 2 / 3).saturating_sub(typed_rows).max(4);
    if let Some(question) = question_lines(chat, columns, most) {
        let (input, cursor) = match chat.editor.is_empty() {
            true => (Vec::new(), None),
            false => (input, Some((typed.cursor.1 + 2, typed.cursor.0 - from))),
        };
        return conversation_with_question(chat, columns, rows, question, input, cursor);
    }
    let mut above = Vec::new();
    if let Some(line) = chat.status.render_activity(chat.now_ms, columns, colours) {
        above.extend((rows >= SPACIOUS_ROWS_MIN).then(Line::default));
        above.push(line);
    }
    above.extend(chat.indexing.render_progress(chat.now_ms, columns, colours));
    for text in &chat.queued_messages {
        let text = foveal_screen::escape_one_line(text);
        let text = format!("  queued: {text}");
        above.push(Line::styled(
            truncate_to_width(&text, columns).into_owned(),
            colours.role_style(TextRole::Aside),
        ));
    }
    if let Some(popup) = &chat.popup {
        above.extend(popup.render(columns, colours));
    }
    if chat.first_ctrl_c_ms.is_some() {
        above.push(Line::styled(
            "press Ctrl+C again to quit",
            colours.role_style(TextRole::Warning),
        ));
    }
    let room = rows.saturating_sub(above.len() + input.len() + 1);
    let mut lines = transcript_lines(chat, columns, room);
    lines.extend(above);
    lines.push(separator_line(chat, columns));
    let y = lines.len() + typed.cursor.0 - from;
    lines.extend(input);
    (lines, Some((typed.cursor.1 + 2, y)))
}

/// Returns the conversation with the question and the message editor below it, and the cursor's
/// column and row.
fn conversation_with_question(
    chat: &mut Chat,
    columns: usize,
    rows: usize,
    question: Vec<Line<'static>>,
    input: Vec<Line<'static>>,
    cursor: Option<(usize, usize)>,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let has_input = usize::from(!input.is_empty());
    let popup = chat.popup.as_ref().filter(|_| has_input > 0);
    let popup = popup.map(|popup| popup.render(columns, chat.colours)).unwrap_or_default();
    let below = question.len() + popup.len() + has_input + input.len();
    let mut lines = transcript_lines(chat, columns, rows.saturating_sub(below + 1));
    lines.push(separator_line(chat, columns));
    lines.extend(question);
    lines.extend(popup);
    if has_input > 0 {
        lines.push(Line::styled("─".repeat(columns), chat.colours.role_style(TextRole::Aside)));
    }
    let cursor = cursor.map(|(x, y)| (x, lines.len() + y));
    lines.extend(input);
    (lines, cursor)
}

/// Returns the visible transcript in exactly `rows` rows.
fn transcript_lines(chat: &mut Chat, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let mut lines = chat.transcript.render(columns, rows);
    lines.resize(rows, Line::default());
    lines
}

fn separator_line(chat: &Chat, columns: usize) -> Line<'static> {
    let style = chat.colours.role_style(TextRole::Aside);
    match chat.transcript.is_following_end() {
        true => Line::styled("─".repeat(columns), style),
        false => {
            let hint = "── more below: PgDn, Esc ";
            let rest = columns.saturating_sub(hint.chars().count());
            Line::styled(format!("{hint}{}", "─".repeat(rest)), style)
        }
    }
}
