//! Planning one more request of a conversation, against planning all of it from scratch.

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, measurement::WallTime};
use foveal_context::planner::{Planner, Step};
use foveal_context::prices::PriceCard;
use foveal_context::record::Record;
use foveal_context::settings::Settings;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_replay::run::request_time;
use foveal_testkit::long_conversation;
use foveal_transcript::{Conversation, EntryIndex, Mark, Timestamp};

/// Everything up to a request: what the engine holds between two requests.
#[derive(Clone)]
struct State {
    record: Record,
    planner: Planner,
}

/// A conversation and what each of its last requests starts from.
struct Course {
    conversation: Conversation,
    starts: Vec<(EntryIndex, State)>,
}

/// Requests at the end whose planning is measured: reads, edits, searches and runs.
const LAST_REQUESTS: usize = 16;

impl Course {
    fn new(tokens: Tokens, settings: Settings) -> Self {
        let conversation = long_conversation(tokens);
        let answers: Vec<_> = conversation.responses().collect();
        let early = answers.len() - LAST_REQUESTS;
        let mut state = State {
            record: Record::of(Conversation::default(), Tokenizer::O200k),
            planner: Planner::new(settings, PriceCard::anthropic_5m()),
        };
        for answer in &answers[..early] {
            request(&mut state, &conversation, *answer, None);
        }
        let mut starts = Vec::new();
        for answer in &answers[early..] {
            starts.push((*answer, state.clone()));
            request(&mut state, &conversation, *answer, None);
        }
        Self { conversation, starts }
    }
}

/// One more request: observes the entries that came and plans; at its recorded time, if none
/// is given.
fn request(
    state: &mut State,
    conversation: &Conversation,
    answer: EntryIndex,
    time: Option<Timestamp>,
) -> Step {
    for entry in &conversation.entries()[state.record.len()..answer.at()] {
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
            let course = Course::new(tokens, settings.clone());
            let mut group = criterion.benchmark_group(format!("plan/{profile}/{size}"));
            group.sample_size(20);
            one_more(&mut group, &course);
            cold_cache(&mut group, &course);
            from_scratch(&mut group, &course, &settings);
        }
    }
}

/// The mean over the last requests, each from a copy of what stood before it.
fn one_more(group: &mut BenchmarkGroup<'_, WallTime>, course: &Course) {
    group.throughput(criterion::Throughput::Elements(LAST_REQUESTS as u64));
    group.bench_function("one more request (16 at a time)", |bencher| {
        bencher.iter_batched(
            || course.starts.clone(),
            |mut starts| {
                for (answer, state) in &mut starts {
                    std::hint::black_box(request(state, &course.conversation, *answer, None));
                }
                starts
            },
            BatchSize::PerIteration,
        );
    });
}

/// A request after an hour's pause, at which everything may be rewritten.
fn cold_cache(group: &mut BenchmarkGroup<'_, WallTime>, course: &Course) {
    let (answer, state) = course.starts.last().expect("there are several");
    let late =
        request_time(&course.conversation, *answer).map(|time| Timestamp(time.0 + 3_600_000));
    group.throughput(criterion::Throughput::Elements(1));
    group.bench_function("one more request, cache cold", |bencher| {
        bencher.iter_batched_ref(
            || state.clone(),
            |state| request(state, &course.conversation, *answer, late),
            BatchSize::PerIteration,
        );
    });
}

/// The same plan without what was planned before.
fn from_scratch(group: &mut BenchmarkGroup<'_, WallTime>, course: &Course, settings: &Settings) {
    let entries = course.conversation.entries();
    assert!(entries.iter().all(|entry| entry.mark == Mark::None), "nothing leaves the prompt");
    group.sample_size(10);
    let id = BenchmarkId::new("all requests from scratch", course.conversation.responses().count());
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            let mut state = State {
                record: Record::of(Conversation::default(), Tokenizer::O200k),
                planner: Planner::new(settings.clone(), PriceCard::anthropic_5m()),
            };
            for answer in course.conversation.responses() {
                request(&mut state, &course.conversation, answer, None);
            }
            state
        });
    });
}
