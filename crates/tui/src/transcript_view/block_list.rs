//! The blocks of the displayed transcript, with their scroll position and selection.

use std::collections::VecDeque;
use std::rc::Rc;

use foveal_agent::{PromptBlock, PromptBlockKind, PromptMap};
use foveal_screen::numbers;
use ratatui_core::text::Line;

use super::block::{CachedLines, ChatBlock, NoticeLevel, Thinker, TranscriptItem};
use super::block_lines::layout_block;
use super::tool_block::{ToolBlock, ToolState};
use crate::theme::ColourSupport;

/// The number of blocks that are held at most. The oldest are dropped; the session still has them.
const ITEMS_MAX: usize = 40_000;

/// The number of blocks that are dropped at once.
const ITEMS_DROPPED: usize = 4_000;

/// The number of blocks whose lines are cached at most.
const CACHED_BLOCKS_MAX: usize = 512;

/// Bytes of an answer's part from which on it is split between two Markdown blocks. This bounds the
/// text that is laid out again for each streamed word.
const REPLY_SPLIT_BYTES: usize = 600;

/// Bytes of one block's reasoning that are held at most.
pub(crate) const THINKING_BYTES_MAX: usize = 256 << 10;

/// The position of a line in the transcript, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScrollPosition {
    /// The index of the block.
    block: usize,
    /// The line of the block.
    line: usize,
}

impl ScrollPosition {
    const START: Self = Self { block: 0, line: 0 };
}

/// The displayed transcript.
#[derive(Debug, Default)]
pub(crate) struct TranscriptView {
    items: VecDeque<TranscriptItem>,
    colours: ColourSupport,
    /// The index of the first block of the open answer.
    answer_start: usize,
    /// The position at the top of the screen; `None` follows the end.
    scroll_position: Option<ScrollPosition>,
    /// The index of the selected block.
    selected: Option<usize>,
    /// The indices of the blocks with cached lines, oldest first.
    cached_blocks: VecDeque<usize>,
    /// Columns and rows of the last frame.
    size: (usize, usize),
    now_ms: u64,
}

impl TranscriptView {
    pub(crate) fn new(colours: ColourSupport) -> Self {
        Self { colours, size: (80, 20), ..Self::default() }
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = &TranscriptItem> {
        self.items.iter()
    }

    pub(crate) fn set_time(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
    }

    /// Adds a block.
    pub(crate) fn push_block(&mut self, block: ChatBlock) {
        if self.items.len() >= ITEMS_MAX {
            self.drop_oldest();
        }
        self.items.push_back(TranscriptItem::new(block));
    }

    fn drop_oldest(&mut self) {
        self.items.drain(..ITEMS_DROPPED);
        self.answer_start = self.answer_start.saturating_sub(ITEMS_DROPPED);
        self.scroll_position = self.scroll_position.and_then(|top| {
            Some(ScrollPosition { block: top.block.checked_sub(ITEMS_DROPPED)?, ..top })
        });
        self.selected = self.selected.and_then(|at| at.checked_sub(ITEMS_DROPPED));
        self.cached_blocks =
            self.cached_blocks.iter().filter_map(|at| at.checked_sub(ITEMS_DROPPED)).collect();
    }

    /// Removes all blocks.
    pub(crate) fn clear_blocks(&mut self) {
        let (colours, size, now_ms) = (self.colours, self.size, self.now_ms);
        *self = Self { colours, size, now_ms, ..Self::default() };
    }

    /// Shows on each tool call how much of its result the model is sent. Ignores the map where its
    /// results do not match the answered calls.
    pub(crate) fn apply_prompt_map(&mut self, map: &PromptMap) {
        let results = map.blocks.iter().filter(|block| is_tool_result(block.kind));
        let results: Vec<&PromptBlock> = results.collect();
        let is_done = |item: &&mut TranscriptItem| match &item.block {
            ChatBlock::Tool(tool) => matches!(tool.state, ToolState::Done { .. }),
            _ => false,
        };
        let done: Vec<&mut TranscriptItem> = self.items.iter_mut().filter(is_done).collect();
        if done.len() != results.len() {
            return;
        }
        for (item, block) in done.into_iter().zip(results) {
            let is_less = block.tokens_sent < block.tokens_whole;
            let given = is_less.then(|| {
                let [sent, whole] =
                    [block.tokens_sent, block.tokens_whole].map(numbers::format_tokens);
                format!("{sent} of {whole} tokens sent to the model")
            });
            if let ChatBlock::Tool(tool) = &mut item.block
                && tool.reduction != given
            {
                tool.reduction = given;
                item.cached_lines = None;
            }
        }
    }

    /// Adds a message of foveal.
    pub(crate) fn push_notice(&mut self, kind: NoticeLevel, text: String) {
        self.push_block(ChatBlock::Notice(kind, text));
    }

    /// Adds a message of foveal, unless the transcript contains it already.
    pub(crate) fn push_notice_once(&mut self, kind: NoticeLevel, text: String) {
        let is_it = |item: &TranscriptItem| matches!(&item.block, ChatBlock::Notice(_, said) if *said == text);
        if !self.items.iter().any(is_it) {
            self.push_notice(kind, text);
        }
    }

    /// Begins a new answer.
    pub(crate) fn begin_answer(&mut self) {
        self.answer_start = self.items.len();
    }

    /// Removes the blocks of the open answer.
    pub(crate) fn discard_answer(&mut self) {
        self.items.truncate(self.answer_start);
        self.cached_blocks.retain(|at| *at < self.answer_start);
        self.selected = self.selected.filter(|at| *at < self.answer_start);
        if self.scroll_position.is_some_and(|top| top.block >= self.answer_start) {
            self.scroll_position = None;
        }
    }

    /// Appends a piece of the model's text.
    pub(crate) fn append_reply(&mut self, piece: &str) {
        let last = self.items.len().checked_sub(1).filter(|last| *last >= self.answer_start);
        let last = last.and_then(|last| self.items.get_mut(last));
        match last {
            Some(TranscriptItem { block: ChatBlock::Reply(text), cached_lines: laid, .. }) => {
                text.push_str(piece);
                *laid = None;
                self.split_last_reply();
            }
            _ => {
                let text = piece.trim_start_matches('\n').to_owned();
                if !text.trim().is_empty() {
                    self.push_block(ChatBlock::Reply(text));
                    self.split_last_reply();
                }
            }
        }
    }

    /// Splits the last part of the answer while it is too long.
    fn split_last_reply(&mut self) {
        while let Some(TranscriptItem { block: ChatBlock::Reply(text), .. }) = self.items.back_mut()
        {
            let Some(at) = reply_split_offset(text) else { return };
            let rest = text.split_off(at);
            let kept = text.trim_end().len();
            text.truncate(kept);
            self.push_block(ChatBlock::Reply(rest));
        }
    }

    /// Appends a piece of a model's reasoning.
    pub(crate) fn append_thinking(&mut self, thinker: Thinker, piece: &str, now_ms: u64) {
        let last = self.items.len().checked_sub(1).filter(|last| *last >= self.answer_start);
        let last = last.and_then(|last| self.items.get_mut(last));
        match last {
            Some(TranscriptItem {
                block: ChatBlock::Thinking { thinker: last, text, took_ms: None, .. },
                cached_lines: laid,
                ..
            }) if *last == thinker => {
                if text.len() + piece.len() <= THINKING_BYTES_MAX {
                    text.push_str(piece);
                }
                *laid = None;
            }
            _ => {
                let (text, began_ms) = (piece.to_owned(), now_ms);
                let took_ms = None;
                self.push_block(ChatBlock::Thinking { thinker, text, began_ms, took_ms });
            }
        }
    }

    /// Ends the open block of reasoning.
    pub(crate) fn end_thinking(&mut self, now_ms: u64) {
        if let Some(item) = self.items.back_mut()
            && let ChatBlock::Thinking { began_ms, took_ms: took @ None, .. } = &mut item.block
        {
            *took = Some(now_ms.saturating_sub(*began_ms));
            item.cached_lines = None;
        }
    }

    /// Returns whether the call with this id has no result yet.
    pub(crate) fn has_open_call(&self, id: &str) -> bool {
        self.find_open_call(id).is_some()
    }

    fn find_open_call(&self, id: &str) -> Option<usize> {
        self.items.iter().rposition(|item| match &item.block {
            ChatBlock::Tool(tool) => tool.id == id && tool.is_open(),
            _ => false,
        })
    }

    /// Changes the call with this id, if it has no result yet.
    pub(crate) fn update_open_call(&mut self, id: &str, change: impl FnOnce(&mut ToolBlock)) {
        let Some(at) = self.find_open_call(id) else { return };
        let item = &mut self.items[at];
        if let ChatBlock::Tool(tool) = &mut item.block {
            change(tool);
        }
        item.cached_lines = None;
    }

    /// Restarts the timers of the running calls after an approval, so that they exclude the user's
    /// time. Sub-agents keep theirs, since they began before they asked.
    pub(crate) fn restart_call_timers(&mut self, now_ms: u64) {
        for item in self.items.iter_mut().rev().take(CACHED_BLOCKS_MAX) {
            if let ChatBlock::Tool(tool) = &mut item.block
                && tool.state == ToolState::Running
                && tool.sub_agent.is_none()
            {
                tool.began_ms = now_ms;
            }
        }
    }

    /// Changes the latest call with this id, whatever its state.
    pub(crate) fn update_call(&mut self, id: &str, update: impl FnOnce(&mut ToolBlock)) {
        let found = self.items.iter_mut().rev().find_map(|item| match &mut item.block {
            ChatBlock::Tool(tool) if tool.id == id => Some((tool, &mut item.cached_lines)),
            _ => None,
        });
        if let Some((tool, laid)) = found {
            update(tool);
            *laid = None;
        }
    }

    /// Sets the state of all calls that have no result, as none will come.
    pub(crate) fn close_open_calls(&mut self, state: &ToolState) {
        for item in self.items.iter_mut().rev().take(CACHED_BLOCKS_MAX) {
            if let ChatBlock::Tool(tool) = &mut item.block
                && tool.is_animated()
            {
                tool.state = state.clone();
                item.cached_lines = None;
            }
        }
    }

    /// Expands or collapses the selected block, or else the last expandable one.
    pub(crate) fn toggle_expansion(&mut self) {
        let last = || self.items.iter().rposition(TranscriptItem::is_expandable);
        if let Some(item) = self.selected.or_else(last).and_then(|at| self.items.get_mut(at)) {
            item.is_expanded = !item.is_expanded;
            item.cached_lines = None;
        }
    }

    /// Selects the next expandable block above or below. Below the last one the selection is
    /// cleared.
    pub(crate) fn move_selection(&mut self, is_up: bool) {
        let from = self.selected.unwrap_or(self.items.len());
        let can = |at: &usize| self.items.get(*at).is_some_and(TranscriptItem::is_expandable);
        let next = match is_up {
            true => (0..from).rev().find(can).or(self.selected),
            false => (from + 1..self.items.len()).find(can),
        };
        let last = std::mem::replace(&mut self.selected, next);
        for at in [last, next].into_iter().flatten() {
            self.items[at].cached_lines = None;
        }
        match next {
            Some(at) => self.scroll_into_view(at),
            None => self.scroll_position = None,
        }
    }

    /// Selects and expands the block in this row of the screen, if it is expandable. Its first row
    /// keeps its place.
    pub(crate) fn select_at_row(&mut self, row: usize) {
        if row >= self.size.1 {
            return;
        }
        let top = self.top_position();
        let at = self.position_below(top, row).block;
        if !self.items.get(at).is_some_and(TranscriptItem::is_expandable) {
            return;
        }
        self.clear_selection();
        self.scroll_position = Some(top);
        self.selected = Some(at);
        if let Some(item) = self.items.get_mut(at) {
            item.is_expanded = true;
            item.cached_lines = None;
        }
    }

    /// Clears the selection. Returns whether there was one.
    pub(crate) fn clear_selection(&mut self) -> bool {
        let chosen = self.selected.take();
        if let Some(item) = chosen.and_then(|at| self.items.get_mut(at)) {
            item.cached_lines = None;
        }
        chosen.is_some()
    }

    /// Scrolls until the block is visible.
    fn scroll_into_view(&mut self, at: usize) {
        let first = self.top_position().block;
        if at < first {
            self.scroll_position = Some(ScrollPosition { block: at, line: 0 });
            return;
        }
        let rows = self.size.1;
        let mut below = 0;
        for later in first..=at {
            below += self.block_height(later);
        }
        if below > rows {
            let end = ScrollPosition { block: at, line: self.block_height(at) };
            self.scroll_position = Some(self.position_above(end, rows));
        }
    }

    /// Scrolls by this number of lines, negative upwards.
    pub(crate) fn scroll_by(&mut self, lines: isize) {
        let first = self.top_position();
        let by = lines.unsigned_abs();
        let next =
            if lines < 0 { self.position_above(first, by) } else { self.position_below(first, by) };
        self.scroll_position = (next < self.end_top_position()).then_some(next);
    }

    /// Returns the rows of a page, less one.
    pub(crate) fn page_rows(&self) -> isize {
        isize::try_from(self.size.1.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
    }

    /// Scrolls to the beginning.
    pub(crate) fn scroll_to_start(&mut self) {
        let start = ScrollPosition::START;
        self.scroll_position = (start < self.end_top_position()).then_some(start);
    }

    /// Scrolls to the end, and follows it as blocks arrive.
    pub(crate) fn follow_end(&mut self) {
        self.scroll_position = None;
    }

    /// Returns whether the view follows the end.
    pub(crate) fn is_following_end(&self) -> bool {
        self.scroll_position.is_none()
    }

    /// Returns the lines for a screen of this size. The time depends on the visible blocks only.
    pub(crate) fn render(&mut self, columns: usize, rows: usize) -> Vec<Line<'static>> {
        self.size = (columns, rows);
        // With less than a screen below, the view follows the end.
        if self.scroll_position.is_some_and(|top| top >= self.end_top_position()) {
            self.scroll_position = None;
        }
        let ScrollPosition { block: mut at, line: mut skip } = self.top_position();
        let mut lines = Vec::with_capacity(rows);
        while lines.len() < rows && at < self.items.len() {
            let of = self.cached_block_lines(at);
            lines.extend(of.iter().skip(skip).take(rows - lines.len()).cloned());
            (at, skip) = (at + 1, 0);
        }
        self.evict_cached_lines();
        lines
    }

    /// Returns the position at the top of the screen.
    fn top_position(&mut self) -> ScrollPosition {
        self.scroll_position
            .filter(|top| top.block < self.items.len())
            .unwrap_or_else(|| self.end_top_position())
    }

    /// Returns the position at the top of the screen when the end is visible.
    fn end_top_position(&mut self) -> ScrollPosition {
        let end = ScrollPosition { block: self.items.len(), line: 0 };
        self.position_above(end, self.size.1)
    }

    /// Returns the position `lines` lines above another one, or the beginning if there are fewer.
    fn position_above(&mut self, from: ScrollPosition, mut lines: usize) -> ScrollPosition {
        let ScrollPosition { mut block, mut line } = from;
        while lines > line {
            if block == 0 {
                return ScrollPosition::START;
            }
            lines -= line;
            block -= 1;
            line = self.block_height(block);
        }
        ScrollPosition { block, line: line - lines }
    }

    /// Returns the position `lines` lines below another one, or the end if there are fewer.
    fn position_below(&mut self, from: ScrollPosition, lines: usize) -> ScrollPosition {
        let mut block = from.block;
        let mut left = from.line + lines;
        while block < self.items.len() {
            let height = self.block_height(block);
            if left < height {
                return ScrollPosition { block, line: left };
            }
            left -= height;
            block += 1;
        }
        ScrollPosition { block, line: 0 }
    }

    fn block_height(&mut self, at: usize) -> usize {
        self.cached_block_lines(at).len()
    }

    /// Returns the lines of a block, from the cache where they are current.
    fn cached_block_lines(&mut self, at: usize) -> Rc<[Line<'static>]> {
        let columns = self.size.0;
        let item = &self.items[at];
        if let Some(laid) = &item.cached_lines
            && laid.columns == columns
            && !item.is_animated()
        {
            return Rc::clone(&laid.lines);
        }
        let before = at.checked_sub(1).and_then(|before| self.items.get(before));
        let is_chosen = self.selected == Some(at);
        let lines = layout_block(item, before, is_chosen, columns, self.now_ms, self.colours);
        let lines: Rc<[Line<'static>]> = lines.into();
        if self.items[at].cached_lines.is_none() {
            self.cached_blocks.push_back(at);
        }
        self.items[at].cached_lines = Some(CachedLines { columns, lines: Rc::clone(&lines) });
        lines
    }

    /// Drops the cached lines of the blocks that were laid out first.
    fn evict_cached_lines(&mut self) {
        while self.cached_blocks.len() > CACHED_BLOCKS_MAX {
            if let Some(item) = self.cached_blocks.pop_front().and_then(|at| self.items.get_mut(at))
            {
                item.cached_lines = None;
            }
        }
    }
}

/// Returns whether blocks of this kind are tool results.
fn is_tool_result(kind: PromptBlockKind) -> bool {
    match kind {
        PromptBlockKind::Read
        | PromptBlockKind::Search
        | PromptBlockKind::List
        | PromptBlockKind::Run
        | PromptBlockKind::Edit
        | PromptBlockKind::Fetch
        | PromptBlockKind::Other => true,
        PromptBlockKind::System
        | PromptBlockKind::Tools
        | PromptBlockKind::User
        | PromptBlockKind::Assistant
        | PromptBlockKind::Reasoning
        | PromptBlockKind::Call => false,
    }
}

/// Returns the byte offset at which a part of an answer may be split: behind an empty line outside
/// of code, where a new Markdown block begins.
fn reply_split_offset(text: &str) -> Option<usize> {
    if text.len() < REPLY_SPLIT_BYTES {
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
