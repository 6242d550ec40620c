//! Bounded search for matches that span several lines.
//!
//! The `grep-searcher` crate finds the lines of each match. Where one line has millions of matches,
//! it would search for the ends of that line as often. Further matches within lines already
//! reported add nothing, so they are skipped here.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use grep_matcher::{Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;

/// Some expressions read the rest of the file for each match. The time limit per file is this
/// constant plus an allowance per byte, many times the need of ordinary expressions.
const TIME_BASE: Duration = Duration::from_secs(1);
const TIME_PER_BYTE: Duration = Duration::from_nanos(200);

/// Matches between two checks of the clock.
const CHECK_INTERVAL: u32 = 16;

/// The reason why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MultilineStop {
    Cancelled,
    TooLong,
}

impl fmt::Display for MultilineStop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::TooLong => "it takes too long to search it over several lines",
        })
    }
}

/// A matcher for one file whose matches may span several lines. The searcher passes the whole file
/// first, and then what remains of it.
pub(super) struct MultilineMatcher<'a> {
    matcher: &'a RegexMatcher,
    cancel: &'a CancelToken<'a>,
    started: Instant,
    matches: Cell<u32>,
    /// The number of bytes after the last line with a reported match; `None` before the first.
    bytes_after_match: Cell<Option<usize>>,
    stopped: Cell<Option<MultilineStop>>,
}

impl<'a> MultilineMatcher<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, cancel: &'a CancelToken<'a>) -> Self {
        let (matches, bytes_after_match, stopped) =
            (Cell::default(), Cell::default(), Cell::default());
        Self { matcher, cancel, started: Instant::now(), matches, bytes_after_match, stopped }
    }

    /// Returns why the search ended early, if it did.
    pub(super) fn stop_reason(&self) -> Option<MultilineStop> {
        self.stopped.get()
    }

    /// Checks for cancellation and the time limit at every [`CHECK_INTERVAL`]th match.
    fn check_limits(&self, bytes: usize) -> Result<(), MultilineStop> {
        let matches = self.matches.get();
        self.matches.set(matches.wrapping_add(1));
        if !matches.is_multiple_of(CHECK_INTERVAL) {
            return Ok(());
        }
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let stopped = if self.cancel.is_cancelled() {
            MultilineStop::Cancelled
        } else if self.started.elapsed() > TIME_BASE + TIME_PER_BYTE * bytes {
            MultilineStop::TooLong
        } else {
            return Ok(());
        };
        self.stopped.set(Some(stopped));
        Err(stopped)
    }
}

impl Matcher for MultilineMatcher<'_> {
    type Captures = NoCaptures;
    type Error = MultilineStop;

    fn find_at(&self, text: &[u8], mut at: usize) -> Result<Option<Match>, MultilineStop> {
        while at <= text.len() {
            self.check_limits(text.len())?;
            // The inner matcher is infallible.
            let Some(found) = self.matcher.find_at(text, at).ok().flatten() else { break };
            let told_to =
                self.bytes_after_match.get().map_or(0, |left| text.len().saturating_sub(left));
            if found.start() >= told_to || found.end() > told_to {
                self.bytes_after_match.set(Some(text.len() - end_of_matched_lines(text, found)));
                return Ok(Some(found));
            }
            at = found.end() + usize::from(found.is_empty());
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, MultilineStop> {
        Ok(NoCaptures::new())
    }
}

/// Returns the end of the last line of a match.
fn end_of_matched_lines(text: &[u8], found: Match) -> usize {
    if !found.is_empty() && text[found.end() - 1] == b'\n' {
        return found.end();
    }
    memchr::memchr(b'\n', &text[found.end()..]).map_or(text.len(), |at| found.end() + at + 1)
}

#[cfg(test)]
mod tests {
    use grep_regex::RegexMatcherBuilder;

    use super::*;

    fn matcher(pattern: &str) -> RegexMatcher {
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).dot_matches_new_line(true).build(pattern).expect("it is valid")
    }

    fn found(across: &MultilineMatcher<'_>, text: &str, at: usize) -> Option<(usize, usize)> {
        let found = across.find_at(text.as_bytes(), at).expect("it goes on");
        found.map(|found| (found.start(), found.end()))
    }

    #[test]
    fn one_match_of_a_line_is_told_and_those_that_go_on_from_it() {
        let (a, text) = (matcher("a|c\nb"), "aaaa c\nb a\na");
        let across = MultilineMatcher::new(&a, &CancelToken::NEVER);
        assert_eq!(found(&across, text, 0), Some((0, 1)));
        assert_eq!(found(&across, text, 1), Some((5, 8)));
        assert_eq!(found(&across, text, 8), Some((11, 12)));
        assert_eq!(found(&across, text, 12), None);
        // The end of one line is not the beginning of the next.
        let nothing = matcher("");
        let across = MultilineMatcher::new(&nothing, &CancelToken::NEVER);
        let starts: Vec<_> = (0..3).map(|at| found(&across, "ab\n\n", at)).collect();
        assert_eq!(starts, [Some((0, 0)), Some((3, 3)), Some((4, 4))]);
        // The searcher passes only the rest of the text.
        let across = MultilineMatcher::new(&a, &CancelToken::NEVER);
        assert_eq!(found(&across, text, 0), Some((0, 1)));
        assert_eq!(found(&across, &text[1..], 0), Some((4, 7)));
        assert_eq!(found(&across, &text[8..], 0), Some((3, 4)));
    }

    #[test]
    fn what_takes_too_long_is_stopped() {
        let (a, long_ago) = (matcher("a.*b|a"), Duration::from_millis(2_000));
        let across = MultilineMatcher::new(&a, &CancelToken::NEVER);
        let started = across.started.checked_sub(long_ago).expect("the machine runs");
        let across = MultilineMatcher { started, ..across };
        assert_eq!(across.find_at(b"aa\na", 0), Err(MultilineStop::TooLong));
        assert_eq!(across.stop_reason(), Some(MultilineStop::TooLong));
        // A longer text has a longer time limit.
        let long = [b"a".as_slice(), &vec![b'x'; 10_000_000]].concat();
        let started = Instant::now().checked_sub(long_ago).expect("the machine runs");
        let across = MultilineMatcher { started, ..MultilineMatcher::new(&a, &CancelToken::NEVER) };
        assert!(across.find_at(&long, 0).is_ok_and(|found| found.is_some()));
    }
}
