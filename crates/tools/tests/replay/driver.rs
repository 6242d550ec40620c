//! Carries out steps in a workspace of its own and checks what comes back.

use std::collections::BTreeMap;
use std::fs;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::sync::Arc;

use foveal_engine::output_budget::OutputBudget;
use foveal_index::Index;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_screen::numbers::PlainCount;
use foveal_store::SqliteStore;
use foveal_tools::code_index::CodeIndex;
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{self, GrepAnswer, GrepLayout, GrepMode, GrepQuery, GrepRow};
use serde_json::{Value, json};

use super::notes::{Note, handles, note};
use super::reader::{Found, Reader};
use super::script::Step;
use crate::world::toolbox_over;

/// What was done and found.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    pub(super) calls: usize,
    pub(super) reads: usize,
    pub(super) ranges: usize,
    pub(super) searches: usize,
    pub(super) runs: usize,
    pub(super) edits: usize,
    pub(super) edits_refused: usize,
    pub(super) expands: usize,
    pub(super) pointers: usize,
    pub(super) leaving_out: usize,
    pub(super) loosely: usize,
    pub(super) cached: usize,
    pub(super) asked_again: usize,
    pub(super) outside_changes: usize,
    pub(super) compactions: usize,
    pub(super) restarts: usize,
    pub(super) with_secrets: usize,
    pub(super) tokens_given: u64,
    pub(super) tokens_plain: u64,
    pub(super) violations: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.reads += other.reads;
        self.ranges += other.ranges;
        self.searches += other.searches;
        self.runs += other.runs;
        self.edits += other.edits;
        self.edits_refused += other.edits_refused;
        self.expands += other.expands;
        self.pointers += other.pointers;
        self.leaving_out += other.leaving_out;
        self.loosely += other.loosely;
        self.cached += other.cached;
        self.asked_again += other.asked_again;
        self.outside_changes += other.outside_changes;
        self.compactions += other.compactions;
        self.restarts += other.restarts;
        self.with_secrets += other.with_secrets;
        self.tokens_given += other.tokens_given;
        self.tokens_plain += other.tokens_plain;
        self.violations += other.violations;
    }
}

/// Numbers that look like chance, the same for the same seed.
#[derive(Debug)]
pub(super) struct Chance(pub(super) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What a call should come to, were nothing ever left out.
#[derive(Debug, Clone)]
enum Whole {
    /// A file, by path.
    File(String),
    /// Several files, by path.
    Files(Vec<String>),
    /// Lines of a file.
    Lines(String, u32, u32),
    /// What a search prints.
    Search(String),
    /// What a command prints, and the file whose lines these are.
    Output(Option<String>, String),
}

/// A workspace with a session in it, and what the model has seen there.
pub(super) struct Drive {
    folder: tempfile::TempDir,
    store: PathBuf,
    toolbox: Arc<Toolbox>,
    session: ToolSession,
    reader: Reader,
    chance: Chance,
    /// What is on disk.
    files: BTreeMap<String, Vec<String>>,
    /// What is kept under each handle that was named.
    kept: BTreeMap<String, String>,
    /// What the last call for several files came to for each, while it is made again.
    together: BTreeMap<String, Found>,
    counts: Counts,
    seed: u64,
    changes: u32,
    /// Whether answers are delivered apart from the calls.
    pub(super) is_delivered_later: bool,
    /// The calls so far, each with its answer.
    pub(super) answered: Vec<(String, String)>,
}

/// The folder of a drive in its temporary one.
const RUN: &str = "run";

/// The script that makes a command whose output is no file's.
const PLAY: &str = "cat \"$1\"\n";

/// A session whose answers have much room, the usual, or little.
fn session(toolbox: &Arc<Toolbox>, seed: u64) -> ToolSession {
    let usual = OutputBudget { tokens: Tokens(7_600), bytes: 24_000, lines: 1_900, is_json: false };
    let room = match seed % 3 {
        0 => OutputBudget::UNBOUNDED,
        1 => usual,
        _ => OutputBudget { bytes: 7_600, is_json: true, ..usual },
    };
    ToolSession::new(toolbox, "replay").with_output_budget(room)
}

/// Whether there was no room for the rest of an answer.
fn is_full(answer: &str) -> bool {
    answer.contains(" left out: the answer is full") || answer.contains("go on with read_lines")
}

impl Drive {
    pub(super) fn new(seed: u64) -> Self {
        Self::in_folder(seed, tempfile::tempdir().expect("a temporary folder"))
    }

    /// The same from the beginning, in the same folder: words of its path are part of what views
    /// are chosen by. The calls so far, too.
    pub(super) fn anew(self) -> (Self, Vec<(String, String)>) {
        let Self { folder, session, toolbox, seed, answered, .. } = self;
        drop((session, toolbox));
        let (run, before) = (folder.path().join(RUN), folder.path().join("before"));
        fs::rename(run, before).expect("there is one run before it");
        (Self::in_folder(seed, folder), answered)
    }

    fn in_folder(seed: u64, folder: tempfile::TempDir) -> Self {
        let run = folder.path().join(RUN);
        let (store, work) = (run.join("store.sqlite"), run.join("work"));
        fs::create_dir_all(work.join("runs")).expect("a folder");
        fs::write(work.join("play.sh"), PLAY).expect("a file");
        let toolbox = opened(&work, &store);
        let session = session(&toolbox, seed);
        Self {
            folder,
            store,
            toolbox,
            session,
            reader: Reader::default(),
            chance: Chance(seed),
            files: BTreeMap::new(),
            kept: BTreeMap::new(),
            together: BTreeMap::new(),
            counts: Counts::default(),
            seed,
            changes: 0,
            is_delivered_later: false,
            answered: Vec::new(),
        }
    }

    pub(super) fn all(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
            self.disturb();
        }
    }

    pub(super) fn finish(self) -> Counts {
        self.counts
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join(RUN).join("work")
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Holds { path, lines } => {
                if self.files.get(path) != Some(lines) {
                    self.put(path, lines.clone());
                }
            }
            Step::Read { path, question } => {
                let mut arguments = json!({ "path": path });
                if let Some(question) = question.as_ref().filter(|_| self.chance.one_in(2)) {
                    arguments["question"] = json!(question);
                }
                self.ask("read_file", &arguments, &Whole::File(path.clone()));
            }
            Step::ReadTogether { paths } => {
                let whole = Whole::Files(paths.clone());
                self.ask("read_files", &json!({ "paths": paths }), &whole);
            }
            Step::ReadLines { path, first, last } => {
                if self.chance.one_in(4) {
                    let whole = Whole::File(path.clone());
                    return self.ask("read_file", &json!({ "path": path }), &whole);
                }
                let arguments = json!({ "path": path, "start": first, "end": last });
                self.ask("read_lines", &arguments, &Whole::Lines(path.clone(), *first, *last));
            }
            Step::Search { pattern } => {
                let literal = regex::Regex::new(pattern).is_err();
                let arguments = json!({ "pattern": pattern, "path": "code", "literal": literal });
                if self.files.is_empty() {
                    return;
                }
                self.ask("grep", &arguments, &Whole::Search(pattern.clone()));
            }
            Step::Run { name, output } => {
                fs::write(self.work().join(name), output).expect("a file");
                let shows = self.chance.one_in(3);
                let command = match shows {
                    true => format!("cat {name}"),
                    false => format!("sh play.sh {name}"),
                };
                let path = shows.then(|| name.clone());
                self.ask(
                    "bash",
                    &json!({ "command": command }),
                    &Whole::Output(path, output.clone()),
                );
            }
        }
    }

    /// Asks, and once more at once where something is not shown.
    fn ask(&mut self, tool: &str, arguments: &Value, whole: &Whole) {
        let mut before = None;
        // A view, a pointer to it, all of it.
        for _ in 0..3 {
            let found = self.ask_once(tool, arguments, whole, before);
            if !(found.points || found.leaves_out) || !self.chance.one_in(3) {
                break;
            }
            self.counts.asked_again += 1;
            before = Some(found);
        }
        if self.chance.one_in(4) {
            self.expand();
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> ToolCallAnswer {
        self.counts.calls += 1;
        match tool {
            "read_file" | "read_files" => self.counts.reads += 1,
            "read_lines" => self.counts.ranges += 1,
            "grep" => self.counts.searches += 1,
            "bash" => self.counts.runs += 1,
            "edit_file" => self.counts.edits += 1,
            _ => self.counts.expands += 1,
        }
        let request = ToolRequest::new(tool, arguments.clone());
        let answer = match self.is_delivered_later {
            false => self.session.call(&request, &CallControl::NONE),
            true => {
                let arrival = self.session.register_arrival();
                let (answer, delivery) =
                    self.session.call_with_delivery(arrival, &request, &CallControl::NONE);
                delivery.confirm();
                answer
            }
        };
        // The time of an earlier answer is no part of it.
        let text = without_cached_note(&answer.text).to_owned();
        self.answered.push((format!("{tool} {arguments}"), text));
        answer
    }

    fn ask_once(
        &mut self,
        tool: &str,
        arguments: &Value,
        whole: &Whole,
        before: Option<Found>,
    ) -> Found {
        if before.is_none() {
            self.together.clear();
        }
        let answer = self.call(tool, arguments);
        self.counts.cached += usize::from(answer.cached);
        let plain = self.plain(whole);
        let found = match (&plain, answer.is_error) {
            (Ok(plain), false) => self.check(whole, plain, &answer),
            (Err(_), true) => Ok(Found::default()),
            (Ok(_), true) => Err("refused".to_owned()),
            (Err(_), false) => Err("there is no such thing".to_owned()),
        };
        let found = found.and_then(|found| {
            let plain = plain.as_deref().unwrap_or_default();
            if !answer.is_error {
                self.is_no_larger(whole, plain, &answer.text)?;
            }
            // A view of a file is followed by a pointer to it; whoever asks then gets all.
            let is_asked = match whole {
                // Of each file by itself.
                Whole::Files(_) => false,
                Whole::File(_) => before.is_some_and(|before| before.points),
                Whole::Lines(..) | Whole::Search(_) | Whole::Output(..) => before.is_some(),
            };
            if is_asked && (found.points || found.leaves_out) && !is_full(&answer.text) {
                return Err("asked again in vain".to_owned());
            }
            Ok(found)
        });
        match found {
            Ok(found) => {
                self.counts.pointers += usize::from(found.points);
                self.counts.leaving_out += usize::from(found.leaves_out);
                self.counts.loosely += usize::from(found.loosely);
                if let (Ok(plain), false) = (&plain, tool == "read_files") {
                    self.note_handles(&answer, plain);
                }
                found
            }
            Err(what) => {
                self.violation(&format!("{tool} {arguments}"), &what, &answer.text);
                Found::default()
            }
        }
    }

    fn violation(&mut self, call: &str, what: &str, answer: &str) {
        self.counts.violations += 1;
        let (seed, at) = (self.seed, self.counts.calls);
        let answer = &answer[..answer.floor_char_boundary(4_000)];
        eprintln!("seed {seed}, call {at}: {call}\n  {what}\n{answer}\n");
    }

    /// The plain answer: nothing left out, nothing before it.
    fn plain(&self, whole: &Whole) -> Result<String, String> {
        let lines_of = |path: &str| self.files.get(path).ok_or("no such file");
        let numbered = |lines: &[String], first: u32| -> String {
            (first..).zip(lines).map(|(number, line)| format!("{number}→{line}\n")).collect()
        };
        match whole {
            Whole::File(path) => Ok(numbered(lines_of(path)?, 1)),
            Whole::Files(paths) => {
                let headed = |path: &String| match lines_of(path) {
                    Ok(lines) => full(path, &numbered(lines, 1)),
                    Err(_) => format!("File: {path} (failed)\nno such file `{path}`\n"),
                };
                Ok(paths.iter().map(headed).collect())
            }
            Whole::Lines(path, first, last) => {
                let lines = lines_of(path)?;
                if *first as usize > lines.len() {
                    return Err("no such lines".to_owned());
                }
                let end = lines.len().min(*last as usize);
                let mut plain = numbered(&lines[*first as usize - 1..end], *first);
                if (*last as usize) > lines.len() {
                    plain.push_str(&format!("[the file has {} lines]\n", lines.len()));
                }
                Ok(plain)
            }
            Whole::Search(pattern) => {
                let mut query = GrepQuery::new(pattern);
                query.fixed = regex::Regex::new(pattern).is_err();
                query.scope.path = "code".to_owned();
                let work = self.work();
                let open = |path: &std::path::Path| fs::File::open(work.join(path));
                let found = file_search::grep(&work, &open, &query, &CancelToken::NEVER);
                found.map(|found| plain_hits(&found)).map_err(|error| error.to_string())
            }
            Whole::Output(_, output) if output.is_empty() => Ok("[no output]\n".to_owned()),
            Whole::Output(_, output) => Ok(output.clone()),
        }
    }

    /// That the answer is true, whole but for what it says, and points at nothing unseen.
    fn check(
        &mut self,
        whole: &Whole,
        plain: &str,
        answer: &ToolCallAnswer,
    ) -> Result<Found, String> {
        let text = &answer.text;
        match whole {
            Whole::File(path) => {
                let lines = self.files[path].clone();
                if let Some(rest) = text.strip_prefix(&format!("[{path}: unchanged")) {
                    return self.check_pointer(path, &lines, rest);
                }
                if lines.is_empty() && text.starts_with(&format!("File: {path} (")) {
                    return Ok(Found::default());
                }
                let (head, body) = head_and_body(path, text)?;
                let found = self.reader.read(path, &lines, body)?;
                let is_right = head.0 == lines.len() && head.1 <= lines.len();
                let shown = body.lines().filter(|line| line.contains('→')).count();
                let ends_within = ["of this line left out", "left out: the answer is full"];
                let is_cut = ends_within.iter().any(|words| text.contains(words));
                if !is_right || (head.1 != shown && !is_cut) {
                    return Err(format!("{head:?} in the header, {shown} shown, {}", lines.len()));
                }
                Ok(found)
            }
            Whole::Files(paths) => self.check_together(paths, text),
            Whole::Lines(path, first, _) => {
                let body = self.with_lines_above(path, without_cached_note(text))?;
                let body = body.as_str();
                // The beginning of what was asked for, where there is no room for more.
                let plain = match body.rsplit_once("[go on with start ") {
                    Some((given, _)) if plain.starts_with(given) && !given.is_empty() => given,
                    _ => plain,
                };
                if !body.starts_with(plain) || !(body == plain || body.ends_with("]\n")) {
                    return Err(format!("not word for word: {plain}"));
                }
                let lines = &self.files[path];
                let shown = (plain.lines().count()).min(lines.len() + 1 - *first as usize);
                let first = *first as usize - 1;
                let view: String = (1..)
                    .zip(lines)
                    .map(|(number, line)| {
                        let number: usize = number;
                        match (first + 1..=first + shown).contains(&number) {
                            true => format!("{number}→{line}\n"),
                            false => format!("[{number}-{number} left out]\n"),
                        }
                    })
                    .collect();
                let lines = lines.clone();
                self.reader.read(path, &lines, &view)?;
                Ok(Found::default())
            }
            Whole::Search(_) => self.reader.output(None, plain, without_cached_note(text)),
            Whole::Output(path, _) => {
                self.reader.output(Some(path.as_deref().unwrap_or("")), plain, text)
            }
        }
    }

    /// Lines that were asked for, with those in place that a note says to stand above.
    fn with_lines_above(&self, path: &str, body: &str) -> Result<String, String> {
        let lines = &self.files[path];
        let mut text = String::new();
        for line in body.split_inclusive('\n') {
            let Some(Note::Same((first, last))) = note(line.trim_end()) else {
                text.push_str(line);
                continue;
            };
            for number in first..=last {
                let line = lines.get(number as usize - 1).ok_or("a note names no line")?;
                if !self.reader.knows_at(path, number, line) {
                    return Err(format!("line {number} of {path} was never seen as {line:?}"));
                }
                text.push_str(&format!("{number}→{line}\n"));
            }
        }
        Ok(text)
    }

    /// That each part of an answer for several files is right by itself.
    fn check_together(&mut self, paths: &[String], text: &str) -> Result<Found, String> {
        let mut rest = text;
        let mut all = Found::default();
        for (at, path) in paths.iter().enumerate() {
            let end = paths.get(at + 1).and_then(|next| {
                let starts = [format!("\nFile: {next} ("), format!("\n[{next}: unchanged")];
                starts.iter().filter_map(|start| rest.find(start)).min()
            });
            let (own, others) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = others;
            if own.starts_with(&format!("File: {path} (not read: ")) {
                self.together.remove(path);
                continue;
            }
            if !self.files.contains_key(path) {
                if !own.starts_with(&format!("File: {path} (failed)\nno such file")) {
                    return Err(format!("{path} is not there: {own}"));
                }
                continue;
            }
            let answer = ToolCallAnswer { text: own.to_owned(), ..ToolCallAnswer::default() };
            let found = self.check(&Whole::File(path.clone()), "", &answer)?;
            let before = self.together.insert(path.clone(), found);
            let is_held_back = (found.points || found.leaves_out) && !is_full(own);
            if before.is_some_and(|before| before.points) && is_held_back {
                return Err(format!("{path} was asked for again in vain"));
            }
            all.points |= found.points;
            all.leaves_out |= found.leaves_out;
        }
        Ok(all)
    }

    /// `[path: unchanged, its 12 lines are shown above]` and the like.
    fn check_pointer(&self, path: &str, lines: &[String], rest: &str) -> Result<Found, String> {
        let found = Found { points: true, ..Found::default() };
        let count = |word: &str| -> Result<usize, String> {
            word.parse().map_err(|_| format!("{word:?} is no count"))
        };
        if let Some(rest) = rest.strip_prefix(", its ") {
            let all = count(rest.split(' ').next().unwrap_or_default())?;
            if all != lines.len() {
                return Err(format!("there are {} lines", lines.len()));
            }
            return self.reader.sees_all(path, lines).map(|()| found);
        }
        let words: Vec<&str> = rest.trim_start_matches("; ").split(' ').collect();
        let shown = count(words.first().copied().unwrap_or_default())?;
        let all = count(words.get(3).copied().unwrap_or_default())?;
        let seen = self.reader.count_seen(path, lines);
        if all != lines.len() || seen < shown {
            return Err(format!("{seen} of {} lines were seen", lines.len()));
        }
        Ok(found)
    }

    /// That nothing was gained by asking for the plain file.
    fn is_no_larger(&mut self, whole: &Whole, plain: &str, given: &str) -> Result<(), String> {
        let count = |text: &str| Tokenizer::O200k.count(text).0;
        let head = match whole {
            Whole::File(path) => full(path, plain).replace(plain, ""),
            _ if given.starts_with("[Cached result from ") => {
                given.lines().next().map(|line| format!("{line}\n")).unwrap_or_default()
            }
            _ => String::new(),
        };
        let (given, plain) = (count(given), count(&format!("{head}{plain}")));
        self.counts.tokens_given += given;
        self.counts.tokens_plain += plain;
        if given > plain {
            return Err(format!("{given} tokens, {plain} in full"));
        }
        Ok(())
    }

    fn note_handles(&mut self, answer: &ToolCallAnswer, plain: &str) {
        let named: Vec<String> = handles(&answer.text).into_iter().map(str::to_owned).collect();
        for handle in named {
            if !plain.contains(&handle) {
                self.kept.insert(handle, plain.to_owned());
            }
        }
    }

    /// Gets something back that was left out at some time.
    fn expand(&mut self) {
        let at = self.chance.below(self.kept.len());
        let Some((handle, plain)) = self.kept.iter().nth(at) else { return };
        let (handle, plain) = (handle.clone(), plain.clone());
        let answer = self.call("expand", &json!({ "handle": handle }));
        self.reader.text(&answer.text);
        let parsed = handle.parse().expect("a handle");
        let content = self.toolbox.store.content(parsed).expect("the store is readable");
        if content.is_some_and(|content| content.secrets > 0) {
            self.counts.with_secrets += 1;
            return;
        }
        let is_page = answer.text.contains("; go on with start ");
        let given = match is_page {
            true => answer.text.rsplit_once("[lines ").map_or("", |(given, _)| given),
            false => &answer.text,
        };
        let is_right = if is_page { plain.starts_with(given) } else { plain == given };
        if answer.is_error || !is_right {
            self.violation(&format!("expand {handle}"), "not what was left out", &answer.text);
        }
    }

    fn put(&mut self, path: &str, lines: Vec<String>) {
        let file = self.work().join(path);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(file, text).expect("a file");
        self.files.insert(path.to_owned(), lines);
        self.counts.outside_changes += 1;
    }

    /// Now and then something happens between two calls.
    fn disturb(&mut self) {
        if self.chance.one_in(25) {
            self.session.clear_visibility();
            self.reader.forget();
            self.counts.compactions += 1;
        }
        if self.chance.one_in(60) {
            self.session.record_deliveries();
            self.toolbox = opened(&self.work(), &self.store);
            self.session = session(&self.toolbox, self.seed);
            self.counts.restarts += 1;
        }
        let at = self.chance.below(self.files.len());
        let Some(path) = self.files.keys().nth(at).cloned() else { return };
        if self.chance.one_in(6) {
            self.change_outside(&path);
            if self.chance.one_in(2) {
                self.ask("read_file", &json!({ "path": path }), &Whole::File(path.clone()));
            }
        }
        if self.chance.one_in(8) {
            self.edit(&path);
        }
    }

    fn change_outside(&mut self, path: &str) {
        let mut lines = self.files[path].clone();
        self.changes += 1;
        let fresh = format!("changed outside, {}", self.changes);
        let at = self.chance.below(lines.len() + 1);
        match self.chance.below(7) {
            0 if at < lines.len() => lines[at] = fresh,
            1 => lines.push(fresh),
            2 => lines.truncate(at),
            3 => lines = (0..20).map(|number| format!("{fresh}: {number}")).collect(),
            4 => {}
            5 => {
                fs::remove_file(self.work().join(path)).expect("it is there");
                self.files.remove(path);
                self.counts.outside_changes += 1;
                return;
            }
            _ => lines.insert(at.min(lines.len()), fresh),
        }
        self.put(path, lines);
    }

    /// Edits a line through the tool; what comes of it must be on disk, or nothing.
    fn edit(&mut self, path: &str) {
        let Some(lines) = self.files.get(path).cloned() else { return };
        let at = self.chance.below(lines.len());
        let Some(old) = lines.get(at).filter(|line| line.trim().len() > 3) else { return };
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if text.matches(old.as_str()).count() != 1 || old.contains('\r') {
            return;
        }
        self.changes += 1;
        let new = format!("{old} // edit {}", self.changes);
        let arguments = json!({ "path": path, "old_str": old, "new_str": new, "intent": "try" });
        let answer = self.call("edit_file", &arguments);
        let on_disk = fs::read_to_string(self.work().join(path)).expect("a file");
        let expected = if answer.is_error {
            self.counts.edits_refused += 1;
            text
        } else {
            let edited = text.replacen(old.as_str(), &new, 1);
            if let Some((_, rest)) = answer.text.split_once("[before: ") {
                self.kept.insert(rest[..12].to_owned(), text);
            }
            self.reader.wrote(path, &new);
            edited
        };
        if on_disk != expected {
            self.violation(&format!("edit_file {arguments}"), "not on disk", &answer.text);
        }
        self.files.insert(path.to_owned(), on_disk.lines().map(str::to_owned).collect());
    }
}

pub(super) fn opened(work: &std::path::Path, store: &std::path::Path) -> Arc<Toolbox> {
    let store = Arc::new(SqliteStore::open(store).expect("a store"));
    let mut toolbox = toolbox_over(work.to_owned(), ToolSettings::default(), store);
    // Nobody asks it here, and it would take half the time.
    let runs = work.join("runs");
    toolbox.index = CodeIndex::new(Box::new(move || Index::in_memory(&runs, None)));
    Arc::new(toolbox)
}

/// The counts of the header, all and preserved, and what comes after it.
pub(super) fn head_and_body<'a>(
    path: &str,
    text: &'a str,
) -> Result<((usize, usize), &'a str), String> {
    let parsed = || {
        let rest = text.strip_prefix(&format!("File: {path} ("))?;
        let (_, rest) = rest.split_once(")\nTotal lines: ")?;
        let (all, rest) = rest.split_once(" | Preserved: ")?;
        let (shown, rest) = rest.split_once(" (")?;
        let (_, body) = rest.split_once(" %)\n")?;
        Some(((all.parse().ok()?, shown.parse().ok()?), body))
    };
    let (counts, body) = parsed().ok_or("no header")?;
    // What there is to say of its encoding.
    let body = match body.strip_prefix('[') {
        Some(_) => body,
        None => body.find('→').map_or(body, |arrow| {
            let start = body[..arrow].rfind('\n').map_or(0, |at| at + 1);
            let is_remark = body[..start].lines().all(|line| !line.starts_with('['));
            if is_remark { &body[start..] } else { body }
        }),
    };
    Ok((counts, body))
}

/// A whole file as it is first shown.
fn full(path: &str, numbered: &str) -> String {
    let all = numbered.lines().count();
    format!("File: {path} (full)\nTotal lines: {all} | Preserved: {all} (100 %)\n{numbered}")
}

fn without_cached_note(text: &str) -> &str {
    match text.strip_prefix("[Cached result from ") {
        Some(rest) => rest.split_once("]\n").map_or(text, |(_, rest)| rest),
        None => text,
    }
}

/// All that was found, in full.
fn plain_hits(found: &GrepAnswer) -> String {
    let cut = |bytes: usize| match bytes {
        0 => String::new(),
        bytes => format!("[… {bytes} bytes of this line left out]"),
    };
    let mut plain = String::new();
    for row in found.rows(GrepMode::Content, GrepLayout::Headings) {
        plain += &match row {
            GrepRow::File { path, .. } => path.to_owned(),
            GrepRow::Line { line, .. } => {
                let (before, after) = (cut(line.bytes_before), cut(line.bytes_after));
                format!("{}{before}{}{after}", row.line_prefix(), line.text)
            }
            GrepRow::Blank => String::new(),
            GrepRow::Gap => "--".to_owned(),
        };
        plain.push('\n');
    }
    let (shown, total) = (found.shown, found.total);
    if shown == 0 {
        let files = PlainCount::new(found.files_searched, "file");
        plain += &format!("[nothing found in {files}]\n");
    } else if (shown as u64) < total {
        let files = PlainCount::new(found.files_with_hits, "file");
        plain += &format!("[lines 1-{shown} of {total} found in {files}; ");
        plain += &format!("the next from offset {shown}]\n");
    }
    plain
}
