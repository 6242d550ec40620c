//! Tests of fused rankings.

use foveal_relevance::ranking::{DocumentId, RankedDocument, top_documents};
use foveal_relevance::score_fusion::{WeightedRanking, fuse_by_score};
use proptest::prelude::*;

fn ranking(text: &str) -> Vec<RankedDocument> {
    let entry = |part: &str| {
        let (document, score) = part.split_once(':').expect("document:score");
        let document = DocumentId(document.parse().expect("a number"));
        RankedDocument { document, score: score.parse().expect("a score") }
    };
    text.split_whitespace().map(entry).collect()
}

fn places(ranking: &[RankedDocument]) -> String {
    ranking.iter().map(|ranked| ranked.document.0.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn agreement_beats_one_high_place() {
    let (a, b) = (ranking("1:9 2:8 3:7"), ranking("3:0.9 2:0.8 4:0.1"));
    let voices = [&a, &b].map(|ranking| WeightedRanking { ranking, weight: 1.0 });
    // Document 2 has 8/9 + 8/9, document 3 has 7/9 + 1.
    assert_eq!(places(&fuse_by_score(&voices, 3)), "2 3 1");
    let heavy = [
        WeightedRanking { ranking: &a, weight: 5.0 },
        WeightedRanking { ranking: &b, weight: 1.0 },
    ];
    assert_eq!(places(&fuse_by_score(&heavy, 3)), "2 1 3");
}

#[test]
fn silence_adds_nothing() {
    let none = ranking("");
    let zero = ranking("7:0 8:0");
    let voices = [&none, &zero].map(|ranking| WeightedRanking { ranking, weight: 1.0 });
    assert_eq!(fuse_by_score(&voices, 5), []);
}

proptest! {
    #[test]
    fn the_best_are_those_of_a_full_sort(scores in prop::collection::vec(-3..3, 0..40), limit in 0_usize..12) {
        let scores: Vec<f32> = scores.into_iter().map(|score| score as f32).collect();
        let mut all: Vec<usize> = (0..scores.len()).collect();
        all.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        all.truncate(limit);
        let found: Vec<usize> =
            top_documents(scores.into_iter().enumerate(), limit).iter().map(|r| r.document.index()).collect();
        prop_assert_eq!(found, all);
    }
}
