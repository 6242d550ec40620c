//! Benchmarks of curating a file of about 1,000 lines, with and without parsing.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_relevance::curation::{CurationQuery, Curator, SourceFile, ViewBudget};
use foveal_syntax::parse_file;

/// Returns sources of this crate, the parser included, up to 1,000 lines.
fn text() -> String {
    let parts = [
        include_str!("../../syntax/src/parser.rs"),
        include_str!("../../syntax/src/entity.rs"),
        include_str!("../../syntax/src/tree_walk/mod.rs"),
        include_str!("../../syntax/src/line_range.rs"),
        include_str!("../../syntax/src/outline.rs"),
    ];
    let lines: Vec<&str> = parts.iter().flat_map(|part| part.lines()).take(1_000).collect();
    lines.join("\n")
}

fn curate(criterion: &mut Criterion) {
    let text = text();
    let curator = Curator::built_in();
    let question =
        CurationQuery::from_text("Clamp ranges of entities to their parents when they settle");
    let parsed = parse_file("a.rs", &text);
    let of = |parsed: &foveal_syntax::ParsedFile| {
        let file = SourceFile { path: "a.rs", text: &text, parsed };
        curator.curate(&file, &question, ViewBudget::Adaptive)
    };
    criterion
        .bench_function("curate 1,000 lines", |bencher| bencher.iter(|| black_box(of(&parsed))));
    criterion.bench_function("parse and curate 1,000 lines", |bencher| {
        bencher.iter(|| black_box(of(&parse_file("a.rs", &text))));
    });
}

criterion_group!(benches, curate);
criterion_main!(benches);
