//! The screen.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use crate::chat::Chat;
use crate::lines::cut;
use crate::theme::Role;

/// Rows of what is typed that are shown.
const INPUT_ROWS_MAX: usize = 10;

/// Rows from which on there is room for empty ones.
const AIRY_ROWS: usize = 16;

/// Draws the chat.
pub fn draw(chat: &mut Chat, frame: &mut Frame<'_>) {
    let area = frame.area();
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    if columns == 0 || rows == 0 {
        return;
    }
    let room = rows.saturating_sub(1);
    let (mut lines, cursor) = match (&chat.map, &mut chat.settings) {
        (Some(_), _) => (with_map(chat, columns, room), None),
        (None, Some(settings)) => settings.lines(columns, room, chat.colours),
        (None, None) => with_input(chat, columns, room),
    };
    let status = match chat.asking.is_some() && !chat.shows_question() {
        true => {
            let text = cut("a question waits: Esc goes back to it", columns).into_owned();
            Line::styled(text, chat.colours.style(Role::Warning))
        }
        false => chat.status.line(columns, chat.colours),
    };
    lines.truncate(room);
    lines.resize(room, Line::default());
    lines.push(status);
    put(frame.buffer_mut(), area, &lines);
    if let Some((x, y)) = cursor {
        let (x, y) = (x.min(columns - 1), y.min(rows - 1));
        let at = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        frame.set_cursor_position(Position::new(area.x + at(x), area.y + at(y)));
    }
}

fn put(buffer: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        buffer.set_line(area.x, y, line, area.width);
    }
}

fn with_map(chat: &mut Chat, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let colours = chat.colours;
    chat.map.as_mut().map(|map| map.lines(columns, rows, colours)).unwrap_or_default()
}

/// The question, in at most so many rows.
fn question(chat: &mut Chat, columns: usize, rows: usize) -> Option<Vec<Line<'static>>> {
    let (colours, moment) = (chat.colours, chat.moment());
    Some(chat.asking.as_mut()?.lines(columns, rows, (colours, moment)))
}

/// The chat above what is typed, and where the cursor is.
fn with_input(
    chat: &mut Chat,
    columns: usize,
    rows: usize,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let colours = chat.colours;
    let typed = chat.editor.rows(columns.saturating_sub(2));
    let most = INPUT_ROWS_MAX.min(rows / 2).max(1);
    let from = (typed.cursor.0 + 1).saturating_sub(most);
    let mark = Span::styled("> ", colours.style(Role::User));
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
    if let Some(question) = question(chat, columns, most) {
        let (input, cursor) = match chat.editor.is_empty() {
            true => (Vec::new(), None),
            false => (input, Some((typed.cursor.1 + 2, typed.cursor.0 - from))),
        };
        return with_question(chat, (columns, rows), question, (input, cursor));
    }
    let mut above = Vec::new();
    if let Some(line) = chat.status.working_line(chat.now_ms, columns, colours) {
        above.extend((rows >= AIRY_ROWS).then(Line::default));
        above.push(line);
    }
    above.extend(chat.indexing.line(chat.now_ms, columns, colours));
    for text in &chat.queued {
        let text = foveal_screen::in_one_line(text);
        let text = format!("  then: {text}");
        above.push(Line::styled(cut(&text, columns).into_owned(), colours.style(Role::Aside)));
    }
    if let Some(popup) = &chat.popup {
        above.extend(popup.lines(columns, colours));
    }
    if chat.quits_ms.is_some() {
        above.push(Line::styled("Ctrl+C again quits", colours.style(Role::Warning)));
    }
    let room = rows.saturating_sub(above.len() + input.len() + 1);
    let mut lines = talk(chat, columns, room);
    lines.extend(above);
    lines.push(rule(chat, columns));
    let y = lines.len() + typed.cursor.0 - from;
    lines.extend(input);
    (lines, Some((typed.cursor.1 + 2, y)))
}

/// The chat above a question, and below that what is typed, with the cursor in it.
fn with_question(
    chat: &mut Chat,
    (columns, rows): (usize, usize),
    question: Vec<Line<'static>>,
    (input, cursor): (Vec<Line<'static>>, Option<(usize, usize)>),
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let has_input = usize::from(!input.is_empty());
    let popup = chat.popup.as_ref().filter(|_| has_input > 0);
    let popup = popup.map(|popup| popup.lines(columns, chat.colours)).unwrap_or_default();
    let below = question.len() + popup.len() + has_input + input.len();
    let mut lines = talk(chat, columns, rows.saturating_sub(below + 1));
    lines.push(rule(chat, columns));
    lines.extend(question);
    lines.extend(popup);
    if has_input > 0 {
        lines.push(Line::styled("─".repeat(columns), chat.colours.style(Role::Aside)));
    }
    let cursor = cursor.map(|(x, y)| (x, lines.len() + y));
    lines.extend(input);
    (lines, cursor)
}

/// What was said, in exactly so many rows.
fn talk(chat: &mut Chat, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let mut lines = chat.talk.lay(columns, rows);
    lines.resize(rows, Line::default());
    lines
}

fn rule(chat: &Chat, columns: usize) -> Line<'static> {
    let style = chat.colours.style(Role::Aside);
    match chat.talk.follows() {
        true => Line::styled("─".repeat(columns), style),
        false => {
            let hint = "── more below: PgDn, Esc ";
            let rest = columns.saturating_sub(hint.chars().count());
            Line::styled(format!("{hint}{}", "─".repeat(rest)), style)
        }
    }
}
