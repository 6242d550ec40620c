//! Scores that are tried: what each sees, and how it is fitted.

use foveal_code::curate::Forest;

use crate::boost;
use crate::quality;
use crate::regression::{Row, fit, probability};
use crate::sampled::Sampled;

/// A score that is tried: its name, which of the features it sees, and whether it is trees.
pub(crate) struct Tried {
    pub(crate) name: &'static str,
    pub(crate) sees: fn(usize) -> bool,
    pub(crate) is_trees: bool,
}

/// Tells how likely a row is to be used.
pub(crate) type Judge = Box<dyn Fn(&Row) -> f64 + Sync>;

impl Tried {
    /// What judges rows, fitted on `rows`.
    pub(crate) fn judge<'r>(&'static self, rows: impl Iterator<Item = &'r Row>) -> Judge {
        if self.is_trees {
            let forest = self.grown(rows);
            return Box::new(move |row| {
                let row: Vec<f32> = self.seen(row).map(|it| it as f32).collect();
                1.0 / (1.0 + (-f64::from(forest.value(&row))).exp())
            });
        }
        let rows: Vec<Row> =
            rows.map(|row| Row { features: self.seen(row).collect(), ..*row }).collect();
        let weights = fit(&rows.iter().collect::<Vec<_>>());
        Box::new(move |row| probability(&self.seen(row).collect::<Vec<_>>(), &weights))
    }

    /// The features of a row that it sees.
    fn seen<'r>(&'r self, row: &'r Row) -> impl Iterator<Item = f64> + 'r {
        let of = row.features.iter().enumerate();
        of.filter(|(at, _)| (self.sees)(*at)).map(|(_, feature)| *feature)
    }

    fn grown<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Forest {
        let mut all = Sampled { rows: Vec::new(), gold: Vec::new(), rest: Vec::new() };
        for row in rows {
            all.rows.push(self.seen(row).map(|it| it as f32).collect());
            let weight = row.weight as f32;
            all.gold.push(if row.used { weight } else { 0.0 });
            all.rest.push(if row.used { 0.0 } else { weight });
        }
        let settings = boost::Settings { trees: 80, columns: 0.5, leaves: 8, ..Default::default() };
        let width = all.rows.first().map_or(0, Vec::len);
        let grown = boost::fit(&[&all], width, &settings);
        Forest::read(&grown).expect("what was written can be read")
    }
}

/// The shares of the tokens that go before 1, 3 and 10 % of the uses are lost.
pub(crate) fn shares(guessed: &[(f64, &Row)]) -> String {
    let gone = quality::dropping(guessed);
    let at = |loss: f64| {
        let within = gone.partition_point(|(_, lost)| *lost <= loss);
        within.checked_sub(1).map_or(0.0, |last| gone[last].0)
    };
    [0.01, 0.03, 0.1].map(|loss| format!("{:5.1} %", at(loss) * 100.0)).join(" ")
}
