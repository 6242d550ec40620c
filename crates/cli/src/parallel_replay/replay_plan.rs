//! The plan of a replay: profiles, prices, and where its results go.

use std::sync::{Arc, Mutex};

use foveal_engine::profile::Profile;
use foveal_engine::projector::Projector;
use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_proxy::models::recorded_constraints;
use foveal_replay::oracle::{Hindsight, Oracle};
use foveal_report::{ReportBuilder, ReportLimits, ReportProfile};
use foveal_session_readers::SessionFormat;
use foveal_store::Store;
use foveal_transcript::{CancelToken, Conversation};

use super::past_savings::{PastSavings, StepParser};
use crate::ordered_output::OrderedWriter;
use crate::replay_prices::ReplayPrices;

/// The profiles and settings under which sessions are replayed.
pub(crate) struct ReplayPlan<'a> {
    pub(crate) profiles: &'a [&'static Profile],
    pub(crate) prices: &'a ReplayPrices,
    /// The provider's constraints; `None` for those of the recorded models.
    pub(crate) constraints: Option<ProviderConstraints>,
    /// Selects the lines of read files that are shown.
    pub(crate) views: Arc<dyn ViewSource>,
    /// Counts tokens.
    pub(crate) tokenizer: Tokenizer,
    /// The format of the files, if the user named one.
    pub(crate) format: Option<SessionFormat>,
    /// The log of the first profile's prompts, if one is written.
    pub(crate) prompt_log: Option<&'a OrderedWriter<'static>>,
    /// Whether that log keeps secrets.
    pub(crate) keeps_secrets: bool,
    /// The report, if one is drawn.
    pub(crate) report: Option<ReportPlan<'a>>,
    /// The most problems that are kept of each file; further ones are only counted.
    pub(crate) problems_max: usize,
    /// Earlier work of foveal on the sessions.
    pub(crate) shaping_history: ShapingHistory<'a>,
    /// Cancels the replay.
    pub(crate) cancel: &'a CancelToken<'a>,
}

/// The record of foveal's earlier work on the sessions.
#[derive(Clone, Copy)]
pub(crate) struct ShapingHistory<'a> {
    pub(crate) savings: &'a PastSavings,
    /// Holds the original results, if there is a store.
    pub(crate) store: Option<&'a dyn Store>,
    /// Parses the decisions in the store.
    pub(crate) parse_step: StepParser,
}

/// A profile or oracle that sessions are replayed under.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReplayCandidate {
    /// A profile.
    Profile(&'static Profile),
    /// Hindsight, as a bound for comparison.
    Oracle(Oracle),
}

/// Returns the profiles, followed by all oracles. Rows and figures have this order.
pub(crate) fn list_candidates(profiles: &[&'static Profile]) -> Vec<ReplayCandidate> {
    let profiles = profiles.iter().map(|profile| ReplayCandidate::Profile(profile));
    profiles.chain(Oracle::ALL.map(ReplayCandidate::Oracle)).collect()
}

impl From<ReplayCandidate> for ReportProfile {
    fn from(candidate: ReplayCandidate) -> Self {
        match candidate {
            ReplayCandidate::Profile(profile) => profile.into(),
            ReplayCandidate::Oracle(oracle) => oracle.into(),
        }
    }
}

impl ReplayPlan<'_> {
    /// Starts the projector of a candidate for one conversation.
    pub(super) fn start_projector(
        &self,
        candidate: ReplayCandidate,
        conversation: &Conversation,
        hindsight: &Hindsight<'_>,
        prices: &PriceCard,
    ) -> Projector {
        match candidate {
            ReplayCandidate::Profile(profile) => profile
                .new_projector(prices)
                .with_constraints(self.request_constraints(conversation))
                .with_view_source(Arc::clone(&self.views)),
            ReplayCandidate::Oracle(oracle) => hindsight.projector(oracle, prices),
        }
    }
}

impl ReplayPlan<'_> {
    /// Returns the provider's constraints on the requests of a conversation.
    pub(super) fn request_constraints(&self, conversation: &Conversation) -> ProviderConstraints {
        self.constraints.unwrap_or_else(|| recorded_constraints(conversation))
    }
}

/// The data that a replay gathers for the report.
pub(crate) struct ReportPlan<'a> {
    /// Collects the conversations.
    pub(crate) builder: &'a Mutex<ReportBuilder>,
    /// The limits of the report's size.
    pub(crate) limits: ReportLimits,
    /// The indices of the profiles and oracles, in the order of the builder.
    pub(crate) order: Vec<usize>,
}

impl ReportPlan<'_> {
    /// Returns whether the profile at index `place` is drawn request by request.
    pub(super) fn draws_profile(&self, place: usize) -> bool {
        self.order.iter().take(self.limits.profiles_drawn).any(|drawn| *drawn == place)
    }
}
