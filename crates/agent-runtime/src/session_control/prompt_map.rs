//! Shows a session's prompt as a map of its blocks.

use std::collections::HashMap;

use foveal_agent::{
    Agent, ModelPrice, PromptBlock, PromptBlockKind, PromptBlockPosition, PromptBlockState,
    PromptMap,
};
use foveal_engine::overrides::OverrideState;
use foveal_pricing::tokens::Tokenizer;
use foveal_proxy::RequestShaper;
use foveal_proxy::overview::{PromptEntry, PromptOverview};
use foveal_proxy::request::DecisionSlot;
use foveal_screen::escape_one_line;
use foveal_screen::numbers::format_plural;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{
    ContentBlock, EntryIndex, MessageRole, Timestamp, ToolCall, TranscriptEntry,
};
use serde_json::Value;

use super::next_request::next_request;
use super::token_scale::{BilledTokens, TokenScale};

/// The longest title, in characters.
const TITLE_CHARS_MAX: usize = 60;

/// The tokenizer for blocks that the engine does not count.
const TOKENIZER: Tokenizer = Tokenizer::O200k;

/// Maps the prompt that would be sent now, block by block. `shaper` decides about the agent's
/// requests.
///
/// Tokens are the provider's: the engine's count, scaled by the ratio of billed to counted tokens
/// so far, so that they add up to the last bill. Costs so far are shares of all billed prompts. The
/// share of a block follows from its tokens in each request, and from the engine's estimate of
/// whether they were read from the cache, written to it, or neither. The cost of a change follows
/// from the price card: the changed block and all content after it are written to the cache instead
/// of read. If the model is free, all costs are zero.
pub fn build_prompt_map(shaper: &RequestShaper, agent: &Agent, now: Timestamp) -> PromptMap {
    let (body, wait) = (agent.request_body(), DecisionSlot::default());
    // Without a decision, the whole prompt is sent.
    let overview = shaper.overview(&next_request(agent, &body, &wait, now)).ok();
    PromptMapBuilder::new(agent, overview.as_ref()).build()
}

/// Returns the index, in the engine's record, of the result that a block of the map shows.
pub(super) fn result_entry_index(
    agent: &Agent,
    overview: &PromptOverview,
    place: PromptBlockPosition,
) -> Option<EntryIndex> {
    let PromptBlockPosition::Message { entry, block } = place else { return None };
    let blocks = &agent.conversation().entries().get(entry)?.blocks;
    let is_result = matches!(blocks.get(block), Some(ContentBlock::Result(_)));
    let stands = align_entries(agent.conversation().entries(), &overview.entries);
    stands.get(entry).copied().flatten().filter(|_| is_result).map(|stands| stands.index)
}

/// Pairs each message with its entry in the prompt. Messages of which no part is sent, and a system
/// prompt outside of the messages, have none.
fn align_entries<'a>(
    entries: &[TranscriptEntry],
    stands: &'a [PromptEntry],
) -> Vec<Option<&'a PromptEntry>> {
    let mut stands = stands.iter().peekable();
    entries.iter().map(|entry| stands.next_if(|stands| stands.role == entry.role)).collect()
}

/// Builds a map.
struct PromptMapBuilder<'a> {
    agent: &'a Agent,
    overview: Option<&'a PromptOverview>,
    prompt_entries: Vec<Option<&'a PromptEntry>>,
    /// The tokens of each block as counted here; those of a result cover all of it.
    block_tokens: Vec<Vec<u64>>,
    billed_prompts: Vec<BilledTokens>,
    scale: TokenScale,
    /// The billed dollars per dollar of the engine's estimate.
    bill_factor: f64,
    /// The calls so far, by id.
    calls: HashMap<&'a str, &'a ToolCall>,
    /// Tokens before the messages: of the tools, and of a system prompt outside of the messages.
    tool_tokens: f64,
    system_tokens: f64,
}

impl<'a> PromptMapBuilder<'a> {
    fn new(agent: &'a Agent, overview: Option<&'a PromptOverview>) -> Self {
        let entries = agent.conversation().entries();
        let none: &[PromptEntry] = &[];
        let stands = align_entries(entries, overview.map_or(none, |overview| &overview.entries));
        let count = |entry: &TranscriptEntry| entry.blocks.iter().map(count_tokens).collect();
        let counted: Vec<Vec<u64>> = entries.iter().map(count).collect();
        let mut making = Self {
            agent,
            overview,
            prompt_entries: stands,
            block_tokens: counted,
            billed_prompts: Vec::new(),
            scale: TokenScale::from_bills(0.0, &[]),
            bill_factor: 0.0,
            calls: entries
                .iter()
                .flat_map(TranscriptEntry::tool_calls)
                .map(|it| (it.id.as_str(), it))
                .collect(),
            tool_tokens: 0.0,
            system_tokens: 0.0,
        };
        making.split_prelude();
        making.billed_prompts = making.find_billed_prompts();
        making.scale = TokenScale::from_bills(
            making.tool_tokens + making.system_tokens,
            &making.billed_prompts,
        );
        making.bill_factor = making.compute_bill_factor();
        making
    }

    /// Splits the tokens before the messages between tools and system prompt.
    fn split_prelude(&mut self) {
        let specs = self.agent.settings().tools.iter().map(|tool| {
            let spec = &tool.spec;
            format!("{} {} {}", spec.name, spec.description, spec.schema)
        });
        let tools: u64 = specs.map(|spec| TOKENIZER.count(&spec).0).sum();
        let hoisted = self.agent.conversation().entries().first().zip(self.prompt_entries.first());
        let system = match hoisted {
            Some((entry, None)) if entry.role == MessageRole::System => {
                self.block_tokens[0].iter().sum()
            }
            _ => 0,
        };
        let all = self.overview.map_or((tools + system) as f64, |it| it.prelude.0 as f64);
        let part = tools as f64 / ((tools + system) as f64).max(1.0);
        (self.tool_tokens, self.system_tokens) = (all * part, all * (1.0 - part));
    }

    /// Returns the billed prompts whose answers the conversation holds.
    fn find_billed_prompts(&self) -> Vec<BilledTokens> {
        let entries = self.agent.conversation().entries();
        let requests = self.overview.map_or(&[][..], |overview| &overview.requests);
        let (mut bills, mut whole, mut sealed) = (Vec::new(), 0.0, 0.0);
        for (at, entry) in entries.iter().enumerate() {
            let usage =
                entry.usage.as_ref().map(|usage| usage.prompt_tokens()).filter(|it| *it > 0);
            if let (MessageRole::Assistant, Some(billed)) = (entry.role, usage) {
                let index = self.prompt_entries[at].map(|stands| stands.index);
                let sent = requests.iter().rev().find(|sent| Some(sent.answer) == index);
                // Until the first result, the whole prompt is sent.
                let messages = sent.map_or(whole, |sent| sent.tokens.0 as f64) + sealed;
                bills.push(BilledTokens { messages, billed: billed as f64 });
            }
            whole += self.prompt_entries[at].map_or(0.0, |stands| stands.whole.0 as f64);
            sealed += self.sealed_tokens(at) as f64;
        }
        bills
    }

    /// Returns the tokens of a message that the engine does not count.
    fn sealed_tokens(&self, at: usize) -> u64 {
        let blocks =
            self.agent.conversation().entries()[at].blocks.iter().zip(&self.block_tokens[at]);
        blocks.filter(|(block, _)| is_sealed(block)).map(|(_, tokens)| *tokens).sum()
    }

    /// Returns the billed dollars per dollar of the engine's estimate.
    fn compute_bill_factor(&self) -> f64 {
        let (Some(prices), Some(overview)) = (self.agent.settings().price.card(), self.overview)
        else {
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

    fn build(&self) -> PromptMap {
        let mut blocks = vec![self.tools_block()];
        for (at, entry) in self.agent.conversation().entries().iter().enumerate() {
            for (block, it) in entry.blocks.iter().enumerate() {
                blocks.push(self.map_block(at, block, entry, it));
            }
        }
        PromptMap {
            blocks,
            tokens_billed: self.billed_prompts.last().map(|last| last.billed as u64),
            window: self.overview.map(|overview| overview.window.0),
            has_unknown_cost: self.agent.settings().price == ModelPrice::Unknown,
        }
    }

    fn tools_block(&self) -> PromptBlock {
        let tokens = (self.tool_tokens * self.scale.prelude).round() as u64;
        let part = self.tool_tokens / (self.tool_tokens + self.system_tokens).max(1.0);
        let cost = self.overview.map_or(0.0, |overview| overview.prelude_cost);
        PromptBlock {
            place: PromptBlockPosition::Tools,
            kind: PromptBlockKind::Tools,
            path: None,
            title: format_plural(self.agent.settings().tools.len() as u64, "tool"),
            tokens_whole: tokens,
            tokens_sent: tokens,
            cost: cost * part * self.bill_factor,
            state: PromptBlockState::Whole,
            why: "it is at the start of every prompt".to_owned(),
            restore_cost: None,
            drop_cost: None,
        }
    }

    fn map_block(
        &self,
        at: usize,
        block: usize,
        entry: &TranscriptEntry,
        it: &ContentBlock,
    ) -> PromptBlock {
        let place = PromptBlockPosition::Message { entry: at, block };
        match (it, self.prompt_entries[at]) {
            (ContentBlock::Result(_), Some(stands)) => self.result_block(place, it, stands),
            (_, stands) => {
                let counted = self.block_tokens[at][block] as f64;
                let is_hoisted = entry.role == MessageRole::System && stands.is_none();
                let tokens = match (is_hoisted, it) {
                    (true, _) => (self.system_tokens * self.scale.prelude).round() as u64,
                    // Reasoning is shown to the user and not sent.
                    (false, ContentBlock::Reasoning(_)) => 0,
                    (false, _) => {
                        self.scale.scale_message_tokens(counted * self.token_correction(at))
                    }
                };
                let cost = match is_hoisted {
                    true => self.hoisted_cost(),
                    false => stands.map_or(0.0, |stands| stands.cost * self.block_share(at, block)),
                };
                PromptBlock {
                    place,
                    kind: block_kind(entry.role, it),
                    path: None,
                    title: block_title(it),
                    tokens_whole: tokens,
                    tokens_sent: tokens,
                    cost: cost * self.bill_factor,
                    state: PromptBlockState::Whole,
                    why: explain_block(entry.role, it).to_owned(),
                    restore_cost: None,
                    drop_cost: None,
                }
            }
        }
    }

    fn result_block(
        &self,
        place: PromptBlockPosition,
        it: &ContentBlock,
        stands: &PromptEntry,
    ) -> PromptBlock {
        let ContentBlock::Result(result) = it else { unreachable!("a result was asked for") };
        let call = self.calls.get(result.call.as_str());
        let path = call.and_then(|call| {
            let named = |name: &&str| call.arguments.get(name).and_then(Value::as_str);
            ["path", "file_path"].iter().find_map(named).map(str::to_owned)
        });
        let is_free = self.agent.settings().price.card().is_none();
        let scaled = |cost: f64| if is_free { 0.0 } else { cost * self.scale.messages };
        PromptBlock {
            place,
            kind: call_block_kind(stands.call.as_ref().map(|call| call.effect.kind)),
            path: path.or_else(|| stands.path.clone()),
            title: call.map_or_else(|| block_title(it), |call| call_title(call)),
            tokens_whole: self.scale.scale_message_tokens(stands.whole.0 as f64),
            tokens_sent: self.scale.scale_message_tokens(stands.sent.0 as f64),
            cost: stands.cost * self.bill_factor,
            state: match stands.pinning {
                OverrideState::Dropped => PromptBlockState::Dropped,
                OverrideState::Pinned => PromptBlockState::Pinned,
                OverrideState::Whole | OverrideState::Free if stands.is_reduced => {
                    PromptBlockState::Reduced
                }
                OverrideState::Whole | OverrideState::Free => PromptBlockState::Whole,
            },
            why: stands.reason.to_owned(),
            restore_cost: stands.restore_cost.map(scaled),
            drop_cost: stands.drop_cost.map(scaled),
        }
    }

    fn hoisted_cost(&self) -> f64 {
        let part = self.system_tokens / (self.tool_tokens + self.system_tokens).max(1.0);
        self.overview.map_or(0.0, |overview| overview.prelude_cost * part)
    }

    /// Returns the ratio of the engine's count of a message to the count of its blocks here.
    fn token_correction(&self, at: usize) -> f64 {
        let own = self.block_tokens[at].iter().sum::<u64>() - self.sealed_tokens(at);
        match self.prompt_entries[at] {
            Some(stands) if own > 0 => stands.whole.0 as f64 / own as f64,
            Some(_) | None => 1.0,
        }
    }

    /// Returns a block's share of the tokens of its message.
    fn block_share(&self, at: usize, block: usize) -> f64 {
        let all: u64 = self.block_tokens[at].iter().sum();
        self.block_tokens[at][block] as f64 / all.max(1) as f64
    }
}

/// Returns whether a block is sent to the provider unchanged, without being counted by the engine.
fn is_sealed(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Opaque { .. })
}

fn count_tokens(block: &ContentBlock) -> u64 {
    match block {
        ContentBlock::Text(text) => TOKENIZER.count(text).0,
        ContentBlock::Call(call) => TOKENIZER.count(&format!("{} {}", call.name, call.arguments)).0,
        ContentBlock::Opaque { raw, .. } => TOKENIZER.count(raw).0,
        // For results the engine's count is used; reasoning is not sent as text.
        ContentBlock::Result(_) | ContentBlock::Reasoning(_) => 0,
    }
}

fn block_kind(role: MessageRole, block: &ContentBlock) -> PromptBlockKind {
    match (block, role) {
        (ContentBlock::Call(_), _) => PromptBlockKind::Call,
        (ContentBlock::Reasoning(_), _) | (ContentBlock::Opaque { .. }, MessageRole::Assistant) => {
            PromptBlockKind::Reasoning
        }
        (_, MessageRole::System) => PromptBlockKind::System,
        (_, MessageRole::User) => PromptBlockKind::User,
        (_, MessageRole::Assistant) => PromptBlockKind::Assistant,
        (_, MessageRole::Tool) => PromptBlockKind::Other,
    }
}

fn call_block_kind(kind: Option<EffectKind>) -> PromptBlockKind {
    match kind {
        Some(EffectKind::Read) => PromptBlockKind::Read,
        Some(EffectKind::Search) => PromptBlockKind::Search,
        Some(EffectKind::List) => PromptBlockKind::List,
        Some(EffectKind::Run) => PromptBlockKind::Run,
        Some(EffectKind::Edit | EffectKind::Write) => PromptBlockKind::Edit,
        Some(EffectKind::Fetch) => PromptBlockKind::Fetch,
        Some(EffectKind::Other) | None => PromptBlockKind::Other,
    }
}

fn explain_block(role: MessageRole, block: &ContentBlock) -> &'static str {
    match (block, role) {
        (ContentBlock::Call(_), _) => "a call of the model is sent with its result",
        (ContentBlock::Reasoning(_), _) => "thinking is shown to you, but not sent as text",
        (ContentBlock::Opaque { .. }, _) => "it is sent back to its provider unchanged",
        (_, MessageRole::System) => "it is at the start of every prompt",
        (_, MessageRole::User) => "your messages are always sent",
        (_, MessageRole::Assistant) => "the model's messages are always sent",
        (_, MessageRole::Tool) => "it is sent in full",
    }
}

/// Returns the title of a block: its first words, or its call.
fn block_title(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) | ContentBlock::Reasoning(text) => shorten_title(text),
        ContentBlock::Call(call) => call_title(call),
        ContentBlock::Result(result) => shorten_title(&result.content),
        ContentBlock::Opaque { kind, .. } => kind.clone(),
    }
}

fn call_title(call: &ToolCall) -> String {
    let about = call.arguments.as_object().and_then(|all| all.values().find_map(Value::as_str));
    shorten_title(&format!("{} {}", call.name, about.unwrap_or_default()))
}

fn shorten_title(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = escape_one_line(line).into_owned();
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}
