//! The positions of cache breakpoints in a body. [`crate::breakpoint_policy`] decides when a
//! request whose client sets none gets any; [`crate::answer_breakpoint`] adds one for other
//! clients.

use foveal_engine::placement::breakpoints::{
    BreakpointLayout, CacheRules, CacheableBlock, place_breakpoints,
};
use foveal_engine::plan_step::PlanStep;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::request_body::BodyError;

use crate::auto_cache::AutoCacheCandidate;
use crate::breakpoint_policy::{self, BreakpointInputs, BreakpointState, CachePrefix, CacheRates};
use crate::conversation_state::ConversationState;
use crate::request::BreakpointOffsets;
use crate::request_context::RequestContext;

/// The number of blocks at the end of a prompt that are examined one by one. Breakpoints are set
/// only there.
const BLOCKS_EXAMINED_MAX: usize = 64;

/// Decides the breakpoints of a request for which `step` was just planned; `None` if its client
/// sets its own.
pub(crate) fn decide_breakpoints(
    live: &ConversationState,
    request: &RequestContext<'_>,
    step: &PlanStep,
) -> Option<BreakpointState> {
    let unmarked = request.auto_cache?;
    let rates = CacheRates::from_price_card(&request.model.prices)?;
    let next = BreakpointInputs {
        prefix: cacheable_prefix(live, request, unmarked)?,
        continues: step.rewrite.is_none(),
        is_last: unmarked.is_last,
    };
    Some(BreakpointState::decide(live.previous_breakpoint_state(), &next, &rates))
}

/// Returns the breakpoint state of a request that is passed on unchanged because a decision was
/// late.
pub(crate) fn skip_breakpoints(
    live: &ConversationState,
    request: &RequestContext<'_>,
) -> Option<BreakpointState> {
    let prefix = cacheable_prefix(live, request, request.auto_cache?)?;
    Some(BreakpointState::without_breakpoints(live.previous_breakpoint_state(), prefix))
}

/// Returns the breakpoints of a request that was decided about.
pub(crate) fn breakpoint_offsets(
    live: &ConversationState,
    request: &RequestContext<'_>,
) -> BreakpointOffsets {
    if request.received.counts_tokens {
        return BreakpointOffsets::default();
    }
    match request.answer_breakpoint {
        Some(keeping) => keeping.offsets(live.steps().last().map(|last| &*last.step)),
        None => BreakpointOffsets {
            offsets: auto_breakpoint_offsets(live, request),
            for_an_hour: false,
        },
    }
}

/// Returns the byte offsets of breakpoints in a request whose client sets none, ascending.
fn auto_breakpoint_offsets(live: &ConversationState, request: &RequestContext<'_>) -> Vec<usize> {
    let (Some(unmarked), Some(caching)) = (request.auto_cache, live.breakpoint_state()) else {
        return Vec::new();
    };
    let (old, is_all) = match caching.marks {
        breakpoint_policy::BreakpointPlacement::None => return Vec::new(),
        breakpoint_policy::BreakpointPlacement::Old { messages } => (Some(messages), false),
        breakpoint_policy::BreakpointPlacement::All { old } => (old, true),
    };
    let Ok(laid) = BlockLayout::from_prompt(live, request, old) else { return Vec::new() };
    let stands = |messages: usize| is_all || Some(messages) == old;
    let placed = laid.breakpoint_blocks(&unmarked.rules).into_iter();
    let placed = placed.filter(|at| stands(laid.positions[*at].messages));
    let mut places: Vec<usize> = placed.filter_map(|at| laid.positions[at].offset).collect();
    places.sort_unstable();
    places
}

/// Returns the prefix of a request that could be cached.
fn cacheable_prefix(
    live: &ConversationState,
    request: &RequestContext<'_>,
    unmarked: AutoCacheCandidate,
) -> Option<CachePrefix> {
    let laid = BlockLayout::from_prompt(live, request, None).ok()?;
    let last = laid.breakpoint_blocks(&unmarked.rules).into_iter().max();
    let (messages, tokens) = last.map_or((0, 0), |last| {
        let tokens: Tokens = laid.blocks[..=last].iter().map(|block| block.tokens).sum();
        (laid.positions[last].messages, tokens.0)
    });
    Some(CachePrefix { time: request.received.now, messages, tokens, head: unmarked.prelude_hash })
}

/// A prompt as blocks, in the order in which they are cached. Breakpoints stand only behind whole
/// messages, so the last block of a message carries all of its tokens.
#[derive(Default)]
struct BlockLayout {
    blocks: Vec<CacheableBlock>,
    positions: Vec<BlockPosition>,
    /// The number of blocks in front of the messages.
    prelude_blocks: usize,
    /// The number of blocks up to the message behind which an earlier breakpoint stood.
    cached_blocks: usize,
}

/// The position of a block in the body.
struct BlockPosition {
    /// The offset at which a breakpoint can be inserted behind the block.
    offset: Option<usize>,
    /// The number of messages up to and including the block.
    messages: usize,
}

impl BlockLayout {
    fn from_prompt(
        live: &ConversationState,
        request: &RequestContext<'_>,
        old: Option<usize>,
    ) -> Result<Self, BodyError> {
        let (body, bytes) = (&request.body, request.bytes());
        let mut laid = Self::default();
        let length = |part: &Option<std::ops::Range<usize>>| part.as_ref().map_or(0, |it| it.len());
        let (of_tools, of_system) = (length(&body.tools), length(&body.system));
        // Both were counted together, so their tokens are split by length.
        let both = live.prelude_tokens().0;
        let tools = both * of_tools as u64 / ((of_tools + of_system).max(1) as u64);
        if of_tools > 0 {
            laid.push_blocks(1, body.markable_tools(bytes)?.insert_at, Tokens(tools), 0);
        }
        if of_system > 0 {
            laid.push_blocks(1, body.markable_system(bytes)?.insert_at, Tokens(both - tools), 0);
        }
        laid.prelude_blocks = laid.blocks.len();
        laid.cached_blocks = if old == Some(0) { laid.prelude_blocks } else { 0 };
        let (mut last, mut left) = (Vec::new(), BLOCKS_EXAMINED_MAX);
        for at in (0..body.messages.len()).rev() {
            if left == 0 && old != Some(at + 1) {
                last.push((1, None));
                continue;
            }
            let markable = body.markable_message(bytes, at)?;
            last.push((markable.blocks.max(1), markable.insert_at));
            left = left.saturating_sub(markable.blocks);
        }
        let tokens = live.tokens_by_message(body.messages.len());
        for (at, (blocks, place)) in last.into_iter().rev().enumerate() {
            laid.push_blocks(blocks, place, tokens[at], at + 1);
            if old == Some(at + 1) {
                laid.cached_blocks = laid.blocks.len();
            }
        }
        Ok(laid)
    }

    fn push_blocks(
        &mut self,
        blocks: usize,
        place: Option<usize>,
        tokens: Tokens,
        messages: usize,
    ) {
        for at in 1..=blocks {
            let is_end = at == blocks;
            let tokens = if is_end { tokens } else { Tokens(0) };
            let place = place.filter(|_| is_end);
            self.blocks.push(CacheableBlock { tokens, markable: place.is_some() });
            self.positions.push(BlockPosition { offset: place, messages });
        }
    }

    /// Returns the indices of the blocks that get breakpoints.
    fn breakpoint_blocks(&self, rules: &CacheRules) -> Vec<usize> {
        let layout = BreakpointLayout {
            blocks: &self.blocks,
            system: self.prelude_blocks,
            stable: self.cached_blocks,
            client: &[],
        };
        place_breakpoints(&layout, rules).into_iter().map(|breakpoint| breakpoint.block).collect()
    }
}
