//! `curation`: measures curated views by the lines that commits touched.

use std::path::PathBuf;

use anyhow::ensure;

use crate::case_file;
use crate::commit_cases::sample_cases;
use crate::evaluation::{CaseSample, EvaluationOutputs, evaluate};

/// The text after the options in the long help.
const LONG_HELP: &str = "\
A case has three parts: a file before a commit, the commit's message as the question, and the
lines that the commit touched. Touched lines are those that it removed or replaced. Where it only
added lines, they are the line before and the line after.

At most 110 cases are drawn from each repository. A commit is used if it changes 1 to 4 source
files and its message has 40 characters or a body. A file is used if it has 120 to 3 000 lines
and at most 15 % of them change. Merges, reverts, formatting, version bumps, renames, and
generated and vendored files are left out.

What the table shows, each as the mean over all cases:
  10 % … 50 %      gold recall: the share of the touched lines that the view keeps, if it may keep
                   this share of all lines
  adaptive         gold recall if the curator chooses how many lines it keeps
  lines, tokens    the share of the file that it then keeps (o200k tokens)
  all kept         the share of cases in which it then keeps every touched line
  functions        whole functions: of the functions of up to 60 lines that have a touched line,
                   the share that it then keeps whole, from the header to the end; documentation
                   does not count, and of nested functions only the inner one does
  time             the time of one call, for half of the calls and for 95 % of them

--cases reads JSON lines with id, path, content_before and query, and gold_lines (from 1) where
they are known. The figures are grouped by repo and language. Other fields are ignored.
--write-cases writes the same form.

--dump writes one JSON line for each case and budget of the curator in the first row:
  id               the case
  budget           a share of lines, or \"adaptive\"
  n_lines          the number of lines of the file
  kept             [[first, last], …], from 1, both included
  micros           time in microseconds

--json prints one document:
  seed, cases
  groups[]         group (\"all\", \"kind\", \"language\", \"repo\"), name, cases, curators[]
  curators[]       curator, budgets[]
  budgets[]        budget, recall, recall_pooled (of the lines of all cases together), all_kept,
                   lines_kept, tokens_kept, whole_functions, sizes[], micros_p50, micros_p95,
                   unsound (must be 0)
  sizes[]          lines_max (null: no limit), cases, tokens_kept, lines_kept, recall";

/// The command line of `curation`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct CurationArguments {
    /// Folders of git repositories, bare or not, with their full history.
    #[arg(long = "repo", value_name = "PATH", num_args = 1.., required_unless_present = "cases")]
    pub(super) repos: Vec<PathBuf>,
    /// Read the cases from JSON lines instead.
    #[arg(long, value_name = "FILE", conflicts_with = "repos")]
    pub(super) cases: Option<PathBuf>,
    /// Seed of the random choice of commits.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) outputs: EvaluationOutputs,
}

/// Samples or reads cases, measures and prints.
///
/// # Errors
/// If there is nothing to measure or a file cannot be read or written.
pub(super) fn run(arguments: &CurationArguments) -> anyhow::Result<()> {
    print!("{}", measure_curation(arguments)?);
    Ok(())
}

/// Samples or reads cases, measures and returns the figures.
pub(super) fn measure_curation(arguments: &CurationArguments) -> anyhow::Result<String> {
    let (cases, seed) = match &arguments.cases {
        Some(path) => (case_file::read_cases(path)?, None),
        None => (sample_cases(&arguments.repos, arguments.seed)?, Some(arguments.seed)),
    };
    ensure!(!cases.is_empty(), "no commit qualifies as a case: `--help` lists the conditions");
    let sample = CaseSample { cases, title: "Gold recall by lines kept", seed };
    evaluate(&sample, &arguments.outputs)
}
