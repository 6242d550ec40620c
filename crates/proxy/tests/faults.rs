//! A recorder that fails, and requests that cannot be shaped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::{
    InMemoryRecorder, OriginalContent, PlannedStep, Recorder, RecorderError, StepRecord,
};
use foveal_proxy::request::{DecisionSlot, ShapeOutcome, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_transcript::{ContentHash, Timestamp};

use crate::support::{conversations, over};

/// A recorder that fails on demand.
#[derive(Default)]
struct Failing {
    kept: InMemoryRecorder,
    fails: AtomicBool,
}

impl Failing {
    fn works(&self) -> Result<&InMemoryRecorder, RecorderError> {
        match self.fails.load(Ordering::SeqCst) {
            true => Err(RecorderError("the disk is full".to_owned())),
            false => Ok(&self.kept),
        }
    }
}

impl Recorder for Failing {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        self.works()?.find_steps(root, ends)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.works()?.has_any_step(ends)
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        self.works()?.record_step(turn, contents)
    }
}

/// Returns an output that is long enough to be cut.
pub(crate) fn output(seed: usize) -> String {
    (0..400).map(|line| format!("line {line} of run {seed}\\n")).collect()
}

/// Returns a body with so many program runs; `last` is the last question.
pub(crate) fn body(runs: usize, last: &str) -> Vec<u8> {
    let turns: String = (0..runs)
        .map(|run| {
            let call = format!(r#"{{"type":"tool_use","id":"c{run}","name":"Bash","input":{{"command":"./run {run}"}}}}"#);
            let result = format!(r#"{{"type":"tool_result","tool_use_id":"c{run}","content":"{}"}}"#, output(run));
            format!(r#",{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}"#)
        })
        .collect();
    let last = match last {
        "" => String::new(),
        text => format!(
            r#",{{"role":"assistant","content":"Done."}},{{"role":"user","content":"{text}"}}"#
        ),
    };
    format!(r#"{{"model":"claude-opus-4-5","messages":[{{"role":"user","content":"Run it."}}{turns}{last}]}}"#)
        .into_bytes()
}

pub(crate) fn ask(
    conversations: &RequestShaper,
    body: &[u8],
    change: impl FnOnce(&mut ShapeRequest<'_>),
) -> ShapeOutcome {
    let wait = DecisionSlot::default();
    let mut asked = asked(body, &wait);
    change(&mut asked);
    conversations.shape(&asked)
}

/// Returns a request of the Messages API.
pub(crate) fn asked<'a>(body: &'a [u8], wait: &'a DecisionSlot) -> ShapeRequest<'a> {
    ShapeRequest {
        protocol: Protocol::Messages,
        counts_tokens: false,
        model: None,
        body,
        now: Timestamp(0),
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: wait,
    }
}

pub(crate) fn text(shaped: &ShapeOutcome) -> String {
    String::from_utf8_lossy(shaped.body.as_deref().unwrap_or_default()).into_owned()
}

#[test]
fn long_output_is_cut() {
    let conversations = conversations("balanced");
    let shaped = ask(&conversations, &body(1, ""), |_| {});
    let text = text(&shaped);
    assert!(!text.is_empty() && text.len() < body(1, "").len() * 8 / 10, "{} bytes", text.len());
    assert!(shaped.report.tokens_sent < shaped.report.tokens_received, "{:?}", shaped.report);
    assert_eq!(shaped.report.inactive_reason, None);
}

#[test]
fn what_cannot_be_kept_is_not_used() {
    let recorder = Arc::new(Failing::default());
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let first = text(&ask(&conversations, &body(1, ""), |_| {}));
    recorder.fails.store(true, Ordering::SeqCst);
    let second = ask(&conversations, &body(2, ""), |_| {});
    let why = second.report.inactive_reason.clone().unwrap_or_default();
    assert!(why.contains("the disk is full"), "{why}");
    // The first result stays as it was sent, the second one is whole.
    let second = text(&second);
    let cut = first.len() - r#"]}"#.len();
    assert_eq!(second[..cut], first[..cut]);
    assert!(second.contains(&output(1)) && !second.contains(&output(0)));
    // The recorder works again: results that were sent whole are reduced later, in a declared
    // rewrite.
    recorder.fails.store(false, Ordering::SeqCst);
    let third = ask(&conversations, &body(3, ""), |_| {});
    assert!(third.report.rewrite.is_some());
    let third = text(&third);
    assert_eq!(third[..cut], first[..cut]);
    assert!(!third.contains(&output(1)) && !third.contains(&output(2)));
    // Another process finds all steps, also those that could not be recorded at first.
    let other = over("balanced", recorder);
    assert_eq!(text(&ask(&other, &body(3, ""), |_| {})), third);
}

#[test]
fn what_could_not_be_kept_outlives_its_place_in_memory() {
    const LATER: Timestamp = Timestamp(60 * 60 * 1000);
    let recorder = Arc::new(Failing::default());
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let first = text(&ask(&conversations, &body(1, ""), |_| {}));
    recorder.fails.store(true, Ordering::SeqCst);
    let whole = text(&ask(&conversations, &body(2, ""), |_| {}));
    assert!(whole.contains(&output(1)), "{whole}");
    recorder.fails.store(false, Ordering::SeqCst);
    // Another conversation evicts it.
    let other = String::from_utf8(body(1, "")).expect("text").replace("Run it.", "Try it.");
    ask(&conversations, other.as_bytes(), |asked| asked.now = LATER);
    assert_eq!(conversations.conversation_count(), 1);
    // While the provider's cache entry lives, only results that were sent whole change, and that is
    // declared.
    let third = ask(&conversations, &body(3, ""), |_| {});
    assert!(third.report.rewrite.is_some());
    let cut = first.len() - "]}".len();
    assert_eq!(text(&third)[..cut], first[..cut]);
}

#[test]
fn messages_count_however_short_they_are() {
    let mut rules = ShapingRules::from_profile("balanced").expect("a profile");
    rules.bytes_max = 2 << 20;
    let conversations = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    let short = r#",{"role":"assistant","content":"a"},{"role":"user","content":"b"}"#;
    for number in 0..8 {
        let many = format!(r#"Run {number}."}}{}"#, short.repeat(400));
        let body = String::from_utf8(body(1, "")).expect("text").replace(r#"Run it."}"#, &many);
        ask(&conversations, body.as_bytes(), |_| {});
    }
    assert!(
        conversations.conversation_count() <= 2,
        "{} of 800 messages are held",
        conversations.conversation_count()
    );
}

#[test]
fn another_model_is_decided_for_by_its_own_rules() {
    let conversations = conversations("balanced");
    let first = text(&ask(&conversations, &body(2, ""), |_| {}));
    let switched = String::from_utf8(body(3, "")).expect("text").replace("opus-4-5", "opus-5-5");
    let second = text(&ask(&conversations, switched.as_bytes(), |_| {}));
    let cut = first.len() - "]}".len();
    assert_eq!(second[..cut], first.replace("opus-4-5", "opus-5-5")[..cut]);
    assert!(!second.contains(&output(2)));
}

#[test]
fn contents_that_are_left_out_are_kept() {
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    ask(&conversations, &body(2, ""), |_| {});
    let contents = kept.contents();
    for run in 0..2 {
        assert!(contents.contains(&output(run).replace("\\n", "\n")), "{} kept", contents.len());
    }
}

#[test]
fn counting_decides_nothing() {
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    let counted = ask(&conversations, &body(1, ""), |asked| asked.counts_tokens = true);
    assert!(kept.contents().is_empty());
    // The body that would be sent is the one that is counted.
    assert_eq!(counted.body, ask(&conversations, &body(1, ""), |_| {}).body);
    let counted = ask(&conversations, &body(2, ""), |asked| asked.counts_tokens = true);
    assert_eq!(counted.body, ask(&conversations, &body(2, ""), |_| {}).body);
}

#[test]
fn a_summary_is_made_of_all_of_it() {
    let conversations = conversations("balanced");
    ask(&conversations, &body(2, ""), |_| {});
    let wanted = "Your task is to create a detailed summary of the conversation so far.";
    let summed = ask(&conversations, &body(2, wanted), |_| {});
    assert_eq!(summed.body, None);
    assert!(summed.report.inactive_reason.is_some_and(|why| why.contains("requests a summary")));
    // A model that accepts its thinking only behind the same prefix gets that prefix.
    let bound = |body: Vec<u8>| {
        let text = String::from_utf8(body).expect("text").replace("opus-4-5", "opus-5-5");
        text.into_bytes()
    };
    let before = text(&ask(&conversations, &bound(body(2, "")), |_| {}));
    let summed = text(&ask(&conversations, &bound(body(2, wanted)), |_| {}));
    let cut = before.len() - r#"]}"#.len();
    assert_eq!(summed[..cut], before[..cut]);
}

/// Codex's remote compaction ends with an item of its own instead of a question.
#[test]
fn a_compaction_by_the_provider_is_made_of_all_of_it() {
    let conversations = conversations("balanced");
    let out: String = (0..900).map(|n| format!("test case_{n} ... ok\\n")).collect();
    let body = |last: &str| {
        format!(
            r#"{{"model":"gpt-5.5-codex","store":false,"input":[{{"type":"message","role":"user",
            "content":[{{"type":"input_text","text":"work"}}]}},{{"type":"function_call",
            "call_id":"a","name":"exec_command","arguments":"{{\"cmd\":\"cargo test\"}}"}},
            {{"type":"function_call_output","call_id":"a","output":"{out}"}}{last}]}}"#
        )
    };
    let ask = |last: &str| {
        ask(&conversations, body(last).as_bytes(), |asked| asked.protocol = Protocol::Responses)
    };
    assert!(ask("").body.is_some());
    let compacted = ask(r#",{"type":"compaction_trigger"}"#);
    assert_eq!(compacted.body, None);
    assert!(compacted.report.inactive_reason.is_some_and(|why| why.contains("requests a summary")));
}

#[test]
fn nothing_is_done_where_nothing_can_be() {
    let conversations = conversations("balanced");
    let why = |body: &str, protocol| {
        let shaped = ask(&conversations, body.as_bytes(), |asked| asked.protocol = protocol);
        assert_eq!(shaped.body, None);
        shaped.report.inactive_reason.unwrap_or_default()
    };
    let earlier = r#"{"model":"m","previous_response_id":"r","input":[]}"#;
    assert!(why(earlier, Protocol::Responses).contains("kept by the provider"));
    assert!(!why("{", Protocol::Messages).is_empty());
    assert!(!why("[]", Protocol::Chat).is_empty());
    let cleared =
        r#"{"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},"messages":[]}"#;
    assert!(why(cleared, Protocol::Messages).contains("clear_tool_uses"));
    let off = ask(&conversations, &body(1, ""), |asked| asked.profile_override = Some("off"));
    assert_eq!(off.body, None);
    assert!(off.report.inactive_reason.is_some_and(|why| why.contains("off")));
}

#[test]
fn what_the_provider_compacted_away_is_left_alone() {
    let conversations = conversations("balanced");
    let compacted =
        r#"{"role":"assistant","content":[{"type":"compaction","content":"All ran."}]}"#;
    let text_of = |body: Vec<u8>| String::from_utf8(body).expect("text");
    let (before, after) = (text_of(body(1, "")), text_of(body(2, "")));
    let first = before.strip_suffix("]}").expect("an end");
    let rest = after.split_once("Run it.\"}").expect("a first message").1;
    let whole = format!("{first},{compacted},{{\"role\":\"user\",\"content\":\"On.\"}}{rest}");
    let went = text(&ask(&conversations, whole.as_bytes(), |_| {}));
    // Messages in front of it are sent unchanged, and no note behind it points there.
    assert_eq!(went[..first.len()], whole[..first.len()]);
    assert!(went.len() < whole.len() && !went.contains("above"), "{} bytes", went.len());
}

#[test]
fn a_record_of_something_else_is_passed_over() {
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    let went = ask(&conversations, &body(1, ""), |_| {});
    let damaged = Arc::new(Damaged(kept));
    let other = over("balanced", damaged);
    assert_eq!(ask(&other, &body(1, ""), |_| {}).report.inactive_reason, None);
    let next = text(&ask(&other, &body(2, ""), |_| {}));
    let cut = text(&went).len() - "]}".len();
    assert_eq!(next[..cut], text(&went)[..cut]);
}

/// Returns steps that were decided about longer conversations.
struct Damaged(Arc<InMemoryRecorder>);

impl Recorder for Damaged {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        let mut all = self.0.find_steps(root, ends)?;
        for planned in &mut all {
            let mut step = (*planned.step).clone();
            step.answer.0 += 7;
            planned.step = Arc::new(step);
        }
        Ok(all)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.0.has_any_step(ends)
    }

    fn record_step(&self, _: &StepRecord, _: &[OriginalContent<'_>]) -> Result<(), RecorderError> {
        Ok(())
    }
}

#[test]
fn two_that_go_on_from_one_beginning_do_not_mix() {
    let one = conversations("balanced");
    let fork = |to: &str| String::from_utf8(body(2, to)).expect("text").into_bytes();
    ask(&one, &body(2, ""), |_| {});
    let left = ask(&one, &fork("north"), |_| {});
    let right = ask(&one, &fork("south"), |_| {});
    let other = conversations("balanced");
    ask(&other, &body(2, ""), |_| {});
    assert_eq!(right.body, ask(&other, &fork("south"), |_| {}).body);
    assert!(text(&left).contains("north") && !text(&right).contains("north"));
}

/// Collects the prefetched contents.
#[derive(Debug, Default)]
struct Ready {
    kept: InMemoryRecorder,
    told: Mutex<Vec<String>>,
    /// The duration of each prefetch.
    time: Duration,
    panics: bool,
}

impl Recorder for Ready {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        self.kept.find_steps(root, ends)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.kept.has_any_step(ends)
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        self.kept.record_step(turn, contents)
    }

    fn prefetch(&self, contents: &[OriginalContent<'_>]) {
        std::thread::sleep(self.time);
        assert!(!self.panics, "a fault of ours");
        let mut told = self.told.lock().expect("no thread panicked");
        told.extend(contents.iter().map(|content| content.text.clone().into_owned()));
    }
}

#[test]
fn contents_that_a_rewrite_may_leave_out_are_told_of_once() {
    let ready = Arc::new(Ready::default());
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let conversations = RequestShaper::new(rules, Arc::clone(&ready) as _);
    for runs in 1..=3 {
        let body = body(runs, "");
        let first = ask(&conversations, &body, |_| {}).prefetch.expect("it is held");
        conversations.prefetch(&first);
        conversations.prefetch(&first);
    }
    let told = ready.told.lock().expect("no thread panicked").clone();
    let contents: Vec<String> = (0..3).map(|run| output(run).replace("\\n", "\n")).collect();
    assert_eq!(told, contents);
    // Conversations that have continued meanwhile are left alone.
    let before = ask(&conversations, &body(4, ""), |_| {}).prefetch.expect("it is held");
    let now = ask(&conversations, &body(5, ""), |_| {}).prefetch.expect("it is held");
    conversations.prefetch(&before);
    assert_eq!(ready.told.lock().expect("no thread panicked").len(), 3);
    conversations.prefetch(&now);
    assert_eq!(ready.told.lock().expect("no thread panicked").len(), 5);
}

#[test]
fn a_request_that_waits_ends_getting_ready() {
    let ready = Arc::new(Ready { time: Duration::from_millis(20), ..Ready::default() });
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let conversations = RequestShaper::new(rules, Arc::clone(&ready) as _);
    let first = ask(&conversations, &body(60, ""), |_| {}).prefetch.expect("it is held");
    let told = || ready.told.lock().expect("no thread panicked").len();
    std::thread::scope(|scope| {
        scope.spawn(|| conversations.prefetch(&first));
        while told() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        ask(&conversations, &body(60, "And now?"), |_| {});
    });
    assert!(told() < 60, "it went on to the end");
}

#[test]
fn a_fault_while_getting_ready_loses_nothing() {
    let ready = Arc::new(Ready { panics: true, ..Ready::default() });
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let conversations = RequestShaper::new(rules, Arc::clone(&ready) as _);
    let first = ask(&conversations, &body(2, ""), |_| {}).prefetch.expect("it is held");
    let get_ready = std::panic::AssertUnwindSafe(|| conversations.prefetch(&first));
    std::panic::catch_unwind(get_ready).expect_err("it is told");
    assert_eq!(conversations.conversation_count(), 1);
}
