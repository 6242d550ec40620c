use super::*;

#[test]
fn labels_do_not_overlap() {
    for (wanted, expected) in [
        (vec![], vec![]),
        (vec![50.0], vec![50.0]),
        (vec![10.0, 11.0, 50.0], vec![10.0, 20.0, 50.0]),
        (vec![99.0, 98.0, 97.0], vec![100.0, 90.0, 80.0]),
        (vec![0.0, 0.0], vec![0.0, 10.0]),
    ] {
        assert_eq!(separate_labels(&wanted, 10.0, 100.0), expected, "{wanted:?}");
    }
}

#[test]
fn paths() {
    let upper = [(0.0, 0.5), (1.0, 1.0)];
    assert_eq!(line_path(&upper), "M0 500L1000 0");
    assert_eq!(area_path(&upper, &[(0.0, 0.0), (1.0, 0.0)]), "M0 500L1000 0L1000 1000L0 1000Z");
    assert_eq!(line_path(&[(0.25, 0.0)]), "M250 1000h0.01");
    assert_eq!(area_path(&[], &[]), "");
}
