//! The arithmetic of the measures.

use super::{CurationFigures, CurationMeasurement, FileFacts, SIZES};
use crate::case::{CurationCase, LineBudget};
use crate::evaluation::size_classes::size_class;

/// A case of ten lines of one token each.
fn case(gold: Option<&[u32]>) -> CurationCase {
    CurationCase {
        id: "one".into(),
        repo: String::new(),
        language: String::new(),
        path: "a.rs".into(),
        content_before: "\n".repeat(10),
        query: String::new(),
        conversation: None,
        gold_lines: gold.map(<[u32]>::to_vec),
    }
}

fn measured(
    gold: Option<&[u32]>,
    budget: LineBudget,
    kept: &[(u32, u32)],
    micros: u64,
) -> CurationMeasurement {
    let case = case(gold);
    CurationMeasurement::new(&case, budget, &FileFacts::from_case(&case), kept.to_vec(), micros)
}

#[test]
fn one_measurement() {
    let half = LineBudget::Share(0.5);
    for (gold, kept, gold_kept, lines_kept, sound) in [
        (Some(&[1, 2, 9][..]), &[(1, 1), (8, 10)][..], Some((3, 2)), 4, true),
        (Some(&[1]), &[], Some((1, 0)), 0, true),
        (Some(&[]), &[(1, 5)], None, 5, true),
        (None, &[(1, 5)], None, 5, true),
        // Over the budget; out of the file; twice the same lines; out of order.
        (Some(&[6]), &[(1, 6)], Some((1, 1)), 6, false),
        (Some(&[10]), &[(9, 11)], Some((1, 1)), 2, false),
        (Some(&[2]), &[(1, 2), (2, 3)], Some((1, 1)), 3, false),
        (Some(&[2]), &[(4, 4), (1, 1)], Some((1, 0)), 2, false),
        (Some(&[0, 11]), &[(0, 1)], Some((2, 0)), 1, false),
    ] {
        let one = measured(gold, half, kept, 0);
        let found = (one.gold, one.lines_kept, one.tokens_kept.0, one.is_valid);
        assert_eq!(found, (gold_kept, lines_kept, u64::from(lines_kept), sound), "{kept:?}");
        assert_eq!((one.lines, one.tokens.0), (10, 10));
    }
    assert!(measured(None, LineBudget::Adaptive, &[(1, 10)], 0).is_valid);
}

#[test]
fn sums_of_measurements() {
    let budget = LineBudget::Share(0.5);
    let mut figures = CurationFigures::default();
    assert_eq!(
        (figures.recall(), figures.lines_kept(), figures.micros_percentile(0.5)),
        (None, None, None)
    );
    for (gold, kept, micros) in [
        (Some(&[1][..]), &[(1, 4)][..], 40),
        (Some(&[1, 2, 3, 4, 5, 6, 7, 8]), &[(1, 2)], 10),
        (None, &[(5, 7)], 30),
        (Some(&[9, 10]), &[(1, 1), (10, 10)], 20),
    ] {
        figures.add(&measured(gold, budget, kept, micros));
    }
    let shares = [
        figures.recall(),
        figures.recall_pooled(),
        figures.complete_case_share(),
        figures.lines_kept(),
        figures.tokens_kept(),
    ];
    let text: Vec<String> =
        shares.iter().map(|share| format!("{:.3}", share.expect("there are cases"))).collect();
    // (1 + 2/8 + 1/2) / 3, 4/11, 1/3, (4 + 2 + 3 + 2) / 40 twice.
    assert_eq!(text, ["0.583", "0.364", "0.333", "0.275", "0.275"]);
    let micros = [0.0, 0.5, 0.95, 1.0].map(|share| figures.micros_percentile(share));
    assert_eq!(micros, [Some(10), Some(20), Some(40), Some(40)]);
    assert_eq!((figures.cases, figures.cases_with_gold, figures.unsound), (4, 3, 0));
}

#[test]
fn budgets_are_rounded_down() {
    for (share, lines, most) in
        [(0.1, 9, 0), (0.1, 10, 1), (0.3, 10, 3), (0.1, 1009, 100), (0.5, 3, 1), (1.0, 7, 7)]
    {
        assert_eq!(LineBudget::Share(share).lines_max(lines), most, "{share} of {lines}");
    }
}

#[test]
fn functions_count_where_all_their_lines_are_kept() {
    let text = "fn a() {\n    one();\n}\n\n/// Says b.\nfn b() {\n    two();\n}\n";
    let case = CurationCase { content_before: text.into(), ..case(Some(&[2, 7])) };
    let file = FileFacts::from_case(&case);
    let mut figures = CurationFigures::default();
    assert_eq!(figures.whole_functions(), None);
    for (kept, whole) in [
        (&[(1, 3)][..], 1),
        // Documentation does not count, a header does.
        (&[(1, 3), (6, 8)], 2),
        (&[(2, 3), (7, 8)], 0),
        (&[(1, 8)], 2),
    ] {
        let one = CurationMeasurement::new(&case, LineBudget::Adaptive, &file, kept.to_vec(), 0);
        assert_eq!(one.functions, (2, whole), "{kept:?}");
        figures.add(&one);
    }
    assert_eq!(figures.whole_functions(), Some(5.0 / 8.0));
}

#[test]
fn figures_are_also_of_sizes() {
    let sizes = [0, 300, 301, 1_200, 2_400, 2_401, 90_000].map(size_class);
    assert_eq!(sizes, [0, 0, 1, 2, 3, 4, 4]);
    let mut figures = CurationFigures::default();
    figures.add(&measured(Some(&[1]), LineBudget::Adaptive, &[(1, 5)], 0));
    figures.add(&measured(None, LineBudget::Adaptive, &[(1, 10)], 0));
    let of = figures.by_size();
    assert_eq!(of.len(), SIZES.len());
    assert_eq!((of[0].cases, of[1].cases), (2, 0));
    assert_eq!((of[0].recall(), of[0].lines_kept()), (Some(1.0), Some(0.75)));
    assert_eq!((of[0].tokens_kept(), of[1].tokens_kept()), (Some(0.75), None));
}
