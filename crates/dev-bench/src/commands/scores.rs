//! `scores`: compares other scores with the current one on held-out data, and prints cost against
//! evidence of `balanced` with each.
//!
//! Each source (or every sixth session) is tested with the model fitted on all others. The last
//! score is hindsight: it knows which results will be needed. With the same times of rewrites, no
//! score can save more.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::reuse_score::{FEATURE_COUNT, FEATURE_WEIGHTS, ReusePredictor, reuse_features};
use foveal_engine::settings::{EarlyReadReduction, Settings};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::line_uses::find_line_uses;
use foveal_replay::{PreparedConversation, replay};
use foveal_transcript::{EntryIndex, MessageRole};
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
    /// A folder with one folder of recorded sessions per source.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
    /// How to split the sessions into parts; each is tested with the model fitted on the others.
    #[arg(default_value = "sources")]
    parts: PartKind,
}

/// The parts that sessions are divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PartKind {
    Sources,
    Sessions,
}

/// The index of the first word feature, after the current features and those of files.
const WORD_FEATURES_START: usize = FEATURE_COUNT + FILE_FEATURES.len();

const VARIANTS: [ScoreVariant; 5] = [
    ScoreVariant {
        name: "the same, fitted anew",
        uses_feature: |at| at < FEATURE_COUNT,
        is_trees: false,
    },
    ScoreVariant {
        name: "with words",
        uses_feature: |at| !(FEATURE_COUNT..WORD_FEATURES_START).contains(&at),
        is_trees: false,
    },
    ScoreVariant {
        name: "with files",
        uses_feature: |at| at < WORD_FEATURES_START,
        is_trees: false,
    },
    ScoreVariant { name: "with files and words", uses_feature: |_| true, is_trees: false },
    ScoreVariant { name: "trees of all", uses_feature: |_| true, is_trees: true },
];

/// A result and a request after it.
type ResultMoment = (EntryIndex, u32);

/// The results of one conversation.
struct ConversationRows {
    /// The part that it belongs to.
    part: usize,
    prepared: PreparedConversation,
    rows: Vec<(ResultMoment, UsageSample)>,
}

/// A score with precalculated values.
#[derive(Debug)]
struct ScoreTable(HashMap<ResultMoment, f64>);

impl ReusePredictor for ScoreTable {
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
        dropped_shares(&predict_usage(&conversations, &|_, row| probability(
            &row.features,
            &FEATURE_WEIGHTS
        )))
    );
    let mut scores: Vec<(&str, Vec<Arc<dyn ReusePredictor>>)> = Vec::new();
    for variant in &VARIANTS {
        let models = fit_parts(&conversations, variant);
        let guess = |one: &ConversationRows, row: &UsageSample| models[one.part](row);
        let guesses = predict_usage(&conversations, &guess);
        println!("{:24} {}", variant.name, dropped_shares(&guesses));
        print_calibration(variant.name, &guesses);
        let table = |one: &ConversationRows| -> Arc<dyn ReusePredictor> {
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
        let prepared = PreparedConversation::new(recorded.conversation, Tokenizer::O200k);
        let rows = usage_samples(&prepared);
        let part = match arguments.parts {
            PartKind::Sources => place,
            PartKind::Sessions => at % PARTS,
        };
        ConversationRows { part, prepared, rows }
    });
    Ok(rows.collect())
}

/// The number of parts that sessions are divided into.
const PARTS: usize = 6;

/// Returns every result with enough tokens before every request, except for its first two requests.
fn usage_samples(prepared: &PreparedConversation) -> Vec<(ResultMoment, UsageSample)> {
    let prices = PriceCard::anthropic_5m();
    let needs = find_line_uses(prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let mut history = ConversationHistory::default();
    let mut rows = Vec::new();
    replay(prepared, &mut projector, &prices, &mut |projector, step| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.request_count();
        history.advance(prepared, step.answer, request);
        for index in planner.window() {
            let facts = prepared.record.facts(*index);
            let Some(life) = &planner.entry_state(*index).age else { continue };
            let is_result = prepared.record.entry(*index).role == MessageRole::Tool;
            if !is_result || facts.tokens.0 < TOKENS_MIN || request <= life.arrived + 1 {
                continue;
            }
            let mut features = reuse_features(facts, life, planner.interest(), request).to_vec();
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

/// Returns whether a row is fitted on and counted: one of three, since those of one result are very
/// similar.
fn is_sampled((_, request): ResultMoment) -> bool {
    request % 3 == 0
}

/// Returns for each part the model fitted on all others.
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
fn hindsight_score(prepared: &PreparedConversation) -> Arc<dyn ReusePredictor> {
    #[derive(Debug)]
    struct HindsightScore(HashMap<EntryIndex, u32>);
    impl ReusePredictor for HindsightScore {
        fn probability(&self, result: EntryIndex, request: u32) -> Option<f64> {
            let is_needed = self.0.get(&result).is_some_and(|last| *last >= request);
            Some(f64::from(u8::from(is_needed)))
        }
    }
    let mut last = HashMap::new();
    for need in find_line_uses(prepared) {
        last.insert(need.first, need.request);
        last.insert(need.source, need.request);
    }
    Arc::new(HindsightScore(last))
}

fn predict_usage<'k>(
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
    prepared: &'k PreparedConversation,
    score: Option<Arc<dyn ReusePredictor>>,
}

impl std::borrow::Borrow<PreparedConversation> for ScoredConversation<'_> {
    fn borrow(&self) -> &PreparedConversation {
        self.prepared
    }
}

/// The thresholds of expected uses that each score is tested with.
const USE_THRESHOLDS: [f64; 4] = [0.0014, 0.0028, 0.0056, 0.0112];

fn print_frontier(
    conversations: &[ConversationRows],
    scores: &[(&str, Vec<Arc<dyn ReusePredictor>>)],
) {
    let prices = PriceCard::anthropic_5m();
    let views = Arc::new(CuratedViewSource::default());
    print!("{}", cost_heading(conversations.len()));
    let print =
        |name: &str, uses: f64, scores: Option<&[Arc<dyn ReusePredictor>]>, reads: Option<u32>| {
            let mut settings = Settings::balanced();
            if let Some(rewrite) = &mut settings.rewrite {
                rewrite.uses_min = uses;
                if let (Some(once), Some(after)) = (&mut rewrite.look_once, reads) {
                    once.reads = Some(EarlyReadReduction { after, uses_min: uses });
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
                let planner = planner.with_view_source(Arc::<CuratedViewSource>::clone(&views));
                Projector::Engine(Box::new(match &one.score {
                    Some(score) => planner.with_reuse_predictor(Arc::clone(score)),
                    None => planner,
                }))
            };
            print!("{}", cost_row(&format!("{name} {uses}"), &scored, &prices, start));
        };
    for uses in USE_THRESHOLDS {
        print("in use", uses, None, None);
    }
    for (name, scores) in scores {
        USE_THRESHOLDS.iter().for_each(|uses| print(name, *uses, Some(scores), None));
    }
    if let Some((name, scores)) = scores.last() {
        print(&format!("{name}, reads after 1"), USE_THRESHOLDS[1], Some(scores), Some(1));
    }
}
