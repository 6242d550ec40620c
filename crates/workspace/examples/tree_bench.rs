//! Measures searching and listing side by side with `rg` and `fd` on given folders.
//!
//! `cargo run --release -p foveal-workspace --example tree_bench -- FOLDER... [--rounds N] [--names]`
//!
//! With `--names` only finding and listing are measured. Programs and functions take turns; the table gives medians in milliseconds. The time a
//! program needs to start is in its numbers, and given by itself in the first line.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{
    CaseSensitivity, GlobOrder, GlobQuery, GrepLayout, GrepMode, GrepQuery, ListQuery, SearchScope,
    glob, grep, is_tree_unchanged, list_folder,
};

/// Turns each takes where none are given.
const ROUNDS: usize = 15;

fn main() {
    let mut folders = Vec::new();
    let mut rounds = ROUNDS;
    let mut only_names = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                let value = arguments.next().and_then(|value| value.parse().ok());
                rounds = value.filter(|rounds| *rounds > 0).unwrap_or(ROUNDS);
            }
            "--names" => only_names = true,
            _ => folders.push(argument),
        }
    }
    let fd = if runs("fd") { "fd" } else { "fdfind" };
    println!("start of rg {:.1} ms, of {fd} {:.1} ms", start("rg", rounds), start(fd, rounds));
    println!("{:<34} {:>8} {:>8} {:>6}  answers", "", "theirs", "ours", "ratio");
    for folder in &folders {
        println!("{folder}");
        if !only_names {
            greps(Path::new(folder), rounds);
        }
        names(Path::new(folder), fd, rounds);
    }
}

fn runs(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn start(program: &str, rounds: usize) -> f64 {
    let times = (0..rounds).map(|_| timed(|| runs(program)).0);
    median(times.collect())
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let result = work();
    (begin.elapsed(), result)
}

/// Milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Runs a program in a folder; gives the lines it printed.
fn lines_of(program: &str, arguments: &[&str], folder: &Path) -> usize {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program} does not run: {error}"));
    // Nothing found is 1; what cannot be carried out would be measured as quick.
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout.iter().filter(|byte| **byte == b'\n').count()
}

/// Lets both take turns, and prints the medians.
fn compare(name: &str, rounds: usize, theirs: impl Fn() -> usize, ours: impl Fn() -> usize) {
    let (mut their_times, mut our_times) = (Vec::new(), Vec::new());
    let mut answers = (theirs(), ours());
    for _ in 0..rounds {
        let (time, answer) = timed(&theirs);
        their_times.push(time);
        answers.0 = answer;
        let (time, answer) = timed(&ours);
        our_times.push(time);
        answers.1 = answer;
    }
    let (their, our) = (median(their_times), median(our_times));
    println!("{name:<34} {their:>8.1} {our:>8.1} {:>6.2}  {answers:?}", our / their);
}

fn greps(folder: &Path, rounds: usize) {
    let open = |path: &Path| File::open(folder.join(path));
    let run = |query: &GrepQuery| {
        let answer = grep(folder, &open, query, &CancelToken::NEVER).expect("the query is valid");
        std::hint::black_box(answer.rows(query.mode, GrepLayout::Lines).len());
        answer.total as usize
    };
    let cases: [(&str, &str, &[&str]); 7] = [
        ("grep, a rare word", "allocator", &[]),
        ("grep, no match", "zzyzx_quux_never", &[]),
        ("grep, a common word", "return", &[]),
        ("grep, an expression", r"\w+_\w+\(\w+,", &[]),
        ("grep, words or words", "struct|class|interface|enum", &[]),
        ("grep, any case", "error", &["-i"]),
        ("grep, names of files", "return", &["-l"]),
    ];
    for (name, pattern, flags) in cases {
        let query = |limit| GrepQuery {
            case: if flags.contains(&"-i") {
                CaseSensitivity::Insensitive
            } else {
                CaseSensitivity::Sensitive
            },
            mode: if flags.contains(&"-l") { GrepMode::Files } else { GrepMode::Content },
            limit,
            ..GrepQuery::new(pattern)
        };
        let arguments: Vec<&str> = ["-n", "--no-heading", "--no-require-git"]
            .iter()
            .chain(flags)
            .copied()
            .chain(["-e", pattern, "."])
            .collect();
        compare(
            &format!("  {name}, all"),
            rounds,
            || lines_of("rg", &arguments, folder),
            || run(&query(100_000)),
        );
        compare(
            &format!("  {name}, 100"),
            rounds,
            || lines_of("rg", &arguments, folder),
            || run(&query(100)),
        );
    }
}

fn names(folder: &Path, fd: &str, rounds: usize) {
    let find = |glob_text: &str, order, limit| {
        let scope = SearchScope { globs: vec![glob_text.to_owned()], ..SearchScope::default() };
        let query = GlobQuery { scope, order, offset: 0, limit };
        let answer = glob(folder, &query, &CancelToken::NEVER).expect("the query is valid");
        std::hint::black_box(answer.paths.len());
        answer.total as usize
    };
    // Without it, fd before version 9 shows what only a `.gitignore` outside git leaves out.
    let gitless = "--no-require-git";
    let takes_it = Command::new(fd).args([gitless, "--version"]).output();
    let flags = if takes_it.is_ok_and(|ran| ran.status.success()) { vec![gitless] } else { vec![] };
    let found = |more: &[&str]| lines_of(fd, &[&flags, more].concat(), folder);
    let all = || found(&["--type", "f", "."]);
    compare("  glob **, all", rounds, all, || find("**", GlobOrder::Path, 1_000_000));
    compare("  glob **, 100", rounds, all, || find("**", GlobOrder::Path, 100));
    compare("  glob **, newest 100", rounds, all, || find("**", GlobOrder::Newest, 100));
    let rust = || found(&["--type", "f", "--glob", "*.rs"]);
    compare("  glob *.rs, all", rounds, rust, || find("*.rs", GlobOrder::Path, 1_000_000));
    let tree = |depth, limit| {
        let query = ListQuery { scope: SearchScope::default(), depth, limit };
        let answer = list_folder(folder, &query, &CancelToken::NEVER).expect("the query is valid");
        std::hint::black_box(answer.rows().len());
        (answer.files + answer.folders) as usize
    };
    let everything = || found(&["."]);
    compare("  list, 2 levels, 200", rounds, everything, || tree(2, 200));
    compare("  list, all levels, 2000", rounds, everything, || tree(64, 2000));
    compare("  whether anything changed", rounds, everything, || {
        let since = std::time::SystemTime::now() + Duration::from_secs(3600);
        let same = is_tree_unchanged(folder, &SearchScope::default(), since, &CancelToken::NEVER);
        usize::from(same.expect("the scope is valid"))
    });
}
