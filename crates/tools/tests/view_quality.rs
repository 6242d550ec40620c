//! Views can be read: what a first read and two follow-up ones show is no confetti of scraps
//! between notes.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use foveal_syntax::{LineRange, ParsedFile, parse_file};
use serde_json::json;

use crate::world::World;

/// Lines that are shown together at least, unless they are as much as stands together.
const RUN_LINES_MIN: usize = 3;

/// A file, and what is asked of it one after the other.
const ASKED: [(&str, [&str; 3]); 8] = [
    (
        "syntax/src/entity.rs",
        ["what kinds of entities are there?", "how is visibility told?", "which names are used?"],
    ),
    (
        "relevance/src/curation/piece_selection.rs",
        [
            "how much of a file is kept?",
            "when are gaps filled?",
            "how is a piece weighed for its lines?",
        ],
    ),
    (
        "engine/src/shaping/draft.rs",
        ["how are cuts put in a line?", "how is a shape composed?", "where do notes begin a line?"],
    ),
    (
        "engine/src/shaping/pointers.rs",
        [
            "when do blocks that follow each other join?",
            "how is another file named?",
            "which block wins among equal ones?",
        ],
    ),
    (
        "engine/src/shaping/table.rs",
        ["what makes a table?", "how are columns counted?", "when is it not compacted?"],
    ),
    (
        "tools/src/session/tool_session.rs",
        ["what is kept of a session?", "how does it go on after a restart?", "who locks it?"],
    ),
    (
        "tools/src/session/known_files.rs",
        ["how are changes by others noticed?", "what was seen of a file?", "what is forgotten?"],
    ),
    (
        "syntax/src/tree_walk/walker.rs",
        ["how are statements found?", "when is an entity named?", "what ends a frame?"],
    ),
];

/// A class in Python with documentation, lists and calls of more lines than a view keeps as one,
/// among others that nobody asks about.
fn session() -> String {
    let told = |at: usize| format!("        Part {at} of what a redirect goes by.\n");
    let listed = |at: usize| format!("        \"attribute_{at}\",\n");
    let passed = |at: usize| format!("            part_{at}=part_{at},\n");
    let step = |at: usize| {
        format!(
            "        part_{at} = count(part_{at})\n\n        if part_{at} is None:\n            part_{at} = {at}\n"
        )
    };
    let of =
        |part: &dyn Fn(usize) -> String, count: usize| (0..count).map(part).collect::<String>();
    let method = |name: &str, about: &str| {
        format!(
            "    def {name}(\n        self,\n        first: int,\n        second: int,\n        third: int,\n        \
             fourth: int,\n        fifth: int,\n        sixth: int,\n    ) -> None:\n        \"\"\"\n{}        {about}\n        \
             \"\"\"\n{}        # {about}\n        return self.adapter.{name}(\n{}            {name}=first,\n{}        )\n\n",
            of(&told, 7),
            of(&step, 16),
            of(&passed, 9),
            of(&passed, 8)
        )
    };
    let names = ["stream", "verify", "merge", "retry", "close", "mount", "prepare", "rebuild"];
    let methods = |about: &str| -> String {
        names.iter().map(|name| method(name, &format!("The {name} of {about}"))).collect()
    };
    format!(
        "class Session:\n    __attrs__ = [\n{}    ]\n\n{}\nclass Pool:\n{}",
        of(&listed, 14),
        methods("settings"),
        methods("connections")
    )
}

/// Lines that are shown one after the other, with their numbers.
type Run<'a> = Vec<(u32, &'a str)>;

fn runs(answer: &str) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for line in answer.lines() {
        let numbered =
            line.split_once('→').and_then(|(n, text)| Some((n.trim().parse().ok()?, text)));
        match (numbered, runs.last_mut()) {
            (Some((number, text)), Some(run))
                if run.last().is_some_and(|(last, _)| last + 1 == number) =>
            {
                run.push((number, text));
            }
            (Some(line), _) => runs.push(vec![line]),
            (None, _) => {}
        }
    }
    runs
}

fn says(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Where in a file something begins, and where something ends.
struct Ends {
    first: HashSet<u32>,
    last: HashSet<u32>,
}

impl Ends {
    fn of(parsed: &ParsedFile, text: &str) -> Self {
        let mut ends = Self { first: HashSet::from([1]), last: HashSet::from([parsed.line_count]) };
        let mut put = |lines: LineRange| {
            ends.first.insert(lines.first.0);
            ends.last.insert(lines.last.0);
        };
        parsed.blocks.iter().for_each(|block| put(block.lines));
        for entity in &parsed.entities {
            put(entity.lines);
            put(entity.signature);
            [entity.doc, entity.attributes, entity.body].into_iter().flatten().for_each(&mut put);
        }
        // What stands between blank lines.
        let rows: Vec<&str> = text.lines().collect();
        for (row, number) in rows.iter().zip(1..) {
            if row.trim().is_empty() {
                ends.first.insert(number + 1);
                ends.last.insert(number - 1);
            }
        }
        ends
    }

    /// Whether a run is as much as stands together.
    fn are_of(&self, run: &Run<'_>) -> bool {
        let mut said = run.iter().filter(|(_, line)| says(line));
        let Some((first, _)) = said.next() else { return false };
        let last = said.next_back().map_or(*first, |(last, _)| *last);
        self.first.contains(first)
            && (self.last.contains(&last) || run.last().is_some_and(|(n, _)| self.last.contains(n)))
    }
}

/// What is wrong with the runs of three answers on a file.
fn faults(name: &str, text: &str, questions: &[&str; 3]) -> (usize, Vec<String>) {
    let world = World::new();
    world.write(name, text);
    let ends = Ends::of(&parse_file(name, text), text);
    let (mut count, mut faults) = (0, Vec::new());
    for question in questions {
        let answer = world.call("read_file", json!({"path": name, "question": question}));
        for run in runs(&answer) {
            count += 1;
            let is_whole = run.len() >= RUN_LINES_MIN || ends.are_of(&run);
            if !is_whole || !run.iter().any(|(_, line)| says(line)) {
                faults.push(format!("{name}: {question}: {run:?}"));
            }
        }
    }
    (count, faults)
}

#[test]
fn views_and_those_that_follow_show_no_scraps() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut count, mut all) = (0, Vec::new());
    for (path, questions) in &ASKED {
        let text = fs::read_to_string(crates.join(path)).expect("a file of this repository");
        let name = path.rsplit('/').next().expect("a name");
        let (runs, faults) = faults(name, &text, questions);
        count += runs;
        all.extend(faults);
    }
    for questions in [
        ["how is the stream of settings passed?", "when is verify called?", "what is retried?"],
        ["what are the attributes?", "how are pools mounted?", "which parts are merged?"],
    ] {
        let (runs, faults) = faults("session.py", &session(), &questions);
        count += runs;
        all.extend(faults);
    }
    assert!(count > 60, "{count} runs");
    assert!(all.is_empty(), "{} of {count}:\n{}", all.len(), all.join("\n"));
}
