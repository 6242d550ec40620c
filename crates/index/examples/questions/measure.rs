//! Figures of many questions, as a table.

use std::collections::BTreeMap;
use std::time::Duration;

use foveal_code::LineRange;

use crate::set::Half;

/// Places that are looked at.
pub(crate) const PLACES: usize = 10;

/// Places of which one must be right to count among the first.
const FIRST_PLACES: usize = 5;

/// Lines of a file that were found.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) lines: LineRange,
}

/// Sums over questions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measure {
    first: f64,
    among_first: f64,
    reciprocal: f64,
    count: f64,
}

impl Measure {
    /// Of one question whose answer stands at `rank`, from 0 on.
    pub(crate) fn of(rank: Option<usize>) -> Self {
        let reached = |places: usize| f64::from(u8::from(rank.is_some_and(|rank| rank < places)));
        Self {
            first: reached(1),
            among_first: reached(FIRST_PLACES),
            reciprocal: rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            count: 1.0,
        }
    }

    fn add(&mut self, other: Self) {
        self.first += other.first;
        self.among_first += other.among_first;
        self.reciprocal += other.reciprocal;
        self.count += other.count;
    }

    fn text(self) -> String {
        let of = |sum: f64| sum / self.count.max(1.0);
        format!("{:.3} {:.3} {:.3}", of(self.first), of(self.among_first), of(self.reciprocal))
    }
}

/// Figures of foveal and of the baseline, by repository and half.
#[derive(Default)]
pub(crate) struct Table {
    rows: BTreeMap<(String, Half), (Measure, Measure)>,
    pub(crate) times: Vec<Duration>,
}

impl Table {
    pub(crate) fn add(&mut self, repository: &str, half: Half, found: Measure, plain: Measure) {
        let row = self.rows.entry((repository.to_owned(), half)).or_default();
        row.0.add(found);
        row.1.add(plain);
    }

    pub(crate) fn print(&self) {
        println!("first place, first {FIRST_PLACES}, MRR@{PLACES}");
        println!("{:<24}    n  foveal             BM25 of 40 lines", "");
        for ((repository, half), (found, plain)) in &self.rows {
            print_row(&format!("{repository} {half:?}"), *found, *plain);
        }
        for half in [Half::A, Half::B] {
            let mut sums = (Measure::default(), Measure::default());
            for ((_, of), (found, plain)) in &self.rows {
                if *of == half {
                    sums.0.add(*found);
                    sums.1.add(*plain);
                }
            }
            print_row(&format!("half {half:?}"), sums.0, sums.1);
        }
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |share: f64| {
            let place = (times.len() as f64 * share) as usize;
            times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        println!("a search takes {:.1} / {:.1} ms (p50 / p99)", at(0.5), at(0.99));
    }
}

fn print_row(name: &str, found: Measure, plain: Measure) {
    println!("{name:<24} {:>4}  {}  {}", found.count, found.text(), plain.text());
}
