//! Sums of the figures of sessions under every profile.

use foveal_pricing::keep_alive::{KeepAliveEstimate, Pause, estimate_keep_alive};
use foveal_pricing::prices::PriceCard;
use foveal_replay::figures::ReplayFigures;
use foveal_report::ConversationLabel;

/// The figures of one session under every chosen profile.
#[derive(Debug, Clone)]
pub(crate) struct SessionFigures {
    /// The session's id.
    pub(crate) session: String,
    /// The session's file.
    pub(crate) file: String,
    /// The day, folder and first words of its main conversation.
    pub(crate) label: ConversationLabel,
    pub(crate) conversations: u64,
    /// The price cards of its conversations, each once.
    pub(crate) prices: Vec<PriceCard>,
    /// Whether the price of a model is unknown, so that its prices are an assumption.
    pub(crate) has_assumed_prices: bool,
    /// The figures as recorded.
    pub(crate) raw: ReplayFigures,
    /// The figures under each chosen profile, then under each oracle, in their order.
    pub(crate) profiles: Vec<ReplayFigures>,
    /// The recorded pauses that are long enough for a keep-alive.
    pub(crate) pauses: Vec<Pause>,
}

/// The figures of all sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayTotals {
    pub(crate) sessions: u64,
    /// The number of conversations, including those of sub-agents.
    pub(crate) conversations: u64,
    /// The number of sessions with assumed prices.
    pub(crate) assumed_prices: u64,
    /// The figures as recorded.
    pub(crate) raw: ReplayFigures,
    /// The figures under each chosen profile, then under each oracle, in their order.
    pub(crate) profiles: Vec<ProfileTotals>,
    /// The estimated effect of keep-alives, by the recorded bill.
    pub(crate) warm: KeepAliveEstimate,
}

/// The figures of all sessions under one profile.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProfileTotals {
    /// The sums over all sessions.
    pub(crate) figures: ReplayFigures,
    /// The mean of the relative cost changes of the sessions; `None` if no session had a cost.
    pub(crate) cost_change_mean: Option<f64>,
}

impl ReplayTotals {
    /// Adds up `sessions`, each replayed under `profiles` profiles and oracles.
    pub(crate) fn from_sessions(sessions: &[SessionFigures], profiles: usize) -> Self {
        let mut totals = Self { sessions: sessions.len() as u64, ..Self::default() };
        for session in sessions {
            totals.conversations += session.conversations;
            totals.assumed_prices += u64::from(session.has_assumed_prices);
            totals.raw += session.raw;
        }
        let pauses: Vec<Pause> =
            sessions.iter().flat_map(|session| &session.pauses).copied().collect();
        totals.warm = estimate_keep_alive(&pauses);
        totals.profiles = (0..profiles).map(|at| sum_profile(sessions, at)).collect();
        totals
    }
}

fn sum_profile(sessions: &[SessionFigures], at: usize) -> ProfileTotals {
    let mut figures = ReplayFigures::default();
    let mut changes = Vec::new();
    for session in sessions {
        let own = &session.profiles[at];
        figures += *own;
        changes.extend(own.cost_change(&session.raw));
    }
    let mean = changes.iter().sum::<f64>() / changes.len() as f64;
    ProfileTotals { figures, cost_change_mean: (!changes.is_empty()).then_some(mean) }
}
