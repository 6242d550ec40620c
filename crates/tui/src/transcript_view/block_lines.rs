//! The lines of a block.

use foveal_screen::escape_one_line;
use foveal_screen::numbers::format_plural;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::block::{ChatBlock, NoticeLevel, Thinker, TranscriptItem};
use super::tool_block::{ToolBlock, ToolState};
use crate::session_status::{format_duration, spinner_frame};
use crate::text_layout::{
    WrapMode, display_width, highlight_code, printable_text, render_diff, render_markdown,
    truncate_to_width, wrap_spans,
};
use crate::theme::{ColourSupport, TextRole};

/// Lines of a diff that a collapsed block shows at most.
const COLLAPSED_DIFF_LINES_MAX: usize = 12;

/// Lines of reasoning that are shown at most while the model thinks.
const THINKING_LINES_MAX: usize = 6;

/// Lines of a result that an expanded block shows at most.
const RESULT_LINES_MAX: usize = 5_000;

/// Columns of running text at most; wider text is hard to read.
const TEXT_COLUMNS_MAX: usize = 120;

/// Returns the lines of a block that follows `before`.
pub(super) fn layout_block(
    item: &TranscriptItem,
    before: Option<&TranscriptItem>,
    is_chosen: bool,
    columns: usize,
    now_ms: u64,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let room = columns.min(TEXT_COLUMNS_MAX);
    let mut lines = Vec::new();
    if has_gap(&item.block, before.map(|before| &before.block)) {
        lines.push(Line::default());
    }
    match &item.block {
        ChatBlock::User(text) => lines.extend(user_lines(text, room, colours)),
        ChatBlock::Reply(text) => lines.extend(render_markdown(text, room, colours)),
        ChatBlock::Thinking { thinker, text, began_ms, took_ms } => {
            let head = thinking_head(*thinker, now_ms.saturating_sub(*began_ms), *took_ms);
            let is_open = took_ms.is_none();
            let is_expanded = item.is_expanded;
            lines.extend(thinking_lines(
                head,
                text,
                is_open,
                is_expanded,
                is_chosen,
                room,
                colours,
            ));
        }
        ChatBlock::Tool(tool) => {
            lines.extend(call_lines(tool, item.is_expanded, is_chosen, columns, now_ms, colours));
        }
        ChatBlock::Notice(kind, text) => lines.extend(notice_lines(*kind, text, room, colours)),
        ChatBlock::Indexing { summary, reasoning } => {
            let aside = colours.role_style(TextRole::Aside);
            let style = selectable_style(aside, is_chosen, colours);
            let spans = [Span::styled(summary.clone(), style)];
            let (mark, rest) = ([Span::styled("∴ ", aside)], [Span::raw("  ")]);
            lines.extend(wrap_spans(&spans, room, &mark, &rest, WrapMode::Words));
            if item.is_expanded {
                lines.extend(reasoning_lines(reasoning.trim(), room, colours));
            }
        }
    }
    lines
}

/// Returns whether an empty line separates two blocks.
fn has_gap(block: &ChatBlock, before: Option<&ChatBlock>) -> bool {
    match (before, block) {
        (None, _) => false,
        (Some(ChatBlock::Tool(_)), ChatBlock::Tool(_))
        | (Some(ChatBlock::Notice(..)), ChatBlock::Notice(..)) => false,
        (Some(_), _) => true,
    }
}

fn user_lines(text: &str, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
    let style = colours.role_style(TextRole::User);
    let mark = [Span::styled("> ", style)];
    let rest = [Span::raw("  ")];
    let mut lines = Vec::new();
    for (at, line) in printable_text(text).lines().enumerate() {
        let first: &[Span<'static>] = if at == 0 { &mark } else { &rest };
        let spans = [Span::styled(line.to_owned(), style)];
        lines.extend(wrap_spans(&spans, columns, first, &rest, WrapMode::Words));
    }
    lines
}

fn notice_lines(
    kind: NoticeLevel,
    text: &str,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let style = colours.role_style(match kind {
        NoticeLevel::Info => TextRole::Aside,
        NoticeLevel::Warning => TextRole::Warning,
        NoticeLevel::Error => TextRole::Error,
    });
    let blank = [Span::raw("  ")];
    let mark = [Span::styled(if kind == NoticeLevel::Info { "· " } else { "! " }, style)];
    let mut lines = Vec::new();
    for (at, line) in printable_text(text).lines().enumerate() {
        let first: &[Span<'static>] = if at == 0 { &mark } else { &blank };
        let rest = [Span::raw(" ".repeat(2 + hanging_indent(line, columns)))];
        let spans = [Span::styled(line.to_owned(), style)];
        lines.extend(wrap_spans(&spans, columns, first, &rest, WrapMode::Words));
    }
    lines
}

/// Returns the indentation of the wrapped rest of a line: that of the description behind a name, or
/// else that of the line.
fn hanging_indent(line: &str, columns: usize) -> usize {
    let start = line.len() - line.trim_start().len();
    let beside = line[start..].find("  ").map(|at| {
        let after = &line[start + at..];
        display_width(&line[..start + at]) + after.len() - after.trim_start().len()
    });
    beside.filter(|beside| *beside <= columns / 2).unwrap_or(start)
}

/// Returns the line above a model's reasoning.
fn thinking_head(thinker: Thinker, so_far_ms: u64, took_ms: Option<u64>) -> String {
    let (thinks, thought) = match thinker {
        Thinker::Main => ("thinking", "thought"),
        Thinker::Curator => ("the curator is thinking", "the curator thought"),
    };
    match took_ms {
        None => format!("{} {thinks}, {}", spinner_frame(so_far_ms), format_duration(so_far_ms)),
        // The duration of an earlier run's reasoning is unknown.
        Some(0) => format!("∴ {thought}"),
        Some(took_ms) => format!("∴ {thought} for {}", format_duration(took_ms)),
    }
}

fn thinking_lines(
    head: String,
    text: &str,
    is_open: bool,
    is_expanded: bool,
    is_chosen: bool,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let aside = colours.role_style(TextRole::Aside);
    let mut lines = vec![Line::styled(head, selectable_style(aside, is_chosen, colours))];
    if !is_open && !is_expanded {
        return lines;
    }
    lines.extend(match is_expanded {
        true => reasoning_lines(text.trim(), columns, colours),
        false => latest_reasoning_lines(text, columns, colours),
    });
    lines
}

/// Returns the lines of a model's reasoning.
fn reasoning_lines(text: &str, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
    let aside = colours.role_style(TextRole::Aside);
    let prefix = [Span::styled("│ ", aside)];
    printable_text(text)
        .lines()
        .flat_map(|line| {
            let spans = [Span::styled(line.to_owned(), aside)];
            wrap_spans(&spans, columns, &prefix, &prefix, WrapMode::Words)
        })
        .collect()
}

/// Returns the last lines of the reasoning of a model that still thinks.
pub(crate) fn latest_reasoning_lines(
    text: &str,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let text = text.trim();
    // Each line takes a row or more, so that no others are seen. They are laid out for each frame.
    let start = text.rmatch_indices('\n').nth(THINKING_LINES_MAX - 1);
    let latest = start.map_or(text, |(at, _)| &text[at + 1..]);
    let mut lines = reasoning_lines(latest, columns, colours);
    lines.drain(..lines.len().saturating_sub(THINKING_LINES_MAX));
    lines
}

fn selectable_style(style: Style, is_chosen: bool, colours: ColourSupport) -> Style {
    if is_chosen { colours.role_style(TextRole::Selected) } else { style }
}

fn call_lines(
    tool: &ToolBlock,
    is_expanded: bool,
    is_chosen: bool,
    columns: usize,
    now_ms: u64,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let so_far_ms = now_ms.saturating_sub(tool.began_ms);
    let (mark, role) = match &tool.state {
        ToolState::ReceivingArguments | ToolState::Running => {
            (spinner_frame(so_far_ms), TextRole::Plain)
        }
        ToolState::Done { is_error: true, .. } => ("✗", TextRole::Error),
        ToolState::Done { .. } => ("✓", TextRole::Good),
        ToolState::Abandoned | ToolState::Interrupted => ("-", TextRole::Aside),
    };
    let name = escape_one_line(&tool.name).into_owned();
    let room = columns.saturating_sub(3 + display_width(&name));
    let subject = tool.subject_line();
    let head = Line::from(vec![
        Span::styled(mark, colours.role_style(role)),
        Span::raw(" "),
        Span::styled(
            name,
            selectable_style(colours.role_style(TextRole::Strong), is_chosen, colours),
        ),
        Span::raw(format!(" {}", truncate_to_width(&subject, room))),
    ]);
    let mut lines = vec![head];
    if is_expanded && display_width(&subject) > room {
        lines.extend(indented_lines(
            &subject,
            columns,
            "    ",
            colours.role_style(TextRole::Plain),
        ));
    }
    lines.extend(call_state_lines(tool, so_far_ms, columns, colours));
    let is_done = matches!(tool.state, ToolState::Done { is_error: false, .. });
    if let Some(change) = tool.diff.as_ref().filter(|_| is_done || is_expanded) {
        lines.extend(call_diff_lines(change, is_expanded, columns, colours));
    }
    if is_expanded {
        lines.extend(call_detail_lines(tool, columns, colours));
    }
    lines
}

/// Returns the line with the result of a call, or the latest output of a running one.
fn call_state_lines(
    tool: &ToolBlock,
    so_far_ms: u64,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let aside = colours.role_style(TextRole::Aside);
    let line = |text: &str, style: Style| {
        let text = truncate_to_width(text, columns.saturating_sub(4)).into_owned();
        Line::from(vec![Span::styled("  └ ", aside), Span::styled(text, style)])
    };
    match &tool.state {
        ToolState::ReceivingArguments => Vec::new(),
        ToolState::Abandoned => vec![line("not run", aside)],
        ToolState::Interrupted => vec![line("interrupted: the result is unknown", aside)],
        ToolState::Running => {
            let mut lines: Vec<Line<'static>> = tool
                .latest_output_lines()
                .into_iter()
                .map(|text| {
                    let text = escape_one_line(text);
                    let text = truncate_to_width(&text, columns.saturating_sub(4)).into_owned();
                    Line::from(vec![Span::raw("    "), Span::styled(text, aside)])
                })
                .collect();
            if let Some(agent) = &tool.sub_agent {
                lines.push(Line::from(vec![
                    Span::raw("    "),
                    Span::styled(
                        truncate_to_width(&agent.current_activity, columns.saturating_sub(4))
                            .into_owned(),
                        aside,
                    ),
                ]));
                lines.push(line(
                    &format!("{}, {}", agent.format_totals(), format_duration(so_far_ms)),
                    aside,
                ));
                return lines;
            }
            // The timer appears after a second, so that fast calls do not flicker.
            if so_far_ms >= 1_000 || !lines.is_empty() {
                lines.push(line(&format_duration(so_far_ms), aside));
            }
            lines
        }
        ToolState::Done { is_error, took_ms, .. } => {
            let mut text = tool.summarize_result();
            if let Some(took_ms) = took_ms.filter(|took_ms| *took_ms >= 100) {
                text.push_str(&format!(", {}", format_duration(took_ms)));
            }
            vec![line(&text, if *is_error { colours.role_style(TextRole::Error) } else { aside })]
        }
    }
}

fn call_diff_lines(
    change: &str,
    is_expanded: bool,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let mut lines = render_diff(change, columns, "    ", colours);
    let over = lines.len().saturating_sub(COLLAPSED_DIFF_LINES_MAX);
    if over > 0 && !is_expanded {
        lines.truncate(COLLAPSED_DIFF_LINES_MAX);
        let over = format_plural(over as u64, "more line");
        let text = format!("    … {over}, Ctrl+O shows them");
        lines.push(Line::styled(text, colours.role_style(TextRole::Aside)));
    }
    lines
}

/// Returns the arguments and the result of an expanded call.
fn call_detail_lines(
    tool: &ToolBlock,
    columns: usize,
    colours: ColourSupport,
) -> Vec<Line<'static>> {
    let aside = colours.role_style(TextRole::Aside);
    let mut lines = Vec::new();
    if let (Some(arguments), None) = (&tool.arguments, &tool.diff) {
        let told = serde_json::to_string_pretty(arguments).unwrap_or_default();
        for spans in highlight_code("json", &told, colours) {
            lines.extend(wrap_spans(
                &spans,
                columns,
                &[Span::raw("    ")],
                &[Span::raw("    ")],
                WrapMode::Anywhere,
            ));
        }
    }
    if let Some(agent) = &tool.sub_agent {
        lines.push(Line::styled("    ──", aside));
        let calls = agent.call_lines();
        lines.extend(calls.iter().flat_map(|call| indented_lines(call, columns, "    ", aside)));
    }
    let ToolState::Done { text, is_error, .. } = &tool.state else { return lines };
    let style = if *is_error { colours.role_style(TextRole::Error) } else { Style::new() };
    if !tool.curator_thinking.is_empty() {
        lines.push(Line::styled("    ──", aside));
        let thinking = printable_text(&tool.curator_thinking);
        lines
            .extend(thinking.lines().flat_map(|line| indented_lines(line, columns, "    ", aside)));
    }
    lines.push(Line::styled("    ──", aside));
    // The model reads the curated text in place of the result.
    let all = printable_text(tool.curated_text.as_ref().unwrap_or(text));
    for line in all.lines().take(RESULT_LINES_MAX) {
        lines.extend(indented_lines(line, columns, "    ", style));
    }
    let over = all.lines().count().saturating_sub(RESULT_LINES_MAX);
    if over > 0 {
        let over = format_plural(over as u64, "more line");
        lines.push(Line::styled(format!("    … {over}"), aside));
    }
    lines
}

fn indented_lines(text: &str, columns: usize, indent: &str, style: Style) -> Vec<Line<'static>> {
    let prefix = [Span::raw(indent.to_owned())];
    wrap_spans(
        &[Span::styled(text.to_owned(), style)],
        columns,
        &prefix,
        &prefix,
        WrapMode::Anywhere,
    )
}
