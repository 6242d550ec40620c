//! Which lines of which files an answer shows, under which numbers.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::answer::Answer;
use crate::model::Call;

/// Lines: file, number and text.
pub(crate) type Shown = HashSet<(String, usize, String)>;

static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(\d+)(?:→|\t|[:-])(.*)$").expect("a pattern"));
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^File: (\S+) \(").expect("a pattern"));
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[(?:\S+ )?(?:\d+-)?(\d+):.*\]$").expect("a pattern"));
static SED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"sed -n '(\d+),").expect("a pattern"));

/// How many lines at the start of an output an agent may have left out.
const TRIMMED_MAX: usize = 3;

/// Whether a line begins with the number that it has in a file.
pub(crate) fn is_numbered(line: &str) -> bool {
    line.contains('→') && NUMBERED.is_match(line)
}

/// The file that a call is about, by its path in the project.
pub(crate) fn file_of(answer: &Answer<'_>) -> Option<String> {
    let Call { arguments, .. } = answer.call;
    let is_known = |path: &str| {
        let known = answer
            .files
            .keys()
            .find(|known| path == *known || path.ends_with(&format!("/{known}")));
        known.cloned()
    };
    let keys = ["path", "file_path", "filePath"];
    if let Some(path) = keys.iter().find_map(|key| arguments[key].as_str()) {
        return is_known(path);
    }
    let words = command_of(arguments).unwrap_or_default().split_whitespace();
    words.filter_map(|word| is_known(word.trim_matches(['\'', '"']))).next()
}

/// The command line of a call that has one.
fn command_of(arguments: &Value) -> Option<&str> {
    arguments["command"].as_str().or(arguments["cmd"].as_str())
}

/// The lines that an answer shows.
pub(crate) fn shown_lines(answer: &Answer<'_>) -> Shown {
    let command = command_of(&answer.call.arguments);
    match (command, file_of(answer)) {
        (Some(command), Some(file)) => printed_lines(answer, command, &file),
        // Reads of some agents' own have no numbers.
        (None, Some(file))
            if answer.call.own.is_none()
                && answer.call.tool.starts_with("read")
                && !answer.text.lines().any(is_numbered) =>
        {
            let first = answer.call.arguments["offset"].as_u64().unwrap_or(1);
            printed_lines(answer, &format!("sed -n '{first},"), &file)
        }
        (_, file) => numbered_lines(answer, file),
    }
}

fn numbered_lines(answer: &Answer<'_>, file: Option<String>) -> Shown {
    let mut shown = Shown::new();
    let mut file = file;
    let (mut counts_up, mut last) = (false, None);
    for line in answer.text.lines() {
        if let Some(header) = HEADER.captures(line) {
            (file, last) = (Some(header[1].to_owned()), None);
        } else if answer.files.contains_key(line) {
            (file, last) = (Some(line.to_owned()), None);
        } else if line.starts_with("[every ") && line.ends_with("th line numbered]") {
            counts_up = true;
        } else if let (Some(parts), Some(file)) = (NUMBERED.captures(line), &file) {
            let number = parts[1].parse().unwrap_or(0);
            last = Some(number);
            shown.insert((file.clone(), number, parts[2].to_owned()));
        } else if let (true, Some(before), Some(file)) = (counts_up, last, &file) {
            last = Some(before + 1);
            shown.insert((file.clone(), before + 1, line.to_owned()));
        }
    }
    shown
}

/// Lines that a command printed, which have no numbers: they follow one another from where the
/// command began, and go on behind notes.
fn printed_lines(answer: &Answer<'_>, command: &str, file: &str) -> Shown {
    let truth: Vec<&str> = answer.files.get(file).map_or(Vec::new(), |text| text.lines().collect());
    let from = SED.captures(command).and_then(|parts| parts[1].parse().ok()).unwrap_or(1usize);
    let mut shown = Shown::new();
    let mut next = None;
    for line in answer.text.lines() {
        // Some agents begin the output on a line of their own.
        let line = line.strip_prefix("Output: ").unwrap_or(line);
        if let Some(range) = RANGE.captures(line) {
            next = range[1].parse::<usize>().ok().map(|last| last + 1);
            continue;
        }
        let first = || (from..=from + TRIMMED_MAX).find(|n| truth.get(n - 1) == Some(&line));
        let Some(number) = next.or_else(first) else { continue };
        shown.insert((file.to_owned(), number, line.to_owned()));
        next = Some(number + 1);
    }
    shown
}

/// The lines that the model wrote itself into a file.
pub(crate) fn written_lines(call: &Call, file: &str) -> Vec<String> {
    let path = call.arguments["path"].as_str().or(call.arguments["file_path"].as_str());
    if !path.is_some_and(|path| path.ends_with(file)) {
        return Vec::new();
    }
    let keys = ["new_str", "content", "old_str", "new_string", "old_string"];
    let texts = keys.iter().filter_map(|key| call.arguments.get(*key).and_then(Value::as_str));
    texts.flat_map(str::lines).map(str::to_owned).collect()
}
