//! Figures of many requests, added up.

use std::ops::AddAssign;

use foveal_context::tokens::Tokens;
use foveal_replay::Replay;
use foveal_replay::laws::Breaches;
use foveal_replay::run::Share;

/// Sums over the requests of a conversation, a session or all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Figures {
    /// Requests.
    pub(crate) requests: u64,
    /// Tokens of all prompts.
    pub(crate) tokens: Tokens,
    /// Those read from the provider's cache.
    pub(crate) cached: Tokens,
    /// Tokens of the largest prompt.
    pub(crate) peak: Tokens,
    /// US dollars for the input, repairs included.
    pub(crate) dollars: f64,
    /// US dollars of these for repairs.
    pub(crate) repair_dollars: f64,
    /// Requests at which results already sent were changed.
    pub(crate) rewrites: u64,
    /// Lines of edits that were visible.
    pub(crate) evidence: Share,
    /// Identifiers and paths that were visible.
    pub(crate) references: Share,
    /// Repairs.
    pub(crate) repairs: u64,
    /// Laws broken.
    pub(crate) breaches: Breaches,
}

impl Figures {
    /// Of a conversation as projected.
    pub(crate) fn projected(replay: &Replay) -> Self {
        let mut sum = Self { breaches: replay.breaches, ..Self::default() };
        for request in &replay.requests {
            sum.requests += 1;
            sum.tokens += request.projected.prompt;
            sum.cached += request.projected.cached;
            sum.peak = sum.peak.max(request.projected.prompt);
            sum.dollars += request.projected.dollars + request.repair_dollars;
            sum.repair_dollars += request.repair_dollars;
            sum.rewrites += u64::from(request.rewrite.is_some());
            sum.evidence += request.evidence;
            sum.references += request.references;
            sum.repairs += u64::from(request.repairs);
        }
        sum
    }

    /// Of a conversation as recorded: everything used was visible.
    pub(crate) fn raw(replay: &Replay) -> Self {
        let mut sum = Self::default();
        for request in &replay.requests {
            sum.requests += 1;
            sum.tokens += request.raw.prompt;
            sum.cached += request.raw.cached;
            sum.peak = sum.peak.max(request.raw.prompt);
            sum.dollars += request.raw.dollars;
            sum.evidence += whole(request.evidence);
            sum.references += whole(request.references);
        }
        sum
    }

    /// The cost relative to `raw`: -0.3 is 30 % less; `None` where raw costs nothing.
    pub(crate) fn cost_change(&self, raw: &Figures) -> Option<f64> {
        (raw.dollars > 0.0).then(|| self.dollars / raw.dollars - 1.0)
    }

    /// The tokens relative to `raw`; `None` where there are none.
    pub(crate) fn tokens_change(&self, raw: &Figures) -> Option<f64> {
        (raw.tokens.0 > 0).then(|| self.tokens.0 as f64 / raw.tokens.0 as f64 - 1.0)
    }
}

fn whole(share: Share) -> Share {
    Share { used: share.used, visible: share.used }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens += other.tokens;
        self.cached += other.cached;
        self.peak = self.peak.max(other.peak);
        self.dollars += other.dollars;
        self.repair_dollars += other.repair_dollars;
        self.rewrites += other.rewrites;
        self.evidence += other.evidence;
        self.references += other.references;
        self.repairs += other.repairs;
        self.breaches += other.breaches;
    }
}

/// The figures of one session under every chosen profile.
#[derive(Debug, Clone)]
pub(crate) struct SessionFigures {
    /// The session's id.
    pub(crate) session: String,
    /// The file it is from.
    pub(crate) file: String,
    /// Its conversations.
    pub(crate) conversations: u64,
    /// As recorded.
    pub(crate) raw: Figures,
    /// As each profile projects it, in the order of the chosen profiles.
    pub(crate) profiles: Vec<Figures>,
}

/// The figures of all sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    /// Sessions.
    pub(crate) sessions: u64,
    /// Conversations, those of sub-agents included.
    pub(crate) conversations: u64,
    /// As recorded.
    pub(crate) raw: Figures,
    /// As each profile projects them, in the order of the chosen profiles.
    pub(crate) profiles: Vec<ProfileTotals>,
}

/// The figures of all sessions under one profile.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProfileTotals {
    /// The sums.
    pub(crate) figures: Figures,
    /// The mean of the sessions' own changes in cost; `None` where no session cost anything.
    pub(crate) cost_change_mean: Option<f64>,
}

impl Totals {
    /// Adds up `sessions`, each replayed under `profiles` profiles.
    pub(crate) fn of(sessions: &[SessionFigures], profiles: usize) -> Self {
        let mut totals = Self { sessions: sessions.len() as u64, ..Self::default() };
        for session in sessions {
            totals.conversations += session.conversations;
            totals.raw += session.raw;
        }
        totals.profiles = (0..profiles).map(|at| profile_totals(sessions, at)).collect();
        totals
    }
}

fn profile_totals(sessions: &[SessionFigures], at: usize) -> ProfileTotals {
    let mut figures = Figures::default();
    let mut changes = Vec::new();
    for session in sessions {
        let own = &session.profiles[at];
        figures += *own;
        changes.extend(own.cost_change(&session.raw));
    }
    let mean = changes.iter().sum::<f64>() / changes.len() as f64;
    ProfileTotals { figures, cost_change_mean: (!changes.is_empty()).then_some(mean) }
}
