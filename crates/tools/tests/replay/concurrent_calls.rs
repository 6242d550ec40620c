//! Calls beside each other: each arrives, is answered, and its answer is delivered or lost, in an
//! order by chance. Every answer is checked by a reader who knows what was delivered before the
//! call arrived, and nothing else.

use std::fs;
use std::sync::Arc;

use foveal_tools::session::{CallArrival, PendingDelivery};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use serde_json::{Value, json};

use super::driver::{Chance, head_and_body, opened};
use super::reader::Reader;

/// Files that calls are about.
pub(super) const FILES: usize = 3;

/// Calls that are under way at once, at most.
const CALLS_MAX: usize = 6;

/// A call, and what is to come of it.
#[derive(Debug, Clone)]
enum Ask {
    Read(usize),
    Full(usize),
    Print(usize),
    Overwrite(usize),
}

/// A call that is not over.
struct UnderWay {
    ask: Ask,
    /// What the model saw when it asked.
    reader: Reader,
    stage: Stage,
}

enum Stage {
    Arrived(CallArrival),
    Answered(PendingDelivery, Box<ToolCallAnswer>, Vec<String>),
}

/// A session, and a model that makes several calls at once.
pub(super) struct Desk {
    folder: tempfile::TempDir,
    toolbox: Arc<Toolbox>,
    session: ToolSession,
    chance: Chance,
    files: Vec<Vec<String>>,
    /// Whether all of a file was written by the model itself.
    written: Vec<bool>,
    reader: Reader,
    under_way: Vec<UnderWay>,
    writes: usize,
    pub(super) violations: Vec<String>,
}

fn path(file: usize) -> String {
    format!("code/{}.txt", ["a", "b", "c"][file])
}

impl Desk {
    pub(super) fn new(seed: u64, files: Vec<Vec<String>>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let work = folder.path().join("work");
        fs::create_dir_all(work.join("code")).expect("a folder");
        fs::create_dir_all(work.join("runs")).expect("a folder");
        let toolbox = opened(&work, &folder.path().join("store.sqlite"));
        let session = ToolSession::new(&toolbox, "beside");
        let written = vec![false; files.len()];
        let desk = Self {
            folder,
            toolbox,
            session,
            chance: Chance(seed),
            files,
            written,
            reader: Reader::default(),
            under_way: Vec::new(),
            writes: 0,
            violations: Vec::new(),
        };
        (0..desk.files.len()).for_each(|file| desk.put(file));
        desk
    }

    fn put(&self, file: usize) {
        let text: String = self.files[file].iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.folder.path().join("work").join(path(file)), text).expect("a file");
    }

    /// So many things happen, one after the other.
    pub(super) fn work(&mut self, count: usize) {
        for _ in 0..count {
            let is_new = self.under_way.len() < CALLS_MAX && !self.chance.one_in(3);
            match is_new || self.under_way.is_empty() {
                true => self.arrive(),
                false => self.go_on(),
            }
            if self.chance.one_in(60) && self.under_way.is_empty() {
                self.session.record_deliveries();
                self.session = ToolSession::new(&self.toolbox, "beside");
            }
        }
        while !self.under_way.is_empty() {
            self.go_on();
        }
    }

    fn arrive(&mut self) {
        let file = self.chance.below(FILES);
        let ask = match self.chance.below(8) {
            0..=2 => Ask::Read(file),
            3 => Ask::Full(file),
            4..=5 => Ask::Print(file),
            _ => Ask::Overwrite(file),
        };
        let stage = Stage::Arrived(self.session.register_arrival());
        self.under_way.push(UnderWay { ask, reader: self.reader.clone(), stage });
    }

    fn go_on(&mut self) {
        let at = self.chance.below(self.under_way.len());
        let UnderWay { ask, mut reader, stage } = self.under_way.remove(at);
        match stage {
            Stage::Arrived(arrival) => {
                let (tool, arguments) = self.request(&ask);
                let request = ToolRequest::new(tool, arguments);
                let (answer, delivery) =
                    self.session.call_with_delivery(arrival, &request, &CallControl::NONE);
                let checked = self.check(&ask, &mut reader, &answer);
                self.note(&ask, &answer, checked);
                let (Ask::Read(file) | Ask::Full(file) | Ask::Print(file) | Ask::Overwrite(file)) =
                    ask;
                let lines = self.files[file].clone();
                let stage = Stage::Answered(delivery, Box::new(answer), lines);
                self.under_way.push(UnderWay { ask, reader, stage });
            }
            // Nobody gets it.
            Stage::Answered(..) if self.chance.one_in(5) => {}
            Stage::Answered(delivery, answer, lines) => {
                delivery.confirm();
                let mut known = std::mem::take(&mut self.reader);
                let learned = look(&ask, &mut known, &answer, &lines);
                self.reader = known;
                self.note(&ask, &answer, learned);
            }
        }
    }

    fn request(&mut self, ask: &Ask) -> (&'static str, Value) {
        match ask {
            Ask::Read(file) => ("read_file", json!({"path": path(*file)})),
            Ask::Full(file) => ("read_file", json!({"path": path(*file), "mode": "full"})),
            Ask::Print(file) => ("bash", json!({"command": format!("cat {}", path(*file))})),
            Ask::Overwrite(file) => {
                self.writes += 1;
                let content = format!("written {}\n", self.writes);
                ("write_file", json!({"path": path(*file), "content": content}))
            }
        }
    }

    /// That an answer is true for who made the call.
    fn check(
        &mut self,
        ask: &Ask,
        reader: &mut Reader,
        answer: &ToolCallAnswer,
    ) -> Result<(), String> {
        let Ask::Overwrite(file) = ask else {
            let (Ask::Read(file) | Ask::Full(file) | Ask::Print(file) | Ask::Overwrite(file)) = ask;
            return look(ask, reader, answer, &self.files[*file].clone());
        };
        if answer.is_error {
            return Ok(());
        }
        let lines =
            std::mem::replace(&mut self.files[*file], vec![format!("written {}", self.writes)]);
        let was_written = std::mem::replace(&mut self.written[*file], true);
        match was_written {
            true => Ok(()),
            false => reader.sees_all(&path(*file), &lines),
        }
    }

    fn note(&mut self, ask: &Ask, answer: &ToolCallAnswer, checked: Result<(), String>) {
        if let Err(what) = checked {
            self.violations.push(format!("{ask:?}: {what}\n{}", answer.text));
        }
    }
}

/// Looks through an answer about a file that held `lines`.
fn look(
    ask: &Ask,
    reader: &mut Reader,
    answer: &ToolCallAnswer,
    lines: &[String],
) -> Result<(), String> {
    let text = &*answer.text;
    match ask {
        Ask::Overwrite(_) => Ok(()),
        _ if answer.is_error => Err("refused".to_owned()),
        Ask::Read(file) | Ask::Full(file) => {
            let path = path(*file);
            if text.starts_with(&format!("[{path}: unchanged, its ")) {
                return reader.sees_all(&path, lines);
            }
            if let Some(rest) = text.strip_prefix(&format!("[{path}: unchanged; ")) {
                let shown = rest.split(' ').next().and_then(|count| count.parse().ok());
                let shown: usize = shown.ok_or("no count")?;
                let seen = reader.count_seen(&path, lines);
                return (seen >= shown).then_some(()).ok_or(format!("{seen} lines were seen"));
            }
            if lines.is_empty() {
                return Ok(());
            }
            let (_, body) = head_and_body(&path, text)?;
            reader.read(&path, lines, body).map(drop)
        }
        Ask::Print(file) => {
            let whole: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let whole = if whole.is_empty() { "[no output]\n".to_owned() } else { whole };
            reader.output(Some(&path(*file)), &whole, text).map(drop)
        }
    }
}
