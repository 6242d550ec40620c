//! `part-scores`: compares scores of parts of results (functions, hunks, hits in one file,
//! paragraphs) with the current score of whole results, on held-out data.
//!
//! Each source is tested with the model fitted on the others. A part counts as used if a later
//! answer edits a line that it was the first to show.

use std::collections::HashMap;
use std::path::PathBuf;

use foveal_engine::entry_facts::EntryFacts;
use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::reduction_level::ResultAge;
use foveal_engine::reuse_score::{FEATURE_COUNT, FEATURE_WEIGHTS, reuse_features};
use foveal_engine::settings::Settings;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::embedding::{StaticModel, Vector};
use foveal_replay::line_uses::{LineUse, find_line_uses};
use foveal_replay::{PreparedConversation, replay};
use foveal_transcript::{EntryIndex, MessageRole};
use rayon::prelude::*;

use crate::recorded_sessions::load_conversations;
use crate::score_models::conversation_history::{ConversationHistory, FILE_FEATURES};
use crate::score_models::ranking_quality::{dropped_shares, print_calibration};
use crate::score_models::regression::{UsageSample, probability};
use crate::score_models::result_parts::{ResultPart, split_result};
use crate::score_models::score_variant::ScoreVariant;

/// The command line of `part-scores`.
#[derive(Debug, clap::Args)]
pub(crate) struct PartScoresArguments {
    /// A folder with one folder of recorded sessions per source.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
}

/// Names of the features of a part in addition to those of its result, in order.
const PART_FEATURES: [&str; 10] = [
    "tokens",
    "share",
    "place",
    "defines",
    "defines what was said",
    "edited since",
    "edited beside",
    "shown since",
    "like the user's words",
    "like the last answer",
];

const VARIANTS: [ScoreVariant; 4] = [
    ScoreVariant {
        name: "parts, as results",
        uses_feature: |at| at < FEATURE_COUNT,
        is_trees: false,
    },
    ScoreVariant {
        name: "parts, what is in them",
        uses_feature: |at| !FILE_FEATURES_RANGE.contains(&at),
        is_trees: false,
    },
    ScoreVariant { name: "parts, with files", uses_feature: |_| true, is_trees: false },
    ScoreVariant { name: "trees of all", uses_feature: |_| true, is_trees: true },
];

const FILE_FEATURES_RANGE: std::ops::Range<usize> =
    FEATURE_COUNT..FEATURE_COUNT + FILE_FEATURES.len();

/// One source of sessions, with the rows of their parts. Each row has the use that the current
/// score expects: the part's share of the expected use of the result.
struct SourceRows {
    name: String,
    rows: Vec<(f64, UsageSample)>,
}

/// Fits, tests and prints.
///
/// # Errors
/// If the sessions cannot be read.
pub(super) fn run(arguments: &PartScoresArguments) -> anyhow::Result<()> {
    let sources = source_rows(arguments)?;
    for source in &sources {
        let used = source.rows.iter().filter(|(_, row)| row.used).count();
        println!("{}: {} parts before requests, {used} used later", source.name, source.rows.len());
    }
    println!("share of the tokens that go before 1, 3 and 10 % of the uses are lost");
    let in_use: Vec<(f64, &UsageSample)> =
        sources.iter().flat_map(|it| it.rows.iter().map(|(guess, row)| (*guess, row))).collect();
    println!("{:24} {}", "in use", dropped_shares(&in_use));
    for variant in &VARIANTS {
        let guesses: Vec<(f64, &UsageSample)> = (0..sources.len())
            .into_par_iter()
            .flat_map(|held| predict_source(&sources, held, variant))
            .collect();
        println!("{:24} {}", variant.name, dropped_shares(&guesses));
        print_calibration(variant.name, &guesses);
    }
    Ok(())
}

fn source_rows(arguments: &PartScoresArguments) -> anyhow::Result<Vec<SourceRows>> {
    let model = StaticModel::built_in();
    let rows: Vec<(String, Vec<(f64, UsageSample)>)> =
        load_conversations(std::slice::from_ref(&arguments.folder))?
            .into_par_iter()
            .map(|recorded| {
                let prepared = PreparedConversation::new(recorded.conversation, Tokenizer::O200k);
                (recorded.source, conversation_rows(&prepared, &model))
            })
            .collect();
    let mut sources: Vec<SourceRows> = Vec::new();
    for (name, rows) in rows {
        match sources.iter_mut().find(|source| source.name == name) {
            Some(source) => source.rows.extend(rows),
            None => sources.push(SourceRows { name, rows }),
        }
    }
    Ok(sources)
}

/// The fewest tokens of a result that is split into parts.
const TOKENS_MIN: u64 = 100;

/// The parts of a conversation's results up to a request, and the later use of their lines.
struct PartHistory<'a> {
    prepared: &'a PreparedConversation,
    model: &'a StaticModel,
    next: u32,
    parts: HashMap<EntryIndex, Vec<ResultPart>>,
    /// The requests before which an edit used a line.
    edited: HashMap<u64, Vec<u32>>,
    /// The last result that showed a line.
    shown: HashMap<u64, EntryIndex>,
    /// The embedding of the user's last message.
    user_text: Option<Vector>,
    /// The embedding of the last answer.
    answer_text: Option<Vector>,
}

impl<'a> PartHistory<'a> {
    fn new(prepared: &'a PreparedConversation, model: &'a StaticModel) -> Self {
        let (parts, edited, shown) = Default::default();
        Self { prepared, model, next: 0, parts, edited, shown, user_text: None, answer_text: None }
    }

    fn advance(&mut self, answer: EntryIndex, request: u32) {
        while self.next < answer.0 {
            let index = EntryIndex(self.next);
            self.next += 1;
            let entry = self.prepared.record.entry(index);
            match entry.role {
                MessageRole::User | MessageRole::System => {
                    self.user_text = Some(self.model.embed_text(&entry.prompt_text()));
                }
                MessageRole::Assistant => {
                    self.answer_text = Some(self.model.embed_text(&entry.prompt_text()));
                    for line in self.prepared.evidence_lines(index) {
                        self.edited.entry(*line).or_default().push(request);
                    }
                }
                MessageRole::Tool => {
                    for line in &self.prepared.scan(index).lines {
                        self.shown.insert(*line, index);
                    }
                    let facts = self.prepared.record.facts(index);
                    if let Some(result) =
                        entry.tool_result().filter(|_| facts.tokens.0 >= TOKENS_MIN)
                    {
                        let parts = split_result(facts, &result.content, self.model);
                        self.parts.insert(index, parts);
                    }
                }
            }
        }
    }

    /// Returns the number of lines of a part that edits have used since.
    fn edited_lines(&self, part: &ResultPart, life: &ResultAge) -> f64 {
        let is_since = |line: &&u64| {
            let edits = self.edited.get(line).map_or(&[][..], Vec::as_slice);
            edits.last().is_some_and(|at| *at > life.arrived)
        };
        part.scan.lines.iter().filter(is_since).count() as f64
    }

    /// Returns the features of the part at `at` of a result, as in [`PART_FEATURES`].
    fn part_features(&self, result: &WindowResult<'_>, at: usize) -> [f64; PART_FEATURES.len()] {
        let WindowResult { index, life, .. } = *result;
        let all = &self.parts[&index];
        let part = &all[at];
        let beside = [at.wrapping_sub(1), at + 1].into_iter().filter_map(|at| all.get(at));
        let whole: f64 = all.iter().map(|part| part.tokens).sum();
        let words = result.history.word_features(&part.defines, life, result.request);
        let is_later = |line: &&u64| self.shown.get(line).is_some_and(|last| *last > index);
        let later = part.scan.lines.iter().filter(is_later).count() as f64;
        let like = |other: &Option<Vector>| {
            other.as_ref().map_or(0.0, |other| f64::from(part.vector.cosine(other)))
        };
        [
            part.tokens.ln(),
            part.tokens / whole,
            part.place,
            (part.defines.len() as f64).ln_1p(),
            words[1],
            self.edited_lines(part, life).ln_1p(),
            beside.map(|part| self.edited_lines(part, life)).sum::<f64>().ln_1p(),
            later / part.scan.lines.len().max(1) as f64,
            like(&self.user_text),
            like(&self.answer_text),
        ]
    }
}

/// A result in the prompt of a request.
struct WindowResult<'s> {
    index: EntryIndex,
    facts: &'s EntryFacts,
    life: &'s ResultAge,
    request: u32,
    /// The features for the current score.
    features: &'s [f64],
    history: &'s ConversationHistory,
}

/// Returns every part of a result before every third request, except for the first two requests of
/// the result.
fn conversation_rows(
    prepared: &PreparedConversation,
    model: &StaticModel,
) -> Vec<(f64, UsageSample)> {
    let prices = PriceCard::anthropic_5m();
    let needs = find_line_uses(prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let (mut history, mut parts) =
        (ConversationHistory::default(), PartHistory::new(prepared, model));
    let mut rows = Vec::new();
    replay(prepared, &mut projector, &prices, &mut |projector, step| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.request_count();
        history.advance(prepared, step.answer, request);
        parts.advance(step.answer, request);
        for index in planner.window() {
            let facts = prepared.record.facts(*index);
            let Some(life) = &planner.entry_state(*index).age else { continue };
            if request % 3 != 0 || request <= life.arrived + 1 || !parts.parts.contains_key(index) {
                continue;
            }
            let features = reuse_features(facts, life, planner.interest(), request);
            let (features, history) = (&features, &history);
            let result = WindowResult { index: *index, facts, life, request, features, history };
            rows.extend(part_rows(&parts, &result, &needs));
        }
    });
    let weight = 1.0 / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|(_, row)| row.weight = weight);
    rows
}

/// Returns the rows of the parts of one result before a request.
fn part_rows(
    parts: &PartHistory<'_>,
    result: &WindowResult<'_>,
    needs: &[LineUse],
) -> Vec<(f64, UsageSample)> {
    let WindowResult { index, facts, life, request, history, .. } = *result;
    let all = &parts.parts[&index];
    let whole: f64 = all.iter().map(|part| part.tokens).sum();
    let expected = probability(result.features, &FEATURE_WEIGHTS);
    let file_features = history.file_features(facts, life, request);
    let later = needs.iter().filter(|need| need.first == index && need.request + 1 > request);
    let later: Vec<u64> = later.map(|need| need.line).collect();
    let row = |(at, part): (usize, &ResultPart)| {
        let mut features = result.features.to_vec();
        features.extend(&file_features);
        features.extend(history.word_features(&part.scan.references, life, request));
        features.extend(parts.part_features(result, at));
        let used = later.iter().any(|line| part.scan.lines.binary_search(line).is_ok());
        let sample = UsageSample { features, used, tokens: part.tokens, weight: 1.0 };
        (expected * part.tokens / whole, sample)
    };
    all.iter().enumerate().map(row).collect()
}

/// Returns the expected use of the parts of one source by the model fitted on the others.
fn predict_source<'s>(
    sources: &'s [SourceRows],
    held_out: usize,
    variant: &'static ScoreVariant,
) -> Vec<(f64, &'s UsageSample)> {
    let others = sources.iter().enumerate().filter(|(at, _)| *at != held_out);
    let model = variant.fit(others.flat_map(|(_, source)| source.rows.iter().map(|(_, row)| row)));
    sources[held_out].rows.iter().map(|(_, row)| (model(row), row)).collect()
}
