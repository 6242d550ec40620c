//! Views by a model: what it is asked, what comes of answers, and every way back to the file.

use std::sync::{Arc, Mutex};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::views::model_curator::{
    CompletionError, CompletionModel, Curation, CurationError, CurationRequest, ModelCurator,
    UnusableAnswer,
};
use foveal_engine::views::{
    CurationAmount, LineSelection, ReadContext, ReadText, ViewRequest, ViewSource,
};
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::parse_fixture;
use foveal_transcript::{Conversation, EntryIndex, LineNumber};
use proptest::prelude::*;

/// Gives these answers in turn, the last again and again, and notes what it was asked.
#[derive(Debug, Clone, Default)]
struct Scripted {
    answers: Vec<Result<String, CompletionError>>,
    asked: Arc<Mutex<Vec<CurationRequest>>>,
}

impl Scripted {
    fn new(answers: &[&str]) -> Self {
        let answers = answers.iter().map(|answer| Ok((*answer).to_owned())).collect();
        Self { answers, ..Self::default() }
    }
}

impl CompletionModel for Scripted {
    fn complete(&self, request: &CurationRequest) -> Result<String, CompletionError> {
        let mut asked = self.asked.lock().expect("no thread panicked");
        asked.push(request.clone());
        let at = (asked.len() - 1).min(self.answers.len() - 1);
        self.answers[at].clone()
    }
}

const CURATED: ViewRequest = ViewRequest::Curated(CurationAmount::Adaptive);

/// A read of twenty lines, numbered from `first`.
fn with_read<T>(
    conversation: &Conversation,
    first: u32,
    then: impl FnOnce(&ReadContext<'_>) -> T,
) -> T {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let text: String = (0..20).map(|at| format!("line {}\n", first + at)).collect();
    let upto = EntryIndex(conversation.entries().len() as u32);
    let first = LineNumber(first);
    then(&ReadContext {
        record: &record,
        upto,
        path: "/w/a.rs",
        first,
        text: &ReadText::from(&*text),
    })
}

fn chosen(model: Scripted, first: u32) -> Result<Curation, CurationError> {
    let conversation = parse_fixture("//- user\nWhy does it fail?");
    with_read(&conversation, first, |read| ModelCurator::new(model).curate(read, CURATED))
}

/// `5-9 12-12 (30 %) asked 1`, or what is said of the way back.
fn told(answers: &[&str], first: u32) -> String {
    let model = Scripted::new(answers);
    let asked = Arc::clone(&model.asked);
    let text = match chosen(model, first) {
        Ok(curation) => {
            let ranges = curation.view.lines.iter();
            let ranges: Vec<_> = ranges.map(|(a, b)| format!("{}-{}", a.0, b.0)).collect();
            format!("{} ({} %)", ranges.join(" "), curation.preserved_percentage())
        }
        Err(fallback) => fallback.to_string(),
    };
    format!("{text}; asked {}", asked.lock().expect("no thread panicked").len())
}

fn ranges(ranges: &str) -> String {
    format!(r#"{{"line_ranges":[{ranges}],"summary":"x","preserved_percentage":99}}"#)
}

#[test]
fn ranges_are_clipped_merged_and_counted() {
    for (listed, first, expected) in [
        (r#"{"start":5,"end":9,"reason":"x"}"#, 1, "5-9 (25 %); asked 1"),
        // Out of order, overlapping and adjacent.
        (
            r#"{"start":12,"end":14},{"start":1,"end":3},{"start":13,"end":16},{"start":4,"end":4}"#,
            1,
            "1-4 12-16 (45 %); asked 1",
        ),
        (r#"{"start":0,"end":2},{"start":19,"end":900}"#, 1, "1-2 19-20 (20 %); asked 1"),
        (r#"{"start":-9223372036854775808,"end":9223372036854775807}"#, 1, "1-20 (100 %); asked 1"),
        // Numbers of the file, not of the part that was read.
        (
            r#"{"start":1,"end":102},{"start":120,"end":130}"#,
            101,
            "101-102 120-120 (15 %); asked 1",
        ),
        // Skipped: backwards, outside, no numbers.
        (
            r#"{"start":9,"end":5},{"start":21,"end":30},{"start":-3,"end":0},{"start":"a","end":3},{"start":1.5,"end":3},7,null,{"start":2},{"start":"3","end":4.0}"#,
            1,
            "3-4 (10 %); asked 1",
        ),
    ] {
        assert_eq!(told(&[&ranges(listed)], first), expected, "{listed}");
    }
}

#[test]
fn the_object_is_found_wherever_it_stands() {
    let object = ranges(r#"{"start":2,"end":3}"#);
    let other = ranges(r#"{"start":9,"end":9}"#);
    let quoted = r#"The file holds {"error": "no"} and {x}."#;
    for answer in [
        object.clone(),
        format!("```json\n{object}\n```"),
        format!("Here {{ it is: {object} I hope that helps {{}}"),
        format!("First I thought of {other}, but no:\n{object}"),
        format!("{quoted}\n{object}\n{quoted}"),
        format!(r#"{{"result":{object}}}"#),
    ] {
        assert_eq!(told(&[&answer], 1), "2-3 (10 %); asked 1", "{answer}");
    }
}

#[test]
fn what_the_model_says_is_kept_but_for_its_percentage() {
    let model = Scripted::new(&[
        r#"{"line_ranges":[{"start":3,"end":4,"reason":" b "},{"start":1,"end":2,"reason":"a"},{"start":9,"end":8,"reason":"c"}],"summary":"s","preserved_percentage":99}"#,
    ]);
    let curation = chosen(model, 1).expect("the answer is good");
    let reasons: Vec<_> = curation
        .reasons
        .iter()
        .map(|reason| (reason.first.0, reason.last.0, &*reason.text))
        .collect();
    assert_eq!(reasons, [(3, 4, "b"), (1, 2, "a")]);
    assert_eq!(
        (curation.summary.as_deref(), curation.lines, curation.lines_kept),
        (Some("s"), 20, 4)
    );
    assert_eq!(curation.preserved_percentage(), 20.0);
}

#[test]
fn there_are_ways_back_to_the_whole_file() {
    let good = ranges(r#"{"start":2,"end":3}"#);
    let none = "the answer holds no JSON object with `line_ranges`";
    for (answers, expected) in [
        (vec!["no idea", "none"], format!("{none}, 2 times; asked 2")),
        (vec!["no idea", &good], "2-3 (10 %); asked 2".to_owned()),
        (vec![""], format!("{none}, 2 times; asked 2")),
        (vec![r#"{"line_ranges":"all"}"#], format!("{none}, 2 times; asked 2")),
        (vec![r#"{"line_ranges":[{"start":2,"end":3}"#], format!("{none}, 2 times; asked 2")),
        (
            vec![r#"{"line_ranges":[{"start":50,"end":60}]}"#],
            "no range of the answer has lines of the file, 2 times; asked 2".to_owned(),
        ),
        (vec![r#"{"line_ranges":[]}"#, &good], "2-3 (10 %); asked 2".to_owned()),
        (
            vec![r#"{"error":"overloaded"}"#, &good],
            "the model answered with an error: overloaded; asked 1".to_owned(),
        ),
        (
            vec!["Error: out of credit", &good],
            "the model answered with an error: Error: out of credit; asked 1".to_owned(),
        ),
        (
            vec![r#"{"line_ranges":[{"start":1,"end":2}],"error":"cut off"}"#],
            "the model answered with an error: cut off; asked 1".to_owned(),
        ),
    ] {
        assert_eq!(told(&answers, 1), expected, "{answers:?}");
    }
    for error in
        [CompletionError::TimedOut, CompletionError::Failed { message: "no route".to_owned() }]
    {
        let model = Scripted { answers: vec![Err(error.clone())], ..Scripted::default() };
        let asked = Arc::clone(&model.asked);
        assert_eq!(chosen(model, 1), Err(CurationError::RequestFailed(error)));
        assert_eq!(asked.lock().expect("no thread panicked").len(), 1);
    }
}

#[test]
fn only_files_that_fit_are_asked_about_and_only_as_they_are_read() {
    let model = Scripted::new(&[&ranges(r#"{"start":2,"end":3}"#)]);
    let asked = Arc::clone(&model.asked);
    let views = ModelCurator::new(model).with_context_limit(Tokens(1_550));
    let conversation = parse_fixture("//- user\nWhy?");
    with_read(&conversation, 1, |read| {
        let fallback = views.curate(read, CURATED).expect_err("it is too long");
        let CurationError::TooLong { tokens, tokens_max: Tokens(50) } = fallback else {
            panic!("{fallback:?}")
        };
        assert!(tokens > Tokens(50));
        let summary = ViewRequest::Summary(Tokens(100));
        assert_eq!(views.curate(read, summary), Err(CurationError::UnsupportedRequest));
        assert_eq!(views.choose_view(read, summary), None);
    });
    assert!(asked.lock().expect("no thread panicked").is_empty());
}

/// Of a file that is too long for one question the parts are asked about, by their own numbers.
#[test]
fn long_files_are_asked_about_in_parts() {
    let all =
        ranges(r#"{"start":5,"end":6,"reason":"early"},{"start":1900,"end":9000,"reason":"late"}"#);
    let model = Scripted::new(&[&all, "{\"line_ranges\":[]}", "{\"line_ranges\":[]}", &all]);
    let asked = Arc::clone(&model.asked);
    let record =
        ConversationRecord::from_conversation(parse_fixture("//- user\nWhy?"), Tokenizer::O200k);
    let text: String = (1..=2_000).map(|at| format!("line {at}\n")).collect();
    let (upto, first) = (EntryIndex(1), LineNumber(1));
    let read = ReadContext {
        record: &record,
        upto,
        path: "/w/a.rs",
        first,
        text: &ReadText::from(&*text),
    };
    let views = ModelCurator::new(model).with_context_limit(Tokens(9_500));
    let chosen = views.curate(&read, CURATED).expect("the parts fit");
    let asked = asked.lock().expect("no thread panicked");
    assert_eq!(asked.len(), 4, "the middle one twice");
    let lines: Vec<(u32, u32)> = chosen.view.lines.iter().map(|(a, b)| (a.0, b.0)).collect();
    assert_eq!(lines, [(5, 6), (1_900, 2_000)]);
    assert_eq!((chosen.lines, chosen.lines_kept), (2_000, 103));
    assert_eq!(chosen.reasons.len(), 2);
    // Each line is in one part.
    let parts: Vec<&str> =
        [0, 1, 3].map(|at| asked[at].user.split_once("lines):\n").expect("a file").1).to_vec();
    let shown: usize =
        parts.iter().map(|part| part.lines().filter(|it| it.contains(": line ")).count()).sum();
    assert_eq!(shown, 2_000);
    // None of them says anything.
    let none = ModelCurator::new(Scripted::new(&["{\"line_ranges\":[]}"]))
        .with_context_limit(Tokens(9_500));
    let unusable = UnusableAnswer::NoLines;
    assert_eq!(none.curate(&read, CURATED), Err(CurationError::Unusable { unusable, attempts: 2 }));
}

/// Keeps these lines, and notes how much it was asked for.
#[derive(Debug, Default)]
struct Keeps(Vec<(u32, u32)>, Mutex<Vec<ViewRequest>>);

impl ViewSource for Keeps {
    fn choose_view(&self, _: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.1.lock().expect("no thread panicked").push(wanted);
        let lines = self.0.iter().map(|(first, last)| (LineNumber(*first), LineNumber(*last)));
        Some(LineSelection { lines: lines.collect(), ..LineSelection::default() })
    }
}

/// Of a file that would take too many questions the model is asked about what somebody else chose.
#[test]
fn very_long_files_are_asked_about_as_far_as_they_are_likely_to_matter() {
    let answer = ranges(r#"{"start":30,"end":2005,"reason":"both"},{"start":3000,"end":3001}"#);
    let text: String = (1..=9_000).map(|at| format!("line {at}\n")).collect();
    let record =
        ConversationRecord::from_conversation(parse_fixture("//- user\nWhy?"), Tokenizer::O200k);
    let (upto, first) = (EntryIndex(1), LineNumber(1));
    let read = ReadContext {
        record: &record,
        upto,
        path: "/w/a.rs",
        first,
        text: &ReadText::from(&*text),
    };
    let ask = |answer: &str, before: Option<Arc<Keeps>>| {
        let model = Scripted::new(&[answer]);
        let asked = Arc::clone(&model.asked);
        let views = ModelCurator::new(model).with_context_limit(Tokens(5_000));
        let views = match before {
            Some(before) => views.with_preselector(before),
            None => views,
        };
        let chosen = views.curate(&read, CURATED);
        let asked = asked.lock().expect("no thread panicked").clone();
        (chosen, asked)
    };
    let (alone, asked) = ask(&answer, None);
    assert!(matches!(alone, Err(CurationError::TooLong { .. })) && asked.is_empty());
    let before = Arc::new(Keeps(vec![(2_000, 2_010), (10, 40)], Mutex::default()));
    let (chosen, asked) = ask(&answer, Some(Arc::clone(&before)));
    let chosen = chosen.expect("what was chosen first fits");
    let lines: Vec<(u32, u32)> = chosen.view.lines.iter().map(|(a, b)| (a.0, b.0)).collect();
    assert_eq!(lines, [(30, 40), (2_000, 2_005)]);
    assert_eq!((chosen.lines, chosen.lines_kept), (9_000, 17));
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    let shown = asked.user.split_once("lines):\n").expect("a file").1;
    let shown: Vec<&str> = shown.lines().collect();
    assert_eq!(shown[..2], ["(9 lines that are not in question)", "10: line 10"]);
    assert_eq!(shown[32..34], ["(1959 lines that are not in question)", "2000: line 2000"]);
    assert_eq!(shown.last(), Some(&"(6990 lines that are not in question)"));
    assert_eq!(shown.len(), 31 + 11 + 3);
    let wanted = before.1.lock().expect("no thread panicked").clone();
    let [ViewRequest::Curated(CurationAmount::Share(share))] = wanted.as_slice() else {
        panic!("{wanted:?}")
    };
    assert!((0.01..0.2).contains(share), "{share}");
    // Lines alone that it was not asked about are none.
    let other = ranges(r#"{"start":3000,"end":3001}"#);
    let (none, _) = ask(&other, Some(before));
    let unusable = UnusableAnswer::NoLines;
    assert_eq!(none, Err(CurationError::Unusable { unusable, attempts: 1 }));
    // What still does not fit is not asked about.
    let (none, asked) = ask(&answer, Some(Arc::new(Keeps(vec![(1, 9_000)], Mutex::default()))));
    assert!(matches!(none, Err(CurationError::TooLong { .. })) && asked.is_empty());
}

/// What the model says stands beside the lines, as a model's words.
#[test]
fn reasons_and_summary_are_remarks() {
    let answer = r#"{"line_ranges":[{"start":3,"end":4,"reason":"[imports]\nexpand 1234"}],
        "summary":"all of it"}"#;
    let views = ModelCurator::new(Scripted::new(&[answer]));
    let view =
        with_read(&parse_fixture("//- user\nWhy?"), 1, |read| views.choose_view(read, CURATED));
    let remarks = view.expect("it is good").remarks;
    let told: Vec<(u32, &str)> = remarks.iter().map(|it| (it.line.0, &*it.text)).collect();
    assert_eq!(
        told,
        [
            (3, "a model chose what is shown, and says: all of it"),
            (3, "a model chose these lines: (imports) expand\u{a0}1234"),
        ]
    );
}

#[test]
fn the_model_is_told_the_conversation_and_the_numbered_file() {
    let long = "ä".repeat(400);
    let text = format!(
        "//- system\nBe careful.\n//- user\nWhy does it fail?\n//- call Grep {{\"pattern\":\"x\"}}\n\
         //- result\nnothing\n//- injected\nRemember.\n//- assistant\n{long}"
    );
    let model = Scripted::new(&["?", &ranges(r#"{"start":7,"end":7}"#)]);
    let asked = Arc::clone(&model.asked);
    with_read(&parse_fixture(&text), 7, |read| {
        let wanted = ViewRequest::Curated(CurationAmount::Share(0.3));
        ModelCurator::new(model).curate(read, wanted).expect("the second answer is good");
    });
    let asked = asked.lock().expect("no thread panicked");
    let file: String = (7..27).map(|at| format!("{at}: line {at}\n")).collect();
    let cut = "ä".repeat(299);
    let expected = format!(
        "The conversation, the latest message last:\nUser: Why does it fail?\n\
         Assistant: [calls Grep {{\"pattern\":\"x\"}}]\nAssistant: {cut}…\n\n\
         Choose 6 lines at most.\n\nThe file /w/a.rs (20 lines):\n{file}"
    );
    assert_eq!(asked[0].user, expected);
    let shares = "30 to 50 % of a few hundred lines, 10 to 20 % of a thousand or more";
    assert!(asked[0].system.contains(shares), "{}", asked[0].system);
    assert_eq!((asked[0].temperature, asked[0].context_tokens_max), (0.3, Tokens(16_000)));
    let again = "\nYour last answer is of no use: the answer holds no JSON object with \
                 `line_ranges`. Answer again.\n";
    assert_eq!(asked[1].user, format!("{expected}{again}"));
}

#[test]
fn only_the_last_ten_messages_are_told() {
    let text: String = (0..30).map(|at| format!("//- user\nmessage {at}.\n")).collect();
    let model = Scripted::new(&[&ranges(r#"{"start":1,"end":2}"#)]);
    let asked = Arc::clone(&model.asked);
    with_read(&parse_fixture(&text), 1, |read| {
        ModelCurator::new(model).curate(read, CURATED).expect("the answer is good");
    });
    let user = &asked.lock().expect("no thread panicked")[0].user;
    assert!(!user.contains("message 19.") && user.contains("message 20."), "{user}");
    assert!(user.contains("message 29."));
}

#[test]
fn an_unusable_answer_is_an_error_and_no_view() {
    let model = Scripted::new(&[&ranges(r#"{"start":1,"end":2}"#), "?"]);
    let views = ModelCurator::new(model);
    let (shown, failed) = with_read(&parse_fixture("//- user\nWhy?"), 1, |read| {
        let shown = [
            views.choose_view(read, CURATED).is_some(),
            views.choose_view(read, CURATED).is_some(),
        ];
        (shown, views.curate(read, CURATED).map(|curation| curation.lines_kept))
    });
    assert_eq!(shown, [true, false]);
    let unusable = CurationError::Unusable { unusable: UnusableAnswer::NoRanges, attempts: 2 };
    assert_eq!(failed, Err(unusable));
}

/// Something like an answer.
fn answers() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        4 => (-5..30i64).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| serde_json::json!(number).to_string()),
        1 => Just("\"3\"".to_owned()),
        1 => Just("null".to_owned()),
    ];
    let range = (number.clone(), number)
        .prop_map(|(start, end)| format!(r#"{{"start":{start},"end":{end},"reason":"}}{{"}}"#));
    let object = prop::collection::vec(range, 0..6).prop_map(|listed| ranges(&listed.join(",")));
    prop_oneof![
        4 => object.clone(),
        1 => ("\\PC{0,40}", object.clone(), "\\PC{0,40}").prop_map(|(a, o, b)| format!("{a}{o}{b}")),
        1 => (object, 0..80usize).prop_map(|(o, at)| o.chars().take(at).collect()),
        1 => prop::collection::vec(any::<u8>(), 0..200)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1 => "[{}\\[\\]\":,a-z0-9 ]{0,120}".prop_map(|text| text),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_answered_a_view_is_of_lines_of_the_file(
        answer in answers(),
        first in prop_oneof![Just(1u32), 1..40u32, Just(u32::MAX - 19)],
    ) {
        let model = Scripted::new(&[&answer]);
        if let Ok(curation) = chosen(model, first) {
            let lines = &curation.view.lines;
            prop_assert!(!lines.is_empty());
            let mut end = None;
            let mut kept = 0;
            for (from, to) in lines {
                prop_assert!(first <= from.0 && from <= to && to.0 - first < 20);
                prop_assert!(end.is_none_or(|end: u32| end + 1 < from.0), "{lines:?}");
                end = Some(to.0);
                kept += to.0 - from.0 + 1;
            }
            prop_assert_eq!(curation.lines_kept, kept);
            let percentage = curation.preserved_percentage();
            prop_assert!(percentage > 0.0 && percentage <= 100.0);
        }
    }

    #[test]
    fn good_answers_choose_what_a_naive_reader_would(
        listed in prop::collection::vec((-5..30i64, -5..30i64), 1..6),
    ) {
        let texts: Vec<String> =
            listed.iter().map(|(start, end)| format!(r#"{{"start":{start},"end":{end}}}"#)).collect();
        let wanted: Vec<u32> = (1..=20)
            .filter(|line| listed.iter().any(|(a, b)| *a <= i64::from(*line) && i64::from(*line) <= *b))
            .collect();
        let found = chosen(Scripted::new(&[&ranges(&texts.join(","))]), 1);
        let found: Vec<u32> = (1..=20)
            .filter(|line| found.as_ref().is_ok_and(|found| found.view.contains_line(LineNumber(*line))))
            .collect();
        prop_assert_eq!(found, wanted);
    }
}
