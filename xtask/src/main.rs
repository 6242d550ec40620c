//! The house rules as a program: `cargo xtask tidy`.
//!
//! They are about properties that the compiler and clippy cannot see but a reader would: which
//! crate may depend on which, that the pure crates touch nothing outside themselves, how long files are, what
//! names and comments say. Each rule is one file under `tidy/rules` with the bad source it was
//! made for in its tests; the table of them is `tidy::rules::table`.

mod tidy;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

const HELP: &str = "\
tasks of the foveal workspace

usage: cargo xtask <task>

tasks:
  tidy    check the house rules; one line per finding, exit code 1 if there are any
  help    print this text
";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        ["tidy"] => tidy(),
        _ => {
            eprint!("unknown task `{}`\n\n{HELP}", arguments.join(" "));
            Ok(ExitCode::from(2))
        }
    }
}

fn tidy() -> anyhow::Result<ExitCode> {
    // Asked for at run time: two checkouts that share a target folder share this binary.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
    let root = Path::new(&own).parent().context("xtask lies in the workspace's root")?;
    let tree = tidy::load::load(root)?;
    let findings = tidy::rules::check(&tree);
    if findings.is_empty() {
        println!(
            "tidy: {} files, {} rules, {} of at most {} crates, clean",
            tree.sources.len(),
            tidy::rules::RULES.len(),
            tree.locked_crates,
            tree.limits.crates_max,
        );
        return Ok(ExitCode::SUCCESS);
    }
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} findings in {} files", findings.len(), tree.sources.len());
    Ok(ExitCode::from(1))
}
