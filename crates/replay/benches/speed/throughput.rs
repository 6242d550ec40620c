//! Bytes a second of reading and counting, and the replay of one conversation.

use std::fmt::Write;
use std::sync::Arc;

use criterion::{Criterion, Throughput};
use foveal_code::views::CuratedViews;
use foveal_context::prices::PriceCard;
use foveal_context::profile::PROFILES;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::views::Views;
use foveal_replay::{Prepared, replay};
use foveal_testkit::{atif, long_conversation};
use foveal_wire::{Format, read_all};

pub(crate) fn bench(criterion: &mut Criterion) {
    let conversation = long_conversation(Tokens(100_000));
    let document = atif(&conversation);
    let mut group = criterion.benchmark_group("throughput");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("read ATIF", |bencher| {
        bencher.iter(|| read_all(Format::Atif, "generated", document.as_bytes()));
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
        bencher.iter(|| Prepared::new(conversation.clone(), Tokenizer::O200k));
    });
    let prepared = Prepared::new(conversation.clone(), Tokenizer::O200k);
    let prices = PriceCard::anthropic_5m();
    let views: Arc<dyn Views> = Arc::new(CuratedViews::default());
    group.bench_function("replay under all profiles", |bencher| {
        bencher.iter(|| {
            for profile in PROFILES {
                let mut projector = profile.start(&prices).with_views(Arc::clone(&views));
                let figures = replay(&prepared, &mut projector, &prices, &mut |_, _| {});
                std::hint::black_box(figures);
            }
        });
    });
}
