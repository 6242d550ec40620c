//! What shortening tools would have saved in sessions that tell which tools they had.

use std::collections::BTreeSet;

use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

use super::rule::{Judged, ToolUse, Verdict, verdict};
use crate::prices::PriceCard;
use crate::tokens::Tokens;

/// The definition of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defined {
    /// Its name.
    pub name: String,
    /// Its tokens.
    pub tokens: Tokens,
    /// The same without what says nothing in its schema.
    pub plain: Tokens,
    /// The same with short descriptions too.
    pub short: Tokens,
}

/// A conversation: its tools, as far as it tells, and what it called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversed {
    /// When it began.
    pub time: Option<Timestamp>,
    /// Tools that it declares.
    pub tools: Vec<Defined>,
    /// Names of tools that it called.
    pub called: BTreeSet<String>,
    /// US dollars for a million tokens in front of all its requests, by [`carried`].
    pub carried: f64,
}

/// What shortening tools would have come to. Tokens are those of one prompt, added up over
/// conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Sessions with calls.
    pub sessions: u64,
    /// Conversations that tell their tools.
    pub conversations: u64,
    /// Tools that they declare.
    pub tools: u64,
    /// Tokens of these.
    pub tokens: Tokens,
    /// Tools that no other session called.
    pub uncalled_tools: u64,
    /// Tokens of these.
    pub uncalled: Tokens,
    /// Tokens that say nothing.
    pub noise: Tokens,
    /// Tokens of descriptions that would have been left out.
    pub texts: Tokens,
    /// Conversations in which descriptions would have been shortened.
    pub shortened: u64,
    /// Those of them that called such a tool.
    pub called: u64,
    /// US dollars for the definitions as they are.
    pub dollars: f64,
    /// US dollars that would have been saved.
    pub saved: f64,
    /// Whether it would have been switched off, and why.
    pub stopped: Option<Verdict>,
}

/// US dollars for a million tokens that stand in front of all requests of these times: written at
/// the first one and where the cache has expired, read otherwise.
pub fn carried(times: impl IntoIterator<Item = Option<Timestamp>>, prices: &PriceCard) -> f64 {
    let Some(lifetime_ms) = prices.cache_lifetime_ms else {
        return times.into_iter().count() as f64 * prices.input;
    };
    let mut last: Option<Option<Timestamp>> = None;
    let mut sum = 0.0;
    for time in times {
        let is_warm = match (last, time) {
            (None, _) => false,
            (Some(Some(before)), Some(now)) => now.since_ms(before) <= lifetime_ms,
            (Some(_), _) => true,
        };
        sum += if is_warm { prices.cache_read } else { prices.cache_write };
        last = Some(time.or(last.flatten()));
    }
    sum
}

/// What shortening would have come to over `sessions`, of one user, each of one or more
/// conversations. What a session did not call is judged by all others.
pub fn estimate(sessions: &[Vec<Conversed>]) -> Estimate {
    let called = |session: &[Conversed]| -> BTreeSet<String> {
        session.iter().flat_map(|it| it.called.iter().cloned()).collect()
    };
    let mut all = ToolUse::default();
    sessions.iter().for_each(|session| all.add(&called(session)));
    let mut estimate = Estimate { sessions: all.sessions(), ..Estimate::default() };
    let mut judged: Vec<(Option<Timestamp>, Judged)> = Vec::new();
    for session in sessions {
        let others = all.without(&called(session));
        for conversed in session.iter().filter(|it| !it.tools.is_empty()) {
            let one = estimate.add(conversed, &others);
            judged.extend(one.map(|one| (conversed.time, one)));
        }
    }
    judged.sort_by_key(|(time, _)| *time);
    let judged: Vec<Judged> = judged.into_iter().map(|(_, it)| it).collect();
    let verdicts = (1..=judged.len()).map(|count| verdict(&judged[..count]));
    estimate.stopped = verdicts.into_iter().find(|verdict| *verdict != Verdict::GoesOn);
    estimate
}

impl Estimate {
    fn add(&mut self, conversed: &Conversed, others: &ToolUse) -> Option<Judged> {
        let (mut left_out, mut was_called, mut is_shortened) = (0, false, false);
        self.conversations += 1;
        for tool in &conversed.tools {
            self.tools += 1;
            self.tokens.0 += tool.tokens.0;
            let noise = tool.tokens.0.saturating_sub(tool.plain.0);
            let texts = tool.plain.0.saturating_sub(tool.short.0);
            self.noise.0 += noise;
            left_out += noise;
            if others.called(&tool.name) == 0 {
                self.uncalled_tools += 1;
                self.uncalled.0 += tool.tokens.0;
            }
            if others.is_shortened(&tool.name) && texts > 0 {
                is_shortened = true;
                self.texts.0 += texts;
                left_out += texts;
                was_called |= conversed.called.contains(&tool.name);
            }
            self.dollars += tool.tokens.0 as f64 * conversed.carried / 1e6;
        }
        self.saved += left_out as f64 * conversed.carried / 1e6;
        self.shortened += u64::from(is_shortened);
        self.called += u64::from(was_called);
        (left_out > 0).then_some(Judged { left_out: Tokens(left_out), was_called })
    }
}
