//! universal-ctags, readtags and ripgrep, each as a process, as an agent would start them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};
use foveal_relevance::relations::SymbolMatch;

use crate::measuring::{milliseconds, percentile};
use crate::table;
use crate::tree::{self, Scratch};

/// Names that are looked up.
const NAMES: usize = 60;

/// Of them, those that `foveal graph` is started for: it takes longest.
const GRAPHS: usize = 20;

/// Prints how long names take to find by each program, and what they need beforehand.
pub(crate) fn compare(folder: &Path) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    let mut built = tree::build(folder, &scratch, true)?;
    let tags = scratch.0.join("tags");
    let begin = Instant::now();
    let mut ctags = Command::new("ctags");
    ctags.args(["-R", "--fields=+nKSs", "-f"]).arg(&tags).arg(folder);
    run(&mut ctags, &[0])?;
    let (ctags, ctags_bytes) = (milliseconds(begin), std::fs::metadata(&tags)?.len());
    let names = names(&mut built)?;
    let searched = tree::ask(&mut built.index, &names)?;
    let mut rows = vec![
        row("foveal index; search in the process", built.cold, built.bytes, &searched),
        row(
            "ctags; readtags NAME",
            ctags,
            ctags_bytes,
            &timed(&names, |name| {
                let mut command = Command::new("readtags");
                command.arg("-t").arg(&tags).args(["-e", "--", name]);
                command
            })?,
        ),
        row(
            "nothing; rg -n -w NAME",
            0.0,
            0,
            &timed(&names, |name| {
                let mut command = Command::new("rg");
                command.args(["-n", "-w", "-F", "--", name]).arg(folder);
                command
            })?,
        ),
    ];
    rows.push(users(&mut built, &names)?);
    if let Some(program) = program() {
        rows.extend(processes(&program, folder, &scratch, &names)?);
    }
    println!("{} names of definitions\n", names.len());
    let headings = ["beforehand; a question", "beforehand", "size", "question p50", "p99"];
    table::print(&headings, &rows);
    Ok(())
}

/// Who uses each name, once all names are resolved.
fn users(built: &mut tree::Built, names: &[String]) -> anyhow::Result<Vec<String>> {
    let begin = Instant::now();
    let relations = built.index.relations()?;
    let resolved = milliseconds(begin);
    let mut times = Vec::new();
    for name in names {
        let begin = Instant::now();
        if let SymbolMatch::Nodes(nodes) = relations.find_symbol(name) {
            let users = nodes.iter().map(|node| relations.incoming(*node).count()).sum::<usize>();
            std::hint::black_box(users);
        }
        times.push(milliseconds(begin));
    }
    Ok(row("foveal relations; who uses NAME, in the process", resolved, 0, &times))
}

/// The program itself, started for each name.
fn processes(
    program: &Path,
    folder: &Path,
    scratch: &Scratch,
    names: &[String],
) -> anyhow::Result<[Vec<String>; 2]> {
    let store = scratch.0.join("data");
    let search = |name: &str| {
        let mut command = Command::new(program);
        command.args(["search", "--path"]).arg(folder).args(["--", name]);
        command.env("XDG_DATA_HOME", &store);
        command
    };
    let begin = Instant::now();
    run(&mut search("warm up"), &[0, 1])?;
    let cold = milliseconds(begin);
    let times = timed(names, search)?;
    let searched = row("foveal index; foveal search NAME", cold, 0, &times);
    let few: Vec<String> = names.iter().take(GRAPHS).cloned().collect();
    let times = timed(&few, |name| {
        let mut command = Command::new(program);
        command.arg("graph").arg("--").arg(name).arg(folder);
        command.env("XDG_DATA_HOME", &store);
        command
    })?;
    let related = row("the same index; foveal graph NAME", cold, 0, &times);
    Ok([searched, related])
}

fn row(name: &str, cold: f64, bytes: u64, times: &[f64]) -> Vec<String> {
    let [half, most] = [0.5, 0.99].map(|share| table::time(percentile(times, share)));
    vec![name.to_owned(), table::time(cold), table::size(bytes), half, most]
}

/// The program, where it was built in release mode or `FOVEAL` names it.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("FOVEAL").map(PathBuf::from);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/foveal");
    named.or(Some(built)).filter(|program| program.exists())
}

/// Names of entities from all over the folder, those with letters of their own.
fn names(built: &mut tree::Built) -> anyhow::Result<Vec<String>> {
    let files = built.index.symbols()?;
    let definitions = files.iter().flat_map(|file| &file.definitions);
    let names = definitions.map(|definition| definition.name.to_string());
    let is_name = |name: &String| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let all: Vec<String> = names.filter(|name| name.len() >= 6).filter(is_name).collect();
    let step = (all.len() / NAMES).max(1);
    Ok(all.into_iter().step_by(step).take(NAMES).collect())
}

/// Milliseconds of each name's process, from its start to its end, output read.
fn timed(names: &[String], command: impl Fn(&str) -> Command) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::new();
    for name in names {
        let begin = Instant::now();
        // 1 and 2 are said where nothing is found, or a name means several things.
        run(&mut command(name), &[0, 1, 2])?;
        times.push(milliseconds(begin));
    }
    Ok(times)
}

fn run(command: &mut Command, codes: &[i32]) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("`{name}` does not start: install it"))?;
    if !output.status.code().is_some_and(|code| codes.contains(&code)) {
        bail!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
