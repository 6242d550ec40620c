//! Measures planning of one more request, compared with planning the whole conversation.

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, measurement::WallTime};
use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::planner::Planner;
use foveal_engine::settings::Settings;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_replay::conversation_replay::request_time;
use foveal_testkit::long_conversation;
use foveal_transcript::{Conversation, EntryIndex, EntryMark, Timestamp};

/// The engine's state between two requests.
#[derive(Clone)]
struct PlannerSnapshot {
    record: ConversationRecord,
    planner: Planner,
}

/// A conversation and the states before its last requests.
struct PlannedConversation {
    conversation: Conversation,
    starts: Vec<(EntryIndex, PlannerSnapshot)>,
}

/// Requests at the end whose planning is measured: reads, edits, searches and runs.
const LAST_REQUESTS: usize = 16;

impl PlannedConversation {
    fn new(tokens: Tokens, settings: Settings) -> Self {
        let conversation = long_conversation(tokens);
        let answers: Vec<_> = conversation.response_indices().collect();
        let early = answers.len() - LAST_REQUESTS;
        let mut state = PlannerSnapshot {
            record: ConversationRecord::from_conversation(
                Conversation::default(),
                Tokenizer::O200k,
            ),
            planner: Planner::new(settings, PriceCard::anthropic_5m()),
        };
        for answer in &answers[..early] {
            plan_request(&mut state, &conversation, *answer, None);
        }
        let mut starts = Vec::new();
        for answer in &answers[early..] {
            starts.push((*answer, state.clone()));
            plan_request(&mut state, &conversation, *answer, None);
        }
        Self { conversation, starts }
    }
}

/// Pushes the entries of one more request and plans it, at its recorded time if `time` is
/// `None`.
fn plan_request(
    state: &mut PlannerSnapshot,
    conversation: &Conversation,
    answer: EntryIndex,
    time: Option<Timestamp>,
) -> PlanStep {
    for entry in &conversation.entries()[state.record.len()..answer.as_usize()] {
        state.record.push(entry.clone());
    }
    let time = time.or(request_time(conversation, answer));
    state.planner.advance(&state.record, answer, time)
}

pub(crate) fn bench(criterion: &mut Criterion) {
    for (size, tokens) in [("200k", Tokens(200_000)), ("1M", Tokens(1_000_000))] {
        for (profile, settings) in [
            ("lossless", Settings::lossless()),
            ("balanced", Settings::balanced()),
            ("max", Settings::max()),
        ] {
            let course = PlannedConversation::new(tokens, settings.clone());
            let mut group = criterion.benchmark_group(format!("plan/{profile}/{size}"));
            group.sample_size(20);
            bench_next_requests(&mut group, &course);
            bench_cold_cache(&mut group, &course);
            bench_from_scratch(&mut group, &course, &settings);
        }
    }
}

/// Measures the mean over the last requests, each from a copy of the state before it.
fn bench_next_requests(group: &mut BenchmarkGroup<'_, WallTime>, course: &PlannedConversation) {
    group.throughput(criterion::Throughput::Elements(LAST_REQUESTS as u64));
    group.bench_function("one more request (16 at a time)", |bencher| {
        bencher.iter_batched(
            || course.starts.clone(),
            |mut starts| {
                for (answer, state) in &mut starts {
                    std::hint::black_box(plan_request(state, &course.conversation, *answer, None));
                }
                starts
            },
            BatchSize::PerIteration,
        );
    });
}

/// Measures a request after an hour's pause, at which everything may be rewritten.
fn bench_cold_cache(group: &mut BenchmarkGroup<'_, WallTime>, course: &PlannedConversation) {
    let (answer, state) = course.starts.last().expect("there are several");
    let late =
        request_time(&course.conversation, *answer).map(|time| Timestamp(time.0 + 3_600_000));
    group.throughput(criterion::Throughput::Elements(1));
    group.bench_function("one more request, cache cold", |bencher| {
        bencher.iter_batched_ref(
            || state.clone(),
            |state| plan_request(state, &course.conversation, *answer, late),
            BatchSize::PerIteration,
        );
    });
}

/// Measures the planning of all requests without an earlier plan.
fn bench_from_scratch(
    group: &mut BenchmarkGroup<'_, WallTime>,
    course: &PlannedConversation,
    settings: &Settings,
) {
    let entries = course.conversation.entries();
    assert!(entries.iter().all(|entry| entry.mark == EntryMark::None), "nothing leaves the prompt");
    group.sample_size(10);
    let id = BenchmarkId::new(
        "all requests from scratch",
        course.conversation.response_indices().count(),
    );
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            let mut state = PlannerSnapshot {
                record: ConversationRecord::from_conversation(
                    Conversation::default(),
                    Tokenizer::O200k,
                ),
                planner: Planner::new(settings.clone(), PriceCard::anthropic_5m()),
            };
            for answer in course.conversation.response_indices() {
                plan_request(&mut state, &course.conversation, answer, None);
            }
            state
        });
    });
}
