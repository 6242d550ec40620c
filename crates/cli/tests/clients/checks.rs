//! What has to hold of a run, whatever the agent.

use std::collections::HashMap;

use serde_json::Value;

use crate::projects::{EDITED, FIRST_READ, MANIFESTS, READ_AFTER_EDIT, SECOND_READ, SHORT};
use crate::prompt::{
    Answer, answers, broken_claims, claims, file_of, left_out, shown_lines, with_lines,
};
use crate::run::Run;
use crate::tap::{Exchange, Hooked};

/// Tests of one task of an agent, which is done once for all of them.
macro_rules! checks {
    ($agent:expr, $task:expr; $($(#[$mark:meta])* $check:ident),* $(,)?) => {
        fn done() -> Option<&'static crate::run::Run> {
            static RUN: std::sync::OnceLock<Option<crate::run::Run>> = std::sync::OnceLock::new();
            static AGENT: crate::agents::Agent = $agent;
            RUN.get_or_init(|| crate::run::run(&AGENT, $task(&AGENT))).as_ref()
        }

        $(
            #[test]
            $(#[$mark])*
            fn $check() {
                if let Some(run) = done() {
                    crate::checks::$check(run);
                }
            }
        )*
    };
}

pub(crate) use checks;

/// The tasks in which the same has to hold of every agent.
macro_rules! common_checks {
    ($agent:ident) => {
        mod small {
            crate::checks::checks! {
                super::$agent, crate::projects::small;
                the_tools_are_offered,
                a_first_read_comes_whole,
                a_second_read_points_at_the_first,
                a_read_after_an_edit_shows_the_change,
                pointers_hold,
                answers_come_uncut,
                nothing_fails,
                the_agent_ends_well,
            }
        }

        mod alike {
            crate::checks::checks! {
                super::$agent, crate::projects::alike;
                first_reads_of_files_alike_come_whole,
                pointers_hold,
            }
        }
    };
}

pub(crate) use common_checks;

/// Work with an agent's own tools, foveal standing between it and its model: one run for each way
/// there, in which the same has to hold. `$read` and `$run` are how files are read there and
/// commands run.
macro_rules! between_checks {
    ($agent:ident, $read:expr, $run:expr; $($name:ident => $way:expr),* $(,)?) => {
        $(
            mod $name {
                use serde_json::json;

                use crate::agents::Agent;
                use crate::projects;
                use crate::model::Call;
                use crate::run::{Task, Way};

                crate::checks::checks! {
                    super::$agent, work;
                    the_model_is_pointed_at_what_it_read,
                    less_goes_than_came,
                    what_was_read_stays_or_goes_once,
                    pointers_hold,
                    the_agent_ends_well,
                }

                fn work(agent: &Agent) -> Task {
                    let native = |(tool, arguments): (&'static str, _)| {
                        vec![Call::native(tool, arguments)]
                    };
                    let read = |path: &str| native($read(path));
                    let run = |command: String| native($run(command));
                    projects::between(agent, $way, read, run)
                }
            }
        )*
    };
}

pub(crate) use between_checks;

/// The answers of the conversation with the user.
fn all(run: &Run) -> Vec<Answer<'_>> {
    answers(run, 0)
}

/// The answer to the first call of a step, counted after those that the agent needs before.
fn answer_in(run: &Run, step: usize) -> Answer<'_> {
    let step = step + (run.agent.before)().len();
    let found = all(run).into_iter().find(|answer| answer.at == (step, 0));
    found.unwrap_or_else(|| panic!("step {step} was not answered\n{}", run.printed))
}

/// Calls of foveal's tools with the answers as the model read them, and as the server gave them.
fn exchanged(run: &Run) -> Vec<(Answer<'_>, Option<&Exchange>)> {
    let mut left: Vec<&Exchange> = run.exchanges.iter().collect();
    let own = all(run).into_iter().filter(|answer| answer.call.own.is_some());
    let pairs = own.map(|answer| {
        let is_it = |exchange: &&Exchange| {
            Some(&*exchange.tool) == answer.call.own && exchange.arguments == answer.call.arguments
        };
        let found = left.iter().position(is_it).map(|at| left.remove(at));
        (answer, found)
    });
    pairs.collect()
}

/// The start of a text.
fn start(text: &str) -> String {
    text.chars().take(400).collect()
}

/// Before the first call of such a tool: in the list of tools, or where the agent tells of tools
/// that are to be searched.
pub(crate) fn the_tools_are_offered(run: &Run) {
    let arrival = run.arrivals.get((run.agent.before)().len());
    let arrival = arrival.unwrap_or_else(|| panic!("nothing came\n{}", run.printed));
    for tool in ["read_file", "read_lines", "edit_file", "grep", "bash"] {
        let name = (run.agent.tool)(tool);
        let is_listed = arrival.tools.contains(&name);
        let is_told = (run.agent.tells)(&arrival.text, &name);
        assert!(is_listed || is_told, "{name} is not among {:?}", arrival.tools);
    }
}

/// In the very first request, where an agent tells of other tools by name alone.
pub(crate) fn the_few_tools_are_offered_at_once(run: &Run) {
    let arrival = run.arrivals.first().unwrap_or_else(|| panic!("nothing came\n{}", run.printed));
    for tool in ["read_file", "read_lines", "edit_file", "grep", "search_code", "expand"] {
        let name = (run.agent.tool)(tool);
        assert!(arrival.tools.contains(&name), "{name} is not among {:?}", arrival.tools);
    }
    let other = (run.agent.tool)("bash");
    assert!(!arrival.tools.contains(&other), "{other} is among {:?}", arrival.tools);
}

pub(crate) fn a_first_read_comes_whole(run: &Run) {
    comes_whole(&answer_in(run, FIRST_READ), SHORT);
}

pub(crate) fn first_reads_of_files_alike_come_whole(run: &Run) {
    for (step, file) in MANIFESTS.into_iter().enumerate() {
        comes_whole(&answer_in(run, step), file);
    }
}

fn comes_whole(answer: &Answer<'_>, file: &str) {
    let shown = shown_lines(answer);
    for (at, line) in answer.files[file].lines().enumerate() {
        let is_shown = shown.contains(&(file.to_owned(), at + 1, line.to_owned()));
        assert!(is_shown, "line {} of {file} is missing:\n{}", at + 1, answer.text);
    }
}

pub(crate) fn a_second_read_points_at_the_first(run: &Run) {
    let answer = answer_in(run, SECOND_READ);
    assert!(shown_lines(&answer).is_empty(), "{}", start(&answer.text));
    assert!(!claims(&answer).is_empty(), "{}", start(&answer.text));
}

pub(crate) fn a_read_after_an_edit_shows_the_change(run: &Run) {
    let answer = answer_in(run, READ_AFTER_EDIT);
    let line = answer.files[SHORT].lines().position(|line| line == EDITED);
    let line = line.expect("the edit was made") + 1;
    let is_shown = shown_lines(&answer).contains(&(SHORT.to_owned(), line, EDITED.to_owned()));
    assert!(is_shown, "{}", answer.text);
}

pub(crate) fn pointers_hold(run: &Run) {
    for plan in 0..run.plans.len() {
        let broken = broken_claims(&answers(run, plan));
        assert!(
            broken.is_empty(),
            "{} notes point at nothing:\n{}",
            broken.len(),
            broken.join("\n")
        );
    }
}

/// Each sub-agent's last read is of what it read before, whatever the others read meanwhile.
pub(crate) fn sub_agents_are_pointed_at_what_they_read_themselves(run: &Run) {
    for plan in 1..run.plans.len() {
        let answers = answers(run, plan);
        let last = answers.last().unwrap_or_else(|| panic!("nothing came\n{}", run.printed));
        assert!(!claims(last).is_empty(), "{}", start(&last.text));
    }
}

pub(crate) fn answers_come_uncut(run: &Run) {
    let mut cut = Vec::new();
    for (answer, exchange) in exchanged(run) {
        let Some(exchange) = exchange else { continue };
        if answer.text.trim_end() != exchange.text.trim_end() {
            let (given, sent) = (exchange.text.len(), answer.raw.len());
            let what = format!("{} {}", exchange.tool, exchange.arguments);
            let same = answer.text.bytes().zip(exchange.text.bytes()).take_while(|(a, b)| a == b);
            let rest = answer.text.get(same.count()..).unwrap_or_default();
            cut.push(format!("{what}: {sent} of {given} bytes, from: {:?}", start(rest)));
        }
    }
    assert!(
        cut.is_empty(),
        "{} answers are not as they were given:\n{}",
        cut.len(),
        cut.join("\n")
    );
}

pub(crate) fn nothing_fails(run: &Run) {
    for (answer, exchange) in exchanged(run) {
        let what = format!("{} {}", answer.call.tool, answer.call.arguments);
        let exchange =
            exchange.unwrap_or_else(|| panic!("{what} came to no server: {}", start(&answer.text)));
        assert!(!exchange.is_error, "{what}: {}", exchange.text);
        assert!(!answer.is_error, "{what}: {}", start(&answer.text));
    }
}

pub(crate) fn the_agent_ends_well(run: &Run) {
    assert_eq!(run.code, Some(0), "{}", run.printed);
    for (at, plan) in run.plans.iter().enumerate() {
        let planned: usize = plan.steps.iter().map(Vec::len).sum();
        assert_eq!(answers(run, at).len(), planned, "{}", run.printed);
    }
}

/// What the hook put in the place of a result.
fn hook_text(hooked: &Hooked) -> Option<&str> {
    if let Some(reason) = hooked.answered.as_ref()?["reason"].as_str() {
        return Some(reason);
    }
    if let Some(output) = hooked.answered.as_ref()?["output"].as_str() {
        return Some(output);
    }
    let updated = &hooked.answered.as_ref()?["hookSpecificOutput"]["updatedToolOutput"];
    updated["stdout"].as_str().or(updated["file"]["content"].as_str())
}

/// Calls of the agent's own tools with what the hook made of their results.
fn hooked(run: &Run) -> Vec<(Answer<'_>, &Hooked, &str)> {
    let mut all_hooked = Vec::new();
    for answer in all(run) {
        let hooked = run.hooked.iter().find(|hooked| hooked.told["tool_use_id"] == *answer.id);
        if let Some((hooked, text)) = hooked.and_then(|hooked| Some((hooked, hook_text(hooked)?))) {
            all_hooked.push((answer, hooked, text));
        }
    }
    all_hooked
}

pub(crate) fn the_hook_points_at_what_was_read(run: &Run) {
    let hooked = hooked(run);
    let points = hooked.iter().any(|(answer, ..)| !claims(answer).is_empty());
    assert!(points, "{} answers of {}", hooked.len(), run.hooked.len());
}

/// Each text that a hook gave stands in what the model read, whatever the agent puts around it.
pub(crate) fn what_the_hook_gives_is_read(run: &Run) {
    let given: Vec<&str> = run.hooked.iter().filter_map(hook_text).collect();
    assert!(!given.is_empty(), "{} events, none answered\n{}", run.hooked.len(), run.printed);
    for text in given {
        let is_read = all(run).iter().any(|answer| answer.text.contains(text.trim()));
        assert!(is_read, "nobody read {}", start(text));
    }
}

/// Every read gives the whole file, for nobody shapes it.
pub(crate) fn reads_come_whole(run: &Run) {
    let mut count = 0;
    for answer in all(run).iter().filter(|answer| answer.call.tool == "read") {
        let file = answer.call.arguments["path"].as_str();
        let file = file.or(answer.call.arguments["filePath"].as_str()).unwrap_or_default();
        comes_whole(answer, file);
        count += 1;
    }
    assert!(count > 1, "{count} reads\n{}", run.printed);
}

pub(crate) fn what_the_hook_makes_of_output_is_read(run: &Run) {
    for (answer, _, text) in hooked(run).iter().filter(|(answer, ..)| answer.call.tool == "Bash") {
        let is_read = answer.text.trim() == text.trim();
        assert!(is_read, "{}\nis read as\n{}", start(text), start(&answer.text));
    }
}

pub(crate) fn what_the_hook_leaves_of_files_is_read(run: &Run) {
    for (answer, hooked, text) in
        hooked(run).iter().filter(|(answer, ..)| answer.call.tool == "Read")
    {
        let file = &hooked.told["tool_input"]["file_path"];
        let shown = shown_lines(answer);
        for line in text.lines() {
            let is_read = shown.iter().any(|(_, _, read)| read == line);
            assert!(is_read, "{file}: {line:?} is not in\n{}", start(&answer.text));
        }
        assert!(!text.trim().is_empty(), "{file}: nothing but {:?} is left", answer.text);
    }
}

/// With the lines of the file in the place of each note, the command's output is there again.
pub(crate) fn notes_of_the_hook_stand_for_what_was_printed(run: &Run) {
    let mut wrong = Vec::new();
    for (answer, hooked, text) in hooked(run) {
        let Some(printed) = hooked.told["tool_response"]["stdout"].as_str() else { continue };
        let Some(again) = with_lines(&answer, text) else { continue };
        if again.trim_end() != printed.trim_end() {
            let (again, printed) = (start(&again), start(printed));
            wrong.push(format!(
                "{}: {text}\nstands for\n{again}\ninstead of\n{printed}",
                answer.call.arguments
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What foveal between agent and model does is seen by the model.
pub(crate) fn the_model_is_pointed_at_what_it_read(run: &Run) {
    let answers = all(run);
    let points = answers.iter().any(|answer| !claims(answer).is_empty());
    assert!(points, "{} answers without a note\n{}", answers.len(), run.printed);
}

/// Each request was answered, and together they were shorter than the agent made them.
pub(crate) fn less_goes_than_came(run: &Run) {
    let sum = |field: &str| run.told.iter().filter_map(|told| told[field].as_u64()).sum::<u64>();
    let (asked, sent) = (sum("bytes_asked"), sum("bytes_sent"));
    assert!(sent < asked, "{sent} of {asked} bytes\n{}", run.printed);
    for told in &run.told {
        assert_eq!((&told["status"], &told["failed_open"]), (&200.into(), &Value::Null), "{told}");
    }
}

/// What the model read once stands in all later requests as it was, but for output that goes
/// after the model has answered to it: once, leaving lines of it and notes by which it comes back.
pub(crate) fn what_was_read_stays_or_goes_once(run: &Run) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut gone: HashMap<&str, &str> = HashMap::new();
    for result in run.arrivals.iter().flat_map(|arrival| &arrival.results) {
        let first = *first.entry(&result.id).or_insert(&result.text);
        match gone.get(&*result.id) {
            Some(left) => assert_eq!(*left, result.text, "{}", result.id),
            None if first == result.text => {}
            None => {
                gone.insert(&result.id, &result.text);
            }
        }
    }
    assert!(first.len() > 5, "{} results\n{}", first.len(), run.printed);
    for answer in all(run).iter().filter(|answer| gone.contains_key(answer.id)) {
        let left = gone[answer.id];
        assert_eq!(file_of(answer), None, "{} of {}", start(left), answer.call.arguments);
        comes_back(run, answer, left);
    }
}

/// What is left of an answer is shorter than it was; what both leave out, the program has.
fn comes_back(run: &Run, answer: &Answer<'_>, left: &str) {
    assert!(left.len() < answer.raw.len(), "{} became {left}", start(answer.raw));
    let handle = left.lines().find_map(left_out).map(|(_, handle)| handle);
    let handle = handle.unwrap_or_else(|| panic!("no note in {left}"));
    let whole = run.expand(handle);
    for shown in [answer.raw, left] {
        // Behind a last line break, notes count an empty line.
        let mut rest = whole.split('\n');
        for line in shown.split('\n') {
            let Some((count, of)) = left_out(line) else {
                assert_eq!(rest.next(), Some(line), "in {}", start(shown));
                continue;
            };
            assert_eq!(rest.by_ref().take(count).count(), count, "in {}", start(shown));
            assert_eq!(of, handle, "in {}", start(shown));
        }
        assert!(rest.all(str::is_empty), "{} ends before", start(shown));
    }
}
