//! What stands in the prompt, as a list by file and kind.

use std::collections::BTreeMap;

use foveal_agent::{BlockKind, BlockPlace, BlockState, MapChange, PromptBlock, PromptMap};
use foveal_screen::{in_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::key::{Key, KeyCode};
use crate::lines::{Break, cut, width, wrap};
use crate::theme::{Colours, Role};

/// In which order the list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Order {
    /// By file and kind, what takes most first.
    #[default]
    Size,
    /// By file and kind, what cost most first.
    Cost,
    /// As the prompt has it.
    Prompt,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq)]
enum Row {
    /// What the blocks below have in common, with their sums.
    Group { title: String, whole: u64, sent: u64, cost: f64 },
    /// The block with this place in the map.
    Block(usize),
}

/// The list, and what of it is chosen.
#[derive(Debug, Default)]
pub(crate) struct MapView {
    map: Option<PromptMap>,
    order: Order,
    rows: Vec<Row>,
    /// The chosen row; a block wherever there is one.
    chosen: usize,
    /// Rows above the screen, and rows on it, as they were drawn last.
    top: usize,
    page: usize,
    /// What is said of the last key.
    said: Option<String>,
}

/// What a key does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Close,
    Change(MapChange),
    Nothing,
}

impl MapView {
    /// Takes the map as it is now. What is chosen stays.
    pub(crate) fn set(&mut self, map: PromptMap) {
        let place = self.block().map(|block| block.place);
        self.rows = rows(&map, self.order);
        self.map = Some(map);
        self.choose(place);
    }

    /// Chooses this block, or the first one.
    fn choose(&mut self, place: Option<BlockPlace>) {
        let is_at = |row: &Row| self.of(row).is_some_and(|block| Some(block.place) == place);
        let found = self.rows.iter().position(is_at);
        let first = || self.rows.iter().position(|row| matches!(row, Row::Block(_)));
        self.chosen = found.or_else(first).unwrap_or(0);
    }

    fn of(&self, row: &Row) -> Option<&PromptBlock> {
        match row {
            Row::Block(at) => self.map.as_ref()?.blocks.get(*at),
            Row::Group { .. } => None,
        }
    }

    fn block(&self) -> Option<&PromptBlock> {
        self.of(self.rows.get(self.chosen)?)
    }

    pub(crate) fn key(&mut self, key: Key) -> Pressed {
        self.said = None;
        if let Some(rows) = key.moves(self.page) {
            self.step(rows);
            return Pressed::Nothing;
        }
        match (key.code, key.typed()) {
            (KeyCode::Esc, _) | (_, Some('q')) => return Pressed::Close,
            (_, Some('s')) => self.reorder(),
            (_, Some('u')) => return Pressed::Change(MapChange::Undo),
            (_, Some(sign @ ('d' | 'p' | 'r'))) => return self.change(sign),
            _ => {}
        }
        Pressed::Nothing
    }

    fn change(&mut self, sign: char) -> Pressed {
        let Some(block) = self.block() else { return Pressed::Nothing };
        let (place, state) = (block.place, block.state);
        let is_fixed = block.drop_cost.is_none() && block.restore_cost.is_none();
        let refused = match (sign, state) {
            ('d', BlockState::Dropped) => Some("it is dropped already"),
            ('p', BlockState::Pinned) => Some("it is pinned already"),
            ('r', BlockState::Whole) => Some("all of it is sent already"),
            _ if is_fixed => Some("this part of the prompt cannot be changed"),
            _ => None,
        };
        if let Some(why) = refused {
            self.said = Some(why.to_owned());
            return Pressed::Nothing;
        }
        Pressed::Change(match sign {
            'd' => MapChange::Drop(place),
            'p' => MapChange::Pin(place),
            _ => MapChange::Restore(place),
        })
    }

    /// Moves to another block.
    pub(crate) fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let to = self.chosen.saturating_add_signed(by).min(last);
        let is_block = |at: &usize| matches!(self.rows.get(*at), Some(Row::Block(_)));
        let below = (to..=last).find(is_block);
        let above = (0..=to).rev().find(is_block);
        let found = if by < 0 { above.or(below) } else { below.or(above) };
        self.chosen = found.unwrap_or(self.chosen);
    }

    fn reorder(&mut self) {
        self.order = match self.order {
            Order::Size => Order::Cost,
            Order::Cost => Order::Prompt,
            Order::Prompt => Order::Size,
        };
        let place = self.block().map(|block| block.place);
        if let Some(map) = &self.map {
            self.rows = rows(map, self.order);
        }
        self.choose(place);
    }

    /// Says something of the last change.
    pub(crate) fn say(&mut self, text: &str) {
        self.said = Some(in_one_line(text).into_owned());
    }

    /// The list for a screen of this size.
    pub(crate) fn lines(
        &mut self,
        columns: usize,
        rows: usize,
        colours: Colours,
    ) -> Vec<Line<'static>> {
        let aside = colours.style(Role::Aside);
        let Some(map) = &self.map else {
            return vec![Line::styled("reads what stands in the prompt …", aside)];
        };
        let mut lines = head(map, columns, colours);
        let foot = self.foot(columns, colours);
        self.page = rows.saturating_sub(lines.len() + foot.len()).max(1);
        // A group's title stays in sight with its first block.
        let lead = usize::from(
            self.chosen > 0 && matches!(self.rows.get(self.chosen - 1), Some(Row::Group { .. })),
        );
        self.top = self.top.min(self.chosen - lead.min(self.chosen));
        self.top = self.top.max((self.chosen + 1).saturating_sub(self.page));
        let shown = self.rows.iter().enumerate().skip(self.top).take(self.page);
        let list: Vec<Line<'static>> =
            shown.map(|(at, row)| self.row(row, at == self.chosen, columns, colours)).collect();
        let blank = self.page.saturating_sub(list.len());
        lines.extend(list);
        lines.extend(std::iter::repeat_n(Line::default(), blank));
        lines.extend(foot);
        lines
    }

    fn row(&self, row: &Row, is_chosen: bool, columns: usize, colours: Colours) -> Line<'static> {
        let (indent, title, whole, sent, cost, role, why) = match row {
            Row::Group { title, whole, sent, cost } => {
                ("", title.clone(), *whole, *sent, *cost, Role::Strong, "")
            }
            Row::Block(_) => {
                let Some(block) = self.of(row) else { return Line::default() };
                let title = titled(block, self.order == Order::Prompt);
                let role = if is_chosen { Role::Chosen } else { state_role(block.state) };
                let indent = if self.order == Order::Prompt { "" } else { "  " };
                let why = if block.state == BlockState::Whole { "" } else { block.why.as_str() };
                (indent, title, block.tokens_whole, block.tokens_sent, block.cost, role, why)
            }
        };
        let figures = match columns >= COST_COLUMNS {
            true => format!("{:>14} {:>9}", sizes(sent, whole), cost_words(cost)),
            false => format!("{:>13}", sizes(sent, whole)),
        };
        let why_columns = if columns >= WHY_COLUMNS { columns / 3 } else { 0 };
        let room = columns.saturating_sub(width(indent) + width(&figures) + why_columns + 1);
        let title = cut(&title, room).into_owned();
        let blank = room.saturating_sub(width(&title));
        let why = in_one_line(why).into_owned();
        Line::from(vec![
            Span::raw(indent),
            Span::styled(title, colours.style(role)),
            Span::raw(" ".repeat(blank + 1)),
            Span::raw(figures),
            Span::styled(
                if why_columns > 1 {
                    format!(" {}", cut(&why, why_columns - 1))
                } else {
                    String::new()
                },
                colours.style(Role::Aside),
            ),
        ])
    }

    /// What is known of the chosen block, and which keys there are.
    fn foot(&self, columns: usize, colours: Colours) -> Vec<Line<'static>> {
        let aside = colours.style(Role::Aside);
        let mut lines = vec![Line::styled("─".repeat(columns), aside)];
        let mut details = Vec::new();
        if let Some(block) = self.block() {
            details.push(format!("{}: {}", state_words(block.state), in_one_line(&block.why)));
            details.push(costs(block));
        }
        for text in details {
            let spans = [Span::raw(text)];
            let wrapped = wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words);
            lines.extend(wrapped.into_iter().take(2));
        }
        if let Some(said) = &self.said {
            lines.push(Line::styled(cut(said, columns).into_owned(), colours.style(Role::Warning)));
        }
        let order = match self.order {
            Order::Size => "size",
            Order::Cost => "cost",
            Order::Prompt => "place",
        };
        let keys = format!("d drop  p pin  r restore  u undo  s sort ({order})  Esc back");
        lines.push(Line::styled(cut(&keys, columns).into_owned(), aside));
        lines
    }
}

/// Columns from which on costs stand beside sizes.
const COST_COLUMNS: usize = 66;

/// Columns from which on it stands there why something is as it is.
const WHY_COLUMNS: usize = 100;

/// The sums, beside what was billed.
fn head(map: &PromptMap, columns: usize, colours: Colours) -> Vec<Line<'static>> {
    let sent: u64 = map.blocks.iter().map(|block| block.tokens_sent).sum();
    let whole: u64 = map.blocks.iter().map(|block| block.tokens_whole).sum();
    let mut text = format!("Context: {} tokens", count(sent));
    if whole > sent {
        text.push_str(&format!(" of {}", count(whole)));
    }
    if let Some(billed) = map.tokens_billed {
        let off = numbers::change(asked(map) as f64 / billed.max(1) as f64 - 1.0);
        let off = off.replace(' ', "\u{a0}");
        text.push_str(&format!(" · last billed {} ({off})", count(billed)));
    }
    if let Some(window) = map.window {
        let share = sent * 100 / window.max(1);
        text.push_str(&format!(" · {share}\u{a0}% of {}", numbers::tokens(window)));
    }
    let spans = [Span::styled(text, colours.style(Role::Strong))];
    let mut lines = wrap(&spans, columns, (&[], &[Span::raw("  ")]), Break::Words);
    lines.push(Line::styled("─".repeat(columns), colours.style(Role::Aside)));
    lines
}

/// A count whose digits stay in one line.
fn count(number: u64) -> String {
    numbers::count(number).replace(' ', "\u{a0}")
}

/// Tokens of what stood in the prompt that was billed last: all before its answer.
fn asked(map: &PromptMap) -> u64 {
    let entry = |block: &PromptBlock| match block.place {
        BlockPlace::Tools => None,
        BlockPlace::Message { entry, .. } => Some(entry),
    };
    let is_answer = |block: &&PromptBlock| {
        matches!(block.kind, BlockKind::Assistant | BlockKind::Reasoning | BlockKind::Call)
    };
    let answer = map.blocks.iter().filter(is_answer).filter_map(entry).max();
    let stood = |block: &&PromptBlock| answer.is_none() || entry(block) < answer;
    map.blocks.iter().filter(stood).map(|block| block.tokens_sent).sum()
}

/// A cost; what is next to nothing has no row of zeros.
fn cost_words(amount: f64) -> String {
    if amount.abs() < 0.000_05 { "$0".to_owned() } else { numbers::dollars(amount) }
}

fn sizes(sent: u64, whole: u64) -> String {
    match sent == whole {
        true => numbers::tokens(sent),
        false => format!("{} of {}", numbers::tokens(sent), numbers::tokens(whole)),
    }
}

fn costs(block: &PromptBlock) -> String {
    let mut told = format!("cost {} so far", cost_words(block.cost));
    if let Some(cost) = block.restore_cost {
        told.push_str(&format!("; all of it again: {} in the next request", signed(cost)));
    }
    if let Some(cost) = block.drop_cost {
        told.push_str(&format!("; dropping it: {} in the next request", signed(cost)));
    }
    told
}

/// A sum with its sign.
fn signed(amount: f64) -> String {
    let sign = if amount > 0.0 { "+" } else { "" };
    format!("{sign}{}", numbers::signed_dollars(amount))
}

fn titled(block: &PromptBlock, with_path: bool) -> String {
    let mark = match block.state {
        BlockState::Whole => "  ",
        BlockState::Reduced => "~ ",
        BlockState::Pinned => "* ",
        BlockState::Dropped => "- ",
    };
    let path = block.path.iter().filter(|path| with_path && !block.title.contains(path.as_str()));
    let path: String = path.map(|path| format!("{path} ")).collect();
    let title = if block.title.trim().is_empty() { "(empty)" } else { block.title.as_str() };
    format!("{mark}{}", in_one_line(&format!("{path}{title}")))
}

fn state_role(state: BlockState) -> Role {
    match state {
        BlockState::Whole => Role::Plain,
        BlockState::Reduced => Role::Warning,
        BlockState::Pinned => Role::Good,
        BlockState::Dropped => Role::Aside,
    }
}

fn state_words(state: BlockState) -> &'static str {
    match state {
        BlockState::Whole => "whole",
        BlockState::Reduced => "reduced",
        BlockState::Pinned => "pinned",
        BlockState::Dropped => "dropped",
    }
}

fn kind_words(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::System => "system prompt",
        BlockKind::Tools => "tools",
        BlockKind::User => "what you said",
        BlockKind::Assistant => "what the model said",
        BlockKind::Reasoning => "what the model thought",
        BlockKind::Call => "calls",
        BlockKind::Read => "reads",
        BlockKind::Search => "searches",
        BlockKind::List => "listings",
        BlockKind::Run => "commands",
        BlockKind::Edit => "changes",
        BlockKind::Fetch => "pages",
        BlockKind::Other => "other results",
    }
}

/// The blocks in this order, below their groups.
fn rows(map: &PromptMap, order: Order) -> Vec<Row> {
    let places = 0..map.blocks.len();
    if order == Order::Prompt {
        return places.map(Row::Block).collect();
    }
    let mut groups: BTreeMap<(bool, String), Vec<usize>> = BTreeMap::new();
    for at in places {
        let block = &map.blocks[at];
        let key = match &block.path {
            Some(path) => (true, in_one_line(path).into_owned()),
            None => (false, kind_words(block.kind).to_owned()),
        };
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<(Row, Vec<usize>)> = groups
        .into_iter()
        .map(|((_, title), of)| {
            let sum =
                |take: fn(&PromptBlock) -> u64| of.iter().map(|at| take(&map.blocks[*at])).sum();
            let cost = of.iter().map(|at| map.blocks[*at].cost).sum();
            let (whole, sent) = (sum(|block| block.tokens_whole), sum(|block| block.tokens_sent));
            (Row::Group { title, whole, sent, cost }, of)
        })
        .collect();
    groups.sort_by(|(one, _), (other, _)| weight(other, order).total_cmp(&weight(one, order)));
    groups
        .into_iter()
        .flat_map(|(group, of)| std::iter::once(group).chain(of.into_iter().map(Row::Block)))
        .collect()
}

fn weight(row: &Row, order: Order) -> f64 {
    match (row, order) {
        (Row::Group { cost, .. }, Order::Cost) => *cost,
        (Row::Group { sent, .. }, _) => *sent as f64,
        (Row::Block(_), _) => 0.0,
    }
}
