//! Benchmarks of embedding chunks and of searching for the nearest vectors.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foveal_relevance::embedding::{QuantizedVector, StaticModel, VectorTable};
use foveal_relevance::ranking::top_documents;

/// Returns about 200 tokens of code, different for each `seed`.
fn chunk(seed: usize) -> String {
    let line = |i: usize| {
        let n = seed * 31 + i;
        format!(
            "    let parsedValue{n} = self.read_header(buffer, offset + {n})?.unwrap_or_default();\n"
        )
    };
    format!(
        "pub fn decode_frame_{seed}(&mut self) {{\n{}}}\n",
        (0..13).map(line).collect::<String>()
    )
}

fn embedding(criterion: &mut Criterion) {
    let model = StaticModel::built_in();
    let chunks: Vec<String> = (0..500).map(chunk).collect();
    let mut group = criterion.benchmark_group("embed");
    group.throughput(Throughput::Elements(chunks.len() as u64));
    group.bench_function("chunks of 200 tokens", |bench| {
        bench.iter(|| {
            for chunk in &chunks {
                black_box(QuantizedVector::from_vector(&model.embed_text(chunk)));
            }
        });
    });
    group.finish();
    criterion.bench_function("read the built-in model", |bench| bench.iter(StaticModel::built_in));
}

fn nearest(criterion: &mut Criterion) {
    let mut vectors = VectorTable::new(256);
    let mut state = 1_u32;
    for _ in 0..300_000 {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as i8
        };
        vectors.push(&QuantizedVector { scale: 0.001, values: (0..256).map(|_| next()).collect() });
    }
    let question = QuantizedVector::from_vector(&StaticModel::built_in().embed_text(&chunk(1)));
    criterion.bench_function("10 nearest of 300,000 vectors of 256", |bench| {
        bench.iter(|| {
            black_box(top_documents(vectors.cosines(&question).into_iter().enumerate(), 10))
        });
    });
}

criterion_group!(benches, embedding, nearest);
criterion_main!(benches);
