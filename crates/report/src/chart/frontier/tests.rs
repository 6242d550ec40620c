use super::*;

const SIZE: DrawingSize = DrawingSize { width: 560.0, height: 400.0 };

#[test]
fn labels_overlap_neither_labels_nor_dots() {
    let crowd: Vec<DrawingPoint> = (0..14)
        .map(|at| DrawingPoint {
            x: 250.0 + f64::from(at % 5) * 9.0,
            y: 60.0 + f64::from(at) * 3.0,
        })
        .collect();
    let widths = vec![80.0; crowd.len()];
    let labels = place_labels(&crowd, &widths, SIZE);
    assert_eq!(labels.iter().flatten().count(), 14, "all have room");
    for (at, label) in labels.iter().flatten().enumerate() {
        for other in labels.iter().flatten().skip(at + 1) {
            let (right, bottom) = (other.left + other.width, other.top + LABEL_HEIGHT);
            assert!(!label.overlaps(other.left, other.top, right, bottom));
        }
        for DrawingPoint { x, y } in &crowd {
            assert!(!label.overlaps(x - 6.0, y - 6.0, x + 6.0, y + 6.0));
        }
    }
}

#[test]
fn a_label_without_room_is_left_out() {
    assert_eq!(place_labels(&[DrawingPoint { x: 50.0, y: 50.0 }], &[900.0], SIZE), [None]);
}
