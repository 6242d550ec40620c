//! Quality and calibration of rankings of results.

use super::regression::UsageSample;

/// Returns the shares of dropped tokens and of lost uses, as results are dropped one by one in the
/// order of expected use per token.
pub(crate) fn drop_curve(guesses: &[(f64, &UsageSample)]) -> Vec<(f64, f64)> {
    let mut ranked: Vec<_> = guesses.iter().map(|(guess, row)| (guess / row.tokens, row)).collect();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
    let tokens: f64 = guesses.iter().map(|(_, row)| row.tokens * row.weight).sum();
    let uses: f64 = guesses.iter().filter(|(_, row)| row.used).map(|(_, row)| row.weight).sum();
    let (mut dropped, mut lost) = (0.0, 0.0);
    let each = ranked.into_iter().map(|(_, row)| {
        dropped += row.tokens * row.weight / tokens;
        lost += if row.used { row.weight / uses } else { 0.0 };
        (dropped, lost)
    });
    each.collect()
}

/// The number of groups of equal weight, by prediction.
const GROUPS: usize = 8;

/// Prints the predictions for groups of rows beside the used share of each.
pub(crate) fn print_calibration(name: &str, guesses: &[(f64, &UsageSample)]) {
    let mut ranked: Vec<_> = guesses.to_vec();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = ranked.iter().map(|(_, row)| row.weight).sum();
    let mut groups = vec![Vec::new(); GROUPS];
    let mut passed = 0.0;
    for (guess, row) in ranked {
        groups[((passed / all * GROUPS as f64) as usize).min(GROUPS - 1)].push((guess, row));
        passed += row.weight;
    }
    println!("  {name} weights, {} rows by what is predicted:", guesses.len());
    println!("    {:>8} {:>10} {:>6} {:>7}", "rows", "predicted", "used", "tokens");
    for group in groups {
        let weight: f64 = group.iter().map(|(_, row)| row.weight).sum();
        let mean = |of: &dyn Fn(f64, &UsageSample) -> f64| {
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
