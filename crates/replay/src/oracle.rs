//! The oracle: perfect hindsight, as a limit for rules.
//!
//! It knows the whole conversation. It keeps the lines of each result that a later edit uses. For
//! each identifier and path used later it also keeps one line with it, if no message and no kept
//! line shows it at that time. A short note with the handle replaces the rest. Everything that is
//! used later stays visible.
//!
//! [`Oracle::OnArrival`] never changes a sent result: all that other rules for arriving results
//! send beyond it is never used. [`Oracle::Rewriting`] also drops lines after their last use, when
//! that pays at the prices; it knows how often they would be read until the cache expires or the
//! conversation ends. [`Oracle::EarlyReduction`] does the same, but sends each result whole when it
//! arrives; without hindsight, no rule can show less and lose nothing. A few heuristics choose the
//! requests for rewrites, and the cheapest one counts. So the oracle shows what hindsight can
//! reach, and is not a bound.

mod line_search;
mod preset_decisions;
mod retained_lines;
mod rewrite_schedule;

use foveal_engine::projector::Projector;
use foveal_pricing::prices::PriceCard;

use self::preset_decisions::PresetProjector;
use self::retained_lines::{RetainedLines, build_shape};
use self::rewrite_schedule::{ReductionStages, cheapest_rewrites};
use crate::conversation_replay::PreparedConversation;

/// A variant of the oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oracle {
    /// Sends only the later used lines of each result.
    OnArrival,
    /// Also drops lines after their last use.
    Rewriting,
    /// Sends each result whole, and later drops its unused lines.
    EarlyReduction,
}

impl Oracle {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::OnArrival, Self::Rewriting, Self::EarlyReduction];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnArrival => "oracle",
            Self::Rewriting => "oracle-rewriting",
            Self::EarlyReduction => "oracle-look-once",
        }
    }

    /// Returns a description in one line.
    pub fn description(self) -> &'static str {
        match self {
            Self::OnArrival => "hindsight: send only the lines of a result that are used later",
            Self::Rewriting => "hindsight: also drop lines after their last use",
            Self::EarlyReduction => {
                "hindsight: send each result whole once, then only the used lines"
            }
        }
    }
}

/// The lines to retain, calculated from the whole conversation once for all oracles.
#[derive(Debug)]
pub struct Hindsight<'a> {
    prepared: &'a PreparedConversation,
    retained: Vec<RetainedLines>,
}

impl<'a> Hindsight<'a> {
    /// Finds the used lines of each result and their last uses.
    pub fn from_prepared(prepared: &'a PreparedConversation) -> Self {
        Self { prepared, retained: line_search::find_retained_lines(prepared) }
    }

    /// Returns a projector for the conversation; it is replayed as that of any profile.
    pub fn projector(&self, oracle: Oracle, prices: &PriceCard) -> Projector {
        let Self { prepared, retained: kept } = self;
        let first = || kept.iter().map(|one| (one.index, build_shape(prepared, one, None)));
        let shapes: Vec<_> = match oracle {
            Oracle::OnArrival | Oracle::Rewriting => first().collect(),
            Oracle::EarlyReduction => Vec::new(),
        };
        let stages = match oracle {
            Oracle::OnArrival => None,
            Oracle::Rewriting => Some(ReductionStages::from_retained(prepared, kept)),
            Oracle::EarlyReduction => Some(ReductionStages::with_early_reduction(prepared, kept)),
        };
        let fixed = PresetProjector::new(&prepared.record, &shapes);
        Projector::Comparison(Box::new(match stages {
            None => fixed,
            Some(stages) => fixed.with_rewrites(cheapest_rewrites(prepared, kept, &stages, prices)),
        }))
    }
}

#[cfg(test)]
mod tests;
