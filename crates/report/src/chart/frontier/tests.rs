use super::*;

#[test]
fn labels_overlap_neither_labels_nor_dots() {
    let crowd: Vec<(f64, f64)> =
        (0..14).map(|at| (250.0 + f64::from(at % 5) * 9.0, 60.0 + f64::from(at) * 3.0)).collect();
    let widths = vec![80.0; crowd.len()];
    let labels = place_labels(&crowd, &widths, (560.0, 400.0));
    assert_eq!(labels.iter().flatten().count(), 14, "all have room");
    for (at, label) in labels.iter().flatten().enumerate() {
        for other in labels.iter().flatten().skip(at + 1) {
            let (right, bottom) = (other.left + other.width, other.top + LABEL_HEIGHT);
            assert!(!label.overlaps(other.left, other.top, right, bottom));
        }
        for (x, y) in &crowd {
            assert!(!label.overlaps(x - 6.0, y - 6.0, x + 6.0, y + 6.0));
        }
    }
}

#[test]
fn a_label_without_room_is_left_out() {
    assert_eq!(place_labels(&[(50.0, 50.0)], &[900.0], (560.0, 400.0)), [None]);
}
