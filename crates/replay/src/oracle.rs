//! The oracle: perfect hindsight, the limit of what rules can reach.
//!
//! It knows the whole conversation. Of each result it keeps the lines that a later edit uses
//! and, for each identifier and path that is used later, one line that holds it, where no
//! message and no line already kept shows them then. A short note with the handle stands
//! for the rest. Nothing used is missing.
//!
//! [`Oracle::Arriving`] never changes what was sent: what any other rule for arriving results
//! sends beyond this is never used. [`Oracle::Rewriting`] also drops lines after their last use,
//! when that pays at the prices: known is how often they would be read until the cache expires or
//! the conversation ends. [`Oracle::LookingOnce`] does the same, but sends each result whole when
//! it arrives: nobody who does not know what comes can show less and lose nothing. Which requests
//! are best for rewrites is searched for by a few rules, of which the cheapest counts; so it is
//! what can be reached with hindsight, and not a bound.

mod lines;
mod schedule;
mod search;

use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::retention::fixed::Fixed;

use self::lines::{Kept, shape};
use self::schedule::{Stages, cheapest};
use crate::run::Prepared;

/// What the oracle may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oracle {
    /// Send of each result only what is used later.
    Arriving,
    /// Drop what was used for the last time, too.
    Rewriting,
    /// Send each result whole, and drop of it later what is not used.
    LookingOnce,
}

impl Oracle {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Arriving, Self::Rewriting, Self::LookingOnce];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arriving => "oracle",
            Self::Rewriting => "oracle-rewriting",
            Self::LookingOnce => "oracle-look-once",
        }
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Arriving => "hindsight: of arriving results only what is used later",
            Self::Rewriting => "hindsight: and what was used for the last time is dropped",
            Self::LookingOnce => "hindsight: results come whole once, then only what is used",
        }
    }
}

/// What is known of a conversation when all of it is, found once for all oracles.
#[derive(Debug)]
pub struct Hindsight<'a> {
    prepared: &'a Prepared,
    kept: Vec<Kept>,
}

impl<'a> Hindsight<'a> {
    /// Finds out what is used of each result, and for how long.
    pub fn of(prepared: &'a Prepared) -> Self {
        Self { prepared, kept: search::kept(prepared) }
    }

    /// A projector for the conversation, which is replayed as any profile.
    pub fn start(&self, oracle: Oracle, prices: &PriceCard) -> Projector {
        let Self { prepared, kept } = self;
        let first = || kept.iter().map(|one| (one.index, shape(prepared, one, None)));
        let shapes: Vec<_> = match oracle {
            Oracle::Arriving | Oracle::Rewriting => first().collect(),
            Oracle::LookingOnce => Vec::new(),
        };
        let stages = match oracle {
            Oracle::Arriving => None,
            Oracle::Rewriting => Some(Stages::of(prepared, kept)),
            Oracle::LookingOnce => Some(Stages::after_one_look(prepared, kept)),
        };
        let fixed = Fixed::new(&prepared.record, &shapes);
        Projector::Fixed(match stages {
            None => fixed,
            Some(stages) => fixed.with_rewrites(cheapest(prepared, kept, &stages, prices)),
        })
    }
}

#[cfg(test)]
mod tests;
