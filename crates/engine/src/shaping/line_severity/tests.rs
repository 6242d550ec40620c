use proptest::prelude::*;

use super::*;

#[test]
fn words_tell_only_where_they_stand_alone() {
    use LineSeverity::{Failure, Normal, Warning};
    for (line, expected) in [
        ("error[E0308]: mismatched types", Failure),
        ("src/a.c:12:5: error: expected ';'", Failure),
        ("src/app.ts(3,7): error TS2322: Type 'x'", Failure),
        ("Main.java:3: error: cannot find symbol", Failure),
        ("./a.go:7:2: undefined: x", Warning),
        ("src/a.c:12:5: warning: unused variable", Warning),
        ("TypeError: x is not a function", Failure),
        ("java.lang.IllegalStateException: closed", Failure),
        ("Traceback (most recent call last):", Failure),
        ("E       AssertionError: assert 1 == 2", Failure),
        ("thread 'main' panicked at src/lib.rs:3:5:", Failure),
        ("--- FAIL: TestSum (0.00s)", Failure),
        ("FAILED tests/test_a.py::test_sum - assert 1 == 2", Failure),
        ("test result: ok. 5 passed; 0 failed", Failure),
        ("===== 12 passed in 0.3s =====", Failure),
        ("Tests:       1 failed, 4 passed, 5 total", Failure),
        ("3 examples, 0 failures", Failure),
        ("bash: foo: command not found", Failure),
        ("npm ERR! code 1", Failure),
        ("0 errors and no failures", Normal),
        ("crates/app/src/error.rs", Normal),
        ("-rw-r--r-- 1 a a 12 error/mod.rs", Normal),
        ("test parse_error ... ok", Normal),
        ("test error ... ok", Normal),
        ("tests/test_a.py::test_error PASSED [ 3%]", Normal),
        ("    ✓ throws an error (3 ms)", Normal),
        ("use std::error::Error;", Normal),
        ("the password was passed on", Normal),
        ("", Normal),
    ] {
        assert_eq!(classify_line(line), expected, "{line}");
    }
}

/// A word with a severity, in some spelling, or another word.
fn word() -> impl Strategy<Value = String> {
    let all = [&FAILURE_WORDS[..], &WARNING_WORDS, &SUMMARY_WORDS, &FAILURE_PHRASES].concat();
    let spelled = (prop::sample::select(all), 0..3).prop_map(|(word, spelling)| match spelling {
        0 => word.to_owned(),
        1 => word.to_ascii_uppercase(),
        _ => format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]),
    });
    let of_types =
        prop::sample::select(&["TypeError", "BigException", "Error", "0", "7", "no"][..]);
    prop_oneof![4 => spelled, 2 => of_types.prop_map(str::to_owned), 3 => "[a-zäß]{1,6}"]
}

proptest! {
    #[test]
    fn one_look_misses_nothing(
        words in prop::collection::vec((word(), "[ :./(\\-]{1,2}"), 0..6), begin in "[ ✓>]{0,3}",
    ) {
        let words = words.iter().flat_map(|(word, mark)| [word.as_str(), mark]);
        let line: String = std::iter::once(begin.as_str()).chain(words).collect();
        prop_assert_eq!(classify_line(&line), classify_words(&line));
    }
}
