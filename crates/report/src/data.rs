//! What the page shows, as plain data.

use foveal_context::prices::PriceCard;
use foveal_context::profile::{Origin, Profile};
use foveal_context::tokens::Tokens;
use foveal_effects::EffectKind;
use foveal_replay::Replay;
use foveal_replay::figures::Figures;
use foveal_replay::oracle::Oracle;
use foveal_transcript::Role;
use serde::{Deserialize, Serialize};

/// How much the page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Conversations drawn request by request.
    pub conversations_drawn: usize,
    /// Conversations listed in the table.
    pub conversations_listed: usize,
    /// Profiles that can be chosen; all others appear in the totals only. At most 4.
    pub profiles_drawn: usize,
    /// Points of one line.
    pub points: usize,
    /// Files in one ranking.
    pub files: usize,
}

impl Default for Limits {
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

/// A profile as the page names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileLine {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// Whether it is one of foveal's own rather than a baseline.
    pub own: bool,
}

impl From<&Profile> for ProfileLine {
    fn from(profile: &Profile) -> Self {
        Self {
            name: profile.name.to_owned(),
            about: profile.about.to_owned(),
            own: profile.origin == Origin::Own,
        }
    }
}

impl From<Oracle> for ProfileLine {
    fn from(oracle: Oracle) -> Self {
        Self { name: oracle.name().to_owned(), about: oracle.about().to_owned(), own: false }
    }
}

/// What kind of content fills a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Part {
    /// System and user messages.
    Instructions,
    /// The model's texts and calls.
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

impl Part {
    /// All parts, in the order they are stacked, from the bottom.
    pub const ALL: [Part; 7] = [
        Part::Instructions,
        Part::Assistant,
        Part::Read,
        Part::Search,
        Part::Edit,
        Part::Run,
        Part::Other,
    ];

    /// The part an entry belongs to.
    pub fn of(role: Role, kind: EffectKind) -> Self {
        match role {
            Role::System | Role::User => Part::Instructions,
            Role::Assistant => Part::Assistant,
            Role::Tool => match kind {
                EffectKind::Read => Part::Read,
                EffectKind::Search | EffectKind::List => Part::Search,
                EffectKind::Edit | EffectKind::Write => Part::Edit,
                EffectKind::Run => Part::Run,
                EffectKind::Fetch | EffectKind::Other => Part::Other,
            },
        }
    }

    /// Its name on the page.
    pub fn word(self) -> &'static str {
        match self {
            Part::Instructions => "system and user",
            Part::Assistant => "assistant",
            Part::Read => "read",
            Part::Search => "search, list",
            Part::Edit => "edit, write",
            Part::Run => "run",
            Part::Other => "other results",
        }
    }
}

/// Tokens of each of [`Part::ALL`].
pub type ByPart = [Tokens; 7];

/// What filled one prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FillSample {
    /// The request, from 1.
    pub request: u32,
    /// The prompt as recorded.
    pub raw: ByPart,
    /// The prompt as projected.
    pub projected: ByPart,
}

/// Tokens that the content of one file took, summed over all requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFill {
    /// The file's path.
    pub path: String,
    /// As recorded.
    pub raw: Tokens,
    /// As projected.
    pub projected: Tokens,
}

/// What filled the prompts of one conversation, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// As recorded, summed over all requests.
    pub raw: ByPart,
    /// As projected, summed over all requests.
    pub projected: ByPart,
    /// Single prompts, in order; evenly spaced and at most 60.
    pub samples: Vec<FillSample>,
    /// The files that took most, by recorded tokens.
    pub files: Vec<FileFill>,
}

/// Sums over the requests of one or more conversations under one profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Conversations.
    pub conversations: u64,
    /// As recorded.
    pub raw: Figures,
    /// As projected.
    pub projected: Figures,
    /// Sum of the conversations' own cost ratios (projected to raw).
    pub ratios: f64,
    /// Conversations that have a cost ratio: all whose recorded cost is not zero.
    pub ratios_count: u64,
}

impl Totals {
    /// The sums of one conversation.
    pub fn of(replay: &Replay) -> Self {
        let (raw, projected) = (Figures::raw(replay), Figures::projected(replay));
        let is_paid = raw.dollars > 0.0;
        let ratios = if is_paid { projected.dollars / raw.dollars } else { 0.0 };
        Self { conversations: 1, raw, projected, ratios, ratios_count: u64::from(is_paid) }
    }

    /// Adds another conversation's sums.
    pub fn add(&mut self, other: &Totals) {
        self.conversations += other.conversations;
        self.raw += other.raw;
        self.projected += other.projected;
        self.ratios += other.ratios;
        self.ratios_count += other.ratios_count;
    }

    /// Change of cost as a fraction of the recorded cost; `None` where that is zero.
    pub fn cost_change(&self) -> Option<f64> {
        self.projected.cost_change(&self.raw)
    }

    /// Change of input tokens as a fraction; `None` where none were recorded.
    pub fn token_change(&self) -> Option<f64> {
        self.projected.tokens_change(&self.raw)
    }

    /// Mean of the conversations' own cost changes.
    pub fn mean_change(&self) -> Option<f64> {
        (self.ratios_count > 0).then(|| self.ratios / self.ratios_count as f64 - 1.0)
    }
}

/// One request in a drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The request, from 1.
    pub request: u32,
    /// Tokens of the prompt as recorded.
    pub raw: u64,
    /// Tokens of the prompt as projected.
    pub tokens: u64,
    /// Those of `tokens` that the cache held.
    pub cached: u64,
    /// US dollars up to and with this request, as recorded.
    pub raw_dollars: f64,
    /// US dollars up to and with this request, as projected, repairs included.
    pub net_dollars: f64,
}

/// One conversation under one profile, request by request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Requests, thinned evenly, the first and the last kept.
    pub points: Vec<Point>,
    /// Requests at which results already sent were changed, by number from 1.
    pub rewrites: Vec<u32>,
    /// Requests that found the cache expired, by number from 1.
    pub cold: Vec<u32>,
    /// What filled the prompts.
    pub fill: Fill,
}

/// One conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionLine {
    /// The session's name; any text.
    pub session: String,
    /// The agent's name, as far as recorded; any text.
    pub agent: Option<String>,
    /// The directory it worked in, as far as recorded.
    pub directory: Option<String>,
    /// Sums, one for each profile.
    pub totals: Vec<Totals>,
    /// Drawings, one for each profile that is drawn; empty for all but the dearest.
    pub details: Vec<Detail>,
}

impl SessionLine {
    /// US dollars for the recorded prompts.
    pub fn raw_dollars(&self) -> f64 {
        self.totals.first().map_or(0.0, |totals| totals.raw.dollars)
    }
}

/// All the page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// What prompts were charged with.
    pub prices: PriceCard,
    /// How much is shown.
    pub limits: Limits,
    /// The profiles; the first [`ReportData::drawn`] can be chosen, the first is chosen first.
    pub profiles: Vec<ProfileLine>,
    /// How many of `profiles` are drawn.
    pub drawn: usize,
    /// Sums over all conversations, one for each profile.
    pub totals: Vec<Totals>,
    /// What filled the prompts of all conversations, one for each profile that is drawn.
    pub fills: Vec<Fill>,
    /// Conversations by recorded cost, the dearest first.
    pub sessions: Vec<SessionLine>,
}
