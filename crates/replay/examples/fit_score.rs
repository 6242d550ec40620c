//! Fits the weights of the score on every second session and prints how well they rank the
//! results of the others, and how many of these were used by what was predicted:
//! `cargo run --release -p foveal-replay --example fit_score -- FOLDER`.
//!
//! A row is a tool result at every third request; it counts as used if a later edit used a
//! line that this result was the first in the prompt to show. Sessions weigh the same.

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::{NAMES, WEIGHTS, features};
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_replay::needs::needs;
use foveal_replay::{Prepared, replay};
use foveal_transcript::{Conversation, Role};
use quality::{dropping, print_calibration};
use regression::{Row, fit, probability};

#[path = "shared/load.rs"]
mod load;
#[path = "shared/quality.rs"]
mod quality;
#[path = "shared/regression.rs"]
mod regression;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (at, (_, conversation)) in load::conversations(&folder)?.iter().enumerate() {
        if at % 2 == 0 { &mut even } else { &mut odd }.extend(rows(conversation));
    }
    for (name, fitted_on, tested_on) in [("even", &even, &odd), ("odd", &odd, &even)] {
        let weights = fit(&fitted_on.iter().collect::<Vec<_>>());
        println!("fitted on the {name} sessions, {} rows:", fitted_on.len());
        for (name, weight) in NAMES.iter().zip(&weights) {
            println!("  {name:8} {weight:+.2}");
        }
        let fitted = guesses(tested_on, &weights);
        print_quality("fitted", &fitted);
        print_quality("in use", &guesses(tested_on, &WEIGHTS));
        print_calibration("fitted", &fitted);
    }
    let all: Vec<Row> = even.into_iter().chain(odd).collect();
    print_calibration("in use", &guesses(&all, &WEIGHTS));
    Ok(())
}

fn guesses<'r>(rows: &'r [Row], weights: &[f64]) -> Vec<(f64, &'r Row)> {
    rows.iter().map(|row| (probability(&row.features, weights), row)).collect()
}

fn rows(conversation: &Conversation) -> Vec<Row> {
    let prices = PriceCard::anthropic_5m();
    let prepared = Prepared::new(conversation.clone(), Tokenizer::O200k);
    let needs = needs(&prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let mut rows = Vec::new();
    replay(&prepared, &mut projector, &prices, &mut |projector, _| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.requests();
        for index in planner.window().iter().filter(|_| request % 3 == 0) {
            let facts = prepared.record.facts(*index);
            let Some(life) = planner.life(*index) else { continue };
            let young = request <= life.arrived + 1;
            if conversation.entry(*index).role != Role::Tool || facts.tokens.0 < 100 || young {
                continue;
            }
            rows.push(Row {
                features: features(facts, life, planner.interest(), request).to_vec(),
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

/// Prints the share of uses lost when the tokens of least expected use go first.
fn print_quality(name: &str, guessed: &[(f64, &Row)]) {
    print!("  {name} weights on the other half: uses lost when dropping");
    let mut marks = [0.3, 0.5, 0.7].iter().peekable();
    for (dropped, lost) in dropping(guessed) {
        while let Some(mark) = marks.next_if(|mark| dropped >= **mark) {
            print!(" {:.0}% of tokens: {:.1}%;", mark * 100.0, lost * 100.0);
        }
    }
    println!();
}
