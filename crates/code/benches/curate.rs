//! How long it takes to curate a file of about 1,000 lines, parsing aside and included.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_code::curate::{Budget, Curator, Question, SourceFile};
use foveal_code::parse;

/// The sources of this crate's parser, repeated to 1,000 lines.
fn text() -> String {
    let parts = [
        include_str!("../src/parse.rs"),
        include_str!("../src/entity.rs"),
        include_str!("../src/walk/mod.rs"),
        include_str!("../src/lines.rs"),
        include_str!("../src/outline.rs"),
    ];
    let lines: Vec<&str> = parts.iter().flat_map(|part| part.lines()).take(1_000).collect();
    lines.join("\n")
}

fn curate(criterion: &mut Criterion) {
    let text = text();
    let curator = Curator::built_in();
    let question = Question::of_text("Clamp ranges of entities to their parents when they settle");
    let parsed = parse("a.rs", &text);
    let of = |parsed: &foveal_code::Parsed| {
        let file = SourceFile { path: "a.rs", text: &text, parsed };
        curator.curate(&file, &question, Budget::Adaptive)
    };
    criterion
        .bench_function("curate 1,000 lines", |bencher| bencher.iter(|| black_box(of(&parsed))));
    criterion.bench_function("parse and curate 1,000 lines", |bencher| {
        bencher.iter(|| black_box(of(&parse("a.rs", &text))));
    });
}

criterion_group!(benches, curate);
criterion_main!(benches);
