//! Benchmarks of parsing, outlines and highlights.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foveal_relevance::outline_listing::render_outline;
use foveal_syntax::highlighting::highlight_file;
use foveal_syntax::{outline, parse_file};

/// Rust code of 25 lines.
const RUST: &str = r#"
/// What a reader sees of one entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it stands.
    pub place: usize,
    words: Vec<String>,
}

impl Entry {
    /// The entry's words in order, the empty ones left out.
    pub fn words(&self, limit: usize) -> Vec<&str> {
        let mut found = Vec::new();
        for word in self.words.iter().filter(|word| !word.is_empty()) {
            if found.len() >= limit {
                break;
            }
            match word.as_str() {
                "first" => found.insert(0, word.as_str()),
                other => found.push(other),
            }
        }
        found
    }
}
"#;

/// Python code of 20 lines.
const PYTHON: &str = r#"
class Entry(Base):
    """What a reader sees of one entry."""

    place: int = 0

    def words(self, limit: int) -> list[str]:
        """The entry's words in order, the empty ones left out."""
        found = []
        for word in self._words:
            if not word:
                continue
            if len(found) >= limit:
                break
            elif word == "first":
                found.insert(0, word)
            else:
                found.append(word)
        return found

"#;

fn speed(c: &mut Criterion) {
    for (path, piece) in [("a.rs", RUST), ("a.py", PYTHON)] {
        let lines = piece.lines().count();
        let text = piece.repeat(1_000 / lines);
        let mut group = c.benchmark_group(path);
        group.throughput(Throughput::Elements(text.lines().count() as u64));
        group.bench_function("parse 1000 lines", |b| b.iter(|| parse_file(path, black_box(&text))));
        group.bench_function("outline of 1000 lines", |b| {
            b.iter(|| {
                let parsed = parse_file(path, black_box(&text));
                render_outline(&outline(&parsed, &text), &parsed, &text)
            });
        });
        group.bench_function("highlights of 1000 lines", |b| {
            b.iter(|| highlight_file(path, black_box(&text)));
        });
        group.finish();
    }
}

criterion_group!(benches, speed);
criterion_main!(benches);
