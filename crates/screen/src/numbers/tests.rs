use super::*;

#[test]
fn numbers_read_well() {
    for (number, text) in [(0, "0"), (999, "999"), (1_000, "1 000"), (1_234_567, "1 234 567")] {
        assert_eq!(format_count(number), text);
    }
    for (number, text) in [
        (950, "950"),
        (2_140, "2.1k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (31_400_000, "31.4M"),
    ] {
        assert_eq!(format_tokens(number), text);
    }
    for (amount, text) in [(0.0, "$0.00"), (0.01234, "$0.0123"), (1234.5, "$1 234.50")] {
        assert_eq!(format_dollars(amount), text);
    }
    for (ratio, text) in [(-0.275, "-27.5 %"), (0.07, "+7.0 %"), (-0.0001, "+0.0 %")] {
        assert_eq!(format_percent_change(ratio), text);
    }
    assert_eq!(
        (format_plural(1, "file"), format_plural(2, "file")),
        ("1 file".into(), "2 files".into())
    );
    assert_eq!(
        [0_u32, 1, 12_345].map(|count| PlainCount::new(count, "line").to_string()),
        ["0 lines", "1 line", "12345 lines"]
    );
}
