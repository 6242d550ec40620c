//! Measures the throughput of reading and counting, and the replay of one conversation.

use std::fmt::Write;
use std::sync::Arc;

use criterion::{Criterion, Throughput};
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::baselines::all_profiles;
use foveal_replay::{PreparedConversation, replay};
use foveal_session_readers::{SessionFormat, read_all_sessions};
use foveal_testkit::{long_conversation, render_atif};

pub(crate) fn bench(criterion: &mut Criterion) {
    let conversation = long_conversation(Tokens(100_000));
    let document = render_atif(&conversation);
    let mut group = criterion.benchmark_group("throughput");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("read ATIF", |bencher| {
        bencher.iter(|| read_all_sessions(SessionFormat::Atif, "generated", document.as_bytes()));
    });
    let mut text = String::new();
    for entry in conversation.entries() {
        writeln!(text, "{}", entry.prompt_text()).expect("text takes all");
    }
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("count tokens", |bencher| {
        bencher.iter(|| Tokenizer::O200k.count(&text));
    });
    group.bench_function("observe and scan", |bencher| {
        bencher.iter(|| PreparedConversation::new(conversation.clone(), Tokenizer::O200k));
    });
    let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
    let prices = PriceCard::anthropic_5m();
    let views: Arc<dyn ViewSource> = Arc::new(CuratedViewSource::default());
    group.bench_function("replay under all profiles", |bencher| {
        bencher.iter(|| {
            for profile in all_profiles() {
                let mut projector =
                    profile.new_projector(&prices).with_view_source(Arc::clone(&views));
                let figures = replay(&prepared, &mut projector, &prices, &mut |_, _| {});
                std::hint::black_box(figures);
            }
        });
    });
}
