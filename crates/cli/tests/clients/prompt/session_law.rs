//! The law of notes over a whole session: in each prompt, what a note stands for is what it says,
//! and what it points at stands above it in the same prompt as it says.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::note::{Note, Source, Standing};
use super::restoration::{Place, number, restore, without_number};
use crate::model::{Arrival, Call, Files, ToolResult, call_at};
use crate::run::Run;

/// What is wrong with a note, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WrongNote {
    /// The step and the call in it.
    pub(crate) at: (usize, usize),
    /// The call.
    pub(crate) call: String,
    /// The turn of the prompt in which it is wrong first.
    pub(crate) turn: usize,
    /// The note, or what is said of no single note.
    pub(crate) note: String,
    pub(crate) why: String,
}

/// What is left out of a result, and the handle by which it comes back.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) note: String,
    pub(crate) handle: String,
    /// The lines, where they are known.
    pub(crate) lines: Vec<String>,
}

/// All that notes of a run leave out under a handle, each handle once.
pub(crate) fn left_out(run: &Run) -> Vec<LeftOut> {
    let mut found: BTreeMap<String, LeftOut> = BTreeMap::new();
    for arrival in run.arrivals.iter().filter(|arrival| arrival.plan == 0) {
        let sent = arrival.number.and_then(|number| run.sent.get(&number));
        for result in &arrival.results {
            let original = sent.and_then(|sent| sent.iter().find(|of| of.id == result.id));
            let original = original.filter(|original| original.text != result.text);
            let places = original.and_then(|of| restore(&result.text, &of.text).ok());
            let places = places.unwrap_or_default();
            for note in (run.agent.unwrap)(&result.text).lines().filter_map(Note::parse) {
                let Standing::LeftOut(Some(handle)) = note.standing else { continue };
                let place = places.iter().find(|place| place.note.text == note.text);
                let lines = place.map(|place| place.lines.clone()).unwrap_or_default();
                let left_out = LeftOut { note: note.text, handle: handle.clone(), lines };
                found.entry(handle).or_insert(left_out);
            }
        }
    }
    found.into_values().collect()
}

/// A result in one prompt.
struct Shown<'a> {
    id: &'a str,
    at: (usize, usize),
    call: &'a Call,
    /// What files held when the model read it first.
    files: &'a Files,
    /// What the model reads, the client's frame left out.
    text: String,
    /// What the model reads.
    raw: &'a str,
    /// What the client says beside it.
    context: &'a str,
    /// Lines that stand in it.
    lines: HashSet<String>,
    /// Hits of searches that stand in it.
    hits: HashSet<Hit>,
    /// The file that it is about.
    file: Option<String>,
}

/// All that is wrong with notes in a run.
pub(crate) fn wrong_notes(run: &Run) -> Vec<WrongNote> {
    let mut wrong = Vec::new();
    let mut first_files: HashMap<&str, &Files> = HashMap::new();
    for arrival in &run.arrivals {
        for result in &arrival.results {
            first_files.entry(&result.id).or_insert(&arrival.files);
        }
    }
    for arrival in run.arrivals.iter().filter(|arrival| arrival.plan == 0) {
        let sent = arrival.number.and_then(|number| run.sent.get(&number));
        let shown = shown_in(run, arrival, &first_files);
        for (at, now) in shown.iter().enumerate() {
            let original = sent.and_then(|sent| sent.iter().find(|of| of.id == now.id));
            let law = Law { run, above: &shown[..at], now, turn: arrival.turn };
            law.check(original, &mut wrong);
        }
    }
    let mut seen = HashSet::new();
    wrong.retain(|wrong| seen.insert((wrong.at, wrong.note.clone(), wrong.why.clone())));
    wrong
}

fn shown_in<'a>(
    run: &'a Run,
    arrival: &'a Arrival,
    files: &HashMap<&str, &'a Files>,
) -> Vec<Shown<'a>> {
    let shown = arrival.results.iter().filter_map(|result| {
        let (plan, step, n) = call_at(&result.id)?;
        let call = run.plans[plan].steps.get(step)?.get(n)?;
        let text = (run.agent.unwrap)(&result.text);
        let lines = text.lines().chain(result.text.lines());
        let files = files[result.id.as_str()];
        Some(Shown {
            id: &result.id,
            at: (step, n),
            call,
            files,
            hits: text.lines().filter_map(hit).collect(),
            lines: visible_lines(lines, files),
            file: file_of(call, files),
            text,
            raw: &result.text,
            context: &result.context,
        })
    });
    shown.collect()
}

/// Lines without their numbers; hits that are grouped by file also with the file before them.
fn visible_lines<'a>(lines: impl Iterator<Item = &'a str>, files: &Files) -> HashSet<String> {
    let mut visible = HashSet::new();
    let mut heading = None;
    for line in lines {
        if files.contains_key(line) {
            heading = Some(line);
        } else if let Some(file) = heading {
            visible.insert(format!("{file}:{}", line.trim_end()));
        }
        let line = line.strip_prefix("Output: ").unwrap_or(line);
        visible.insert(without_number(line).trim_end().to_owned());
        visible.insert(line.trim_end().to_owned());
    }
    visible
}

/// The file that a call is about, where it is one.
fn file_of(call: &Call, files: &Files) -> Option<String> {
    let arguments = call.arguments.to_string();
    let mut named = files.keys().filter(|file| arguments.contains(file.as_str()));
    let file = named.next()?;
    named.next().is_none().then(|| file.clone())
}

/// A result without the word before the first line of its output, which goes with that line.
fn without_prefix(text: &str) -> String {
    text.replacen("\nOutput: ", "\n", 1)
}

/// One result and what stands above it.
struct Law<'a> {
    run: &'a Run,
    above: &'a [Shown<'a>],
    now: &'a Shown<'a>,
    turn: usize,
}

impl Law<'_> {
    fn check(&self, original: Option<&ToolResult>, wrong: &mut Vec<WrongNote>) {
        let mut say = |note: &str, why: String| {
            let call = format!("{} {}", self.now.call.tool, self.now.call.arguments);
            let (at, turn) = (self.now.at, self.turn);
            wrong.push(WrongNote { at, call, turn, note: note.to_owned(), why });
        };
        let mut placed: HashMap<String, Place> = HashMap::new();
        for (shaped, base) in self.stages(original) {
            match restore(&shaped, &base) {
                Ok(places) => placed.extend(places.into_iter().map(|p| (p.note.text.clone(), p))),
                Err(why) => say("the result as a whole", why),
            }
        }
        let notes = self.now.text.lines().filter_map(Note::parse);
        for note in notes.chain(context_notes(self.now.context)) {
            for why in self.wrong(&note, placed.get(&note.text)) {
                say(&note.text, why);
            }
        }
    }

    /// What was shaped, with what it was made of: by the gateway, and by the hook.
    fn stages(&self, original: Option<&ToolResult>) -> Vec<(String, String)> {
        let mut stages = Vec::new();
        let Some(original) = original else { return stages };
        if original.text != self.now.raw {
            // Text within JSON is shaped by itself.
            let is_json = original.text.starts_with("[{") || original.text.starts_with("{\"");
            stages.push(match is_json {
                true => (self.now.text.clone(), (self.run.agent.unwrap)(&original.text)),
                false => (without_prefix(self.now.raw), without_prefix(&original.text)),
            });
        }
        let unwrapped = (self.run.agent.unwrap)(&original.text);
        let hooked = self.hook_input().filter(|input| *input != unwrapped);
        stages.extend(hooked.map(|input| (unwrapped, input)));
        stages
    }

    /// What the hook was given, where it answered.
    fn hook_input(&self) -> Option<String> {
        let of_call = |told: &serde_json::Value| told["tool_use_id"] == *self.now.id;
        let hooked = self.run.hooked.iter().find(|hooked| of_call(&hooked.told))?;
        hooked.answered.as_ref().filter(|answered| {
            !answered["reason"].is_null()
                || !answered["output"].is_null()
                || !answered["hookSpecificOutput"]["updatedToolOutput"]["stdout"].is_null()
        })?;
        let given = &hooked.told["tool_response"];
        let text = given.as_str().or(given["stdout"].as_str())?;
        Some((self.run.agent.unwrap)(text))
    }

    /// Whether foveal's own server gave the result, which calls tools by their own names.
    fn is_own(&self) -> bool {
        self.now.call.own.is_some()
    }

    /// The lines of the file that a note speaks of.
    fn truth(&self, note: &Note) -> Option<Vec<&str>> {
        let file = self.file(note)?;
        Some(self.now.files.get(&file)?.lines().collect())
    }

    fn file(&self, note: &Note) -> Option<String> {
        let Some(named) = &note.file else { return self.now.file.clone() };
        self.path(named)
    }

    /// The file of that name.
    fn path(&self, named: &str) -> Option<String> {
        let is_it = |file: &&String| file.ends_with(named) || named.ends_with(file.as_str());
        self.now.files.keys().find(is_it).cloned()
    }

    fn wrong(&self, note: &Note, place: Option<&Place>) -> Vec<String> {
        let mut wrong = Vec::new();
        match &note.standing {
            Standing::Unknown => wrong.push("the test cannot read this note".to_owned()),
            Standing::Remark | Standing::Repeated => {}
            Standing::SameResult(source @ Source::Call(..)) => {
                wrong.extend(self.wrong_result(source));
            }
            Standing::SameResult(Source::File(_)) => {}
            Standing::LeftOut(_) => {
                wrong.extend(place.and_then(|place| self.wrong_numbers(note, place)));
            }
            Standing::Above(_) | Standing::AboveAs(..) => {
                wrong.extend(place.and_then(|place| self.wrong_numbers(note, place)));
                wrong.extend(self.wrong_pointer(note, place));
            }
        }
        wrong
    }

    /// Numbers are those of the file, or, of what is no file, those of the output.
    fn wrong_numbers(&self, note: &Note, place: &Place) -> Option<String> {
        let (first, last) = *note.ranges.first()?;
        let stands_for: Vec<&str> = place.lines.iter().map(|line| without_number(line)).collect();
        if note.ranges.len() > 1 || note.file.is_some() {
            let numbers: Vec<usize> =
                place.lines.iter().filter_map(|line| hit_number(line)).collect();
            let named: Vec<usize> = note.ranges.iter().flat_map(|(a, b)| *a..=*b).collect();
            return (!numbers.is_empty() && numbers != named)
                .then(|| format!("stands for the hits {numbers:?}"));
        }
        if let Some(number) = place.lines.first().and_then(|line| number(line)) {
            return (number != first).then(|| format!("stands for lines from {number} on"));
        }
        let truth = self.truth(note);
        let of_file = truth
            .as_ref()
            .and_then(|truth| truth.get(first.checked_sub(1)?..last.min(truth.len())));
        let is_of_file = truth.as_ref().is_some_and(|truth| {
            stands_for
                .iter()
                .filter(|line| !line.trim().is_empty())
                .all(|line| truth.contains(line))
        });
        if is_of_file {
            let end = place.lines.len().min(of_file.map_or(0, <[&str]>::len));
            let is_right = of_file.is_some_and(|of_file| of_file[..end] == stands_for[..end]);
            let truth = truth.unwrap_or_default();
            let begins = stands_for.iter().find(|line| !line.trim().is_empty());
            let really = begins.and_then(|line| truth.iter().position(|of| of == line));
            return (!is_right || place.lines.len() > end + 1).then(|| {
                format!(
                    "stands for {begins:?} and on, which is line {:?} of the file",
                    really.map(|at| at + 1)
                )
            });
        }
        // Lines count from the client's frame on, or behind it.
        let frame = self.now.raw.lines().count().saturating_sub(self.now.text.lines().count());
        let is_right = place.first == first || place.first == first + frame;
        (!is_right).then(|| format!("stands for the output from line {} on", place.first))
    }

    /// What a pointer stands for is visible above, at the place that it names.
    fn wrong_pointer(&self, note: &Note, place: Option<&Place>) -> Option<String> {
        let stands_for: Vec<String> = match place {
            Some(place) if note.file.is_none() && note.ranges.len() < 2 => {
                place.lines.iter().map(|line| without_number(line).to_owned()).collect()
            }
            _ => {
                let truth = self.truth(note)?;
                let lines = note.ranges.iter().flat_map(|(first, last)| *first..=*last);
                // Behind the last line break, some clients count an empty line.
                let line = |n: usize| match n == truth.len() + 1 {
                    true => Some(""),
                    false => truth.get(n.checked_sub(1)?).copied(),
                };
                let lines: Option<Vec<&str>> = lines.map(line).collect();
                let Some(lines) = lines else {
                    return Some(format!("the file has {} lines", truth.len()));
                };
                lines.into_iter().map(str::to_owned).collect()
            }
        };
        let sources: Vec<&Shown<'_>> = match &note.standing {
            Standing::Above(Some(source)) => {
                self.above.iter().filter(|shown| is_from(shown, source, self.is_own())).collect()
            }
            _ => self.above.iter().collect(),
        };
        let missing = stands_for.iter().filter(|line| !line.trim().is_empty()).find(|line| {
            let hit = hit(line);
            !sources.iter().any(|shown| {
                shown.lines.contains(line.trim_end())
                    || wrote(shown.call, line)
                    || hit.as_ref().is_some_and(|hit| shown.hits.contains(hit))
            })
        });
        if let Some(line) = missing {
            return Some(format!("{line:?} does not stand there"));
        }
        match &note.standing {
            Standing::AboveAs(first, last, file) => {
                let file = file.as_ref().map_or_else(|| self.file(note), |file| self.path(file))?;
                self.wrong_lines_above(note, &stands_for, &file, (*first, *last))
            }
            Standing::Above(None) => self.wrong_newest(note, &stands_for),
            _ => None,
        }
    }

    /// The lines of that number above are those that the note stands for.
    fn wrong_lines_above(
        &self,
        note: &Note,
        stands_for: &[String],
        file: &str,
        (first, last): (usize, usize),
    ) -> Option<String> {
        let above = self.newest(file);
        if last + 1 - first != note.count {
            return Some(format!("these are {} lines", last + 1 - first));
        }
        let wrong = (first..=last).zip(stands_for).find(|(n, line)| {
            !line.trim().is_empty() && above.get(n).is_some_and(|above| above != *line)
        })?;
        Some(format!("line {} above is {:?}, not {:?}", wrong.0, above[&wrong.0], wrong.1))
    }

    /// What is called unchanged is the newest state of the file that is visible.
    fn wrong_newest(&self, note: &Note, stands_for: &[String]) -> Option<String> {
        let file = self.file(note)?;
        let above = self.newest(&file);
        let numbers = note.ranges.iter().flat_map(|(first, last)| *first..=*last);
        let wrong = numbers.zip(stands_for).find(|(n, line)| {
            !line.trim().is_empty() && above.get(n).is_some_and(|above| above != *line)
        })?;
        Some(format!(
            "the newest line {} above is {:?}, not {:?}",
            wrong.0, above[&wrong.0], wrong.1
        ))
    }

    /// The newest visible state of a file, by the numbers of lines.
    fn newest(&self, file: &str) -> BTreeMap<usize, String> {
        let mut newest = BTreeMap::new();
        for shown in self.above {
            let Some(text) = shown.files.get(file) else { continue };
            let is_of_file = shown.file.as_deref() == Some(file);
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let is_shown = is_of_file && shown.lines.contains(line.trim_end());
                if is_shown || (is_of_file && wrote(shown.call, line)) {
                    newest.insert(at + 1, line.to_owned());
                }
            }
        }
        newest
    }

    /// The newest result of that label above was the same.
    fn wrong_result(&self, source: &Source) -> Option<String> {
        let from_end = match source {
            Source::Call(_, from_end) => *from_end,
            Source::File(_) => 1,
        };
        let mut of_label =
            self.above.iter().rev().filter(|shown| is_from(shown, source, self.is_own()));
        let Some(above) = of_label.nth(from_end.saturating_sub(1)) else {
            return Some("there is no such call above".to_owned());
        };
        let text = |id: &str| {
            let all = self.run.sent.values().flatten();
            let result = all.into_iter().find(|result| result.id == id)?;
            let hooked = self.run.hooked.iter().find(|hooked| hooked.told["tool_use_id"] == *id);
            let told = hooked.and_then(|hooked| {
                hooked.told["tool_response"]
                    .as_str()
                    .or(hooked.told["tool_response"]["stdout"].as_str())
            });
            Some((self.run.agent.unwrap)(told.unwrap_or(&result.text)))
        };
        let (now, before) = (text(self.now.id)?, text(above.id)?);
        let lines = |text: &str| {
            text.trim().lines().map(|line| without_number(line).to_owned()).collect::<Vec<_>>()
        };
        let (now, before) = (lines(&now), lines(&before));
        if Note::parse(now.first().map_or("", String::as_str)).is_some() {
            return None;
        }
        let differs = now.iter().zip(&before).position(|(now, before)| now != before);
        (now != before).then(|| {
            format!(
                "step {:?} printed something else, first {:?}",
                above.at,
                differs.map(|at| (&now[at], &before[at]))
            )
        })
    }
}

/// Notes in what hooks say beside results, each with the file that is named before it.
fn context_notes(context: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut file = None;
    for part in context.split_inclusive(']') {
        let mut words = part.split_whitespace().map(|word| word.trim_end_matches([';', ':', ',']));
        file = words.rfind(|word| word.starts_with('/') && word.ends_with(".py")).or(file);
        let note = part.rfind('[').and_then(|at| Note::parse(&part[at..]));
        notes.extend(note.map(|note| Note { file: file.map(str::to_owned), ..note }));
    }
    notes
}

/// A line that a search found: its number, and its text without the space around it.
type Hit = (usize, String);

static HIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:\S+?[:-])?L?(\d+)[:-](.*)$").expect("a pattern"));

/// A line as a hit, however searches spell it.
fn hit(line: &str) -> Option<Hit> {
    let parts = HIT.captures(line)?;
    Some((parts[1].parse().ok()?, parts[2].trim().to_owned()))
}

/// The number of a hit of a search.
fn hit_number(line: &str) -> Option<usize> {
    number(line).or_else(|| number(line.split_once([':', '-'])?.1))
}

/// Whether the model wrote the line itself in a call.
fn wrote(call: &Call, line: &str) -> bool {
    fn has(value: &serde_json::Value, line: &str) -> bool {
        match value {
            serde_json::Value::String(text) => {
                text.lines().any(|of| of == line || of.strip_prefix('+') == Some(line))
            }
            serde_json::Value::Array(items) => items.iter().any(|item| has(item, line)),
            serde_json::Value::Object(fields) => {
                fields.iter().any(|(name, value)| !name.starts_with("old") && has(value, line))
            }
            _ => false,
        }
    }
    has(&call.arguments, line)
}

/// Whether a note that names this source may mean this result.
fn is_from(shown: &Shown<'_>, source: &Source, is_own: bool) -> bool {
    let arguments = shown.call.arguments.to_string();
    match source {
        Source::File(name) => shown
            .files
            .keys()
            .any(|file| file.ends_with(name.as_str()) && arguments.contains(file.as_str())),
        Source::Call(label, _) => {
            let Some((tool, about)) = label.split_once(' ') else {
                return shown.call.tool == *label;
            };
            let quoted = serde_json::to_string(about).unwrap_or_default();
            let about = quoted.trim_matches('"');
            let (head, _) = about.split_once('…').unwrap_or((about, ""));
            let is_tool = shown.call.tool == tool || (is_own && shown.call.own == Some(tool));
            is_tool && arguments.contains(head)
        }
    }
}
