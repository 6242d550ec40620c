use super::*;

fn check(shown: &[String], expected: &[&str]) {
    let shown: Vec<String> = shown.iter().map(|text| text.replace(THIN, " ")).collect();
    assert_eq!(shown, expected);
}

#[test]
fn counts() {
    let numbers = [0.0, 1.0, 980.0, 999.4, 999.6, 12_345.0, 123_456.0, 999_600.0, 1_240_000.0];
    check(
        &numbers.map(format_count),
        &["0", "1", "980", "999", "1.00 k", "12.3 k", "123 k", "1.00 M", "1.24 M"],
    );
    check(&[-4200.0, 2.5e9, f64::NAN].map(format_count), &["−4.20 k", "2.50 G", "–"]);
}

#[test]
fn ticks_have_no_empty_digits() {
    check(
        &[0.0, 500.0, 2500.0, 20_000.0, 150_000.0, 1e6].map(format_count_tick),
        &["0", "500", "2.5 k", "20 k", "150 k", "1 M"],
    );
    check(
        &[0.0, 0.25, 2.5, 200.0, 5000.0].map(format_dollars_tick),
        &["$0", "$0.25", "$2.50", "$200", "$5,000"],
    );
    check(&[0.0, -0.2, 0.025].map(format_change_tick), &["0 %", "−20 %", "+2.5 %"]);
}

#[test]
fn money() {
    let numbers = [0.0, 1.239, 0.0042, 0.0123, 0.5, -0.5, 999.0, 1240.4, -0.000_001];
    check(
        &numbers.map(format_dollars),
        &["$0.00", "$1.24", "$0.0042", "$0.0123", "$0.50", "−$0.50", "$999.00", "$1,240", "$0.00"],
    );
    check(&[format_dollars(f64::INFINITY), format_thousands(1_234_567)], &["–", "1,234,567"]);
}

#[test]
fn changes() {
    let changes = [Some(-0.281), Some(0.87), Some(0.0), Some(-0.000_01), None, Some(f64::NAN)];
    check(&changes.map(format_change), &["−28.1 %", "+87.0 %", "0 %", "0 %", "–", "–"]);
}

#[test]
fn a_share_is_whole_only_if_nothing_is_missing() {
    let of = |visible, used| format_share(VisibleShare { used, visible });
    check(
        &[of(0, 0), of(5, 5), of(99_999, 100_000), of(997, 1000), of(0, 3)],
        &["–", "100 %", "99.99 %", "99.70 %", "0.00 %"],
    );
    check(
        &[
            format_mean(1, 4),
            format_mean(1, 0),
            format_plural(1, "file"),
            format_plural(1200, "file"),
        ],
        &["0.25", "–", "1 file", "1,200 files"],
    );
}
