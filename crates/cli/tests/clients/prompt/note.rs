//! Notes of every surface of foveal, as a reader takes them.

use std::sync::LazyLock;

use regex::Regex;

/// What a note says of the text in whose place it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The whole result is that of an earlier call.
    SameResult(Source),
    /// It stands above: at its own place, or in what the source names.
    Above(Option<Source>),
    /// It stands above as these lines of the file.
    AboveAs(usize, usize),
    /// It is left out, and a handle may give it back.
    LeftOut(Option<String>),
    /// The line before the note is repeated.
    Repeated,
    /// It stands for nothing.
    Remark,
    /// This module cannot read the note.
    Unknown,
}

/// Where a note says that something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the answer to a call, by its label.
    Call(String),
    /// In a file.
    File(String),
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) standing: Standing,
    /// The file that it names before its numbers.
    pub(crate) file: Option<String>,
    /// The lines that it names, from the first to the last.
    pub(crate) ranges: Vec<(usize, usize)>,
    /// How many lines it stands for.
    pub(crate) count: usize,
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

static RANGES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:([^\s:,]*[A-Za-z][^\s:,]*) )?((?:\(?\d+(?:-\d+)?\)?)(?:, \(?\d+(?:-\d+)?\)?)*)(?:: | left out)(.*)$",
    )
});
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+)(?:-(\d+))?"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\d+) lines? (above in .*)$"));
static LEFT_OUT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(\d+) (lines?|hits in \d+ files?), \d+ bytes.* left out"));
static SAME_RESULT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^same result as `(.*)` above"));
static SAME_AS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^same as (?:lines )?(\d+)-(\d+) above"));
static ABOVE_IN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^above in (?:your )?(`?)(.*)$"));
static UNCHANGED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([^\s:]+): unchanged.* its (\d+) lines are shown above"));
static REPEATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^last (?:line|(\d+) lines) repeated (\d+) more times$"));
static HANDLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"expand ([0-9a-f]{8,})"));
static BRACKETS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[([^\[\]]*)\]$"));
/// What a reader takes for a note on something that is not there.
static TELLS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\babove\b|\bleft out\b|\bunchanged\b"));

/// How notes begin that stand for nothing: foveal's on a whole result, and clients' own.
const OTHERS: [&str; 2] = ["foveal shortened this result", "File "];

impl Note {
    /// Reads a line that is a note and nothing else.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let parts = BRACKETS.captures(line.trim())?;
        let inner = parts[1].to_owned();
        let mut note = Self {
            text: line.trim().to_owned(),
            standing: Standing::Remark,
            file: None,
            ranges: Vec::new(),
            count: 0,
        };
        note.read(&inner);
        Some(note)
    }

    fn read(&mut self, inner: &str) {
        let number = |text: &str| text.parse::<usize>().unwrap_or(0);
        if let Some(parts) = SAME_RESULT.captures(inner) {
            self.standing = Standing::SameResult(Source::Call(parts[1].to_owned()));
        } else if let Some(parts) = UNCHANGED.captures(inner) {
            self.file = Some(parts[1].to_owned());
            self.ranges = vec![(1, number(&parts[2]))];
            let all = !inner.contains(" of its ");
            self.standing = if all { Standing::Above(None) } else { Standing::Remark };
        } else if let Some(parts) = REPEATED.captures(inner) {
            let period = parts.get(1).map_or(1, |period| number(period.as_str()));
            self.count = period * number(&parts[2]);
            self.standing = Standing::Repeated;
        } else if let Some(parts) = COUNT.captures(inner) {
            self.count = number(&parts[1]);
            self.standing = standing_of(&parts[2]);
        } else if let Some(parts) = LEFT_OUT.captures(inner) {
            self.count = if parts[2].starts_with("line") { number(&parts[1]) } else { 0 };
            self.standing = Standing::LeftOut(handle_in(inner));
        } else if let Some(parts) = RANGES.captures(inner) {
            self.file = parts.get(1).map(|file| file.as_str().to_owned());
            let ranges = RANGE.captures_iter(&parts[2]).map(|range| {
                let first = number(&range[1]);
                (first, range.get(2).map_or(first, |last| number(last.as_str())))
            });
            self.ranges = ranges.collect();
            self.count =
                self.ranges.iter().map(|(first, last)| (last + 1).saturating_sub(*first)).sum();
            self.standing = match inner.contains(" left out") {
                true => Standing::LeftOut(handle_in(inner)),
                false => standing_of(&parts[3]),
            };
        } else if TELLS.is_match(inner) && !OTHERS.iter().any(|start| inner.starts_with(start)) {
            self.standing = Standing::Unknown;
        }
    }
}

fn handle_in(inner: &str) -> Option<String> {
    HANDLE.captures(inner).map(|parts| parts[1].to_owned())
}

fn standing_of(text: &str) -> Standing {
    if let Some(parts) = SAME_AS.captures(text) {
        let number = |at: usize| parts[at].parse().unwrap_or(0);
        return Standing::AboveAs(number(1), number(2));
    }
    if let Some(parts) = ABOVE_IN.captures(text) {
        let name = parts[2].to_owned();
        let source = match parts[1].is_empty() {
            true => Source::File(name),
            false => Source::Call(name.split('`').next().unwrap_or_default().to_owned()),
        };
        return Standing::Above(Some(source));
    }
    match text {
        "as above" | "shown above" => Standing::Above(None),
        _ if TELLS.is_match(text) => Standing::Unknown,
        _ => Standing::Remark,
    }
}
