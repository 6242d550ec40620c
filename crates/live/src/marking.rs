//! Marks for the provider's cache: where they stand. When a request whose client sets none gets any
//! is said in [`crate::caching`], which one more others get in [`crate::keeping`].

use foveal_context::placement::breakpoints::{CacheRules, Layout, PromptBlock, place};
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_wire::body::BodyError;

use crate::active::Request;
use crate::caching::{self, Caching, Next, Prefix, Rates};
use crate::conversation::Live;
use crate::request::Marks;
use crate::unmarked::Unmarked;

/// Blocks at the end of a prompt that are looked at one by one: those behind which marks are set.
const LOOKED_AT: usize = 64;

/// What is decided about the marks of a request for which `step` was planned just now; `None` where
/// its client sets its own.
pub(crate) fn decide(live: &Live, request: &Request<'_>, step: &Step) -> Option<Caching> {
    let unmarked = request.unmarked?;
    let rates = Rates::of(&request.model.prices)?;
    let next = Next {
        prefix: prefix(live, request, unmarked)?,
        continues: step.rewrite.is_none(),
        is_last: unmarked.is_last,
    };
    Some(Caching::decide(live.caching_before(), &next, &rates))
}

/// The same of a request that goes as it is because a decision came too late.
pub(crate) fn pass(live: &Live, request: &Request<'_>) -> Option<Caching> {
    let prefix = prefix(live, request, request.unmarked?)?;
    Some(Caching::unmarked(live.caching_before(), prefix))
}

/// The marks in a request that was decided about.
pub(crate) fn marks(live: &Live, request: &Request<'_>) -> Marks {
    if request.asked.counts {
        return Marks::default();
    }
    match request.keeping {
        Some(keeping) => keeping.marks(live),
        None => Marks { places: places(live, request), for_an_hour: false },
    }
}

/// Where marks stand in the bytes of a request whose client sets none, ascending.
fn places(live: &Live, request: &Request<'_>) -> Vec<usize> {
    let (Some(unmarked), Some(caching)) = (request.unmarked, live.caching()) else {
        return Vec::new();
    };
    let (old, is_all) = match caching.marks {
        caching::Marks::None => return Vec::new(),
        caching::Marks::Old { messages } => (Some(messages), false),
        caching::Marks::All { old } => (old, true),
    };
    let Ok(laid) = Laid::of(live, request, old) else { return Vec::new() };
    let stands = |messages: usize| is_all || Some(messages) == old;
    let placed = laid.placed(&unmarked.rules).into_iter();
    let placed = placed.filter(|at| stands(laid.parts[*at].messages));
    let mut places: Vec<usize> = placed.filter_map(|at| laid.parts[at].place).collect();
    places.sort_unstable();
    places
}

/// What could be kept of a request.
fn prefix(live: &Live, request: &Request<'_>, unmarked: Unmarked) -> Option<Prefix> {
    let laid = Laid::of(live, request, None).ok()?;
    let last = laid.placed(&unmarked.rules).into_iter().max();
    let (messages, tokens) = last.map_or((0, 0), |last| {
        let tokens: Tokens = laid.blocks[..=last].iter().map(|block| block.tokens).sum();
        (laid.parts[last].messages, tokens.0)
    });
    Some(Prefix { time: request.asked.now, messages, tokens, head: unmarked.head })
}

/// A prompt as blocks, in the order in which they are cached. Marks stand only behind whole
/// messages, so all tokens of one are told of its last block.
#[derive(Default)]
struct Laid {
    blocks: Vec<PromptBlock>,
    parts: Vec<Part>,
    /// How many blocks stand before the messages.
    system: usize,
    /// How many stand up to the message behind which a mark stood before.
    old: usize,
}

/// What a block belongs to.
struct Part {
    /// Where in the body a mark can be put.
    place: Option<usize>,
    /// Messages up to it.
    messages: usize,
}

impl Laid {
    fn of(live: &Live, request: &Request<'_>, old: Option<usize>) -> Result<Self, BodyError> {
        let (body, bytes) = request.bytes();
        let mut laid = Self::default();
        let length = |part: &Option<std::ops::Range<usize>>| part.as_ref().map_or(0, |it| it.len());
        let (of_tools, of_system) = (length(&body.tools), length(&body.system));
        // Both were counted together.
        let both = live.prelude().0;
        let tools = both * of_tools as u64 / ((of_tools + of_system).max(1) as u64);
        if of_tools > 0 {
            laid.push(1, body.markable_tools(bytes)?.place, Tokens(tools), 0);
        }
        if of_system > 0 {
            laid.push(1, body.markable_system(bytes)?.place, Tokens(both - tools), 0);
        }
        laid.system = laid.blocks.len();
        laid.old = if old == Some(0) { laid.system } else { 0 };
        let (mut last, mut left) = (Vec::new(), LOOKED_AT);
        for at in (0..body.messages.len()).rev() {
            if left == 0 && old != Some(at + 1) {
                last.push((1, None));
                continue;
            }
            let markable = body.markable_message(bytes, at)?;
            last.push((markable.blocks.max(1), markable.place));
            left = left.saturating_sub(markable.blocks);
        }
        let tokens = live.tokens_by_message(body.messages.len());
        for (at, (blocks, place)) in last.into_iter().rev().enumerate() {
            laid.push(blocks, place, tokens[at], at + 1);
            if old == Some(at + 1) {
                laid.old = laid.blocks.len();
            }
        }
        Ok(laid)
    }

    fn push(&mut self, blocks: usize, place: Option<usize>, tokens: Tokens, messages: usize) {
        for at in 1..=blocks {
            let is_end = at == blocks;
            let tokens = if is_end { tokens } else { Tokens(0) };
            let place = place.filter(|_| is_end);
            self.blocks.push(PromptBlock { tokens, markable: place.is_some() });
            self.parts.push(Part { place, messages });
        }
    }

    /// The blocks that get marks.
    fn placed(&self, rules: &CacheRules) -> Vec<usize> {
        let layout =
            Layout { blocks: &self.blocks, system: self.system, stable: self.old, client: &[] };
        place(&layout, rules).into_iter().map(|breakpoint| breakpoint.block).collect()
    }
}
