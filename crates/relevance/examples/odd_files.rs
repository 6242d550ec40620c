//! Times parsing, highlights, outlines and curation of files of odd shapes in each language, beside
//! source code of the same size: the author of a file must not determine how long foveal works.
//!
//! `cargo run --release -p foveal-relevance --example odd_files -- [BYTES] [SHAPE]` (by default 500,000
//! bytes, the most that is highlighted, and all shapes; with SHAPE those whose names contain it).
//! Files above 1 MiB are not parsed. Prints for each shape the slowest language with the processor
//! seconds for parsing, highlights, an outline and a curated view. The last column is the ratio of
//! the total to that of the plain shape; the program fails if a ratio exceeds ten.

use std::hint::black_box;
use std::process::ExitCode;

use foveal_relevance::curation::{CurationQuery, Curator, SourceFile, ViewBudget};
use foveal_relevance::outline_listing::render_outline;
use foveal_syntax::highlighting::highlight_file;
use foveal_syntax::{outline, parse_file};
use foveal_testkit::stress_inputs::{STRESS_FILES, measure_processor_seconds};

/// A path for each language.
const PATHS: &[&str] = &[
    "a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb",
    "a.php", "a.sh", "a.kt", "a.swift", "a.zig", "a.json", "a.yaml", "a.toml", "a.md", "a.html",
    "a.css", "a.sql", "a.txt",
];

/// The number of timed operations.
const STAGES: usize = 4;

/// The largest allowed ratio of a time to that of the plain shape.
const FACTOR_MAX: f64 = 10.0;

fn main() -> ExitCode {
    let bytes = std::env::args().nth(1).map_or(Ok(500_000), |text| text.parse());
    let bytes: usize = bytes.expect("the size in bytes");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let curator = Curator::built_in();
    println!("{bytes} bytes each, seconds\n");
    print!("{:<36}{:<10}", "", "dearest");
    println!("{:>9}{:>9}{:>9}{:>9}{:>9}", "syntax", "colours", "outline", "curated", "factor");
    let (mut plain, mut worst) = (None, 0.0_f64);
    for (at, (name, shape)) in STRESS_FILES.iter().enumerate() {
        if at > 0 && !name.contains(&wanted) {
            continue;
        }
        let text = shape(bytes);
        let paths = if at == 0 { &PATHS[..1] } else { PATHS };
        let times = paths.iter().map(|path| (*path, times(&curator, path, &text)));
        let sum = |times: &[f64; STAGES]| times.iter().sum::<f64>();
        let dearest = times.max_by(|one, other| sum(&one.1).total_cmp(&sum(&other.1)));
        let (path, times) = dearest.expect("there are paths");
        print!("{name:<36}{path:<10}");
        times.iter().for_each(|seconds| print!("{seconds:>9.2}"));
        let factor = sum(&times) / *plain.get_or_insert(sum(&times));
        println!("{factor:>9.1}");
        worst = worst.max(factor);
    }
    if worst <= FACTOR_MAX {
        return ExitCode::SUCCESS;
    }
    eprintln!("one takes {worst:.1} times as long as source code, more than {FACTOR_MAX}");
    ExitCode::FAILURE
}

fn times(curator: &Curator, path: &str, text: &str) -> [f64; STAGES] {
    // Compiles queries and loads models before the measurement.
    black_box(highlight_file(path, "a\n"));
    let mut parsed = None;
    let syntax = measure_processor_seconds(|| parsed = Some(parse_file(path, text)));
    let parsed = parsed.expect("it was parsed");
    let colours = measure_processor_seconds(|| drop(black_box(highlight_file(path, text))));
    let outlined = measure_processor_seconds(|| {
        drop(black_box(render_outline(&outline(&parsed, text), &parsed, text)));
    });
    let question =
        CurationQuery::from_text("Clamp ranges of entities to their parents when they settle");
    let curated = measure_processor_seconds(|| {
        let file = SourceFile { path, text, parsed: &parsed };
        let view = curator.curate(&file, &question, ViewBudget::Adaptive);
        drop(black_box(view.render(&parsed, text)));
    });
    [syntax, colours, outlined, curated]
}
