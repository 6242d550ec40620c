//! A block as lines.

use foveal_screen::in_one_line;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::block::{Block, Item, NoteKind};
use super::tool::{ToolBlock, ToolState};
use crate::lines::{Break, code, cut, diff, markdown, plain, width, wrap};
use crate::status::{seconds, spinner};
use crate::theme::{Colours, Role};

/// Lines of a diff that are shown unasked.
const DIFF_LINES_MAX: usize = 12;

/// Lines of thoughts that are shown while the model thinks.
const THINKING_LINES_MAX: usize = 6;

/// Lines of a result that are shown where all of it is wanted.
const RESULT_LINES_MAX: usize = 5_000;

/// Columns beyond which a text is hard to read.
const TEXT_COLUMNS_MAX: usize = 120;

/// The lines of a block behind `before`.
pub(super) fn shown(
    item: &Item,
    before: Option<&Item>,
    is_chosen: bool,
    (columns, now_ms): (usize, u64),
    colours: Colours,
) -> Vec<Line<'static>> {
    let room = columns.min(TEXT_COLUMNS_MAX);
    let mut lines = Vec::new();
    if has_gap(&item.block, before.map(|before| &before.block)) {
        lines.push(Line::default());
    }
    match &item.block {
        Block::User(text) => lines.extend(user(text, room, colours)),
        Block::Reply(text) => lines.extend(markdown(text, room, colours)),
        Block::Thinking { text, began_ms, took_ms } => {
            let times = (now_ms.saturating_sub(*began_ms), *took_ms);
            lines.extend(thinking(text, times, item.is_expanded, is_chosen, room, colours));
        }
        Block::Tool(tool) => {
            lines.extend(call(tool, item.is_expanded, is_chosen, (columns, now_ms), colours));
        }
        Block::Note(kind, text) => lines.extend(note(*kind, text, room, colours)),
    }
    lines
}

/// Whether an empty line stands between two blocks.
fn has_gap(block: &Block, before: Option<&Block>) -> bool {
    match (before, block) {
        (None, _) => false,
        (Some(Block::Tool(_)), Block::Tool(_)) | (Some(Block::Note(..)), Block::Note(..)) => false,
        (Some(_), _) => true,
    }
}

fn user(text: &str, columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let style = colours.style(Role::User);
    let mark = [Span::styled("> ", style)];
    let rest = [Span::raw("  ")];
    let mut lines = Vec::new();
    for (at, line) in plain(text).lines().enumerate() {
        let first: &[Span<'static>] = if at == 0 { &mark } else { &rest };
        let spans = [Span::styled(line.to_owned(), style)];
        lines.extend(wrap(&spans, columns, (first, &rest), Break::Words));
    }
    lines
}

fn note(kind: NoteKind, text: &str, columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let style = colours.style(match kind {
        NoteKind::Aside => Role::Aside,
        NoteKind::Warning => Role::Warning,
        NoteKind::Error => Role::Error,
    });
    let blank = [Span::raw("  ")];
    let mark = [Span::styled(if kind == NoteKind::Aside { "· " } else { "! " }, style)];
    let mut lines = Vec::new();
    for (at, line) in plain(text).lines().enumerate() {
        let first: &[Span<'static>] = if at == 0 { &mark } else { &blank };
        let rest = [Span::raw(" ".repeat(2 + hang(line, columns)))];
        let spans = [Span::styled(line.to_owned(), style)];
        lines.extend(wrap(&spans, columns, (first, &rest), Break::Words));
    }
    lines
}

/// Columns that what is broken off a line stands in: below what is said of a name, or below the
/// name.
fn hang(line: &str, columns: usize) -> usize {
    let start = line.len() - line.trim_start().len();
    let beside = line[start..].find("  ").map(|at| {
        let after = &line[start + at..];
        width(&line[..start + at]) + after.len() - after.trim_start().len()
    });
    beside.filter(|beside| *beside <= columns / 2).unwrap_or(start)
}

fn thinking(
    text: &str,
    (so_far_ms, took_ms): (u64, Option<u64>),
    is_expanded: bool,
    is_chosen: bool,
    columns: usize,
    colours: Colours,
) -> Vec<Line<'static>> {
    let aside = colours.style(Role::Aside);
    let head = match took_ms {
        None => format!("{} thinks, {}", spinner(so_far_ms), seconds(so_far_ms)),
        // Of an earlier run that is not known.
        Some(0) => "∴ thought".to_owned(),
        Some(took_ms) => format!("∴ thought for {}", seconds(took_ms)),
    };
    let mut lines = vec![Line::styled(head, chosen(aside, is_chosen, colours))];
    if took_ms.is_some() && !is_expanded {
        return lines;
    }
    let prefix = [Span::styled("│ ", aside)];
    let all: Vec<Line<'static>> = plain(text.trim())
        .lines()
        .flat_map(|line| {
            let spans = [Span::styled(line.to_owned(), aside)];
            wrap(&spans, columns, (&prefix, &prefix), Break::Words)
        })
        .collect();
    let from = if is_expanded { 0 } else { all.len().saturating_sub(THINKING_LINES_MAX) };
    lines.extend(all.into_iter().skip(from));
    lines
}

fn chosen(style: Style, is_chosen: bool, colours: Colours) -> Style {
    if is_chosen { colours.style(Role::Chosen) } else { style }
}

fn call(
    tool: &ToolBlock,
    is_expanded: bool,
    is_chosen: bool,
    (columns, now_ms): (usize, u64),
    colours: Colours,
) -> Vec<Line<'static>> {
    let so_far_ms = now_ms.saturating_sub(tool.began_ms);
    let (mark, role) = match &tool.state {
        ToolState::Coming | ToolState::Running => (spinner(so_far_ms), Role::Plain),
        ToolState::Done { is_error: true, .. } => ("✗", Role::Error),
        ToolState::Done { .. } => ("✓", Role::Good),
        ToolState::Left | ToolState::BrokeOff => ("-", Role::Aside),
    };
    let name = in_one_line(&tool.name).into_owned();
    let room = columns.saturating_sub(3 + width(&name));
    let subject = tool.subject();
    let head = Line::from(vec![
        Span::styled(mark, colours.style(role)),
        Span::raw(" "),
        Span::styled(name, chosen(colours.style(Role::Strong), is_chosen, colours)),
        Span::raw(format!(" {}", cut(&subject, room))),
    ]);
    let mut lines = vec![head];
    if is_expanded && width(&subject) > room {
        lines.extend(indented(&subject, columns, "    ", colours.style(Role::Plain)));
    }
    lines.extend(outcome(tool, so_far_ms, columns, colours));
    let is_done = matches!(tool.state, ToolState::Done { is_error: false, .. });
    if let Some(change) = tool.diff.as_ref().filter(|_| is_done || is_expanded) {
        lines.extend(change_lines(change, is_expanded, columns, colours));
    }
    if is_expanded {
        lines.extend(details(tool, columns, colours));
    }
    lines
}

/// The line that says what became of a call, or what it prints while it runs.
fn outcome(
    tool: &ToolBlock,
    so_far_ms: u64,
    columns: usize,
    colours: Colours,
) -> Vec<Line<'static>> {
    let aside = colours.style(Role::Aside);
    let line = |text: &str, style: Style| {
        let text = cut(text, columns.saturating_sub(4)).into_owned();
        Line::from(vec![Span::styled("  └ ", aside), Span::styled(text, style)])
    };
    match &tool.state {
        ToolState::Coming => Vec::new(),
        ToolState::Left => vec![line("not carried out", aside)],
        ToolState::BrokeOff => vec![line("broke off: no answer is kept", aside)],
        ToolState::Running => {
            let mut lines: Vec<Line<'static>> = tool
                .printed()
                .into_iter()
                .map(|text| {
                    let text = in_one_line(text);
                    let text = cut(&text, columns.saturating_sub(4)).into_owned();
                    Line::from(vec![Span::raw("    "), Span::styled(text, aside)])
                })
                .collect();
            if let Some(agent) = &tool.agent {
                lines.push(Line::from(vec![
                    Span::raw("    "),
                    Span::styled(cut(&agent.doing, columns.saturating_sub(4)).into_owned(), aside),
                ]));
                lines.push(line(&format!("{}, {}", agent.figures(), seconds(so_far_ms)), aside));
                return lines;
            }
            // What is answered at once does not flicker.
            if so_far_ms >= 1_000 || !lines.is_empty() {
                lines.push(line(&seconds(so_far_ms), aside));
            }
            lines
        }
        ToolState::Done { is_error, took_ms, .. } => {
            let mut text = tool.amount();
            if let Some(took_ms) = took_ms.filter(|took_ms| *took_ms >= 100) {
                text.push_str(&format!(", {}", seconds(took_ms)));
            }
            vec![line(&text, if *is_error { colours.style(Role::Error) } else { aside })]
        }
    }
}

fn change_lines(
    change: &str,
    is_expanded: bool,
    columns: usize,
    colours: Colours,
) -> Vec<Line<'static>> {
    let mut lines = diff(change, columns, "    ", colours);
    let over = lines.len().saturating_sub(DIFF_LINES_MAX);
    if over > 0 && !is_expanded {
        lines.truncate(DIFF_LINES_MAX);
        let text = format!("    … {over} more lines, Ctrl+O shows them");
        lines.push(Line::styled(text, colours.style(Role::Aside)));
    }
    lines
}

/// All that a call was given and answered.
fn details(tool: &ToolBlock, columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let aside = colours.style(Role::Aside);
    let mut lines = Vec::new();
    if let (Some(arguments), None) = (&tool.arguments, &tool.diff) {
        let told = serde_json::to_string_pretty(arguments).unwrap_or_default();
        for spans in code("json", &told, colours) {
            lines.extend(wrap(
                &spans,
                columns,
                (&[Span::raw("    ")], &[Span::raw("    ")]),
                Break::Anywhere,
            ));
        }
    }
    if let Some(agent) = &tool.agent {
        lines.push(Line::styled("    ──", aside));
        let calls = agent.calls();
        lines.extend(calls.iter().flat_map(|call| indented(call, columns, "    ", aside)));
    }
    let ToolState::Done { text, is_error, .. } = &tool.state else { return lines };
    let style = if *is_error { colours.style(Role::Error) } else { Style::new() };
    lines.push(Line::styled("    ──", aside));
    let all = plain(text);
    for line in all.lines().take(RESULT_LINES_MAX) {
        lines.extend(indented(line, columns, "    ", style));
    }
    let over = all.lines().count().saturating_sub(RESULT_LINES_MAX);
    if over > 0 {
        lines.push(Line::styled(format!("    … {over} more lines"), aside));
    }
    lines
}

fn indented(text: &str, columns: usize, indent: &str, style: Style) -> Vec<Line<'static>> {
    let prefix = [Span::raw(indent.to_owned())];
    wrap(&[Span::styled(text.to_owned(), style)], columns, (&prefix, &prefix), Break::Anywhere)
}
