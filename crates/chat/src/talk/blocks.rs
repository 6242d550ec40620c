//! The blocks of a chat, and which of them are on the screen.

use std::collections::VecDeque;
use std::rc::Rc;

use foveal_agent::{BlockKind, PromptBlock, PromptMap};
use foveal_screen::numbers;
use ratatui_core::text::Line;

use super::block::{Block, Item, Laid, NoteKind};
use super::shown::shown;
use super::tool::{ToolBlock, ToolState};
use crate::theme::Colours;

/// Blocks that are held. Where there are more, the oldest go: the session has them.
const ITEMS_MAX: usize = 40_000;

/// Blocks that go at once then.
const ITEMS_GO: usize = 4_000;

/// Blocks whose lines are held.
const LAID_MAX: usize = 512;

/// Bytes of a part of an answer from which on it is divided between two blocks of Markdown, so that
/// no more than this is laid out anew for each word that comes.
const PART_BYTES: usize = 600;

/// Bytes of reasoning that are held of one block.
const THINKING_BYTES_MAX: usize = 256 << 10;

/// The blocks of a chat.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    items: VecDeque<Item>,
    colours: Colours,
    /// Where the answer under way begins.
    answer_from: usize,
    /// The block and its line at the top of the screen; `None`: the end is shown, whatever comes.
    top: Option<(usize, usize)>,
    /// The block that was chosen.
    chosen: Option<usize>,
    /// Blocks whose lines are held, the oldest first.
    laid: VecDeque<usize>,
    /// Columns and rows that were drawn last.
    size: (usize, usize),
    now_ms: u64,
}

impl Talk {
    pub(crate) fn new(colours: Colours) -> Self {
        Self { colours, size: (80, 20), ..Self::default() }
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = &Item> {
        self.items.iter()
    }

    pub(crate) fn set_now(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
    }

    /// Adds a block.
    pub(crate) fn push(&mut self, block: Block) {
        if self.items.len() >= ITEMS_MAX {
            self.forget_oldest();
        }
        self.items.push_back(Item::new(block));
    }

    fn forget_oldest(&mut self) {
        self.items.drain(..ITEMS_GO);
        self.answer_from = self.answer_from.saturating_sub(ITEMS_GO);
        self.top = self.top.and_then(|(at, line)| Some((at.checked_sub(ITEMS_GO)?, line)));
        self.chosen = self.chosen.and_then(|at| at.checked_sub(ITEMS_GO));
        self.laid = self.laid.iter().filter_map(|at| at.checked_sub(ITEMS_GO)).collect();
    }

    /// Forgets all of it.
    pub(crate) fn clear(&mut self) {
        let (colours, size, now_ms) = (self.colours, self.size, self.now_ms);
        *self = Self { colours, size, now_ms, ..Self::default() };
    }

    /// Takes how much of results the model is sent. Where the map is not of the same calls, nothing is
    /// known.
    pub(crate) fn take_map(&mut self, map: &PromptMap) {
        let results = map.blocks.iter().filter(|block| is_result(block.kind));
        let results: Vec<&PromptBlock> = results.collect();
        let is_done = |item: &&mut Item| match &item.block {
            Block::Tool(tool) => matches!(tool.state, ToolState::Done { .. }),
            _ => false,
        };
        let done: Vec<&mut Item> = self.items.iter_mut().filter(is_done).collect();
        if done.len() != results.len() {
            return;
        }
        for (item, block) in done.into_iter().zip(results) {
            let is_less = block.tokens_sent < block.tokens_whole;
            let given = is_less.then(|| {
                let [sent, whole] = [block.tokens_sent, block.tokens_whole].map(numbers::tokens);
                format!("the model is sent {sent} of {whole} tokens")
            });
            if let Block::Tool(tool) = &mut item.block
                && tool.given != given
            {
                tool.given = given;
                item.laid = None;
            }
        }
    }

    /// Says something of foveal's own.
    pub(crate) fn note(&mut self, kind: NoteKind, text: String) {
        self.push(Block::Note(kind, text));
    }

    /// The same, unless it was said already.
    pub(crate) fn note_once(&mut self, kind: NoteKind, text: String) {
        let is_it = |item: &Item| matches!(&item.block, Block::Note(_, said) if *said == text);
        if !self.items.iter().any(is_it) {
            self.note(kind, text);
        }
    }

    /// What comes now is of a new answer.
    pub(crate) fn begin_answer(&mut self) {
        self.answer_from = self.items.len();
    }

    /// What was told of the answer under way does not count.
    pub(crate) fn forget_answer(&mut self) {
        self.items.truncate(self.answer_from);
        self.laid.retain(|at| *at < self.answer_from);
        self.chosen = self.chosen.filter(|at| *at < self.answer_from);
        if self.top.is_some_and(|(at, _)| at >= self.answer_from) {
            self.top = None;
        }
    }

    /// The model says more.
    pub(crate) fn say(&mut self, piece: &str) {
        let last = self.items.len().checked_sub(1).filter(|last| *last >= self.answer_from);
        let last = last.and_then(|last| self.items.get_mut(last));
        match last {
            Some(Item { block: Block::Reply(text), laid, .. }) => {
                text.push_str(piece);
                *laid = None;
                self.divide();
            }
            _ => {
                let text = piece.trim_start_matches('\n').to_owned();
                if !text.trim().is_empty() {
                    self.push(Block::Reply(text));
                    self.divide();
                }
            }
        }
    }

    /// Divides the last part of an answer where it has become long.
    fn divide(&mut self) {
        while let Some(Item { block: Block::Reply(text), .. }) = self.items.back_mut() {
            let Some(at) = division(text) else { return };
            let rest = text.split_off(at);
            let kept = text.trim_end().len();
            text.truncate(kept);
            self.push(Block::Reply(rest));
        }
    }

    /// The model thinks more.
    pub(crate) fn think(&mut self, piece: &str, now_ms: u64) {
        let last = self.items.len().checked_sub(1).filter(|last| *last >= self.answer_from);
        let last = last.and_then(|last| self.items.get_mut(last));
        match last {
            Some(Item { block: Block::Thinking { text, took_ms: None, .. }, laid, .. }) => {
                if text.len() + piece.len() <= THINKING_BYTES_MAX {
                    text.push_str(piece);
                }
                *laid = None;
            }
            _ => {
                let (text, began_ms) = (piece.to_owned(), now_ms);
                self.push(Block::Thinking { text, began_ms, took_ms: None });
            }
        }
    }

    /// The model says something else than thoughts.
    pub(crate) fn end_thinking(&mut self, now_ms: u64) {
        if let Some(item) = self.items.back_mut()
            && let Block::Thinking { began_ms, took_ms: took @ None, .. } = &mut item.block
        {
            *took = Some(now_ms.saturating_sub(*began_ms));
            item.laid = None;
        }
    }

    /// Whether a call of this name has no result yet.
    pub(crate) fn has_open(&self, id: &str) -> bool {
        self.open(id).is_some()
    }

    fn open(&self, id: &str) -> Option<usize> {
        self.items.iter().rposition(|item| match &item.block {
            Block::Tool(tool) => tool.id == id && tool.is_open(),
            _ => false,
        })
    }

    /// Changes a call that has no result yet.
    pub(crate) fn with_tool(&mut self, id: &str, change: impl FnOnce(&mut ToolBlock)) {
        let Some(at) = self.open(id) else { return };
        let item = &mut self.items[at];
        if let Block::Tool(tool) = &mut item.block {
            change(tool);
        }
        item.laid = None;
    }

    /// What runs was let begin now: the person's time is not its own. A sub-agent that asked had begun
    /// before.
    pub(crate) fn begin_running(&mut self, now_ms: u64) {
        for item in self.items.iter_mut().rev().take(LAID_MAX) {
            if let Block::Tool(tool) = &mut item.block
                && tool.state == ToolState::Running
                && tool.agent.is_none()
            {
                tool.began_ms = now_ms;
            }
        }
    }

    /// Takes that the model is sent less of the answer to this call.
    pub(crate) fn give(&mut self, id: &str, given: String) {
        let found = self.items.iter_mut().rev().find_map(|item| match &mut item.block {
            Block::Tool(tool) if tool.id == id => Some((tool, &mut item.laid)),
            _ => None,
        });
        if let Some((tool, laid)) = found {
            tool.given = Some(given);
            *laid = None;
        }
    }

    /// Nobody waits for calls any more; they stand like this.
    pub(crate) fn leave_open(&mut self, state: &ToolState) {
        for item in self.items.iter_mut().rev().take(LAID_MAX) {
            if let Block::Tool(tool) = &mut item.block
                && tool.is_live()
            {
                tool.state = state.clone();
                item.laid = None;
            }
        }
    }

    /// Shows all of the chosen block, or of the last one that has more to show; or less of it again.
    pub(crate) fn toggle(&mut self) {
        let last = || self.items.iter().rposition(Item::can_expand);
        if let Some(item) = self.chosen.or_else(last).and_then(|at| self.items.get_mut(at)) {
            item.is_expanded = !item.is_expanded;
            item.laid = None;
        }
    }

    /// Chooses the next block above or below that has more to show. Below the last one none is
    /// chosen.
    pub(crate) fn choose(&mut self, is_up: bool) {
        let from = self.chosen.unwrap_or(self.items.len());
        let can = |at: &usize| self.items.get(*at).is_some_and(Item::can_expand);
        let next = match is_up {
            true => (0..from).rev().find(can).or(self.chosen),
            false => (from + 1..self.items.len()).find(can),
        };
        let last = std::mem::replace(&mut self.chosen, next);
        for at in [last, next].into_iter().flatten() {
            self.items[at].laid = None;
        }
        match next {
            Some(at) => self.bring_up(at),
            None => self.top = None,
        }
    }

    /// Chooses the block in this row of the screen if there is more to see of it, and shows all of
    /// it. Its first row stays where it is.
    pub(crate) fn click(&mut self, row: usize) {
        if row >= self.size.1 {
            return;
        }
        let top = self.first();
        let (at, _) = self.down(top, row);
        if !self.items.get(at).is_some_and(Item::can_expand) {
            return;
        }
        self.choose_none();
        self.top = Some(top);
        self.chosen = Some(at);
        if let Some(item) = self.items.get_mut(at) {
            item.is_expanded = true;
            item.laid = None;
        }
    }

    /// Chooses nothing; whether something was chosen.
    pub(crate) fn choose_none(&mut self) -> bool {
        let chosen = self.chosen.take();
        if let Some(item) = chosen.and_then(|at| self.items.get_mut(at)) {
            item.laid = None;
        }
        chosen.is_some()
    }

    /// Moves so that the block is on the screen.
    fn bring_up(&mut self, at: usize) {
        let (first, _) = self.first();
        if at < first {
            self.top = Some((at, 0));
            return;
        }
        let rows = self.size.1;
        let mut below = 0;
        for later in first..=at {
            below += self.height(later);
        }
        if below > rows {
            let end = (at, self.height(at));
            self.top = Some(self.up(end, rows));
        }
    }

    /// Moves the text by so many lines, up where they are fewer than none.
    pub(crate) fn scroll(&mut self, lines: isize) {
        let first = self.first();
        let by = lines.unsigned_abs();
        let next = if lines < 0 { self.up(first, by) } else { self.down(first, by) };
        self.top = (next < self.last_top()).then_some(next);
    }

    /// Rows of a page, less one.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.size.1.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
    }

    /// Shows the beginning.
    pub(crate) fn scroll_to_start(&mut self) {
        let start = (0, 0);
        self.top = (start < self.last_top()).then_some(start);
    }

    /// Shows the end, whatever comes.
    pub(crate) fn follow(&mut self) {
        self.top = None;
    }

    /// Whether the end is shown, whatever comes.
    pub(crate) fn follows(&self) -> bool {
        self.top.is_none()
    }

    /// Makes the lines for a screen of this size. Takes as long as what is on it, however much there
    /// is in all.
    pub(crate) fn lay(&mut self, columns: usize, rows: usize) -> Vec<Line<'static>> {
        self.size = (columns, rows);
        // Where there is less below than fits, the end is shown.
        if self.top.is_some_and(|top| top >= self.last_top()) {
            self.top = None;
        }
        let (mut at, mut skip) = self.first();
        let mut lines = Vec::with_capacity(rows);
        while lines.len() < rows && at < self.items.len() {
            let of = self.lines(at);
            lines.extend(of.iter().skip(skip).take(rows - lines.len()).cloned());
            (at, skip) = (at + 1, 0);
        }
        self.forget_laid();
        lines
    }

    /// What is at the top of the screen.
    fn first(&mut self) -> (usize, usize) {
        self.top.filter(|(at, _)| *at < self.items.len()).unwrap_or_else(|| self.last_top())
    }

    /// What is at the top of the screen where the end is shown.
    fn last_top(&mut self) -> (usize, usize) {
        self.up((self.items.len(), 0), self.size.1)
    }

    /// The place so many lines above another; the beginning if there are fewer.
    fn up(&mut self, (mut at, mut line): (usize, usize), mut lines: usize) -> (usize, usize) {
        while lines > line {
            if at == 0 {
                return (0, 0);
            }
            lines -= line;
            at -= 1;
            line = self.height(at);
        }
        (at, line - lines)
    }

    /// The place so many lines below another; the end if there are fewer.
    fn down(&mut self, (mut at, line): (usize, usize), lines: usize) -> (usize, usize) {
        let mut left = line + lines;
        while at < self.items.len() {
            let height = self.height(at);
            if left < height {
                return (at, left);
            }
            left -= height;
            at += 1;
        }
        (at, 0)
    }

    fn height(&mut self, at: usize) -> usize {
        self.lines(at).len()
    }

    /// The lines of a block.
    fn lines(&mut self, at: usize) -> Rc<[Line<'static>]> {
        let columns = self.size.0;
        let item = &self.items[at];
        if let Some(laid) = &item.laid
            && laid.columns == columns
            && !item.is_live()
        {
            return Rc::clone(&laid.lines);
        }
        let before = at.checked_sub(1).and_then(|before| self.items.get(before));
        let is_chosen = self.chosen == Some(at);
        let lines = shown(item, before, is_chosen, (columns, self.now_ms), self.colours);
        let lines: Rc<[Line<'static>]> = lines.into();
        if self.items[at].laid.is_none() {
            self.laid.push_back(at);
        }
        self.items[at].laid = Some(Laid { columns, lines: Rc::clone(&lines) });
        lines
    }

    /// Forgets lines of blocks that were laid out long ago.
    fn forget_laid(&mut self) {
        while self.laid.len() > LAID_MAX {
            if let Some(item) = self.laid.pop_front().and_then(|at| self.items.get_mut(at)) {
                item.laid = None;
            }
        }
    }
}

/// Whether a block of a map is what a tool answered.
fn is_result(kind: BlockKind) -> bool {
    match kind {
        BlockKind::Read
        | BlockKind::Search
        | BlockKind::List
        | BlockKind::Run
        | BlockKind::Edit
        | BlockKind::Fetch
        | BlockKind::Other => true,
        BlockKind::System
        | BlockKind::Tools
        | BlockKind::User
        | BlockKind::Assistant
        | BlockKind::Reasoning
        | BlockKind::Call => false,
    }
}

/// Where a part of an answer may be divided: at an empty line outside of code, behind which a block
/// of its own begins.
fn division(text: &str) -> Option<usize> {
    if text.len() < PART_BYTES {
        return None;
    }
    let mut is_code = false;
    let mut at = 0;
    let mut found = None;
    let mut was_empty = false;
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start();
        if begins.starts_with("```") || begins.starts_with("~~~") {
            if !is_code && was_empty && at > 0 && begins.len() == line.len() {
                found = Some(at);
            }
            is_code = !is_code;
        } else if was_empty && !is_code && at > 0 && line.starts_with(char::is_alphabetic) {
            found = Some(at);
        }
        was_empty = line.trim().is_empty();
        at += line.len();
    }
    found
}
