use super::*;

fn check(axis: &Axis, expected: &str) {
    let ticks: Vec<String> = axis.ticks().iter().map(|tick| format!("{tick:.4}")).collect();
    let ticks: Vec<&str> =
        ticks.iter().map(|t| t.trim_end_matches('0').trim_end_matches('.')).collect();
    assert_eq!(format!("{} to {}", ticks.join(" "), axis.high()), expected);
}

#[test]
fn ticks_are_round() {
    for (most, wanted, expected) in [
        (0.0, 4, "0 0.2 0.4 0.6 0.8 1 to 1"),
        (f64::NAN, 2, "0 0.5 1 to 1"),
        (f64::INFINITY, 2, "0 0.5 1 to 1"),
        (1.0, 1, "0 1 to 1"),
        (7.0, 4, "0 2 4 6 8 to 8"),
        (100.0, 5, "0 20 40 60 80 100 to 100"),
        (101.0, 5, "0 20 40 60 80 100 120 to 120"),
        (163_000.0, 4, "0 50000 100000 150000 200000 to 200000"),
        (0.013, 4, "0 0.005 0.01 0.015 to 0.015"),
    ] {
        check(&Axis::from_zero(most, wanted), expected);
    }
}

#[test]
fn whole_numbers_stay_whole() {
    check(&Axis::between(1.0, 3.0, 8, 1.0), "1 2 3 to 3");
    check(&Axis::between(1.0, 1.0, 8, 1.0), "1 2 to 2");
    check(&Axis::between(1.0, 471.0, 8, 1.0), "50 100 150 200 250 300 350 400 450 to 471");
    check(&Axis::between(-0.4, 0.9, 5, 0.01), "-0.4 -0.2 0 0.2 0.4 0.6 0.8 to 0.9");
}

#[test]
fn places_lie_between_the_ends() {
    let axis = Axis::from_zero(8.0, 4);
    for (value, place) in [(0.0, 0.0), (4.0, 0.5), (8.0, 1.0), (99.0, 1.0), (f64::NAN, 0.0)] {
        assert_eq!(axis.position(value), place, "{value}");
    }
}
