//! Looking for what may go over several lines, in time.
//!
//! The searcher below tells of each match the lines that it stands in. Where one line has millions
//! of matches it would look for the ends of that line as often. So matches in a line of which one
//! was told are passed over here: they say nothing new.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use grep_matcher::{Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;

/// Expressions can be written that read the rest of a file for each match in it. A file may take
/// this long, and so much longer for each of its bytes: many times what plain ones take.
const TIME: Duration = Duration::from_secs(1);
const TIME_PER_BYTE: Duration = Duration::from_nanos(200);

/// Matches between two looks at the clock.
const LOOK_EVERY: u32 = 16;

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    Cancelled,
    TooLong,
}

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::TooLong => "it takes too long to search it over several lines",
        })
    }
}

/// A matcher for one file whose matches may go over several lines. The searcher gives it all of the
/// file first, and then what is left of it.
pub(super) struct Across<'a> {
    matcher: &'a RegexMatcher,
    cancel: &'a Cancel<'a>,
    started: Instant,
    matches: Cell<u32>,
    /// How many bytes are left behind the last line that is known to have a match; `None` before
    /// the first.
    left: Cell<Option<usize>>,
    stopped: Cell<Option<Stopped>>,
}

impl<'a> Across<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, cancel: &'a Cancel<'a>) -> Self {
        let (matches, left, stopped) = (Cell::default(), Cell::default(), Cell::default());
        Self { matcher, cancel, started: Instant::now(), matches, left, stopped }
    }

    /// Why it ended early, if it did.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        self.stopped.get()
    }

    /// Looks now and then whether to go on.
    fn look(&self, bytes: usize) -> Result<(), Stopped> {
        let matches = self.matches.get();
        self.matches.set(matches.wrapping_add(1));
        if !matches.is_multiple_of(LOOK_EVERY) {
            return Ok(());
        }
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let stopped = if self.cancel.is_cancelled() {
            Stopped::Cancelled
        } else if self.started.elapsed() > TIME + TIME_PER_BYTE * bytes {
            Stopped::TooLong
        } else {
            return Ok(());
        };
        self.stopped.set(Some(stopped));
        Err(stopped)
    }
}

impl Matcher for Across<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, text: &[u8], mut at: usize) -> Result<Option<Match>, Stopped> {
        while at <= text.len() {
            self.look(text.len())?;
            // It has no errors.
            let Some(found) = self.matcher.find_at(text, at).ok().flatten() else { break };
            let told_to = self.left.get().map_or(0, |left| text.len().saturating_sub(left));
            if found.start() >= told_to || found.end() > told_to {
                self.left.set(Some(text.len() - line_end(text, found)));
                return Ok(Some(found));
            }
            at = found.end() + usize::from(found.is_empty());
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }
}

/// Where the last line of a match ends.
fn line_end(text: &[u8], found: Match) -> usize {
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

    fn found(across: &Across<'_>, text: &str, at: usize) -> Option<(usize, usize)> {
        let found = across.find_at(text.as_bytes(), at).expect("it goes on");
        found.map(|found| (found.start(), found.end()))
    }

    #[test]
    fn one_match_of_a_line_is_told_and_those_that_go_on_from_it() {
        let (a, text) = (matcher("a|c\nb"), "aaaa c\nb a\na");
        let across = Across::new(&a, &Cancel::NEVER);
        assert_eq!(found(&across, text, 0), Some((0, 1)));
        assert_eq!(found(&across, text, 1), Some((5, 8)));
        assert_eq!(found(&across, text, 8), Some((11, 12)));
        assert_eq!(found(&across, text, 12), None);
        // The end of one line is not the beginning of the next.
        let nothing = matcher("");
        let across = Across::new(&nothing, &Cancel::NEVER);
        let starts: Vec<_> = (0..3).map(|at| found(&across, "ab\n\n", at)).collect();
        assert_eq!(starts, [Some((0, 0)), Some((3, 3)), Some((4, 4))]);
        // Of a text it is given what is left.
        let across = Across::new(&a, &Cancel::NEVER);
        assert_eq!(found(&across, text, 0), Some((0, 1)));
        assert_eq!(found(&across, &text[1..], 0), Some((4, 7)));
        assert_eq!(found(&across, &text[8..], 0), Some((3, 4)));
    }

    #[test]
    fn what_takes_too_long_is_stopped() {
        let (a, long_ago) = (matcher("a.*b|a"), Duration::from_millis(2_000));
        let across = Across::new(&a, &Cancel::NEVER);
        let started = across.started.checked_sub(long_ago).expect("the machine runs");
        let across = Across { started, ..across };
        assert_eq!(across.find_at(b"aa\na", 0), Err(Stopped::TooLong));
        assert_eq!(across.stopped(), Some(Stopped::TooLong));
        // A longer text may take longer.
        let long = [b"a".as_slice(), &vec![b'x'; 10_000_000]].concat();
        let started = Instant::now().checked_sub(long_ago).expect("the machine runs");
        let across = Across { started, ..Across::new(&a, &Cancel::NEVER) };
        assert!(across.find_at(&long, 0).is_ok_and(|found| found.is_some()));
    }
}
