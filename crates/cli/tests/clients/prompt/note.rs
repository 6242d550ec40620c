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
    /// It stands above as these lines, of another file where one is named.
    AboveAs(usize, usize, Option<String>),
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
    /// In the answer to a call, by its label, and its place from the end among those of that label.
    Call(String, usize),
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
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(\d+) lines?:? ((?:above in|same as) .*)$"));
static LEFT_OUT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(\d+) (lines?|hits? in \d+ files?), \d+ bytes?.* left out"));
static SAME_RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(\S+): unchanged, )?same result as (?:the ((?:\d+\w\w )?last) )?`(.*)` above")
});
static SAME_AS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^same as (?:lines )?(\d+)(?:-(\d+))?(?: of (\S+))? above"));
static ABOVE_IN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^above in (?:your )?(?:(?:the )?((?:\d+\w\w )?last) )?(`?)(.*)$"));
static UNCHANGED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([^\s:]+): unchanged.* its (\d+) lines? (?:is|are) shown above"));
static REPEATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^last (?:line|(\d+) lines) repeated (\d+) more times?$"));
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
            self.file = parts.get(1).map(|file| file.as_str().to_owned());
            let from_end = place_from_end(parts.get(2).map(|place| place.as_str()));
            self.standing = Standing::SameResult(Source::Call(parts[3].to_owned(), from_end));
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

/// A place among calls of one label, counted from the last: `2nd last`.
fn place_from_end(words: Option<&str>) -> usize {
    let words = words.unwrap_or("last");
    let digits = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    words[..digits].parse().unwrap_or(1)
}

fn handle_in(inner: &str) -> Option<String> {
    HANDLE.captures(inner).map(|parts| parts[1].to_owned())
}

fn standing_of(text: &str) -> Standing {
    if let Some(parts) = SAME_AS.captures(text) {
        let number = |at: usize| parts.get(at).and_then(|number| number.as_str().parse().ok());
        let first = number(1).unwrap_or(0);
        let file = parts.get(3).map(|file| file.as_str().to_owned());
        return Standing::AboveAs(first, number(2).unwrap_or(first), file);
    }
    if let Some(parts) = ABOVE_IN.captures(text) {
        let name = parts[3].to_owned();
        let from_end = place_from_end(parts.get(1).map(|place| place.as_str()));
        let source = match parts[2].is_empty() {
            true => Source::File(name),
            false => Source::Call(name.split('`').next().unwrap_or_default().to_owned(), from_end),
        };
        return Standing::Above(Some(source));
    }
    match text {
        "as above" | "unchanged, as above" | "shown above" => Standing::Above(None),
        _ if TELLS.is_match(text) => Standing::Unknown,
        _ => Standing::Remark,
    }
}

#[test]
fn notes_are_read() {
    let call = |label: &str, from_end| Source::Call(label.to_owned(), from_end);
    let standing = |text: &str| Note::parse(text).map(|note| (note.standing, note.count));
    let check = |text: &str, expected: (Standing, usize)| {
        assert_eq!(standing(text), Some(expected), "{text}");
    };
    check("[same result as `read a.py` above]", (Standing::SameResult(call("read a.py", 1)), 0));
    check(
        "[a.py: unchanged, same result as the 2nd last `read a.py` above]",
        (Standing::SameResult(call("read a.py", 2)), 0),
    );
    check("[3 lines above in `cat a.py`]", (Standing::Above(Some(call("cat a.py", 1))), 3));
    check("[1-4: above in the last `cat a.py`]", (Standing::Above(Some(call("cat a.py", 1))), 4));
    check("[2: above in b.py]", (Standing::Above(Some(Source::File("b.py".to_owned()))), 1));
    check("[a.py 1-9: unchanged, as above]", (Standing::Above(None), 9));
    check("[7, (8), 43: shown above]", (Standing::Above(None), 3));
    check("[5-6: same as 7-8 above]", (Standing::AboveAs(7, 8, None), 2));
    check(
        "[2 lines: same as 7-8 of b.py above]",
        (Standing::AboveAs(7, 8, Some("b.py".to_owned())), 2),
    );
    let handle = Some("ef18f0616746".to_owned());
    check("[4-9 left out: a, b; expand ef18f0616746]", (Standing::LeftOut(handle), 6));
    check("[80 more lines in file]", (Standing::Remark, 0));
    check("[what stands above is gone]", (Standing::Unknown, 0));
}
