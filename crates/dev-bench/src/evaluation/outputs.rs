//! Options for the output of figures.

use std::path::PathBuf;

/// Options of the commands that evaluate cases.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct EvaluationOutputs {
    /// Write the cases as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_cases: Option<PathBuf>,
    /// Write the kept lines of every case under every budget as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) dump: Option<PathBuf>,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}
