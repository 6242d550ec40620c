//! Fits the weights of the score on every second session and prints how well they rank the
//! results of the others, and how many of these were used by what was predicted:
//! `cargo run --release -p foveal-replay --example fit_score -- FOLDER`.
//!
//! A row is a tool result at every third request; it counts as used if a later edit used a
//! line that this result was the first in the prompt to show. Sessions weigh the same.

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::{FEATURES, NAMES, features, probability};
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_replay::needs::needs;
use foveal_replay::{Prepared, replay};
use foveal_transcript::{Conversation, Role};

#[path = "shared/load.rs"]
mod load;

struct Row {
    features: [f64; FEATURES],
    used: bool,
    tokens: f64,
    weight: f64,
}

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (at, (_, conversation)) in load::conversations(&folder)?.iter().enumerate() {
        if at % 2 == 0 { &mut even } else { &mut odd }.extend(rows(conversation));
    }
    for (name, fitted_on, tested_on) in [("even", &even, &odd), ("odd", &odd, &even)] {
        let weights = fit(fitted_on);
        println!("fitted on the {name} sessions, {} rows:", fitted_on.len());
        for (name, weight) in NAMES.iter().zip(weights) {
            println!("  {name:8} {weight:+.2}");
        }
        print_quality("fitted", tested_on, &weights);
        print_quality("in use", tested_on, &foveal_context::score::WEIGHTS);
        print_calibration("fitted", tested_on, &weights);
    }
    let all: Vec<Row> = even.into_iter().chain(odd).collect();
    print_calibration("in use", &all, &foveal_context::score::WEIGHTS);
    Ok(())
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
                features: features(facts, life, planner.interest(), request),
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

/// Weighted logistic regression by Newton's method, with a ridge that keeps it stable.
fn fit(rows: &[Row]) -> [f64; FEATURES] {
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let mut weights = [0.0; FEATURES];
    for _ in 0..25 {
        let mut slope = [0.0; FEATURES];
        let mut curve = [[0.0; FEATURES]; FEATURES];
        for row in rows {
            let guess = probability(&row.features, &weights);
            let share = row.weight / total;
            let miss = f64::from(u8::from(row.used)) - guess;
            for (i, feature) in row.features.iter().enumerate() {
                slope[i] += share * miss * feature;
                for (cell, other) in curve[i].iter_mut().zip(&row.features) {
                    *cell += share * guess * (1.0 - guess) * feature * other;
                }
            }
        }
        for i in 0..FEATURES {
            slope[i] -= 1e-4 * weights[i];
            curve[i][i] += 1e-4;
        }
        for (weight, step) in weights.iter_mut().zip(solve(curve, slope)) {
            *weight += step;
        }
    }
    weights
}

/// Gaussian elimination; the matrix is symmetric and positive, so no pivoting is needed.
fn solve(mut matrix: [[f64; FEATURES]; FEATURES], mut right: [f64; FEATURES]) -> [f64; FEATURES] {
    for at in 0..FEATURES {
        for below in at + 1..FEATURES {
            let factor = matrix[below][at] / matrix[at][at];
            let pivot = matrix[at];
            for (cell, above) in matrix[below].iter_mut().zip(pivot).skip(at) {
                *cell -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..FEATURES).rev() {
        let known: f64 = (at + 1..FEATURES).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

/// The share of uses lost when the tokens of least expected use go first.
fn print_quality(name: &str, rows: &[Row], weights: &[f64; FEATURES]) {
    let mut ranked: Vec<_> =
        rows.iter().map(|row| (probability(&row.features, weights) / row.tokens, row)).collect();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
    let tokens: f64 = rows.iter().map(|row| row.tokens * row.weight).sum();
    let uses: f64 = rows.iter().filter(|row| row.used).map(|row| row.weight).sum();
    print!("  {name} weights on the other half: uses lost when dropping");
    let (mut dropped, mut lost, mut marks) = (0.0, 0.0, [0.3, 0.5, 0.7].iter().peekable());
    for (_, row) in ranked {
        dropped += row.tokens * row.weight / tokens;
        lost += if row.used { row.weight / uses } else { 0.0 };
        while let Some(mark) = marks.next_if(|mark| dropped >= **mark) {
            print!(" {:.0}% of tokens: {:.1}%;", mark * 100.0, lost * 100.0);
        }
    }
    println!();
}

/// Groups of rows with the same weight in all, by what is predicted.
const GROUPS: usize = 8;

/// What was predicted for rows, and how many of them were used.
fn print_calibration(name: &str, rows: &[Row], weights: &[f64; FEATURES]) {
    let mut ranked: Vec<_> =
        rows.iter().map(|row| (probability(&row.features, weights), row)).collect();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = rows.iter().map(|row| row.weight).sum();
    let mut groups = vec![Vec::new(); GROUPS];
    let mut passed = 0.0;
    for (guess, row) in ranked {
        groups[((passed / all * GROUPS as f64) as usize).min(GROUPS - 1)].push((guess, row));
        passed += row.weight;
    }
    println!("  {name} weights, {} rows by what is predicted:", rows.len());
    println!("    {:>8} {:>10} {:>6} {:>7}", "rows", "predicted", "used", "tokens");
    for group in groups {
        let weight: f64 = group.iter().map(|(_, row)| row.weight).sum();
        let mean = |of: &dyn Fn(f64, &Row) -> f64| {
            group.iter().map(|(guess, row)| row.weight * of(*guess, row)).sum::<f64>() / weight
        };
        println!(
            "    {:8} {:9.2}% {:5.2}% {:7.0}",
            group.len(),
            mean(&|guess, _| guess) * 100.0,
            mean(&|_, row| f64::from(u8::from(row.used))) * 100.0,
            mean(&|_, row| row.tokens)
        );
    }
}
