//! `foveal bench reads`: curated views against what agents used of the files they read.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use foveal_bench::Case;
use foveal_bench::reads::{self, EVIDENCE, Evidence};
use foveal_context::record::Record;
use foveal_context::tokens::Tokenizer;
use foveal_screen::in_one_line;
use foveal_transcript::Session;
use foveal_wire::Format;
use rayon::prelude::*;

use super::about::About;
use super::evaluate::evaluate;
use super::outputs::Outputs;
use crate::interrupt;
use crate::notice;
use crate::numbers::plural;
use crate::progress;
use crate::sessions::{self, SessionFile, load};

/// What the long help adds.
const LONG_HELP: &str = "\
A case is the first read of a whole file of more than 100 lines in a conversation. The question
is the conversation until then: the user's first and last message, and the latest responses and
results. Evidence is the lines of the file that the agent later edits, quotes in its text or
asks for again by their numbers, until the conversation is compacted.

The columns are those of `foveal bench curation`, with evidence in place of the lines that a
commit touched. Cases without evidence count for lines and tokens only.

--write-cases, --dump and --json have the forms that `foveal bench curation --help` describes.
`repo` is the agent.";

/// The command line of `foveal bench reads`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct Arguments {
    /// Files and folders of recorded sessions.
    #[arg(value_name = "SESSION", required = true)]
    paths: Vec<PathBuf>,
    /// The format of the files. Detected if not given.
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    /// Count this kind of evidence only. Repeat it for several.
    #[arg(long = "evidence", value_name = "KIND")]
    evidence: Vec<Kind>,
    #[command(flatten)]
    outputs: Outputs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Lines that the agent edits.
    Edited,
    /// Lines that it quotes in its text.
    Quoted,
    /// Lines that it asks for again by their numbers.
    Reread,
}

impl From<Kind> for Evidence {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Edited => Evidence::Edited,
            Kind::Quoted => Evidence::Quoted,
            Kind::Reread => Evidence::Reread,
        }
    }
}

/// Finds the reads, measures and prints.
///
/// # Errors
/// If there is nothing to measure or the output cannot be written.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let inputs: Vec<&Path> = arguments.paths.iter().map(PathBuf::as_path).collect();
    let report = arguments.outputs.check(&inputs)?;
    let found = sessions::find(&arguments.paths, arguments.format)?;
    let evidence: Vec<Evidence> = match arguments.evidence.as_slice() {
        [] => EVIDENCE.to_vec(),
        kinds => kinds.iter().copied().map(Evidence::from).collect(),
    };
    let cancel = &interrupt::listen();
    let bar = progress::bar(found.files.len() as u64);
    let of_file = |file: &SessionFile| {
        let mut cases = Vec::new();
        let read = match cancel.is_cancelled() {
            true => Ok(Vec::new()),
            false => load(file, arguments.format, &mut |session| {
                cases.extend(of_session(session, &evidence));
            }),
        };
        bar.inc(1);
        (cases, read.err())
    };
    let outcomes: Vec<_> = found.files.par_iter().map(of_file).collect();
    bar.finish_and_clear();
    let mut cases: Vec<Case> = Vec::new();
    let mut errors = Vec::new();
    for (of_file, error) in outcomes {
        cases.extend(of_file);
        errors.extend(error);
    }
    if let Some(first) = errors.first().filter(|_| cases.is_empty()) {
        bail!("{first}");
    }
    if cases.is_empty() && !cancel.is_cancelled() {
        bail!(
            "no conversation reads a whole file of more than {} lines: nothing to measure",
            reads::LINES_THRESHOLD
        );
    }
    if !errors.is_empty() {
        notice::say(format_args!("not read: {}", plural(errors.len() as u64, "file")));
        for error in &errors {
            notice::say(format_args!("  {}", in_one_line(&error.to_string())));
        }
    }
    let about =
        About { command: "foveal bench reads", title: "Evidence kept by lines kept", seed: None };
    evaluate(&cases, &about, &arguments.outputs, report, cancel)
}

fn of_session(session: Session, evidence: &[Evidence]) -> Vec<Case> {
    let of_conversation = |conversation| {
        let record = Record::of(conversation, Tokenizer::O200k);
        reads::cases(&record, &session.id, evidence)
    };
    session.conversations.into_iter().flat_map(of_conversation).collect()
}
