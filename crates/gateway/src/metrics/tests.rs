use foveal_proxy::request::RequestReport;

use super::Metrics;
use crate::cost_ledger::tests::{billed, exchange};
use crate::exchange::FailedOpen;
use crate::traces::ExportStats;

/// Returns the lines of the page with this beginning.
fn lines(page: &str, begin: &str) -> Vec<String> {
    page.lines().filter(|line| line.starts_with(begin)).map(str::to_owned).collect()
}

#[test]
fn the_page_is_in_prometheus_text_format() {
    let page = Metrics::default().render(Some(ExportStats { exported: 3, dropped: 1 }));
    let line = regex::Regex::new(
        r#"^(# (HELP|TYPE) foveal_[a-z_]+ .+|foveal_[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [-+0-9.e]+)$"#,
    )
    .expect("a pattern");
    let wrong: Vec<&str> = page.lines().filter(|text| !line.is_match(text)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(page.ends_with('\n'));
    assert_eq!(lines(&page, "foveal_spans_dropped"), ["foveal_spans_dropped_total 1"]);
}

#[test]
fn requests_are_counted_by_how_they_ended() {
    let mut metrics = Metrics::default();
    let about = RequestReport {
        tokens_received: 900,
        tokens_sent: 600,
        inactive_reason: Some("a reason with the client's \"words\"".to_owned()),
        inactive_kind: Some("server_edits"),
        ..RequestReport::default()
    };
    let mut one = exchange(0, billed(0, 5_000), about);
    one.failed_open = Some(FailedOpen::Late);
    one.report.breakpoints = 2;
    metrics.count_exchange(&one, None);
    metrics.count_exchange(&one, None);
    metrics.count_unlogged();
    let page = metrics.render(None);
    let expected =
        "foveal_requests_total{protocol=\"messages\",outcome=\"whole\",status=\"2xx\"} 2";
    assert_eq!(lines(&page, "foveal_requests_total"), [expected]);
    assert_eq!(
        lines(&page, "foveal_prompt_tokens_asked"),
        ["foveal_prompt_tokens_asked_total 1800"]
    );
    assert_eq!(
        lines(&page, "foveal_inactive"),
        ["foveal_inactive_total{reason=\"server_edits\"} 2"]
    );
    assert_eq!(lines(&page, "foveal_failed"), ["foveal_failed_open_total{reason=\"late\"} 2"]);
    assert_eq!(lines(&page, "foveal_cache_marks"), ["foveal_cache_marks_total 4"]);
    assert_eq!(lines(&page, "foveal_repeated"), ["foveal_repeated_results_total 0"]);
    assert_eq!(lines(&page, "foveal_requests_unc"), ["foveal_requests_uncounted_total 1"]);
    // No label holds a text of clients.
    for foreign in ["words", "claude", "abc", "anthropic"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn the_time_that_is_added_is_a_histogram() {
    let mut metrics = Metrics::default();
    metrics.count_exchange(&exchange(0, billed(0, 1), RequestReport::default()), None);
    let page = metrics.render(None);
    let buckets = lines(&page, "foveal_added_seconds_bucket");
    assert_eq!(buckets[2], "foveal_added_seconds_bucket{le=\"0.0005\"} 0");
    assert_eq!(buckets[3], "foveal_added_seconds_bucket{le=\"0.001\"} 1");
    assert_eq!(
        buckets.last().map(String::as_str),
        Some("foveal_added_seconds_bucket{le=\"+Inf\"} 1")
    );
    assert_eq!(lines(&page, "foveal_added_seconds_sum"), ["foveal_added_seconds_sum 0.0006"]);
}
