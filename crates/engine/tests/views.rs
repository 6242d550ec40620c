//! Views of reads: what is asked for, what is recorded, and what a prompt then shows.

use std::sync::{Arc, Mutex};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::settings::Settings;
use foveal_engine::views::{LineLabel, LineSelection, ReadContext, ViewRequest, ViewSource};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::laws::{answers_to_plan, eager_view_settings, request_time};
use foveal_testkit::{parse_fixture, prompt_text};
use foveal_transcript::LineNumber;

/// Answers the same whatever is asked, and notes what was.
#[derive(Debug, Default)]
struct Fixed {
    view: LineSelection,
    asked: Mutex<Vec<ViewRequest>>,
    /// The reads that were asked about, and those that it was told of before.
    reads: Mutex<Vec<(String, String)>>,
    told: Mutex<Vec<(String, String)>>,
}

impl ViewSource for Fixed {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.asked.lock().expect("no thread panicked").push(wanted);
        let read = (read.path.to_owned(), read.text.to_string());
        self.reads.lock().expect("no thread panicked").push(read);
        Some(self.view.clone())
    }

    fn supports_prefetch(&self) -> bool {
        true
    }

    fn announce_read(&self, read: &ReadContext<'_>, wanted: ViewRequest) {
        assert!(matches!(wanted, ViewRequest::Summary(Tokens(1..=200))), "{wanted:?}");
        let read = (read.path.to_owned(), read.text.to_string());
        self.told.lock().expect("no thread panicked").push(read);
    }
}

fn label(line: u32, text: &str) -> LineLabel {
    LineLabel { line: LineNumber(line), text: text.into() }
}

fn view(lines: &[(u32, u32)], names: Vec<LineLabel>, remarks: Vec<LineLabel>) -> LineSelection {
    let ends = |(first, last): &(u32, u32)| (LineNumber(*first), LineNumber(*last));
    LineSelection {
        lines: lines.iter().map(ends).collect(),
        names,
        remarks,
        sort: None,
        by: None,
        is_exact: false,
    }
}

/// Old reads are summarised, first ones shown in full.
fn settings() -> Settings {
    Settings { curate: None, ..eager_view_settings() }
}

/// A result that is old when the cache has expired.
fn old(call: &str, result: &str) -> String {
    let talk = "//- assistant\nHm.\n//- user\nGo on.\n".repeat(2);
    let end = "//- assistant\nHm.\n//- user @+301s\nNow.";
    format!("//- user\nLook.\n//- call {call}\n//- result\n{result}\n{talk}{end}")
}

fn planner(views: &Arc<Fixed>) -> Planner {
    let planner = Planner::new(settings(), PriceCard::anthropic_5m());
    planner.with_view_source(Arc::clone(views) as Arc<dyn ViewSource>)
}

/// What the last prompt shows of the old result of `call`; handles are spelled `HANDLE`.
fn shown(view: LineSelection, call: &str, result: &str) -> String {
    let views = Arc::new(Fixed { view, ..Fixed::default() });
    let text = prompt_text(
        &parse_fixture(&old(call, result)),
        Projector::Engine(Box::new(planner(&views))),
    );
    let of_result = text.split("//- ").nth(3).and_then(|entry| entry.split_once('\n'));
    let text = of_result.map_or_else(String::new, |(_, text)| text.trim_end().to_owned());
    let mut parts = text.split("; expand ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| format!("{text}; expand HANDLE{}", &part[12..]))
}

#[track_caller]
fn check(view: LineSelection, call: &str, result: &str, expected: &str) {
    assert_eq!(shown(view, call, result), expected);
}

/// All steps of the conversation with an old result.
fn steps(views: &Arc<Fixed>, call: &str, result: &str) -> Vec<PlanStep> {
    let conversation = parse_fixture(&old(call, result));
    let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
    let mut planner = planner(views);
    let answers = answers_to_plan(&record).into_iter();
    answers
        .map(|answer| {
            let now = request_time(&record, answer);
            planner.advance(&record, answer, now)
        })
        .collect()
}

const CAT: &str = "Bash {\"command\":\"cat /w/a.py\"}";
const READ: &str = "Read {\"file_path\":\"/w/a.py\"}";

fn lines(numbers: std::ops::RangeInclusive<u32>) -> String {
    let lines: Vec<_> = numbers.map(|at| format!("value_{at} = make({at})")).collect();
    lines.join("\n")
}

fn numbered(numbers: std::ops::RangeInclusive<u32>) -> String {
    let lines: Vec<_> =
        numbers.map(|at| format!("{at:6}\u{2192}value_{at} = make({at})")).collect();
    lines.join("\n")
}

#[test]
fn a_read_that_may_be_asked_about_is_told_of_once_when_it_comes() {
    // One line is too few to be asked about.
    for (count, is_told) in [(1, false), (8, true), (200, true)] {
        let views = Arc::new(Fixed::default());
        steps(&views, CAT, &lines(1..=count));
        let told = views.told.lock().expect("no thread panicked").clone();
        let reads = views.reads.lock().expect("no thread panicked").clone();
        assert_eq!(told, reads, "{count} lines");
        assert_eq!(told.len(), usize::from(is_told), "{count} lines");
    }
}

#[test]
fn a_summary_is_asked_to_be_smaller_than_what_stands() {
    for (count, expected) in [(8, 16), (16, 32), (200, 80)] {
        let views = Arc::new(Fixed::default());
        steps(&views, CAT, &lines(1..=count));
        let asked = views.asked.lock().expect("no thread panicked").clone();
        assert_eq!(asked, [ViewRequest::Summary(Tokens(expected))], "{count} lines");
    }
}

#[test]
fn what_would_be_larger_than_what_stands_is_not_sent() {
    let remark = label(1, &"makes another value of it, ".repeat(4));
    let few = view(&[(1, 8)], Vec::new(), vec![remark]);
    let standing = "\
[every 10th line numbered]
1\u{2192}value_1 = make(1)
value_2 = make(2)
value_3 = make(3)
value_4 = make(4)
value_5 = make(5)
value_6 = make(6)
value_7 = make(7)
value_8 = make(8)
value_9 = make(9)
10\u{2192}value_10 = make(10)
value_11 = make(11)
value_12 = make(12)";
    check(few, READ, &numbered(1..=12), standing);
}

#[test]
fn what_a_client_cut_off_is_not_kept_without_being_chosen() {
    let cut = format!("{}\n...1234 tokens truncated...\n{}", lines(1..=20), lines(80..=99));
    check(
        view(&[(9, 9)], Vec::new(), Vec::new()),
        CAT,
        &cut,
        "\
[1-8 left out; expand HANDLE]
value_9 = make(9)
[10-20 left out]
...1234 tokens truncated...
[20 lines, 400 bytes left out; expand HANDLE]",
    );
}

#[test]
fn as_many_names_are_recorded_as_are_told() {
    let name = |at: u32| label(at, &format!("value_{at}"));
    let mut names: Vec<LineLabel> = (1..=30).map(name).collect();
    names.extend([name(4), label(7, "value_8"), label(4_000_000_000, "value")]);
    let view = view(&[(12, 13), (25, 40), (13, 14)], names, vec![label(2, "unseen")]);
    let told = "\
[1-11 left out: value_1, value_2, value_3, value_4, value_5, value_6 and more; expand HANDLE]
value_12 = make(12)
value_13 = make(13)
value_14 = make(14)
[15-24 left out: value_15, value_16, value_17, value_18, value_19, value_20 and more]
";
    let rest = lines(25..=40);
    check(view.clone(), CAT, &lines(1..=40), &format!("{told}{rest}"));
    let views = Arc::new(Fixed { view, ..Fixed::default() });
    let steps = steps(&views, CAT, &lines(1..=40));
    let chosen: Vec<_> = steps.iter().flat_map(|step| &step.chosen).collect();
    let [chosen] = chosen.as_slice() else { panic!("{chosen:?}") };
    let names: Vec<u32> = chosen.view.names.iter().map(|name| name.line.0).collect();
    assert_eq!(names, [1, 2, 3, 4, 5, 6, 7, 15, 16, 17, 18, 19, 20, 21]);
    assert_eq!(chosen.view.remarks, []);
}

#[test]
fn the_last_of_all_line_numbers_is_none() {
    let result = "4294967294\u{2192}a\n4294967295\u{2192}b".to_owned();
    let long: String = (0..40).map(|at| format!("\n4294967295\u{2192}line {at}")).collect();
    let call = "Read {\"file_path\":\"/w/a.py\",\"offset\":4294967294}";
    let text = shown(LineSelection::default(), call, &format!("{result}{long}"));
    assert!(text.contains("; expand HANDLE"), "{text}");
}

/// Foveal's own headings tell which lines of a read of several files belong to which; a command
/// that prints several files has none.
#[test]
fn each_file_of_several_gets_a_view() {
    let body = |path: &str| format!("File: {path}\nTotal lines: 40\n{}", numbered(1..=40));
    let result = format!("{}\n{}", body("a.py"), body("sub/a.py"));
    let view = view(&[(1, 2), (39, 40)], vec![label(9, "value_9")], Vec::new());
    let asked = |call: &str, result: &str| {
        let views = Arc::new(Fixed { view: view.clone(), ..Fixed::default() });
        let settings = Settings { shapes_own: true, ..eager_view_settings() };
        let planner = Planner::new(settings, PriceCard::anthropic_5m());
        let planner = planner.with_view_source(Arc::clone(&views) as Arc<dyn ViewSource>);
        let fixture = format!("//- user\nLook.\n//- call {call}\n//- result\n{result}\n");
        let text = prompt_text(
            &parse_fixture(&format!("{fixture}//- assistant\nHm.")),
            Projector::Engine(Box::new(planner)),
        );
        let reads = views.reads.lock().expect("no thread panicked").clone();
        (reads.into_iter().map(|(path, _)| path).collect::<Vec<_>>(), text)
    };
    let (paths, text) = asked("read_files {\"paths\":[\"/w/a.py\",\"/w/sub/a.py\"]}", &result);
    assert_eq!(paths, ["/w/a.py", "/w/sub/a.py"], "{text}");
    assert_eq!(text.matches("[curated: 4 of 40 lines (10.0 %)]").count(), 2, "{text}");
    assert_eq!(text.matches("3-38 left out: value_9").count(), 2, "{text}");
    let printed = format!("{}\n{}", numbered(1..=40), numbered(1..=40));
    assert!(asked("Bash {\"command\":\"cat /w/a.py /w/sub/a.py\"}", &printed).0.is_empty());
}
