use rmcp::model::NumberOrString;

use super::*;

fn check(put: &[&[(u64, Option<u64>, &str)]], expected: &[(f64, Option<f64>, Option<&str>)]) {
    let latest = LatestProgress::default();
    let mut notifier = ProgressNotifier::new(ProgressToken(NumberOrString::Number(1)));
    let mut seen = Vec::new();
    for batch in put {
        for (done, total, message) in *batch {
            latest.update(CallProgress {
                done: *done,
                total: *total,
                message: (*message).to_owned(),
                model: None,
            });
        }
        seen.extend(notifier.next_notification(&latest));
    }
    let seen: Vec<_> =
        seen.iter().map(|told| (told.progress, told.total, told.message.as_deref())).collect();
    assert_eq!(seen, expected);
}

#[test]
fn output_is_put_together_and_numbers_rise() {
    check(
        &[&[(2, None, "a\n"), (4, None, "b\n")], &[(6, None, "c\n")]],
        &[(4.0, None, Some("a\nb\n")), (6.0, None, Some("c\n"))],
    );
    check(
        &[&[(1, Some(9), "one"), (2, Some(9), "two")], &[(2, Some(9), "two")], &[]],
        &[(2.0, Some(9.0), Some("two"))],
    );
    let long = "é".repeat(4_000);
    check(&[&[(8_000, None, &long)]], &[(8_000.0, None, Some(&long[4_000..]))]);
}
