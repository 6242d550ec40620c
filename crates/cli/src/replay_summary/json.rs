//! The summary for programs: one JSON document with stable field names.
//!
//! Tokens are counts. `dollars` are US dollars for input, repairs included. Changes are relative to
//! raw (-0.3 is 30 % less). Unknown figures are null.

use std::collections::BTreeMap;

use foveal_engine::profile::ProfileOrigin;
use foveal_replay::conversation_replay::VisibleShare;
use foveal_replay::figures::{BillTotals, ReplayFigures, ShortenedBill};
use serde::Serialize;

use super::keep_alive;
use super::summary_contents::{ReplaySummary, tokenizer_name};
use crate::bill_json;
use crate::replay_totals::ProfileTotals;

#[derive(Serialize)]
struct SummaryDocument<'a> {
    /// The price card of all sessions; null if their models have different ones.
    prices: Option<&'a foveal_pricing::prices::PriceCard>,
    /// The number of sessions whose model has no known price.
    assumed_prices: u64,
    tokenizer: &'static str,
    interrupted: bool,
    sessions: u64,
    conversations: u64,
    raw: FiguresJson,
    profiles: Vec<ProfileJson>,
    /// The costs with hindsight.
    oracles: Vec<ProfileJson>,
    /// The costs with cache keep-alive; null if no cache entry could have been refreshed.
    keep_warm: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_session: Option<Vec<SessionJson<'a>>>,
    not_read: &'a [String],
    problem_count: u64,
    problems: &'a [String],
}

#[derive(Serialize)]
struct ProfileJson {
    profile: &'static str,
    origin: &'static str,
    cost_change: Option<f64>,
    cost_change_mean: Option<f64>,
    tokens_change: Option<f64>,
    repairs_per_session: f64,
    /// A profile's saving as a share of each oracle's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    oracle_shares: BTreeMap<&'static str, f64>,
    #[serde(flatten)]
    figures: FiguresJson,
}

#[derive(Serialize)]
struct SessionJson<'a> {
    session: &'a str,
    file: &'a str,
    date: &'a str,
    folder: &'a str,
    first_words: &'a str,
    conversations: u64,
    /// The names of the price cards of its conversations.
    prices: Vec<&'a str>,
    has_assumed_prices: bool,
    raw: FiguresJson,
    profiles: Vec<SessionProfileJson>,
}

#[derive(Serialize)]
struct SessionProfileJson {
    profile: &'static str,
    cost_change: Option<f64>,
    tokens_change: Option<f64>,
    #[serde(flatten)]
    figures: FiguresJson,
}

#[derive(Serialize)]
struct FiguresJson {
    requests: u64,
    tokens: u64,
    tokens_cached: u64,
    tokens_peak: u64,
    dollars: f64,
    repair_dollars: f64,
    rewrites: u64,
    evidence: ShareJson,
    references: ShareJson,
    repairs: u64,
    laws_broken: BrokenLawsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    bill: Option<BillJson>,
    /// The recorded bill of the requests that foveal had shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortened_bill: Option<ShortenedBill>,
}

/// The bill of the requests with recorded usage. `input_change` is the change of the prompts alone,
/// `change` that of prompts and answers.
#[derive(Serialize)]
struct BillJson {
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
struct ShareJson {
    used: u64,
    visible: u64,
    ratio: f64,
}

#[derive(Serialize)]
struct BrokenLawsJson {
    total: u32,
    lost: u32,
    dangling: u32,
    unfrozen: u32,
    larger: u32,
}

impl From<VisibleShare> for ShareJson {
    fn from(share: VisibleShare) -> Self {
        Self { used: share.used, visible: share.visible, ratio: share.ratio() }
    }
}

impl BillJson {
    fn from_bill(billed: &BillTotals, recorded: Option<&BillTotals>) -> Option<Self> {
        (billed.requests > 0).then(|| Self {
            requests: billed.requests,
            repair_dollars: billed.repair_dollars,
            parts: bill_json::bill_to_json(&billed.bill),
            input_change: recorded.and_then(|recorded| billed.input_cost_change(recorded)),
            change: recorded.and_then(|recorded| billed.cost_change(recorded)),
        })
    }
}

impl FiguresJson {
    /// The bill is compared with that of `recorded`.
    fn from_figures(figures: &ReplayFigures, recorded: Option<&ReplayFigures>) -> Self {
        let laws = figures.breaches;
        Self {
            bill: BillJson::from_bill(&figures.billed, recorded.map(|it| &it.billed)),
            shortened_bill: (figures.shortened.requests > 0).then_some(figures.shortened),
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
            laws_broken: BrokenLawsJson {
                total: laws.total(),
                lost: laws.lost,
                dangling: laws.dangling,
                unfrozen: laws.unfrozen,
                larger: laws.larger,
            },
        }
    }
}

fn origin_name(origin: ProfileOrigin) -> &'static str {
    match origin {
        ProfileOrigin::Own => "own",
        ProfileOrigin::Baseline => "baseline",
    }
}

/// Renders the indented document, with a final line break.
pub(crate) fn render_json(summary: &ReplaySummary<'_>, per_session: bool) -> String {
    let raw = &summary.totals.raw;
    let oracles = summary
        .oracle_totals()
        .map(|(oracle, totals)| profile_json(summary, oracle.name(), "oracle", &totals));
    let profiles = summary.profile_rows().into_iter().map(|(profile, totals)| ProfileJson {
        oracle_shares: oracle_shares(summary, &totals.figures),
        ..profile_json(summary, profile.name, origin_name(profile.origin), &totals)
    });
    let document = SummaryDocument {
        prices: match summary.prices {
            [card] => Some(card),
            _ => None,
        },
        assumed_prices: summary.totals.assumed_prices,
        tokenizer: tokenizer_name(summary.tokenizer),
        interrupted: summary.interrupted,
        sessions: summary.totals.sessions,
        conversations: summary.totals.conversations,
        raw: FiguresJson::from_figures(raw, None),
        profiles: profiles.collect(),
        oracles: oracles.collect(),
        keep_warm: keep_alive::keep_alive_json(&summary.totals.warm, raw.billed.input_dollars()),
        per_session: per_session.then(|| sessions_json(summary)),
        not_read: summary.not_read,
        problem_count: summary.problem_count,
        problems: summary.problems,
    };
    let mut text = serde_json::to_string_pretty(&document)
        .expect("strings and numbers are JSON, and every key is a string");
    text.push('\n');
    text
}

fn profile_json(
    summary: &ReplaySummary<'_>,
    profile: &'static str,
    origin: &'static str,
    totals: &ProfileTotals,
) -> ProfileJson {
    let raw = &summary.totals.raw;
    ProfileJson {
        profile,
        origin,
        cost_change: totals.figures.cost_change(raw),
        cost_change_mean: totals.cost_change_mean,
        tokens_change: totals.figures.tokens_change(raw),
        repairs_per_session: totals.figures.repairs as f64 / summary.totals.sessions.max(1) as f64,
        oracle_shares: BTreeMap::new(),
        figures: FiguresJson::from_figures(&totals.figures, Some(raw)),
    }
}

fn oracle_shares(
    summary: &ReplaySummary<'_>,
    figures: &ReplayFigures,
) -> BTreeMap<&'static str, f64> {
    let raw = &summary.totals.raw;
    let shares = summary.oracle_totals().filter_map(|(oracle, totals)| {
        let most = totals.figures.cost_change(raw).filter(|change| *change < 0.0)?;
        Some((oracle.name(), figures.cost_change(raw)? / most))
    });
    shares.collect()
}

fn sessions_json<'a>(summary: &ReplaySummary<'a>) -> Vec<SessionJson<'a>> {
    let rows = summary.sessions.iter().map(|session| SessionJson {
        session: &session.session,
        file: &session.file,
        date: &session.label.date,
        folder: &session.label.folder,
        first_words: &session.label.first_words,
        conversations: session.conversations,
        prices: session.prices.iter().map(|card| &*card.name).collect(),
        has_assumed_prices: session.has_assumed_prices,
        raw: FiguresJson::from_figures(&session.raw, None),
        profiles: summary
            .profiles
            .iter()
            .zip(&session.profiles)
            .map(|(profile, figures)| SessionProfileJson {
                profile: profile.name,
                cost_change: figures.cost_change(&session.raw),
                tokens_change: figures.tokens_change(&session.raw),
                figures: FiguresJson::from_figures(figures, Some(&session.raw)),
            })
            .collect(),
    });
    rows.collect()
}
