//! What is measured, and how.

use std::sync::{Arc, Mutex};

use foveal_cancel::Cancel;
use foveal_context::prices::{Constraints, PriceCard};
use foveal_context::profile::Profile;
use foveal_context::projector::Projector;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_live::models::recorded_constraints;
use foveal_replay::oracle::{Hindsight, Oracle};
use foveal_report::{Limits, ProfileLine, ReportBuilder};
use foveal_store::Store;
use foveal_transcript::Conversation;
use foveal_wire::Format;

use super::past_savings::PastSavings;
use crate::ordered::Ordered;

/// What is measured, and how.
pub(crate) struct Plan<'a> {
    pub(crate) profiles: &'a [&'static Profile],
    pub(crate) prices: &'a PriceCard,
    /// What the provider refuses; `None`: what those of the recorded models do.
    pub(crate) constraints: Option<Constraints>,
    /// Who chooses what of read files is shown.
    pub(crate) views: Arc<dyn Views>,
    /// What counts tokens.
    pub(crate) tokenizer: Tokenizer,
    /// The format, where the user named it.
    pub(crate) format: Option<Format>,
    /// Where the prompts of the first profile go.
    pub(crate) prompt_log: Option<&'a Ordered<'static>>,
    /// Whether they go there with the secrets in them.
    pub(crate) keeps_secrets: bool,
    /// What is drawn, where a report is.
    pub(crate) report: Option<Report<'a>>,
    /// Problems kept of each file; the rest is counted.
    pub(crate) problems_max: usize,
    /// What foveal did to the sessions while they were held.
    pub(crate) past: Past<'a>,
    /// Whether to stop.
    pub(crate) cancel: &'a Cancel<'a>,
}

/// What is known of earlier work of foveal on the sessions.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub(crate) savings: &'a PastSavings,
    /// Holds results as they were.
    pub(crate) store: Option<&'a dyn Store>,
}

/// What a session is replayed under.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Candidate {
    /// A profile.
    Profile(&'static Profile),
    /// Hindsight, to compare profiles with.
    Oracle(Oracle),
}

/// The profiles, then the oracles: what rows and figures are in the order of.
pub(crate) fn candidates(profiles: &[&'static Profile]) -> Vec<Candidate> {
    let profiles = profiles.iter().map(|profile| Candidate::Profile(profile));
    profiles.chain(Oracle::ALL.map(Candidate::Oracle)).collect()
}

impl From<Candidate> for ProfileLine {
    fn from(candidate: Candidate) -> Self {
        match candidate {
            Candidate::Profile(profile) => profile.into(),
            Candidate::Oracle(oracle) => oracle.into(),
        }
    }
}

impl Plan<'_> {
    /// A projector for one conversation.
    pub(super) fn start(
        &self,
        candidate: Candidate,
        conversation: &Conversation,
        hindsight: &Hindsight<'_>,
    ) -> Projector {
        match candidate {
            Candidate::Profile(profile) => profile
                .start(self.prices)
                .with_constraints(self.constraints(conversation))
                .with_views(Arc::clone(&self.views)),
            Candidate::Oracle(oracle) => hindsight.start(oracle, self.prices),
        }
    }
}

impl Plan<'_> {
    /// What the provider refuses of a conversation's requests.
    pub(super) fn constraints(&self, conversation: &Conversation) -> Constraints {
        self.constraints.unwrap_or_else(|| recorded_constraints(conversation))
    }
}

/// What is gathered for the report.
pub(crate) struct Report<'a> {
    /// Where it is gathered.
    pub(crate) builder: &'a Mutex<ReportBuilder>,
    /// How much is shown.
    pub(crate) limits: Limits,
    /// The places of the profiles and oracles, in the order the builder was given them.
    pub(crate) order: Vec<usize>,
}

impl Report<'_> {
    /// Whether the profile at `place` is drawn request by request.
    pub(super) fn draws(&self, place: usize) -> bool {
        self.order.iter().take(self.limits.profiles_drawn).any(|drawn| *drawn == place)
    }
}
