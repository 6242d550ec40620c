//! `scores`: other scores than the one in use, fitted where they are not tested, and cost against
//! evidence of `balanced` with each.
//!
//! Each source (or every sixth session) is judged by what was fitted on all others. The last score
//! is hindsight: it knows which results will be needed. No score can save more, as long as the same
//! moments are chosen to act.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use foveal_code::views::CuratedViews;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::{FEATURES, Score, WEIGHTS, features};
use foveal_context::settings::{ReadsOnce, Settings};
use foveal_context::tokens::Tokenizer;
use foveal_replay::needs::needs;
use foveal_replay::{Prepared, replay};
use foveal_transcript::{EntryIndex, Role};
use rayon::prelude::*;

use crate::recorded_sessions::load_conversations;
use crate::replay_frontier::cost_row::{cost_heading, cost_row};
use crate::score_models::conversation_history::{ConversationHistory, FILE_FEATURES};
use crate::score_models::ranking_quality::{dropped_shares, print_calibration};
use crate::score_models::regression::{UsageSample, probability};
use crate::score_models::score_variant::{ScoreVariant, UsageModel};

/// The command line of `scores`.
#[derive(Debug, clap::Args)]
pub(crate) struct ScoresArguments {
    /// A folder of folders of recorded sessions, one a source.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
    /// The parts that are judged by what was fitted on the others.
    #[arg(default_value = "sources")]
    parts: PartKind,
}

/// The parts that sessions are dealt into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PartKind {
    Sources,
    Sessions,
}

/// The place of the first feature of words, behind those in use and those of files.
const WORDS: usize = FEATURES + FILE_FEATURES.len();

const VARIANTS: [ScoreVariant; 5] = [
    ScoreVariant { name: "the same, fitted anew", sees: |at| at < FEATURES, is_trees: false },
    ScoreVariant {
        name: "with words",
        sees: |at| !(FEATURES..WORDS).contains(&at),
        is_trees: false,
    },
    ScoreVariant { name: "with files", sees: |at| at < WORDS, is_trees: false },
    ScoreVariant { name: "with files and words", sees: |_| true, is_trees: false },
    ScoreVariant { name: "trees of all", sees: |_| true, is_trees: true },
];

/// A result and the request that it stands before.
type ResultMoment = (EntryIndex, u32);

/// The results of one conversation.
struct ConversationRows {
    /// The part that it belongs to.
    part: usize,
    prepared: Prepared,
    rows: Vec<(ResultMoment, UsageSample)>,
}

/// A score whose values are worked out beforehand.
#[derive(Debug)]
struct ScoreTable(HashMap<ResultMoment, f64>);

impl Score for ScoreTable {
    fn probability(&self, result: EntryIndex, request: u32) -> Option<f64> {
        self.0.get(&(result, request)).copied()
    }
}

/// Fits, tests and prints.
///
/// # Errors
/// If the sessions cannot be read.
pub(super) fn run(arguments: &ScoresArguments) -> anyhow::Result<()> {
    let conversations = conversation_rows(arguments)?;
    println!("share of the tokens that go before 1, 3 and 10 % of the uses are lost");
    println!(
        "{:24} {}",
        "in use",
        dropped_shares(&guess_usage(&conversations, &|_, row| probability(
            &row.features,
            &WEIGHTS
        )))
    );
    let mut scores: Vec<(&str, Vec<Arc<dyn Score>>)> = Vec::new();
    for variant in &VARIANTS {
        let models = fit_parts(&conversations, variant);
        let guess = |one: &ConversationRows, row: &UsageSample| models[one.part](row);
        let guesses = guess_usage(&conversations, &guess);
        println!("{:24} {}", variant.name, dropped_shares(&guesses));
        print_calibration(variant.name, &guesses);
        let table = |one: &ConversationRows| -> Arc<dyn Score> {
            let rows = one.rows.iter().map(|(at, row)| (*at, guess(one, row)));
            Arc::new(ScoreTable(rows.collect()))
        };
        scores.push((variant.name, conversations.iter().map(table).collect()));
    }
    scores.push((
        "hindsight",
        conversations.iter().map(|one| hindsight_score(&one.prepared)).collect(),
    ));
    print_frontier(&conversations, &scores);
    Ok(())
}

fn conversation_rows(arguments: &ScoresArguments) -> anyhow::Result<Vec<ConversationRows>> {
    let conversations = load_conversations(std::slice::from_ref(&arguments.folder))?;
    let mut sources: Vec<String> =
        conversations.iter().map(|recorded| recorded.source.clone()).collect();
    sources.dedup();
    let rows = conversations.into_par_iter().enumerate().map(|(at, recorded)| {
        let place = sources.iter().position(|source| *source == recorded.source).unwrap_or(0);
        let prepared = Prepared::new(recorded.conversation, Tokenizer::O200k);
        let rows = usage_samples(&prepared);
        let part = match arguments.parts {
            PartKind::Sources => place,
            PartKind::Sessions => at % PARTS,
        };
        ConversationRows { part, prepared, rows }
    });
    Ok(rows.collect())
}

/// The number of parts that sessions are dealt into.
const PARTS: usize = 6;

/// Returns every result of enough tokens before every request but the two that it is new in.
fn usage_samples(prepared: &Prepared) -> Vec<(ResultMoment, UsageSample)> {
    let prices = PriceCard::anthropic_5m();
    let needs = needs(prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let mut history = ConversationHistory::default();
    let mut rows = Vec::new();
    replay(prepared, &mut projector, &prices, &mut |projector, step| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.requests();
        history.advance(prepared, step.answer, request);
        for index in planner.window() {
            let facts = prepared.record.facts(*index);
            let Some(life) = planner.life(*index) else { continue };
            let is_result = prepared.record.entry(*index).role == Role::Tool;
            if !is_result || facts.tokens.0 < TOKENS_MIN || request <= life.arrived + 1 {
                continue;
            }
            let mut features = features(facts, life, planner.interest(), request).to_vec();
            features.extend(history.file_features(facts, life, request));
            features.extend(history.word_features(
                &prepared.scan(*index).references,
                life,
                request,
            ));
            let row = UsageSample {
                features,
                used: needs.iter().any(|need| need.first == *index && need.request + 1 > request),
                tokens: facts.tokens.0 as f64,
                weight: 1.0,
            };
            rows.push(((*index, request), row));
        }
    });
    let weight = 1.0 / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|(_, row)| row.weight = weight);
    rows
}

const TOKENS_MIN: u64 = 100;

/// Returns whether a row is fitted on and counted: one of three, as those of one result are much
/// alike.
fn is_sampled((_, request): ResultMoment) -> bool {
    request % 3 == 0
}

/// Returns for each part the score that was fitted on all others.
fn fit_parts(
    conversations: &[ConversationRows],
    variant: &'static ScoreVariant,
) -> Vec<UsageModel> {
    let parts = conversations.iter().map(|one| one.part).max().map_or(0, |last| last + 1);
    let others =
        |part: usize| sampled_rows(conversations.iter().filter(move |one| one.part != part));
    (0..parts).map(|part| variant.fit(others(part))).collect()
}

fn sampled_rows<'k>(
    conversations: impl Iterator<Item = &'k ConversationRows>,
) -> impl Iterator<Item = &'k UsageSample> {
    conversations
        .flat_map(|one| one.rows.iter().filter(|(at, _)| is_sampled(*at)).map(|(_, row)| row))
}

/// Returns a score that knows which results will be needed.
fn hindsight_score(prepared: &Prepared) -> Arc<dyn Score> {
    #[derive(Debug)]
    struct HindsightScore(HashMap<EntryIndex, u32>);
    impl Score for HindsightScore {
        fn probability(&self, result: EntryIndex, request: u32) -> Option<f64> {
            let is_needed = self.0.get(&result).is_some_and(|last| *last >= request);
            Some(f64::from(u8::from(is_needed)))
        }
    }
    let mut last = HashMap::new();
    for need in needs(prepared) {
        last.insert(need.first, need.request);
        last.insert(need.source, need.request);
    }
    Arc::new(HindsightScore(last))
}

fn guess_usage<'k>(
    conversations: &'k [ConversationRows],
    guess: &dyn Fn(&ConversationRows, &UsageSample) -> f64,
) -> Vec<(f64, &'k UsageSample)> {
    let each = |one: &'k ConversationRows| -> Vec<_> {
        sampled_rows(std::iter::once(one)).map(|row| (guess(one, row), row)).collect()
    };
    conversations.iter().flat_map(each).collect()
}

/// A conversation and the score of its results.
struct ScoredConversation<'k> {
    prepared: &'k Prepared,
    score: Option<Arc<dyn Score>>,
}

impl std::borrow::Borrow<Prepared> for ScoredConversation<'_> {
    fn borrow(&self) -> &Prepared {
        self.prepared
    }
}

/// Thresholds of expected uses at which each score is tried.
const USES: [f64; 4] = [0.0014, 0.0028, 0.0056, 0.0112];

fn print_frontier(conversations: &[ConversationRows], scores: &[(&str, Vec<Arc<dyn Score>>)]) {
    let prices = PriceCard::anthropic_5m();
    let views = Arc::new(CuratedViews::default());
    print!("{}", cost_heading(conversations.len()));
    let print = |name: &str, uses: f64, scores: Option<&[Arc<dyn Score>]>, reads: Option<u32>| {
        let mut settings = Settings::balanced();
        if let Some(rewrite) = &mut settings.rewrite {
            rewrite.uses_min = uses;
            if let (Some(once), Some(after)) = (&mut rewrite.look_once, reads) {
                once.reads = Some(ReadsOnce { after, uses_min: uses });
            }
        }
        let score = |at: usize| scores.map(|scores| Arc::clone(&scores[at]));
        let scored: Vec<ScoredConversation<'_>> = (0..conversations.len())
            .map(|at| ScoredConversation {
                prepared: &conversations[at].prepared,
                score: score(at),
            })
            .collect();
        let start = |one: &ScoredConversation<'_>| {
            let planner = Planner::new(settings.clone(), prices.clone());
            let planner = planner.with_views(Arc::<CuratedViews>::clone(&views));
            Projector::Engine(Box::new(match &one.score {
                Some(score) => planner.with_score(Arc::clone(score)),
                None => planner,
            }))
        };
        print!("{}", cost_row(&format!("{name} {uses}"), &scored, &prices, start));
    };
    for uses in USES {
        print("in use", uses, None, None);
    }
    for (name, scores) in scores {
        USES.iter().for_each(|uses| print(name, *uses, Some(scores), None));
    }
    if let Some((name, scores)) = scores.last() {
        print(&format!("{name}, reads after 1"), USES[1], Some(scores), Some(1));
    }
}
