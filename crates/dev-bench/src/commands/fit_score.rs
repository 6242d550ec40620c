//! `fit-score`: fits the weights of the score on every second session. It prints how well they rank
//! the results of the others, and the share of these that was used, by prediction.
//!
//! A row is a tool result at every third request. It counts as used if a later edit used a line
//! that this result was the first in the prompt to show. All sessions have equal weight.

use std::path::PathBuf;

use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::reuse_score::{FEATURE_NAMES, FEATURE_WEIGHTS, reuse_features};
use foveal_engine::settings::Settings;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::{PreparedConversation, replay};
use foveal_transcript::{Conversation, MessageRole};

use crate::recorded_sessions::load_conversations;
use crate::score_models::line_uses::find_line_uses;
use crate::score_models::ranking_quality::{drop_curve, print_calibration};
use crate::score_models::regression::{UsageSample, fit_weights, probability};

/// The command line of `fit-score`.
#[derive(Debug, clap::Args)]
pub(crate) struct FitScoreArguments {
    /// A folder of recorded sessions.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
}

/// Fits, tests and prints.
///
/// # Errors
/// If the sessions cannot be read.
pub(super) fn run(arguments: &FitScoreArguments) -> anyhow::Result<()> {
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    let conversations = load_conversations(std::slice::from_ref(&arguments.folder))?;
    for (at, recorded) in conversations.iter().enumerate() {
        let half = if at % 2 == 0 { &mut even } else { &mut odd };
        half.extend(usage_samples(&recorded.conversation));
    }
    for (name, training, test) in [("even", &even, &odd), ("odd", &odd, &even)] {
        let weights = fit_weights(&training.iter().collect::<Vec<_>>());
        println!("fitted on the {name} sessions, {} rows:", training.len());
        for (name, weight) in FEATURE_NAMES.iter().zip(&weights) {
            println!("  {name:8} {weight:+.2}");
        }
        let guesses = predict_usage(test, &weights);
        print_quality("fitted", &guesses);
        print_quality("in use", &predict_usage(test, &FEATURE_WEIGHTS));
        print_calibration("fitted", &guesses);
    }
    let all: Vec<UsageSample> = even.into_iter().chain(odd).collect();
    print_calibration("in use", &predict_usage(&all, &FEATURE_WEIGHTS));
    Ok(())
}

fn predict_usage<'r>(rows: &'r [UsageSample], weights: &[f64]) -> Vec<(f64, &'r UsageSample)> {
    rows.iter().map(|row| (probability(&row.features, weights), row)).collect()
}

fn usage_samples(conversation: &Conversation) -> Vec<UsageSample> {
    let prices = PriceCard::anthropic_5m();
    let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
    let needs = find_line_uses(&prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let mut rows = Vec::new();
    replay(&prepared, &mut projector, &prices, &mut |projector, _| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.request_count();
        for index in planner.window().iter().filter(|_| request % 3 == 0) {
            let facts = prepared.record.facts(*index);
            let Some(life) = &planner.entry_state(*index).age else { continue };
            let young = request <= life.arrived + 1;
            if conversation.entry(*index).role != MessageRole::Tool || facts.tokens.0 < 100 || young
            {
                continue;
            }
            rows.push(UsageSample {
                features: reuse_features(facts, life, planner.interest(), request).to_vec(),
                used: needs.iter().any(|n| n.first == *index && n.request + 1 > request),
                tokens: facts.tokens.0 as f64,
                weight: 1.0,
            });
        }
    });
    let weight = 1.0 / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|row| row.weight = weight);
    rows
}

/// Prints the share of lost uses when the tokens with the least expected use are dropped first.
fn print_quality(name: &str, guesses: &[(f64, &UsageSample)]) {
    print!("  {name} weights on the other half: uses lost when dropping");
    let mut marks = [0.3, 0.5, 0.7].iter().peekable();
    for (dropped, lost) in drop_curve(guesses) {
        while let Some(mark) = marks.next_if(|mark| dropped >= **mark) {
            print!(" {:.0}% of tokens: {:.1}%;", mark * 100.0, lost * 100.0);
        }
    }
    println!();
}
