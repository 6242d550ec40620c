//! The summary for programs: one JSON document with stable field names.
//!
//! Tokens are counts, `dollars` US dollars for input with repairs included, changes are
//! relative to raw (-0.3 is 30 % less), and what cannot be told is null.

use std::collections::BTreeMap;

use foveal_context::profile::Origin;
use foveal_replay::figures::{Billed, Figures};
use foveal_replay::run::Share;
use serde::Serialize;

use super::data::{Summary, tokenizer_name};
use super::warm;
use crate::bill;
use crate::figures::ProfileTotals;

#[derive(Serialize)]
struct Document<'a> {
    prices: &'a foveal_context::prices::PriceCard,
    tokenizer: &'static str,
    interrupted: bool,
    sessions: u64,
    conversations: u64,
    raw: Row,
    profiles: Vec<ProfileRow>,
    /// What hindsight would have come to.
    oracles: Vec<ProfileRow>,
    /// What keeping caches warm would have come to; null where none could have been.
    keep_warm: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_session: Option<Vec<SessionRow<'a>>>,
    not_read: &'a [String],
    problem_count: u64,
    problems: &'a [String],
}

#[derive(Serialize)]
struct ProfileRow {
    profile: &'static str,
    origin: &'static str,
    cost_change: Option<f64>,
    cost_change_mean: Option<f64>,
    tokens_change: Option<f64>,
    repairs_per_session: f64,
    /// The share of each oracle's saving that a profile's is.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    oracle_shares: BTreeMap<&'static str, f64>,
    #[serde(flatten)]
    figures: Row,
}

#[derive(Serialize)]
struct SessionRow<'a> {
    session: &'a str,
    file: &'a str,
    conversations: u64,
    raw: Row,
    profiles: Vec<SessionProfileRow>,
}

#[derive(Serialize)]
struct SessionProfileRow {
    profile: &'static str,
    cost_change: Option<f64>,
    tokens_change: Option<f64>,
    #[serde(flatten)]
    figures: Row,
}

#[derive(Serialize)]
struct Row {
    requests: u64,
    tokens: u64,
    tokens_cached: u64,
    tokens_peak: u64,
    dollars: f64,
    repair_dollars: f64,
    rewrites: u64,
    evidence: ShareRow,
    references: ShareRow,
    repairs: u64,
    laws_broken: LawsRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    bill: Option<BillRow>,
}

/// The bill of the requests whose usage is recorded; the changes are those of the prompts alone,
/// and of prompts and answers.
#[derive(Serialize)]
struct BillRow {
    requests: u64,
    repair_dollars: f64,
    #[serde(flatten)]
    parts: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_change: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
}

#[derive(Serialize)]
struct ShareRow {
    used: u64,
    visible: u64,
    ratio: f64,
}

#[derive(Serialize)]
struct LawsRow {
    total: u32,
    lost: u32,
    dangling: u32,
    unfrozen: u32,
    larger: u32,
}

impl From<Share> for ShareRow {
    fn from(share: Share) -> Self {
        Self { used: share.used, visible: share.visible, ratio: share.ratio() }
    }
}

impl BillRow {
    fn of(billed: &Billed, recorded: Option<&Billed>) -> Option<Self> {
        (billed.requests > 0).then(|| Self {
            requests: billed.requests,
            repair_dollars: billed.repair_dollars,
            parts: bill::json(&billed.bill),
            input_change: recorded.and_then(|recorded| billed.input_change(recorded)),
            change: recorded.and_then(|recorded| billed.change(recorded)),
        })
    }
}

impl Row {
    /// `recorded` is what the bill is compared with.
    fn of(figures: &Figures, recorded: Option<&Figures>) -> Self {
        let laws = figures.breaches;
        Self {
            bill: BillRow::of(&figures.billed, recorded.map(|it| &it.billed)),
            requests: figures.requests,
            tokens: figures.tokens.0,
            tokens_cached: figures.cached.0,
            tokens_peak: figures.peak.0,
            dollars: figures.dollars,
            repair_dollars: figures.repair_dollars,
            rewrites: figures.rewrites,
            evidence: figures.evidence.into(),
            references: figures.references.into(),
            repairs: figures.repairs,
            laws_broken: LawsRow {
                total: laws.total(),
                lost: laws.lost,
                dangling: laws.dangling,
                unfrozen: laws.unfrozen,
                larger: laws.larger,
            },
        }
    }
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::Own => "own",
        Origin::Baseline => "baseline",
    }
}

/// The document, indented, ended by a line break.
pub(crate) fn render(summary: &Summary<'_>, per_session: bool) -> String {
    let raw = &summary.totals.raw;
    let oracles = summary
        .oracles()
        .map(|(oracle, totals)| profile_row(summary, (oracle.name(), "oracle"), &totals));
    let profiles = summary.rows().into_iter().map(|(profile, totals)| ProfileRow {
        oracle_shares: oracle_shares(summary, &totals.figures),
        ..profile_row(summary, (profile.name, origin_name(profile.origin)), &totals)
    });
    let document = Document {
        prices: summary.prices,
        tokenizer: tokenizer_name(summary.tokenizer),
        interrupted: summary.interrupted,
        sessions: summary.totals.sessions,
        conversations: summary.totals.conversations,
        raw: Row::of(raw, None),
        profiles: profiles.collect(),
        oracles: oracles.collect(),
        keep_warm: warm::json(&summary.totals.warm, raw.billed.input_dollars()),
        per_session: per_session.then(|| session_rows(summary)),
        not_read: summary.not_read,
        problem_count: summary.problem_count,
        problems: summary.problems,
    };
    let mut text = serde_json::to_string_pretty(&document)
        .expect("strings and numbers are JSON, and every key is a string");
    text.push('\n');
    text
}

fn profile_row(
    summary: &Summary<'_>,
    (profile, origin): (&'static str, &'static str),
    totals: &ProfileTotals,
) -> ProfileRow {
    let raw = &summary.totals.raw;
    ProfileRow {
        profile,
        origin,
        cost_change: totals.figures.cost_change(raw),
        cost_change_mean: totals.cost_change_mean,
        tokens_change: totals.figures.tokens_change(raw),
        repairs_per_session: totals.figures.repairs as f64 / summary.totals.sessions.max(1) as f64,
        oracle_shares: BTreeMap::new(),
        figures: Row::of(&totals.figures, Some(raw)),
    }
}

fn oracle_shares(summary: &Summary<'_>, figures: &Figures) -> BTreeMap<&'static str, f64> {
    let raw = &summary.totals.raw;
    let shares = summary.oracles().filter_map(|(oracle, totals)| {
        let most = totals.figures.cost_change(raw).filter(|change| *change < 0.0)?;
        Some((oracle.name(), figures.cost_change(raw)? / most))
    });
    shares.collect()
}

fn session_rows<'a>(summary: &Summary<'a>) -> Vec<SessionRow<'a>> {
    let rows = summary.sessions.iter().map(|session| SessionRow {
        session: &session.session,
        file: &session.file,
        conversations: session.conversations,
        raw: Row::of(&session.raw, None),
        profiles: summary
            .profiles
            .iter()
            .zip(&session.profiles)
            .map(|(profile, figures)| SessionProfileRow {
                profile: profile.name,
                cost_change: figures.cost_change(&session.raw),
                tokens_change: figures.tokens_change(&session.raw),
                figures: Row::of(figures, Some(&session.raw)),
            })
            .collect(),
    });
    rows.collect()
}
