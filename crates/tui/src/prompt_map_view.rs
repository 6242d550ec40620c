//! The prompt map as a list, grouped by file and kind.

use std::collections::BTreeMap;

use foveal_agent::{
    PromptBlock, PromptBlockKind, PromptBlockPosition, PromptBlockState, PromptMap, PromptMapChange,
};
use foveal_screen::{escape_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::key_press::{KeyCode, KeyPress};
use crate::text_layout::{WrapMode, display_width, truncate_to_width, wrap_spans};
use crate::theme::{ColourSupport, TextRole};

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum PromptMapOrder {
    /// Grouped, largest group first.
    #[default]
    Size,
    /// Grouped, most expensive group first.
    Cost,
    /// Ungrouped, in the order of the prompt.
    Prompt,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq)]
enum PromptMapRow {
    /// The title and totals of a group, above its blocks.
    Group { title: String, whole: u64, sent: u64, cost: f64 },
    /// The block with this index in the map.
    Block(usize),
}

/// The list with its selection.
#[derive(Debug, Default)]
pub(crate) struct PromptMapView {
    map: Option<PromptMap>,
    order: PromptMapOrder,
    rows: Vec<PromptMapRow>,
    /// The index of the selected row, which is a block if there is one.
    selected: usize,
    /// The number of rows above the screen in the last frame.
    rows_above: usize,
    /// The number of rows on the screen in the last frame.
    page_rows: usize,
    /// A message about the last key.
    message: Option<String>,
}

/// The effect of a key on the view.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PromptMapKeyOutcome {
    Close,
    Change(PromptMapChange),
    Consumed,
}

impl PromptMapView {
    /// Replaces the map and keeps the selection.
    pub(crate) fn set_map(&mut self, map: PromptMap) {
        let place = self.selected_block().map(|block| block.place);
        self.rows = build_rows(&map, self.order);
        self.map = Some(map);
        self.select_block(place);
    }

    /// Selects the block at this position, or the first block.
    fn select_block(&mut self, place: Option<PromptBlockPosition>) {
        let is_at = |row: &PromptMapRow| {
            self.block_of_row(row).is_some_and(|block| Some(block.place) == place)
        };
        let found = self.rows.iter().position(is_at);
        let first = || self.rows.iter().position(|row| matches!(row, PromptMapRow::Block(_)));
        self.selected = found.or_else(first).unwrap_or(0);
    }

    fn block_of_row(&self, row: &PromptMapRow) -> Option<&PromptBlock> {
        match row {
            PromptMapRow::Block(at) => self.map.as_ref()?.blocks.get(*at),
            PromptMapRow::Group { .. } => None,
        }
    }

    fn selected_block(&self) -> Option<&PromptBlock> {
        self.block_of_row(self.rows.get(self.selected)?)
    }

    pub(crate) fn handle_key(&mut self, key: KeyPress) -> PromptMapKeyOutcome {
        self.message = None;
        if let Some(rows) = key.row_movement(self.page_rows) {
            self.move_selection(rows);
            return PromptMapKeyOutcome::Consumed;
        }
        match (key.code, key.typed_char()) {
            (KeyCode::Esc, _) | (_, Some('q')) => return PromptMapKeyOutcome::Close,
            (_, Some('s')) => self.switch_order(),
            (_, Some('u')) => return PromptMapKeyOutcome::Change(PromptMapChange::Undo),
            (_, Some(sign @ ('d' | 'p' | 'r'))) => return self.change_selected(sign),
            _ => {}
        }
        PromptMapKeyOutcome::Consumed
    }

    fn change_selected(&mut self, sign: char) -> PromptMapKeyOutcome {
        let Some(block) = self.selected_block() else { return PromptMapKeyOutcome::Consumed };
        let (place, state) = (block.place, block.state);
        let is_fixed = block.drop_cost.is_none() && block.restore_cost.is_none();
        let refused = match (sign, state) {
            ('d', PromptBlockState::Dropped) => Some("already dropped"),
            ('p', PromptBlockState::Pinned) => Some("already pinned"),
            ('r', PromptBlockState::Whole) => Some("already sent whole"),
            _ if is_fixed => Some("this part of the prompt cannot be changed"),
            _ => None,
        };
        if let Some(why) = refused {
            self.message = Some(why.to_owned());
            return PromptMapKeyOutcome::Consumed;
        }
        PromptMapKeyOutcome::Change(match sign {
            'd' => PromptMapChange::Drop(place),
            'p' => PromptMapChange::Pin(place),
            _ => PromptMapChange::Restore(place),
        })
    }

    /// Moves the selection by `by` rows to a block, negative upwards.
    pub(crate) fn move_selection(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        let is_block = |at: &usize| matches!(self.rows.get(*at), Some(PromptMapRow::Block(_)));
        let below = (to..=last).find(is_block);
        let above = (0..=to).rev().find(is_block);
        let found = if by < 0 { above.or(below) } else { below.or(above) };
        self.selected = found.unwrap_or(self.selected);
    }

    fn switch_order(&mut self) {
        self.order = match self.order {
            PromptMapOrder::Size => PromptMapOrder::Cost,
            PromptMapOrder::Cost => PromptMapOrder::Prompt,
            PromptMapOrder::Prompt => PromptMapOrder::Size,
        };
        let place = self.selected_block().map(|block| block.place);
        if let Some(map) = &self.map {
            self.rows = build_rows(map, self.order);
        }
        self.select_block(place);
    }

    /// Shows a message about the last change.
    pub(crate) fn show_message(&mut self, text: &str) {
        self.message = Some(escape_one_line(text).into_owned());
    }

    /// Returns the view for a screen of this size.
    pub(crate) fn render(
        &mut self,
        columns: usize,
        rows: usize,
        colours: ColourSupport,
    ) -> Vec<Line<'static>> {
        let aside = colours.role_style(TextRole::Aside);
        let Some(map) = &self.map else {
            return vec![Line::styled("reading the prompt …", aside)];
        };
        let mut lines = header_lines(map, columns, colours);
        let foot = self.footer_lines(columns, colours);
        self.page_rows = rows.saturating_sub(lines.len() + foot.len()).max(1);
        // The title of a group stays visible with its first block.
        let lead = usize::from(
            self.selected > 0
                && matches!(self.rows.get(self.selected - 1), Some(PromptMapRow::Group { .. })),
        );
        self.rows_above = self.rows_above.min(self.selected - lead.min(self.selected));
        self.rows_above = self.rows_above.max((self.selected + 1).saturating_sub(self.page_rows));
        let shown = self.rows.iter().enumerate().skip(self.rows_above).take(self.page_rows);
        let list: Vec<Line<'static>> = shown
            .map(|(at, row)| self.render_row(row, at == self.selected, columns, colours))
            .collect();
        let blank = self.page_rows.saturating_sub(list.len());
        lines.extend(list);
        lines.extend(std::iter::repeat_n(Line::default(), blank));
        lines.extend(foot);
        lines
    }

    fn render_row(
        &self,
        row: &PromptMapRow,
        is_chosen: bool,
        columns: usize,
        colours: ColourSupport,
    ) -> Line<'static> {
        let (indent, title, whole, sent, cost, role, why) = match row {
            PromptMapRow::Group { title, whole, sent, cost } => {
                ("", title.clone(), *whole, *sent, *cost, TextRole::Strong, "")
            }
            PromptMapRow::Block(_) => {
                let Some(block) = self.block_of_row(row) else { return Line::default() };
                let title = format_title(block, self.order == PromptMapOrder::Prompt);
                let role = if is_chosen { TextRole::Selected } else { state_role(block.state) };
                let indent = if self.order == PromptMapOrder::Prompt { "" } else { "  " };
                let why =
                    if block.state == PromptBlockState::Whole { "" } else { block.why.as_str() };
                (indent, title, block.tokens_whole, block.tokens_sent, block.cost, role, why)
            }
        };
        let figures = match columns >= COST_COLUMNS_MIN {
            true if self.has_unknown_cost() => {
                format!("{:>14} {:>9}", format_sizes(sent, whole), "unknown")
            }
            true => format!("{:>14} {:>9}", format_sizes(sent, whole), format_cost(cost)),
            false => format!("{:>13}", format_sizes(sent, whole)),
        };
        let why_columns = if columns >= REASON_COLUMNS_MIN { columns / 3 } else { 0 };
        let room = columns
            .saturating_sub(display_width(indent) + display_width(&figures) + why_columns + 1);
        let title = truncate_to_width(&title, room).into_owned();
        let blank = room.saturating_sub(display_width(&title));
        let why = escape_one_line(why).into_owned();
        Line::from(vec![
            Span::raw(indent),
            Span::styled(title, colours.role_style(role)),
            Span::raw(" ".repeat(blank + 1)),
            Span::raw(figures),
            Span::styled(
                if why_columns > 1 {
                    format!(" {}", truncate_to_width(&why, why_columns - 1))
                } else {
                    String::new()
                },
                colours.role_style(TextRole::Aside),
            ),
        ])
    }

    fn has_unknown_cost(&self) -> bool {
        self.map.as_ref().is_some_and(|map| map.has_unknown_cost)
    }

    /// Returns the details of the selected block and the available keys.
    fn footer_lines(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let aside = colours.role_style(TextRole::Aside);
        let mut lines = vec![Line::styled("─".repeat(columns), aside)];
        let mut details = Vec::new();
        if let Some(block) = self.selected_block() {
            details.push(format!("{}: {}", state_label(block.state), escape_one_line(&block.why)));
            details.push(match self.has_unknown_cost() {
                true => "cost unknown: set your own prices, see `[[gateway.prices]]`".to_owned(),
                false => format_block_costs(block),
            });
        }
        for text in details {
            let spans = [Span::raw(text)];
            let wrapped = wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words);
            lines.extend(wrapped.into_iter().take(2));
        }
        if let Some(said) = &self.message {
            lines.push(Line::styled(
                truncate_to_width(said, columns).into_owned(),
                colours.role_style(TextRole::Warning),
            ));
        }
        let order = match self.order {
            PromptMapOrder::Size => "size",
            PromptMapOrder::Cost => "cost",
            PromptMapOrder::Prompt => "position",
        };
        let keys = format!("d drop  p pin  r restore  u undo  s sort ({order})  Esc back");
        lines.push(Line::styled(truncate_to_width(&keys, columns).into_owned(), aside));
        lines
    }
}

/// The width in columns from which on the list shows costs.
const COST_COLUMNS_MIN: usize = 66;

/// The width in columns from which on the list shows reasons.
const REASON_COLUMNS_MIN: usize = 100;

/// Returns the totals, compared with the last bill.
fn header_lines(map: &PromptMap, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
    let (whole, sent) = prompt_map_tokens(map);
    let mut text = format!("Context: {} tokens", format_count(sent));
    if whole > sent {
        text.push_str(&format!(" of {}", format_count(whole)));
    }
    if let Some(billed) = map.tokens_billed {
        let off = numbers::format_percent_change(
            billed_prompt_tokens(map) as f64 / billed.max(1) as f64 - 1.0,
        );
        let off = off.replace(' ', "\u{a0}");
        text.push_str(&format!(" · last billed {} ({off})", format_count(billed)));
    }
    if let Some(window) = map.window {
        let share = sent * 100 / window.max(1);
        text.push_str(&format!(" · {share}\u{a0}% of {}", numbers::format_tokens(window)));
    }
    let spans = [Span::styled(text, colours.role_style(TextRole::Strong))];
    let mut lines = wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words);
    lines.push(Line::styled("─".repeat(columns), colours.role_style(TextRole::Aside)));
    lines
}

/// Returns the tokens of the prompt, before any reduction and as sent.
pub(crate) fn prompt_map_tokens(map: &PromptMap) -> (u64, u64) {
    let whole = map.blocks.iter().map(|block| block.tokens_whole).sum();
    (whole, map.blocks.iter().map(|block| block.tokens_sent).sum())
}

/// Formats a count with non-breaking spaces.
fn format_count(number: u64) -> String {
    numbers::format_count(number).replace(' ', "\u{a0}")
}

/// Returns the estimated tokens of the prompt that was billed last: of all blocks before its
/// answer.
fn billed_prompt_tokens(map: &PromptMap) -> u64 {
    let entry = |block: &PromptBlock| match block.place {
        PromptBlockPosition::Tools => None,
        PromptBlockPosition::Message { entry, .. } => Some(entry),
    };
    let is_answer = |block: &&PromptBlock| {
        matches!(
            block.kind,
            PromptBlockKind::Assistant | PromptBlockKind::Reasoning | PromptBlockKind::Call
        )
    };
    let answer = map.blocks.iter().filter(is_answer).filter_map(entry).max();
    let stood = |block: &&PromptBlock| answer.is_none() || entry(block) < answer;
    map.blocks.iter().filter(stood).map(|block| block.tokens_sent).sum()
}

/// Formats a cost; amounts that round to zero become `$0`.
fn format_cost(amount: f64) -> String {
    if amount.abs() < 0.000_05 { "$0".to_owned() } else { numbers::format_dollars(amount) }
}

fn format_sizes(sent: u64, whole: u64) -> String {
    match sent == whole {
        true => numbers::format_tokens(sent),
        false => format!("{} of {}", numbers::format_tokens(sent), numbers::format_tokens(whole)),
    }
}

fn format_block_costs(block: &PromptBlock) -> String {
    let mut told = format!("cost {} so far", format_cost(block.cost));
    if let Some(cost) = block.restore_cost {
        told.push_str(&format!("; restoring it: {} in the next request", format_signed_cost(cost)));
    }
    if let Some(cost) = block.drop_cost {
        told.push_str(&format!("; dropping it: {} in the next request", format_signed_cost(cost)));
    }
    told
}

/// Formats a cost with its sign.
fn format_signed_cost(amount: f64) -> String {
    let sign = if amount > 0.0 { "+" } else { "" };
    format!("{sign}{}", numbers::format_signed_dollars(amount))
}

fn format_title(block: &PromptBlock, with_path: bool) -> String {
    let mark = match block.state {
        PromptBlockState::Whole => "  ",
        PromptBlockState::Reduced => "~ ",
        PromptBlockState::Pinned => "* ",
        PromptBlockState::Dropped => "- ",
    };
    let path = block.path.iter().filter(|path| with_path && !block.title.contains(path.as_str()));
    let path: String = path.map(|path| format!("{path} ")).collect();
    let title = if block.title.trim().is_empty() { "(empty)" } else { block.title.as_str() };
    format!("{mark}{}", escape_one_line(&format!("{path}{title}")))
}

fn state_role(state: PromptBlockState) -> TextRole {
    match state {
        PromptBlockState::Whole => TextRole::Plain,
        PromptBlockState::Reduced => TextRole::Warning,
        PromptBlockState::Pinned => TextRole::Good,
        PromptBlockState::Dropped => TextRole::Aside,
    }
}

fn state_label(state: PromptBlockState) -> &'static str {
    match state {
        PromptBlockState::Whole => "whole",
        PromptBlockState::Reduced => "reduced",
        PromptBlockState::Pinned => "pinned",
        PromptBlockState::Dropped => "dropped",
    }
}

fn kind_label(kind: PromptBlockKind) -> &'static str {
    match kind {
        PromptBlockKind::System => "system prompt",
        PromptBlockKind::Tools => "tools",
        PromptBlockKind::User => "your messages",
        PromptBlockKind::Assistant => "model messages",
        PromptBlockKind::Reasoning => "model reasoning",
        PromptBlockKind::Call => "calls",
        PromptBlockKind::Read => "reads",
        PromptBlockKind::Search => "searches",
        PromptBlockKind::List => "listings",
        PromptBlockKind::Run => "commands",
        PromptBlockKind::Edit => "changes",
        PromptBlockKind::Fetch => "pages",
        PromptBlockKind::Other => "other results",
    }
}

/// Returns the blocks in `order`, below their groups.
fn build_rows(map: &PromptMap, order: PromptMapOrder) -> Vec<PromptMapRow> {
    let places = 0..map.blocks.len();
    if order == PromptMapOrder::Prompt {
        return places.map(PromptMapRow::Block).collect();
    }
    let mut groups: BTreeMap<(bool, String), Vec<usize>> = BTreeMap::new();
    for at in places {
        let block = &map.blocks[at];
        let key = match &block.path {
            Some(path) => (true, escape_one_line(path).into_owned()),
            None => (false, kind_label(block.kind).to_owned()),
        };
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<(PromptMapRow, Vec<usize>)> = groups
        .into_iter()
        .map(|((_, title), of)| {
            let sum =
                |take: fn(&PromptBlock) -> u64| of.iter().map(|at| take(&map.blocks[*at])).sum();
            let cost = of.iter().map(|at| map.blocks[*at].cost).sum();
            let (whole, sent) = (sum(|block| block.tokens_whole), sum(|block| block.tokens_sent));
            (PromptMapRow::Group { title, whole, sent, cost }, of)
        })
        .collect();
    groups.sort_by(|(one, _), (other, _)| {
        group_sort_key(other, order).total_cmp(&group_sort_key(one, order))
    });
    groups
        .into_iter()
        .flat_map(|(group, of)| {
            std::iter::once(group).chain(of.into_iter().map(PromptMapRow::Block))
        })
        .collect()
}

fn group_sort_key(row: &PromptMapRow, order: PromptMapOrder) -> f64 {
    match (row, order) {
        (PromptMapRow::Group { cost, .. }, PromptMapOrder::Cost) => *cost,
        (PromptMapRow::Group { sent, .. }, _) => *sent as f64,
        (PromptMapRow::Block(_), _) => 0.0,
    }
}
