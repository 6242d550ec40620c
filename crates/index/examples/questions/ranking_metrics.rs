//! Ranking metrics of many questions, as a table.

use std::collections::BTreeMap;
use std::time::Duration;

use foveal_syntax::LineRange;

use crate::question_set::QuestionHalf;

/// The number of hits that count.
pub(crate) const PLACES: usize = 10;

/// The rank up to which an answer counts as one of the first.
const FIRST_PLACES: usize = 5;

/// The lines of a hit.
#[derive(Debug, Clone)]
pub(crate) struct FoundPlace {
    pub(crate) path: String,
    pub(crate) lines: LineRange,
}

/// Sums of metrics over questions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RankingMetrics {
    first: f64,
    among_first: f64,
    reciprocal: f64,
    count: f64,
}

impl RankingMetrics {
    /// Creates the metrics of one question with its answer at `rank`, from 0.
    pub(crate) fn from_rank(rank: Option<usize>) -> Self {
        let reached = |places: usize| f64::from(u8::from(rank.is_some_and(|rank| rank < places)));
        Self {
            first: reached(1),
            among_first: reached(FIRST_PLACES),
            reciprocal: rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            count: 1.0,
        }
    }

    fn accumulate(&mut self, other: Self) {
        self.first += other.first;
        self.among_first += other.among_first;
        self.reciprocal += other.reciprocal;
        self.count += other.count;
    }

    fn format_means(self) -> String {
        let of = |sum: f64| sum / self.count.max(1.0);
        format!("{:.3} {:.3} {:.3}", of(self.first), of(self.among_first), of(self.reciprocal))
    }
}

/// Metrics of foveal and of the baseline, by repository and half.
#[derive(Default)]
pub(crate) struct MetricsTable {
    rows: BTreeMap<(String, QuestionHalf), (RankingMetrics, RankingMetrics)>,
    pub(crate) times: Vec<Duration>,
}

impl MetricsTable {
    pub(crate) fn add_question(
        &mut self,
        repository: &str,
        half: QuestionHalf,
        found: RankingMetrics,
        plain: RankingMetrics,
    ) {
        let row = self.rows.entry((repository.to_owned(), half)).or_default();
        row.0.accumulate(found);
        row.1.accumulate(plain);
    }

    pub(crate) fn print_table(&self) {
        println!("first place, first {FIRST_PLACES}, MRR@{PLACES}");
        println!("{:<24}    n  foveal             BM25 of 40 lines", "");
        for ((repository, half), (found, plain)) in &self.rows {
            print_row(&format!("{repository} {half:?}"), *found, *plain);
        }
        for half in [QuestionHalf::A, QuestionHalf::B] {
            let mut sums = (RankingMetrics::default(), RankingMetrics::default());
            for ((_, of), (found, plain)) in &self.rows {
                if *of == half {
                    sums.0.accumulate(*found);
                    sums.1.accumulate(*plain);
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

fn print_row(name: &str, found: RankingMetrics, plain: RankingMetrics) {
    println!("{name:<24} {:>4}  {}  {}", found.count, found.format_means(), plain.format_means());
}
