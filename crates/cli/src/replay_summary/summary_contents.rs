//! The contents of a replay's summary.

use foveal_engine::profile::{DEFAULT_PROFILE, Profile};
use foveal_pricing::prices::{PriceCard, join_card_names};
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::oracle::Oracle;

use crate::replay_totals::{ProfileTotals, ReplayTotals, SessionFigures};

/// The order of rows; the largest last, names from A to Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SummaryOrder {
    /// The cost of the input, repairs included.
    Cost,
    /// The share of evidence that was visible.
    Evidence,
    /// Tokens of all prompts.
    Tokens,
    /// The name of the profile or session.
    Name,
}

/// The contents of the summary.
pub(crate) struct ReplaySummary<'a> {
    pub(crate) profiles: &'a [&'static Profile],
    /// The price cards of the sessions.
    pub(crate) prices: &'a [PriceCard],
    /// The tokenizer that counted tokens.
    pub(crate) tokenizer: Tokenizer,
    /// The sessions, in the order of the list.
    pub(crate) sessions: &'a [SessionFigures],
    /// The totals of all sessions.
    pub(crate) totals: &'a ReplayTotals,
    /// The order of rows, if the user chose one.
    pub(crate) sort: Option<SummaryOrder>,
    /// Files that were not read, with the reason.
    pub(crate) not_read: &'a [String],
    /// Messages about parts of files that could not be read; the first few.
    pub(crate) problems: &'a [String],
    /// The number of all such parts.
    pub(crate) problem_count: u64,
    /// Whether the user interrupted the replay.
    pub(crate) interrupted: bool,
}

impl ReplaySummary<'_> {
    /// Returns the index of the profile that single sentences and tables describe: the default
    /// profile if it was replayed, else the first.
    pub(crate) fn main_profile_index(&self) -> usize {
        self.profiles.iter().position(|profile| profile.name == DEFAULT_PROFILE).unwrap_or(0)
    }

    /// Returns the names of the price cards.
    pub(crate) fn price_names(&self) -> String {
        match self.prices {
            [] => "none".to_owned(),
            cards => join_card_names(cards).unwrap_or_else(|| format!("of {} models", cards.len())),
        }
    }

    /// Returns whether the prices of all sessions are an assumption.
    pub(crate) fn has_assumed_prices(&self) -> bool {
        self.totals.assumed_prices == self.totals.sessions && self.totals.sessions > 0
    }

    /// Returns the oracles with their totals.
    pub(crate) fn oracle_totals(&self) -> impl Iterator<Item = (Oracle, ProfileTotals)> + '_ {
        let totals = self.totals.profiles.iter().skip(self.profiles.len());
        Oracle::ALL.into_iter().zip(totals.copied())
    }

    /// Returns the profiles with their totals, in the order of rows.
    pub(crate) fn profile_rows(&self) -> Vec<(&'static Profile, ProfileTotals)> {
        let mut rows: Vec<_> =
            self.profiles.iter().copied().zip(self.totals.profiles.iter().copied()).collect();
        match self.sort {
            None => {}
            Some(SummaryOrder::Name) => rows.sort_by_key(|(profile, _)| profile.name),
            Some(SummaryOrder::Tokens) => rows.sort_by_key(|(_, totals)| totals.figures.tokens),
            Some(SummaryOrder::Cost) => {
                rows.sort_by(|a, b| a.1.figures.dollars.total_cmp(&b.1.figures.dollars));
            }
            Some(SummaryOrder::Evidence) => rows.sort_by(|a, b| {
                a.1.figures.evidence.ratio().total_cmp(&b.1.figures.evidence.ratio())
            }),
        }
        rows
    }
}

/// Sorts sessions by their figures under the profile at index `main`.
pub(crate) fn sort_sessions(
    sessions: &mut [SessionFigures],
    main: usize,
    sort: Option<SummaryOrder>,
) {
    let of = |session: &SessionFigures| session.profiles.get(main).copied().unwrap_or_default();
    match sort {
        None => {}
        Some(SummaryOrder::Name) => sessions.sort_by(|a, b| a.session.cmp(&b.session)),
        Some(SummaryOrder::Tokens) => sessions.sort_by_key(|session| of(session).tokens),
        Some(SummaryOrder::Cost) => {
            sessions.sort_by(|a, b| of(a).dollars.total_cmp(&of(b).dollars));
        }
        Some(SummaryOrder::Evidence) => {
            sessions.sort_by(|a, b| of(a).evidence.ratio().total_cmp(&of(b).evidence.ratio()));
        }
    }
}

/// Returns the name of a tokenizer on the command line.
pub(crate) fn tokenizer_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::O200k => "o200k",
        Tokenizer::Cl100k => "cl100k",
        Tokenizer::Claude => "claude",
        Tokenizer::Bytes => "bytes",
    }
}
