//! `reads`: measures curated views by the lines of read files that agents used.

use std::path::PathBuf;

use anyhow::ensure;
use foveal_engine::conversation_record::ConversationRecord;
use foveal_pricing::tokens::Tokenizer;
use rayon::prelude::*;

use crate::case::CurationCase;
use crate::evaluation::{CaseSample, EvaluationOutputs, evaluate};
use crate::read_cases::{EVIDENCE, LINES_THRESHOLD, UsageEvidence, read_cases};
use crate::recorded_sessions::{RecordedConversation, load_conversations};

/// The text after the options in the long help.
const LONG_HELP: &str = "\
A case is the first read of a whole file of more than 100 lines in a conversation. The question
is the conversation until then: the user's first and last message, and the latest responses and
results. Evidence is the lines of the file that the agent later edits, quotes in its text or
asks for again by their numbers, until the conversation is compacted.

The columns are those of `curation`, with evidence in place of the lines that a commit touched.
Cases without evidence count for lines and tokens only.

--write-cases, --dump and --json have the forms that `curation --help` describes. `repo` is the
agent.";

/// The command line of `reads`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct ReadsArguments {
    /// Files and folders of recorded sessions.
    #[arg(value_name = "SESSION", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Count this kind of evidence only. Repeat it for several.
    #[arg(long = "evidence", value_name = "KIND")]
    pub(super) evidence: Vec<UsageEvidence>,
    #[command(flatten)]
    pub(super) outputs: EvaluationOutputs,
}

/// Finds the reads, measures and prints.
///
/// # Errors
/// If there is nothing to measure or a file cannot be read or written.
pub(super) fn run(arguments: &ReadsArguments) -> anyhow::Result<()> {
    print!("{}", measure_reads(arguments)?);
    Ok(())
}

/// Finds the reads, measures and returns the figures.
pub(super) fn measure_reads(arguments: &ReadsArguments) -> anyhow::Result<String> {
    let evidence: &[UsageEvidence] = match arguments.evidence.as_slice() {
        [] => EVIDENCE,
        kinds => kinds,
    };
    let conversation_cases = |recorded: RecordedConversation| {
        let record = ConversationRecord::from_conversation(recorded.conversation, Tokenizer::O200k);
        read_cases(&record, &recorded.session, evidence)
    };
    let conversations = load_conversations(&arguments.paths)?;
    let cases: Vec<CurationCase> =
        conversations.into_par_iter().flat_map(conversation_cases).collect();
    ensure!(
        !cases.is_empty(),
        "no conversation reads a whole file of more than {LINES_THRESHOLD} lines: nothing to measure"
    );
    let sample = CaseSample { cases, title: "Evidence kept by lines kept", seed: None };
    evaluate(&sample, &arguments.outputs)
}
