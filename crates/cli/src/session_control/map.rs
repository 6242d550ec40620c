//! A session's prompt as a map.

use std::collections::HashMap;

use foveal_agent::{Agent, BlockKind, BlockPlace, BlockState, PromptBlock, PromptMap};
use foveal_context::tokens::Tokenizer;
use foveal_context::wish::Standing;
use foveal_effects::EffectKind;
use foveal_live::Conversations;
use foveal_live::overview::{Overview, Stands};
use foveal_live::request::Wait;
use foveal_screen::in_one_line;
use foveal_transcript::{Block, Call, Entry, EntryIndex, Role, Timestamp};
use serde_json::Value;

use super::request::asked;
use super::scale::{Billed, Scale};

/// Characters of a title.
const TITLE_CHARS_MAX: usize = 60;

/// Counts what the engine does not.
const TOKENIZER: Tokenizer = Tokenizer::O200k;

/// The prompt of the request that would go now, block by block. `shaper` is what decides about the
/// agent's requests.
///
/// Tokens are those of the provider: the engine's, times what the prompts so far were billed as
/// against its own count, so that they add up to the last bill. Costs so far are shares of what all
/// prompts so far were billed: each block's by what it took in each request, and by whether the
/// engine takes it for read from the cache, written to it, or neither. What a change costs is by the
/// price card: what is changed, and all that stands behind it, is written in place of being read.
/// Nothing costs anything where the model is free.
pub(crate) fn map(shaper: &Conversations, agent: &Agent, now: Timestamp) -> PromptMap {
    let (body, wait) = (agent.prompt(), Wait::default());
    // Where nothing is decided, all of it goes.
    let overview = shaper.overview(&asked(agent, &body, &wait, now)).ok();
    Making::of(agent, overview.as_ref()).map()
}

/// The message in the engine's record that a block of the map is.
pub(super) fn index_of(
    agent: &Agent,
    overview: &Overview,
    place: BlockPlace,
) -> Option<EntryIndex> {
    let BlockPlace::Message { entry, block } = place else { return None };
    let blocks = &agent.conversation().entries().get(entry)?.blocks;
    let is_result = matches!(blocks.get(block), Some(Block::Result(_)));
    let stands = aligned(agent.conversation().entries(), &overview.entries);
    stands.get(entry).copied().flatten().filter(|_| is_result).map(|stands| stands.index)
}

/// Each message with how it stands. Those of which nothing is sent, and a system prompt that is no
/// message, stand nowhere.
fn aligned<'a>(entries: &[Entry], stands: &'a [Stands]) -> Vec<Option<&'a Stands>> {
    let mut stands = stands.iter().peekable();
    entries.iter().map(|entry| stands.next_if(|stands| stands.role == entry.role)).collect()
}

/// A map in the making.
struct Making<'a> {
    agent: &'a Agent,
    overview: Option<&'a Overview>,
    stands: Vec<Option<&'a Stands>>,
    /// Tokens of each block, as counted here; of results, of all of it.
    counted: Vec<Vec<u64>>,
    billed: Vec<Billed>,
    scale: Scale,
    /// Dollars of the bill in one of the engine's.
    dollars: f64,
    /// The calls so far, by their ids.
    calls: HashMap<&'a str, &'a Call>,
    /// Tokens in front of the messages: of tools, and of a system prompt that is no message.
    tools: f64,
    system: f64,
}

impl<'a> Making<'a> {
    fn of(agent: &'a Agent, overview: Option<&'a Overview>) -> Self {
        let entries = agent.conversation().entries();
        let none: &[Stands] = &[];
        let stands = aligned(entries, overview.map_or(none, |overview| &overview.entries));
        let count = |entry: &Entry| entry.blocks.iter().map(tokens_of).collect();
        let counted: Vec<Vec<u64>> = entries.iter().map(count).collect();
        let mut making = Self {
            agent,
            overview,
            stands,
            counted,
            billed: Vec::new(),
            scale: Scale::of(0.0, &[]),
            dollars: 0.0,
            calls: entries.iter().flat_map(Entry::calls).map(|it| (it.id.as_str(), it)).collect(),
            tools: 0.0,
            system: 0.0,
        };
        making.weigh_prelude();
        making.billed = making.bills();
        making.scale = Scale::of(making.tools + making.system, &making.billed);
        making.dollars = making.dollars_of_bill();
        making
    }

    /// Divides what stands in front of the messages.
    fn weigh_prelude(&mut self) {
        let specs = self.agent.settings().tools.iter().map(|tool| {
            let spec = &tool.spec;
            format!("{} {} {}", spec.name, spec.description, spec.schema)
        });
        let tools: u64 = specs.map(|spec| TOKENIZER.count(&spec).0).sum();
        let hoisted = self.agent.conversation().entries().first().zip(self.stands.first());
        let system = match hoisted {
            Some((entry, None)) if entry.role == Role::System => self.counted[0].iter().sum(),
            _ => 0,
        };
        let all = self.overview.map_or((tools + system) as f64, |it| it.prelude.0 as f64);
        let part = tools as f64 / ((tools + system) as f64).max(1.0);
        (self.tools, self.system) = (all * part, all * (1.0 - part));
    }

    /// The prompts that were billed, as far as the conversation holds their answers.
    fn bills(&self) -> Vec<Billed> {
        let entries = self.agent.conversation().entries();
        let requests = self.overview.map_or(&[][..], |overview| &overview.requests);
        let (mut bills, mut whole, mut sealed) = (Vec::new(), 0.0, 0.0);
        for (at, entry) in entries.iter().enumerate() {
            let usage = entry.usage.as_ref().map(|usage| usage.prompt()).filter(|it| *it > 0);
            if let (Role::Assistant, Some(billed)) = (entry.role, usage) {
                let index = self.stands[at].map(|stands| stands.index);
                let sent = requests.iter().rev().find(|sent| Some(sent.answer) == index);
                // Before the first result all of it went.
                let messages = sent.map_or(whole, |sent| sent.tokens.0 as f64) + sealed;
                bills.push(Billed { messages, billed: billed as f64 });
            }
            whole += self.stands[at].map_or(0.0, |stands| stands.whole.0 as f64);
            sealed += self.sealed(at) as f64;
        }
        bills
    }

    /// Tokens of a message that the engine does not count.
    fn sealed(&self, at: usize) -> u64 {
        let blocks = self.agent.conversation().entries()[at].blocks.iter().zip(&self.counted[at]);
        blocks.filter(|(block, _)| is_sealed(block)).map(|(_, tokens)| *tokens).sum()
    }

    /// What a dollar of the engine's count is on the bill.
    fn dollars_of_bill(&self) -> f64 {
        let (Some(prices), Some(overview)) = (&self.agent.settings().prices, self.overview) else {
            return 0.0;
        };
        let usages = self.agent.conversation().entries().iter().filter_map(|it| it.usage.as_ref());
        let billed: f64 = usages
            .map(|usage| {
                (usage.input as f64 * prices.input
                    + usage.cache_read as f64 * prices.cache_read
                    + usage.cache_write as f64 * prices.cache_write)
                    / 1e6
            })
            .sum();
        let entries: f64 = overview.entries.iter().map(|stands| stands.cost).sum();
        let counted = overview.prelude_cost + entries;
        if counted > 0.0 && billed > 0.0 { billed / counted } else { 1.0 }
    }

    fn map(&self) -> PromptMap {
        let mut blocks = vec![self.of_tools()];
        for (at, entry) in self.agent.conversation().entries().iter().enumerate() {
            for (block, it) in entry.blocks.iter().enumerate() {
                blocks.push(self.block((at, block), entry, it));
            }
        }
        PromptMap {
            blocks,
            tokens_billed: self.billed.last().map(|last| last.billed as u64),
            window: self.overview.map(|overview| overview.window.0),
        }
    }

    fn of_tools(&self) -> PromptBlock {
        let tokens = (self.tools * self.scale.prelude).round() as u64;
        let part = self.tools / (self.tools + self.system).max(1.0);
        let cost = self.overview.map_or(0.0, |overview| overview.prelude_cost);
        PromptBlock {
            place: BlockPlace::Tools,
            kind: BlockKind::Tools,
            path: None,
            title: format!("{} tools", self.agent.settings().tools.len()),
            tokens_whole: tokens,
            tokens_sent: tokens,
            cost: cost * part * self.dollars,
            state: BlockState::Whole,
            why: "it stands in front of every prompt".to_owned(),
            restore_cost: None,
            drop_cost: None,
        }
    }

    fn block(&self, (at, block): (usize, usize), entry: &Entry, it: &Block) -> PromptBlock {
        let place = BlockPlace::Message { entry: at, block };
        match (it, self.stands[at]) {
            (Block::Result(_), Some(stands)) => self.result(place, it, stands),
            (_, stands) => {
                let counted = self.counted[at][block] as f64;
                let is_hoisted = entry.role == Role::System && stands.is_none();
                let tokens = match (is_hoisted, it) {
                    (true, _) => (self.system * self.scale.prelude).round() as u64,
                    // It is shown to the person and not sent.
                    (false, Block::Reasoning(_)) => 0,
                    (false, _) => self.scale.tokens(counted * self.correction(at)),
                };
                let cost = match is_hoisted {
                    true => self.hoisted_cost(),
                    false => stands.map_or(0.0, |stands| stands.cost * self.part(at, block)),
                };
                PromptBlock {
                    place,
                    kind: kind_of(entry.role, it),
                    path: None,
                    title: title(it),
                    tokens_whole: tokens,
                    tokens_sent: tokens,
                    cost: cost * self.dollars,
                    state: BlockState::Whole,
                    why: why_of(entry.role, it).to_owned(),
                    restore_cost: None,
                    drop_cost: None,
                }
            }
        }
    }

    fn result(&self, place: BlockPlace, it: &Block, stands: &Stands) -> PromptBlock {
        let Block::Result(result) = it else { unreachable!("a result was asked for") };
        let call = self.calls.get(result.call.as_str());
        let path = call.and_then(|call| {
            let named = |name: &&str| call.arguments.get(name).and_then(Value::as_str);
            ["path", "file_path"].iter().find_map(named).map(str::to_owned)
        });
        let is_free = self.agent.settings().prices.is_none();
        let scaled = |cost: f64| if is_free { 0.0 } else { cost * self.scale.messages };
        PromptBlock {
            place,
            kind: kind_of_call(stands.call.as_ref().map(|call| call.effect.kind)),
            path: path.or_else(|| stands.path.clone()),
            title: call.map_or_else(|| title(it), |call| title_of_call(call)),
            tokens_whole: self.scale.tokens(stands.whole.0 as f64),
            tokens_sent: self.scale.tokens(stands.sent.0 as f64),
            cost: stands.cost * self.dollars,
            state: match stands.standing {
                Standing::Dropped => BlockState::Dropped,
                Standing::Pinned => BlockState::Pinned,
                Standing::Whole | Standing::Free if stands.is_reduced => BlockState::Reduced,
                Standing::Whole | Standing::Free => BlockState::Whole,
            },
            why: stands.why.to_owned(),
            restore_cost: stands.restore_cost.map(scaled),
            drop_cost: stands.drop_cost.map(scaled),
        }
    }

    fn hoisted_cost(&self) -> f64 {
        let part = self.system / (self.tools + self.system).max(1.0);
        self.overview.map_or(0.0, |overview| overview.prelude_cost * part)
    }

    /// What the engine counts in a message against what its blocks were counted as here.
    fn correction(&self, at: usize) -> f64 {
        let own = self.counted[at].iter().sum::<u64>() - self.sealed(at);
        match self.stands[at] {
            Some(stands) if own > 0 => stands.whole.0 as f64 / own as f64,
            Some(_) | None => 1.0,
        }
    }

    /// The part of a message that one of its blocks is.
    fn part(&self, at: usize, block: usize) -> f64 {
        let all: u64 = self.counted[at].iter().sum();
        self.counted[at][block] as f64 / all.max(1) as f64
    }
}

/// Whether a block goes back to the provider without the engine's counting it.
fn is_sealed(block: &Block) -> bool {
    matches!(block, Block::Opaque { .. })
}

fn tokens_of(block: &Block) -> u64 {
    match block {
        Block::Text(text) => TOKENIZER.count(text).0,
        Block::Call(call) => TOKENIZER.count(&format!("{} {}", call.name, call.arguments)).0,
        Block::Opaque { raw, .. } => TOKENIZER.count(raw).0,
        // Of a result the engine's own count is used; reasoning is not sent as text.
        Block::Result(_) | Block::Reasoning(_) => 0,
    }
}

fn kind_of(role: Role, block: &Block) -> BlockKind {
    match (block, role) {
        (Block::Call(_), _) => BlockKind::Call,
        (Block::Reasoning(_), _) | (Block::Opaque { .. }, Role::Assistant) => BlockKind::Reasoning,
        (_, Role::System) => BlockKind::System,
        (_, Role::User) => BlockKind::User,
        (_, Role::Assistant) => BlockKind::Assistant,
        (_, Role::Tool) => BlockKind::Other,
    }
}

fn kind_of_call(kind: Option<EffectKind>) -> BlockKind {
    match kind {
        Some(EffectKind::Read) => BlockKind::Read,
        Some(EffectKind::Search) => BlockKind::Search,
        Some(EffectKind::List) => BlockKind::List,
        Some(EffectKind::Run) => BlockKind::Run,
        Some(EffectKind::Edit | EffectKind::Write) => BlockKind::Edit,
        Some(EffectKind::Fetch) => BlockKind::Fetch,
        Some(EffectKind::Other) | None => BlockKind::Other,
    }
}

fn why_of(role: Role, block: &Block) -> &'static str {
    match (block, role) {
        (Block::Call(_), _) => "a call of the model goes with its result",
        (Block::Reasoning(_), _) => "thinking is shown to you, and not sent as text",
        (Block::Opaque { .. }, _) => "it goes back to its provider as it came",
        (_, Role::System) => "it stands in front of every prompt",
        (_, Role::User) => "what you say is always sent",
        (_, Role::Assistant) => "what the model said is always sent",
        (_, Role::Tool) => "all of it is sent",
    }
}

/// The first words of a block.
fn title(block: &Block) -> String {
    match block {
        Block::Text(text) | Block::Reasoning(text) => short(text),
        Block::Call(call) => title_of_call(call),
        Block::Result(result) => short(&result.content),
        Block::Opaque { kind, .. } => kind.clone(),
    }
}

fn title_of_call(call: &Call) -> String {
    let about = call.arguments.as_object().and_then(|all| all.values().find_map(Value::as_str));
    short(&format!("{} {}", call.name, about.unwrap_or_default()))
}

fn short(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = in_one_line(line).into_owned();
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}
