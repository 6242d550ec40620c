//! Figures of sessions under every profile, added up.

use foveal_context::warm::{Estimate, Pause, estimate};
use foveal_replay::figures::Figures;

/// The figures of one session under every chosen profile.
#[derive(Debug, Clone)]
pub(crate) struct SessionFigures {
    /// The session's id.
    pub(crate) session: String,
    /// The file it is from.
    pub(crate) file: String,
    pub(crate) conversations: u64,
    /// As recorded.
    pub(crate) raw: Figures,
    /// As each profile projects it, in the order of the chosen profiles; then as each oracle does.
    pub(crate) profiles: Vec<Figures>,
    /// Pauses long enough to keep a cache warm, as recorded.
    pub(crate) pauses: Vec<Pause>,
}

/// The figures of all sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    pub(crate) sessions: u64,
    /// Conversations, those of sub-agents included.
    pub(crate) conversations: u64,
    /// As recorded.
    pub(crate) raw: Figures,
    /// As each profile projects them, in the order of the chosen profiles; then as each oracle does.
    pub(crate) profiles: Vec<ProfileTotals>,
    /// What keeping caches warm would have come to, by the bill as recorded.
    pub(crate) warm: Estimate,
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
    /// Adds up `sessions`, each replayed under so many profiles and oracles.
    pub(crate) fn of(sessions: &[SessionFigures], profiles: usize) -> Self {
        let mut totals = Self { sessions: sessions.len() as u64, ..Self::default() };
        for session in sessions {
            totals.conversations += session.conversations;
            totals.raw += session.raw;
        }
        let pauses: Vec<Pause> =
            sessions.iter().flat_map(|session| &session.pauses).copied().collect();
        totals.warm = estimate(&pauses);
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
