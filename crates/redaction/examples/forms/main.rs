//! Counts the planted secrets that stay in clear, and the harmless texts that are redacted: `cargo
//! run --release -p foveal-redaction --example forms -- [SEEDS]`. Each form gets new values for each
//! seed. A test of the crate enforces the bounds.

mod generated_values;
mod harmless;
mod planted;
mod rates;

use rates::Rates;

fn main() {
    let seeds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    for (name, planted, harmless) in rates::PARTS {
        let mut worst = Rates::default();
        let (mut in_clear, mut removed) = (0, 0);
        for seed in 0..seeds {
            let rates = Rates::of(seed, planted, harmless);
            in_clear += rates.in_clear.len();
            removed += rates.removed.len();
            let wrong = |rates: &Rates| rates.in_clear.len() + rates.removed.len();
            if wrong(&rates) > wrong(&worst) {
                worst = rates;
            }
        }
        println!(
            "{name}: of {} planted {:.2} in clear, of {} harmless {:.2} removed, on average of {seeds}",
            planted.len(),
            in_clear as f64 / seeds as f64,
            harmless.len(),
            removed as f64 / seeds as f64,
        );
        worst.in_clear.iter().for_each(|form| println!("  in clear: {form}"));
        worst.removed.iter().for_each(|form| println!("  removed: {form}"));
    }
}
