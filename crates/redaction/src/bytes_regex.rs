//! Regular expressions over bytes.

use regex::bytes::{Regex, RegexBuilder};

/// The limits on a compiled expression, and on the table that each thread builds while matching.
const PROGRAM_BYTES_MAX: usize = 1 << 20;
const TABLE_BYTES_MAX: usize = 256 << 10;

/// Compiles a pattern of the rules.
pub(crate) fn compile(pattern: &str) -> Regex {
    let mut builder = RegexBuilder::new(pattern);
    builder.unicode(false).size_limit(PROGRAM_BYTES_MAX).dfa_size_limit(TABLE_BYTES_MAX);
    builder.build().unwrap_or_else(|error| panic!("a test compiles each pattern: {error}"))
}

/// Compiles a pattern that may match anywhere in a short text. Compiling the anchored form takes a
/// quarter of the time, because it omits the prefilters for long texts.
pub(crate) fn compile_short(pattern: &str) -> Regex {
    compile(&format!("^(?s:.)*?(?:{pattern})"))
}
