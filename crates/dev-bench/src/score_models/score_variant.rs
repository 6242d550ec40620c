//! Alternatives to the current score: their features and models.

use foveal_relevance::curation::DecisionForest;

use super::boosted_trees::{self, TreeSettings};
use super::regression::{UsageSample, fit_weights, probability};
use super::training_rows::TrainingRows;

/// A score that is compared with the current one.
pub(crate) struct ScoreVariant {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Whether it uses the feature at this index.
    pub(crate) uses_feature: fn(usize) -> bool,
    /// Whether the model is a forest instead of a regression.
    pub(crate) is_trees: bool,
}

/// A fitted score: returns the probability that a row is used.
pub(crate) type UsageModel = Box<dyn Fn(&UsageSample) -> f64 + Sync>;

impl ScoreVariant {
    /// Fits the score on `rows`.
    pub(crate) fn fit<'r>(
        &'static self,
        rows: impl Iterator<Item = &'r UsageSample>,
    ) -> UsageModel {
        if self.is_trees {
            let forest = self.fit_forest(rows);
            return Box::new(move |row| {
                let row: Vec<f32> = self.used_features(row).map(|it| it as f32).collect();
                1.0 / (1.0 + (-f64::from(forest.log_odds(&row))).exp())
            });
        }
        let visible = |row: &UsageSample| self.used_features(row).collect::<Vec<_>>();
        let rows: Vec<UsageSample> =
            rows.map(|row| UsageSample { features: visible(row), ..*row }).collect();
        let weights = fit_weights(&rows.iter().collect::<Vec<_>>());
        Box::new(move |row| probability(&self.used_features(row).collect::<Vec<_>>(), &weights))
    }

    /// Returns the features of a row that the score uses.
    fn used_features<'r>(&'r self, row: &'r UsageSample) -> impl Iterator<Item = f64> + 'r {
        let features = row.features.iter().enumerate();
        features.filter(|(at, _)| (self.uses_feature)(*at)).map(|(_, feature)| *feature)
    }

    fn fit_forest<'r>(&self, rows: impl Iterator<Item = &'r UsageSample>) -> DecisionForest {
        let mut all = TrainingRows::default();
        for row in rows {
            all.rows.push(self.used_features(row).map(|it| it as f32).collect());
            let weight = row.weight as f32;
            all.gold.push(if row.used { weight } else { 0.0 });
            all.rest.push(if row.used { 0.0 } else { weight });
        }
        let settings =
            TreeSettings { trees: 80, columns: 0.5, leaves: 8, ..TreeSettings::default() };
        let width = all.rows.first().map_or(0, Vec::len);
        let trees = boosted_trees::fit_trees(&[&all], width, &settings);
        DecisionForest::parse(&trees).expect("trees are written in the form that is read")
    }
}
