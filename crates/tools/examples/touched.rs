//! The share of functions touched by the next commits that a map names.
//!
//! ```text
//! cargo run --release -p foveal-tools --example touched -- REPOSITORY FOLDER TOKENS [MAP…]
//! ```
//!
//! FOLDER is a working copy of an earlier commit of REPOSITORY. Of the commits of the first
//! parents from there to HEAD it takes what they change of the functions and methods that the
//! earlier commit has: those of the same path and qualified name whose lines, as they were
//! before the commit, it changes or deletes, or between which it inserts. Prints how many
//! functions these are, and for foveal's own map of TOKENS and for each MAP (a text in which
//! lines of a file follow its path on a line of its own) how many of them it names and its
//! tokens (o200k). A function is named by a line that is, up to white space and cuts at the
//! end, one of its signature and has its name. `compare/maps.sh` makes the folders and maps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, ExitCode};

use foveal_index::{Index, IndexError};
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::relations::{FileRanks, RankFocus, RelationNodeKind, Relations};
use foveal_relevance::repository_map::{MapOptions, build_repository_map};
use foveal_syntax::{FileClass, ParsedFile};
use foveal_transcript::{CancelToken, LineNumber};

/// Characters of a line that are compared; Aider cuts lines at 100.
const COMPARED: usize = 90;

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("usage: touched REPOSITORY FOLDER TOKENS [MAP…]")]
    Usage,
    #[error("git {0} failed")]
    Git(String),
    #[error("a file cannot be read")]
    File(#[from] std::io::Error),
    #[error("the folder cannot be indexed")]
    Index(#[from] IndexError),
}

/// A function of the earlier commit.
struct Function {
    in_tests: bool,
    /// The lines of its signature, without white space around them.
    signature: Vec<String>,
    name: String,
}

/// By path and qualified name.
type Functions = BTreeMap<(String, String), Function>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Trouble> {
    let [repository, folder, tokens, maps @ ..] = arguments else { return Err(Trouble::Usage) };
    let tokens = Tokens(tokens.parse().map_err(|_| Trouble::Usage)?);
    let mut index = Index::in_memory(Path::new(folder), None)?;
    index.update(&mut |_| {}, &CancelToken::NEVER)?;
    let relations = index.relations()?;
    let functions = functions(&relations, Path::new(folder))?;
    let touched = touched(repository, folder, &functions)?;
    let of_code = touched.iter().filter(|key| !functions[*key].in_tests).count();
    println!("{} functions touched, {of_code} of them outside tests", touched.len());
    let options = MapOptions::new(tokens, |text| Tokenizer::O200k.count(text));
    let own = build_repository_map(
        &relations,
        &FileRanks::compute(&relations, &RankFocus::default()),
        &options,
    );
    report("foveal", &own.text, &functions, &touched);
    for path in maps {
        report(path, &std::fs::read_to_string(path)?, &functions, &touched);
    }
    Ok(())
}

fn report(name: &str, text: &str, functions: &Functions, touched: &BTreeSet<(String, String)>) {
    let paths: BTreeSet<&str> = functions.keys().map(|(path, _)| path.as_str()).collect();
    let lines = lines_by_path(text, &paths);
    let is_named = |key: &(String, String)| {
        let function = &functions[key];
        lines
            .get(key.0.as_str())
            .is_some_and(|lines| lines.iter().any(|line| is_of(line, function)))
    };
    let all = functions.keys().filter(|key| is_named(key)).count();
    let hit = |in_tests: bool| {
        let of = touched.iter().filter(|key| !in_tests || !functions[*key].in_tests);
        let (all, named) =
            of.fold((0, 0), |(all, named), key| (all + 1, named + usize::from(is_named(key))));
        format!("{named} ({:.1} %)", named as f64 * 100.0 / f64::from(all.max(1)))
    };
    let tokens = Tokenizer::O200k.count(text).0;
    println!(
        "{name}: {tokens} tokens, {all} functions named; of those touched {}, outside tests {}",
        hit(false),
        hit(true)
    );
}

/// Whether a line is one of a function's signature and has its name.
fn is_of(line: &str, function: &Function) -> bool {
    let start: String = line.chars().take(COMPARED).collect();
    let has_name = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric() && !"_$#".contains(c))
            .any(|word| word == function.name)
    };
    has_name(line) && function.signature.iter().any(|of| of.starts_with(start.trim_end()))
}

/// The lines of a map below each path, without numbers and marks before them.
fn lines_by_path<'a>(text: &'a str, paths: &BTreeSet<&'a str>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut at = None;
    for line in text.lines() {
        let path = line.split(" (").next().unwrap_or(line).trim_end_matches(':');
        if let Some(path) = paths.get(path) {
            at = Some(*path);
            continue;
        }
        let marked = line
            .find(['→', '│'])
            .filter(|mark| line[..*mark].chars().all(|c| c.is_ascii_digit() || c == ' '));
        let mark = marked.and_then(|mark| line[mark..].chars().next().map(|c| mark + c.len_utf8()));
        match (at, mark) {
            (Some(at), Some(mark)) => found.entry(at).or_default().push(line[mark..].trim()),
            // A path of a file without functions.
            (Some(_), None) if !line.starts_with([' ', '[', '⋮']) => at = None,
            _ => {}
        }
    }
    found
}

/// The functions and methods of a folder.
fn functions(relations: &Relations, folder: &Path) -> Result<Functions, Trouble> {
    let mut found = Functions::new();
    for file in relations.files() {
        let path = relations.node(file).key.path.to_string();
        let text = String::from_utf8_lossy(&std::fs::read(folder.join(&path))?).into_owned();
        let rows: Vec<&str> = text.lines().collect();
        for entity in relations.entities_of(file) {
            let node = relations.node(entity);
            let is_function =
                matches!(node.key.kind, RelationNodeKind::Entity(kind) if kind.is_function());
            if !is_function || node.class != FileClass::Source {
                continue;
            }
            let lines =
                node.signature_lines.first.0 as usize - 1..node.signature_lines.last.0 as usize;
            let lines = rows.get(lines).unwrap_or_default();
            let signature = lines.iter().map(|line| line.trim().to_owned()).collect();
            let function =
                Function { in_tests: node.in_tests, signature, name: node.name.to_string() };
            found.entry((path.clone(), node.key.name.to_string())).or_insert(function);
        }
    }
    Ok(found)
}

/// Those functions that commits after the folder's own touch.
fn touched(
    repository: &str,
    folder: &str,
    functions: &Functions,
) -> Result<BTreeSet<(String, String)>, Trouble> {
    let base = git(folder, &["rev-parse", "HEAD"])?;
    let range = format!("{}..HEAD", base.trim());
    let mut found = BTreeSet::new();
    for commit in git(repository, &["rev-list", "--first-parent", &range])?.lines() {
        let (before, commit) = (format!("{commit}^1"), commit);
        let diff = ["diff", "-U0", "--no-renames", "--no-color", &before, commit];
        // A copy of a repository may lack large files.
        let Ok(diff) = git(repository, &diff) else {
            eprintln!("{commit} is left out: git cannot compare it");
            continue;
        };
        for (path, spans) in old_lines(&diff) {
            let mut of_path = functions.range((path.clone(), String::new())..);
            if of_path.next().is_none_or(|(key, _)| key.0 != path) {
                continue;
            }
            let Ok(text) = git(repository, &["show", &format!("{before}:{path}")]) else {
                continue;
            };
            let parsed = foveal_syntax::parse_file(&path, &text);
            for (first, last) in spans {
                for line in first..=last {
                    let key = innermost_function(&parsed, line).map(|name| (path.clone(), name));
                    found.extend(key.filter(|key| functions.contains_key(key)));
                }
            }
        }
    }
    Ok(found)
}

fn innermost_function(parsed: &ParsedFile, line: u32) -> Option<String> {
    let inside = parsed.innermost_entity(LineNumber(line))?;
    let (at, _) = parsed.ancestry(inside).find(|(_, of)| of.kind.is_function())?;
    Some(parsed.qualified_name(at))
}

/// The lines of old files that a diff changes, deletes or inserts after.
fn old_lines(diff: &str) -> BTreeMap<String, Vec<(u32, u32)>> {
    let mut found: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut path = None;
    for line in diff.lines() {
        if let Some(old) = line.strip_prefix("--- ") {
            path = old.strip_prefix("a/").map(str::to_owned);
        } else if let (Some(path), Some(hunk)) = (&path, line.strip_prefix("@@ -")) {
            let span = hunk.split(' ').next().unwrap_or_default();
            let (first, count) = span.split_once(',').unwrap_or((span, "1"));
            let (Ok(first), Ok(count)) = (first.parse::<u32>(), count.parse::<u32>()) else {
                continue;
            };
            found.entry(path.clone()).or_default().push((first, first + count.max(1) - 1));
        }
    }
    found
}

fn git(repository: &str, arguments: &[&str]) -> Result<String, Trouble> {
    let failed = || Trouble::Git(arguments.join(" "));
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output();
    let output = output.map_err(|_| failed())?;
    if !output.status.success() {
        return Err(failed());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
