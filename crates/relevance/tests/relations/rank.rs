//! Tests of ranks against a naive computation, and of their properties.

use proptest::prelude::*;

use foveal_relevance::relations::{FileRanks, NodeId, RankFocus, SymbolMatch, pagerank};

use super::{named, relations};

/// Computes page rank with a dense matrix, multiplied until it converges.
fn naive(count: usize, edges: &[(u32, u32, f64)], interest: &[f64]) -> Vec<f64> {
    let mut matrix = vec![vec![0.0; count]; count];
    for (from, to, weight) in edges {
        matrix[*from as usize][*to as usize] += weight;
    }
    for row in &mut matrix {
        let sum: f64 = row.iter().sum();
        for (at, cell) in row.iter_mut().enumerate() {
            *cell = if sum > 0.0 { *cell / sum } else { interest[at] };
            *cell = 0.85 * *cell + 0.15 * interest[at];
        }
    }
    let mut ranks = vec![1.0 / count as f64; count];
    for _ in 0..300 {
        ranks = (0..count)
            .map(|to| (0..count).map(|from| ranks[from] * matrix[from][to]).sum())
            .collect();
    }
    ranks
}

proptest! {
    #[test]
    fn ranks_are_those_of_the_dense_computation(
        count in 1usize..12,
        edges in proptest::collection::vec((0u32..12, 0u32..12, 0.01f64..100.0), 0..40),
        interest in proptest::collection::vec(0.01f64..1.0, 12),
    ) {
        let edges: Vec<(u32, u32, f64)> = edges
            .into_iter()
            .map(|(from, to, weight)| (from % count as u32, to % count as u32, weight))
            .collect();
        let mut interest = interest[..count].to_vec();
        let sum: f64 = interest.iter().sum();
        interest.iter_mut().for_each(|share| *share /= sum);
        let ranks = pagerank(count, &edges, &interest);
        prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        for (fast, slow) in ranks.iter().zip(naive(count, &edges, &interest)) {
            prop_assert!((fast - slow).abs() < 1e-6, "{fast} {slow}");
        }
    }
}

#[test]
fn edges_that_lead_nowhere_are_left_out() {
    let edges = [(0, 9, 1.0), (9, 0, 1.0), (0, 1, f64::NAN), (0, 1, -1.0), (0, 1, f64::INFINITY)];
    assert_eq!(pagerank(2, &edges, &[0.5, 0.5]), [0.5, 0.5]);
    assert!(pagerank(0, &[], &[]).is_empty());
}

const REPOSITORY: &str = "
//- a.py
from shared import compute_everything

def first_caller():
    compute_everything()
//- b.py
from shared import compute_everything
from lonely import rarely_used_thing

def second_caller():
    compute_everything()
    rarely_used_thing()
//- lonely.py
def rarely_used_thing():
    pass
//- shared.py
def compute_everything():
    pass
";

#[test]
fn what_many_use_matters_most_and_focus_moves_it() {
    let relations = relations(REPOSITORY);
    let best = |focus: &RankFocus| {
        let ranks = FileRanks::compute(&relations, focus);
        let files = ranks.files_by_rank(&relations);
        files.iter().map(|file| named(&relations, *file)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(best(&RankFocus::default()), "shared.py lonely.py a.py b.py");
    let of = |symbol: &str| -> Vec<NodeId> {
        match relations.find_symbol(symbol) {
            SymbolMatch::Nodes(nodes) => nodes,
            SymbolMatch::None => Vec::new(),
        }
    };
    let on_file = RankFocus { files: of("b.py"), ..RankFocus::default() };
    assert_eq!(best(&on_file), "b.py shared.py lonely.py a.py");
    let on_name = RankFocus { entities: of("rarely_used_thing"), ..RankFocus::default() };
    assert_eq!(best(&on_name), "lonely.py shared.py a.py b.py");
}
