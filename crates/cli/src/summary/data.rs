//! What a replay found.

use foveal_context::prices::PriceCard;
use foveal_context::profile::{DEFAULT, Profile};
use foveal_context::tokens::Tokenizer;
use foveal_replay::oracle::Oracle;

use crate::figures::{ProfileTotals, SessionFigures, Totals};

/// By what rows are sorted; the largest last, names from A to Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Sort {
    /// What the input costs, repairs included.
    Cost,
    /// The share of evidence that was visible.
    Evidence,
    /// Tokens of all prompts.
    Tokens,
    /// The name of the profile or session.
    Name,
}

/// All that is reported.
pub(crate) struct Summary<'a> {
    pub(crate) profiles: &'a [&'static Profile],
    pub(crate) prices: &'a PriceCard,
    /// What counted tokens.
    pub(crate) tokenizer: Tokenizer,
    /// The sessions, in the order they are listed.
    pub(crate) sessions: &'a [SessionFigures],
    /// Their sums.
    pub(crate) totals: &'a Totals,
    /// How rows are sorted, where the user said so.
    pub(crate) sort: Option<Sort>,
    /// Files that were not read, with the reason.
    pub(crate) not_read: &'a [String],
    /// Things in files that could not be read as they stand: the first few.
    pub(crate) problems: &'a [String],
    /// All of them counted.
    pub(crate) problem_count: u64,
    /// Whether the user stopped it before the end.
    pub(crate) interrupted: bool,
}

impl Summary<'_> {
    /// The profile a single sentence or table is about, by its place: the default one where
    /// it was replayed, the first otherwise.
    pub(crate) fn main_profile(&self) -> usize {
        self.profiles.iter().position(|profile| profile.name == DEFAULT).unwrap_or(0)
    }

    /// The oracles with their totals.
    pub(crate) fn oracles(&self) -> impl Iterator<Item = (Oracle, ProfileTotals)> + '_ {
        let totals = self.totals.profiles.iter().skip(self.profiles.len());
        Oracle::ALL.into_iter().zip(totals.copied())
    }

    /// Profiles with their totals, in the order of the rows.
    pub(crate) fn rows(&self) -> Vec<(&'static Profile, ProfileTotals)> {
        let mut rows: Vec<_> =
            self.profiles.iter().copied().zip(self.totals.profiles.iter().copied()).collect();
        match self.sort {
            None => {}
            Some(Sort::Name) => rows.sort_by_key(|(profile, _)| profile.name),
            Some(Sort::Tokens) => rows.sort_by_key(|(_, totals)| totals.figures.tokens),
            Some(Sort::Cost) => {
                rows.sort_by(|a, b| a.1.figures.dollars.total_cmp(&b.1.figures.dollars));
            }
            Some(Sort::Evidence) => rows.sort_by(|a, b| {
                a.1.figures.evidence.ratio().total_cmp(&b.1.figures.evidence.ratio())
            }),
        }
        rows
    }
}

/// Sorts sessions by their figures under the profile at `main`.
pub(crate) fn sort_sessions(sessions: &mut [SessionFigures], main: usize, sort: Option<Sort>) {
    let of = |session: &SessionFigures| session.profiles.get(main).copied().unwrap_or_default();
    match sort {
        None => {}
        Some(Sort::Name) => sessions.sort_by(|a, b| a.session.cmp(&b.session)),
        Some(Sort::Tokens) => sessions.sort_by_key(|session| of(session).tokens),
        Some(Sort::Cost) => sessions.sort_by(|a, b| of(a).dollars.total_cmp(&of(b).dollars)),
        Some(Sort::Evidence) => {
            sessions.sort_by(|a, b| of(a).evidence.ratio().total_cmp(&of(b).evidence.ratio()));
        }
    }
}

/// The name of a tokenizer on the command line.
pub(crate) fn tokenizer_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::O200k => "o200k",
        Tokenizer::Cl100k => "cl100k",
        Tokenizer::Claude => "claude",
        Tokenizer::Bytes => "bytes",
    }
}
