//! Times what is done with files of odd shapes, in each language, beside source code of the same
//! size: whoever writes a file must not choose how long foveal works.
//!
//! `cargo run --release -p foveal-code --example odd_files -- [BYTES] [SHAPE]` (default 500,000,
//! the most that has colours; all shapes, or those whose names have `SHAPE` in them). Above 1 MiB
//! no syntax is read. Tells for each shape the language that takes longest: seconds of a processor
//! for reading its syntax, for colours, an outline and a curated view. The last column is how many
//! times longer all of that takes than with the plain shape; it fails if one takes more than ten.

use std::hint::black_box;
use std::process::ExitCode;

use foveal_code::curate::{Budget, Curator, Question, SourceFile};
use foveal_code::highlight::highlights;
use foveal_code::{outline, parse};
use foveal_testkit::shapes::{FILES, processor_seconds};

/// A file of each language.
const PATHS: &[&str] = &[
    "a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb",
    "a.php", "a.sh", "a.kt", "a.swift", "a.zig", "a.json", "a.yaml", "a.toml", "a.md", "a.html",
    "a.css", "a.sql", "a.txt",
];

/// What is done with a file.
const STAGES: usize = 4;

/// How many times longer than the plain shape any other may take.
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
    for (at, (name, shape)) in FILES.iter().enumerate() {
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
    // Queries and models are made ready.
    black_box(highlights(path, "a\n"));
    let mut parsed = None;
    let syntax = processor_seconds(|| parsed = Some(parse(path, text)));
    let parsed = parsed.expect("it was parsed");
    let colours = processor_seconds(|| drop(black_box(highlights(path, text))));
    let outlined =
        processor_seconds(|| drop(black_box(outline(&parsed, text).render(&parsed, text))));
    let question = Question::of_text("Clamp ranges of entities to their parents when they settle");
    let curated = processor_seconds(|| {
        let file = SourceFile { path, text, parsed: &parsed };
        let view = curator.curate(&file, &question, Budget::Adaptive);
        drop(black_box(view.render(&parsed, text)));
    });
    [syntax, colours, outlined, curated]
}
