//! The content of the page as plain data.

use foveal_engine::profile::{Profile, ProfileOrigin};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_replay::ConversationReplay;
use foveal_replay::figures::ReplayFigures;
use foveal_replay::oracle::Oracle;
use foveal_tool_effects::EffectKind;
use foveal_transcript::MessageRole;
use serde::{Deserialize, Serialize};

use crate::conversation_label::ConversationLabel;

/// Limits of the amount of content on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportLimits {
    /// The most conversations drawn request by request.
    pub conversations_drawn: usize,
    /// The most conversations listed in the table.
    pub conversations_listed: usize,
    /// The most profiles that can be selected, at most 4; all others appear in the totals only.
    pub profiles_drawn: usize,
    /// The most points of one line.
    pub points: usize,
    /// The most files in one ranking.
    pub files: usize,
}

impl Default for ReportLimits {
    fn default() -> Self {
        Self {
            conversations_drawn: 12,
            conversations_listed: 100,
            profiles_drawn: 4,
            points: 600,
            files: 15,
        }
    }
}

/// A profile as the page presents it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportProfile {
    /// Its name.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// Whether it is one of foveal's profiles; others are baselines.
    pub own: bool,
}

impl From<&Profile> for ReportProfile {
    fn from(profile: &Profile) -> Self {
        Self {
            name: profile.name.to_owned(),
            about: profile.about.to_owned(),
            own: profile.origin == ProfileOrigin::Own,
        }
    }
}

impl From<Oracle> for ReportProfile {
    fn from(oracle: Oracle) -> Self {
        Self { name: oracle.name().to_owned(), about: oracle.description().to_owned(), own: false }
    }
}

/// The kinds of content in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PromptContentKind {
    /// System and user messages.
    Instructions,
    /// The model's texts and tool calls.
    Assistant,
    /// Results of reads.
    Read,
    /// Results of searches and lists.
    Search,
    /// Results of edits and writes.
    Edit,
    /// Results of runs.
    Run,
    /// All other results.
    Other,
}

impl PromptContentKind {
    /// All kinds, in stacking order from the bottom.
    pub const ALL: [PromptContentKind; 7] = [
        PromptContentKind::Instructions,
        PromptContentKind::Assistant,
        PromptContentKind::Read,
        PromptContentKind::Search,
        PromptContentKind::Edit,
        PromptContentKind::Run,
        PromptContentKind::Other,
    ];

    /// Returns the kind of an entry.
    pub fn from_entry(role: MessageRole, kind: EffectKind) -> Self {
        match role {
            MessageRole::System | MessageRole::User => PromptContentKind::Instructions,
            MessageRole::Assistant => PromptContentKind::Assistant,
            MessageRole::Tool => match kind {
                EffectKind::Read => PromptContentKind::Read,
                EffectKind::Search | EffectKind::List => PromptContentKind::Search,
                EffectKind::Edit | EffectKind::Write => PromptContentKind::Edit,
                EffectKind::Run => PromptContentKind::Run,
                EffectKind::Fetch | EffectKind::Other => PromptContentKind::Other,
            },
        }
    }

    /// Returns the name on the page.
    pub fn label(self) -> &'static str {
        match self {
            PromptContentKind::Instructions => "system and user",
            PromptContentKind::Assistant => "assistant",
            PromptContentKind::Read => "read",
            PromptContentKind::Search => "search, list",
            PromptContentKind::Edit => "edit, write",
            PromptContentKind::Run => "run",
            PromptContentKind::Other => "other results",
        }
    }
}

/// Tokens of each of [`PromptContentKind::ALL`].
pub type TokensByKind = [Tokens; 7];

/// The composition of one prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompositionSample {
    /// The number of the request, from 1.
    pub request: u32,
    /// The prompt as recorded.
    pub raw: TokensByKind,
    /// The prompt as projected.
    pub projected: TokensByKind,
}

/// The tokens of one file's content, summed over all requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTokens {
    /// The file's path.
    pub path: String,
    /// As recorded.
    pub raw: Tokens,
    /// As projected.
    pub projected: Tokens,
}

/// The composition of the prompts of one conversation, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptComposition {
    /// As recorded, summed over all requests.
    pub raw: TokensByKind,
    /// As projected, summed over all requests.
    pub projected: TokensByKind,
    /// Single prompts, in order, evenly spaced; at most 60.
    pub samples: Vec<CompositionSample>,
    /// The files with the most recorded tokens.
    pub files: Vec<FileTokens>,
}

/// Sums over the requests of one or more conversations under one profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportTotals {
    /// The number of conversations.
    pub conversations: u64,
    /// As recorded.
    pub raw: ReplayFigures,
    /// As projected.
    pub projected: ReplayFigures,
    /// The sum of the cost ratios (projected to raw) of the conversations.
    pub ratios: f64,
    /// The number of conversations with a cost ratio: all whose recorded cost is not zero.
    pub ratios_count: u64,
}

impl ReportTotals {
    /// Sums one conversation.
    pub fn from_replay(replay: &ConversationReplay) -> Self {
        let (raw, projected) =
            (ReplayFigures::from_recording(replay), ReplayFigures::from_projection(replay));
        let is_paid = raw.dollars > 0.0;
        let ratios = if is_paid { projected.dollars / raw.dollars } else { 0.0 };
        Self { conversations: 1, raw, projected, ratios, ratios_count: u64::from(is_paid) }
    }

    /// Adds the sums of other conversations.
    pub fn add(&mut self, other: &ReportTotals) {
        self.conversations += other.conversations;
        self.raw += other.raw;
        self.projected += other.projected;
        self.ratios += other.ratios;
        self.ratios_count += other.ratios_count;
    }

    /// Returns true if the provider's bill is recorded.
    pub fn is_billed(&self) -> bool {
        self.raw.billed.requests > 0
    }

    /// Returns the change of the whole input as billed, or of the recorded messages alone if no
    /// bill is recorded.
    pub fn headline_change(&self) -> Option<f64> {
        match self.is_billed() {
            true => self.projected.billed.input_cost_change(&self.raw.billed),
            false => self.cost_change(),
        }
    }

    /// Returns the US dollars of the input as billed, or of the recorded messages if no bill is
    /// recorded.
    pub fn recorded_input_dollars(&self) -> f64 {
        input_dollars(&self.raw, self.is_billed())
    }

    /// Returns the US dollars of the projected input, on the basis of
    /// [`ReportTotals::recorded_input_dollars`].
    pub fn projected_input_dollars(&self) -> f64 {
        input_dollars(&self.projected, self.is_billed())
    }

    /// Returns the change of cost as a fraction of the recorded cost; `None` if that is zero.
    pub fn cost_change(&self) -> Option<f64> {
        self.projected.cost_change(&self.raw)
    }

    /// Returns the change of input tokens as a fraction; `None` if none were recorded.
    pub fn token_change(&self) -> Option<f64> {
        self.projected.tokens_change(&self.raw)
    }

    /// Returns the mean of the cost changes of the conversations.
    pub fn mean_cost_change(&self) -> Option<f64> {
        (self.ratios_count > 0).then(|| self.ratios / self.ratios_count as f64 - 1.0)
    }
}

fn input_dollars(figures: &ReplayFigures, is_billed: bool) -> f64 {
    if is_billed { figures.billed.input_dollars() } else { figures.dollars }
}

/// The values of one request in a drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestPoint {
    /// The number of the request, from 1.
    pub request: u32,
    /// Tokens of the prompt as recorded.
    pub raw: u64,
    /// Tokens of the prompt as projected.
    pub tokens: u64,
    /// The part of `tokens` that the cache held.
    pub cached: u64,
    /// US dollars up to and including this request, as recorded.
    pub raw_dollars: f64,
    /// US dollars up to and including this request, as projected, repairs included.
    pub net_dollars: f64,
}

/// One conversation under one profile, request by request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversationDetail {
    /// The requests, evenly sampled, with the first and the last.
    pub points: Vec<RequestPoint>,
    /// Requests at which already sent results were changed, by number from 1.
    pub rewrites: Vec<u32>,
    /// Requests after the cache expired, by number from 1.
    pub cold: Vec<u32>,
    /// The composition of the prompts.
    pub fill: PromptComposition,
}

/// One conversation on the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportConversation {
    /// The session's name; any text.
    pub session: String,
    /// The agent's name, if recorded; any text.
    pub agent: Option<String>,
    /// The day, folder and first words.
    pub label: ConversationLabel,
    /// The sums, one for each profile.
    pub totals: Vec<ReportTotals>,
    /// The drawings, one for each drawn profile; empty for all but the most expensive
    /// conversations.
    pub details: Vec<ConversationDetail>,
}

impl ReportConversation {
    /// Returns the first words or, without them, the session's name.
    pub fn title(&self) -> &str {
        match self.label.first_words.as_str() {
            "" => &self.session,
            words => words,
        }
    }

    /// Returns the day, folder and agent on one line.
    pub fn origin(&self) -> String {
        let label = &self.label;
        let agent = self.agent.as_deref().unwrap_or_default();
        let parts = [label.date.as_str(), label.folder_name(), agent];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    }

    /// Returns the cost of the recorded prompts in US dollars.
    pub fn raw_dollars(&self) -> f64 {
        self.totals.first().map_or(0.0, |totals| totals.raw.dollars)
    }
}

/// All data of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// The price cards of the prompts.
    pub prices: Vec<PriceCard>,
    /// The limits of the page.
    pub limits: ReportLimits,
    /// The profiles; the first [`ReportData::drawn`] can be selected, the first is selected at
    /// first.
    pub profiles: Vec<ReportProfile>,
    /// The number of `profiles` that are drawn.
    pub drawn: usize,
    /// The sums over all conversations, one for each profile.
    pub totals: Vec<ReportTotals>,
    /// The composition of the prompts of all conversations, one for each drawn profile.
    pub fills: Vec<PromptComposition>,
    /// The conversations by recorded cost, the most expensive first.
    pub sessions: Vec<ReportConversation>,
}
