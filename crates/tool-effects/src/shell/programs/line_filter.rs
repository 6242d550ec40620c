//! The lines that `head`, `tail`, `sed` and `awk` let through.

use foveal_transcript::LineNumber;

use crate::effect::{ReadSpan, ReadTarget};
use crate::shell::command_effect::{StdoutPart, forget_exact_output};
use crate::shell::shell_word::ShellWord;

/// From a line to a line or the end, both included.
type FilterRange = (u32, Option<u32>);

/// A filter of lines by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineFilter {
    /// All lines, unchanged.
    Everything,
    /// From a line to a line or the end, both included, in rising order.
    Ranges(Vec<FilterRange>),
    /// The last n lines.
    Last(u32),
    /// A choice by something other than numbers, or of changed lines.
    Unknown,
}

impl LineFilter {
    /// Returns the part of `items` that the filter lets through.
    pub(super) fn apply(&self, items: Vec<StdoutPart>) -> Vec<StdoutPart> {
        if *self == LineFilter::Everything {
            return items;
        }
        match &items[..] {
            [StdoutPart::Lines(target)] => self
                .filter_span(target.span)
                .into_iter()
                .map(|span| StdoutPart::Lines(ReadTarget { path: target.path.clone(), span }))
                .collect(),
            [] => items,
            // The boundary between two files is unknown.
            _ => {
                let mut items = items;
                items.iter_mut().for_each(forget_exact_output);
                items
            }
        }
    }

    fn filter_span(&self, span: ReadSpan) -> Vec<ReadSpan> {
        let (start, end) = match span {
            ReadSpan::All => (1, None),
            ReadSpan::Lines(first, last) => (first.0, last.map(|last| last.0)),
            ReadSpan::Tail(_) | ReadSpan::Unknown => return vec![ReadSpan::Unknown],
        };
        match self {
            LineFilter::Everything => vec![span],
            LineFilter::Last(count) if span == ReadSpan::All => vec![ReadSpan::Tail(*count)],
            LineFilter::Last(_) | LineFilter::Unknown => vec![ReadSpan::Unknown],
            LineFilter::Ranges(ranges) => {
                let shift = |line: u32| line.saturating_add(start - 1);
                let cut = |(first, last): &FilterRange| {
                    let last = match (last.map(shift), end) {
                        (Some(last), Some(end)) => Some(last.min(end)),
                        (last, end) => last.or(end),
                    };
                    let first = shift((*first).max(1));
                    match last {
                        None if first == 1 => ReadSpan::All,
                        Some(last) if last < first => ReadSpan::Unknown,
                        last => ReadSpan::Lines(LineNumber(first), last.map(LineNumber)),
                    }
                };
                ranges.iter().map(cut).collect()
            }
        }
    }
}

/// Parses the arguments of `head` or `tail`: the filter, and the words that are files.
pub(super) fn parse_head_or_tail(
    name: &str,
    arguments: &[ShellWord],
) -> (LineFilter, Vec<ShellWord>) {
    let head = name == "head";
    let mut count: Option<String> = Some("10".to_owned());
    let mut files = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let value = |rest: &str, next: Option<&ShellWord>| match rest {
            "" => next.and_then(ShellWord::known_text).map(str::to_owned),
            rest => Some(rest.trim_start_matches('=').to_owned()),
        };
        if word.expands && text.starts_with('-') {
            count = None;
        } else if let Some(rest) = text.strip_prefix("--lines") {
            count = value(rest, if rest.is_empty() { words.next() } else { None });
        } else if let Some(rest) = text.strip_prefix("-n") {
            count = value(rest, if rest.is_empty() { words.next() } else { None });
        } else if text.starts_with("-c") || text.starts_with("--bytes") {
            count = None;
            if text == "-c" || text == "--bytes" {
                words.next();
            }
        } else if text.len() > 1 && text.starts_with('-') {
            if text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
                count = Some(text[1..].to_owned());
            } else if !matches!(text, "-q" | "-v" | "--quiet" | "--verbose" | "--") {
                count = None;
            }
        } else if !head && text.len() > 1 && text.starts_with('+') && files.is_empty() {
            count = Some(text.to_owned());
        } else {
            files.push(word.clone());
        }
    }
    let Some(count) = count else { return (LineFilter::Unknown, files) };
    let cut = match (head, count.strip_prefix('+'), count.parse::<u32>()) {
        (false, Some(first), _) => match first.parse::<u32>() {
            Ok(first) => LineFilter::Ranges(vec![(first.max(1), None)]),
            Err(_) => LineFilter::Unknown,
        },
        (true, None, Ok(count)) if count > 0 => LineFilter::Ranges(vec![(1, Some(count))]),
        (false, None, Ok(count)) => LineFilter::Last(count),
        _ => LineFilter::Unknown,
    };
    (cut, files)
}

/// A parsed call of `sed`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SedCall {
    pub(super) cut: LineFilter,
    /// Whether it changes its files in place.
    pub(super) in_place: bool,
    pub(super) files: Vec<ShellWord>,
}

/// Parses the arguments of `sed`.
pub(super) fn parse_sed(arguments: &[ShellWord]) -> SedCall {
    let (mut quiet, mut in_place) = (false, false);
    let mut scripts: Vec<ShellWord> = Vec::new();
    let mut rest: Vec<ShellWord> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-e" | "--expression" | "-f" | "--file" => {
                let mut script = words.next().cloned().unwrap_or_default();
                script.expands |= word.text.contains('f');
                scripts.push(script);
            }
            "--quiet" | "--silent" => quiet = true,
            text if text.starts_with("--in-place") => in_place = true,
            text if text.starts_with("--expression=") => {
                scripts.push(ShellWord { text: text[13..].to_owned(), ..word.clone() });
            }
            text if text.starts_with("--") => {}
            text if text.len() > 1 && text.starts_with('-') => {
                let flags = &text[1..];
                // The text after `i` is a suffix for backups.
                let (flags, suffix) =
                    flags.split_once('i').map_or((flags, None), |(a, b)| (a, Some(b)));
                in_place |= suffix.is_some();
                quiet |= flags.contains('n');
                if flags.ends_with('e') && suffix.is_none() {
                    scripts.extend(words.next().cloned());
                }
            }
            _ => rest.push(word.clone()),
        }
    }
    if scripts.is_empty() && !rest.is_empty() {
        scripts.push(rest.remove(0));
        // BSD: an empty suffix is a word of its own.
        if in_place && scripts[0].text.is_empty() && !rest.is_empty() {
            scripts[0] = rest.remove(0);
        }
    }
    let cut = match &scripts[..] {
        _ if in_place => LineFilter::Unknown,
        [] => LineFilter::Unknown,
        scripts if scripts.iter().any(|script| script.expands) => LineFilter::Unknown,
        scripts => {
            let script: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
            parse_sed_script(&script.join("\n"), quiet)
        }
    };
    SedCall { cut, in_place, files: rest }
}

fn parse_sed_script(script: &str, quiet: bool) -> LineFilter {
    let mut ranges: Vec<FilterRange> = Vec::new();
    let mut quit: Option<u32> = None;
    for part in script.split([';', '\n']) {
        let part: String = part.chars().filter(|letter| !letter.is_whitespace()).collect();
        let part = part.replace("{p}", "p").replace("{p", "p");
        if part.is_empty() || part == "}" {
            continue;
        }
        let Some((address, command)) = split_sed_address(&part) else { return LineFilter::Unknown };
        match (command, address) {
            ("p", Some(range)) if quiet => ranges.push(range),
            ("p", None) if quiet => ranges.push((1, None)),
            ("!d", Some(range)) if !quiet => ranges.push(range),
            ("d", Some((1, Some(last)))) if !quiet => ranges.push((last.saturating_add(1), None)),
            ("d", Some((first, None))) if !quiet && first > 1 => ranges.push((1, Some(first - 1))),
            ("q", Some((line, Some(last)))) if line == last => quit = Some(line),
            _ => return LineFilter::Unknown,
        }
    }
    match (ranges.is_empty(), quit) {
        (true, Some(last)) if !quiet => return LineFilter::Ranges(vec![(1, Some(last))]),
        (true, _) => return LineFilter::Unknown,
        (false, Some(quit)) => {
            for (_, last) in &mut ranges {
                *last = Some(last.map_or(quit, |last| last.min(quit)));
            }
        }
        (false, None) => {}
    }
    // `sed` prints in the file's order, each line once per range that holds it.
    ranges.sort_unstable();
    let apart = ranges.windows(2).all(|pair| pair[0].1.is_some_and(|last| last < pair[1].0));
    if apart { LineFilter::Ranges(ranges) } else { LineFilter::Unknown }
}

/// Splits `10,20p` into the range and `p`. `$` alone is unknown.
fn split_sed_address(part: &str) -> Option<(Option<FilterRange>, &str)> {
    let (first, rest) = split_number(part);
    let Some(first) = first else {
        return (!part.starts_with(['/', '$', '\\'])).then_some((None, part));
    };
    let Some(after) = rest.strip_prefix(',') else {
        return Some((Some((first, Some(first))), rest));
    };
    if let Some(rest) = after.strip_prefix('$') {
        return Some((Some((first, None)), rest));
    }
    if let Some(more) = after.strip_prefix('+') {
        let (count, rest) = split_number(more);
        return Some((Some((first, Some(first.saturating_add(count?)))), rest));
    }
    let (last, rest) = split_number(after);
    // A range that ends before it starts is its first line.
    Some((Some((first, Some(last?.max(first)))), rest))
}

fn split_number(text: &str) -> (Option<u32>, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().ok(), &text[end..])
}

/// Parses an `awk` program that prints lines, chosen by `NR` or, if it prints their numbers, in any
/// way; `None` for any other program.
pub(super) fn parse_awk_program(program: &str) -> Option<LineFilter> {
    let cut = parse_awk_range(program);
    let numbers = program.contains("print NR") && program.contains("$0");
    if cut.is_none() && numbers { Some(LineFilter::Unknown) } else { cut }
}

fn parse_awk_range(program: &str) -> Option<LineFilter> {
    let squeezed: String = program.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (condition, action) = match squeezed.split_once('{') {
        Some((condition, action)) => (condition, action.strip_suffix('}')?),
        None => (squeezed.as_str(), "print"),
    };
    let numbered = action.contains("NR") && action.contains("$0");
    if !(matches!(action, "print" | "print$0") || numbered) {
        return None;
    }
    let (mut first, mut last) = (1u32, None);
    if let Some((from, to)) = condition.split_once(",NR==") {
        first = from.strip_prefix("NR==")?.parse().ok()?;
        last = Some(to.parse().ok()?);
    } else if !condition.is_empty() {
        for test in condition.trim_matches(['(', ')']).split("&&") {
            let test = test.trim_matches(['(', ')']).strip_prefix("NR")?;
            if let Some(value) = test.strip_prefix(">=") {
                first = first.max(value.parse().ok()?);
            } else if let Some(value) = test.strip_prefix("<=") {
                last = Some(value.parse().ok()?);
            } else if let Some(value) = test.strip_prefix("==") {
                first = value.parse().ok()?;
                last = Some(first);
            } else if let Some(value) = test.strip_prefix('>') {
                first = value.parse::<u32>().ok()?.saturating_add(1);
            } else {
                last = Some(test.strip_prefix('<')?.parse::<u32>().ok()?.checked_sub(1)?);
            }
        }
    }
    Some(LineFilter::Ranges(vec![(first.max(1), last)]))
}
