//! What the measures write, and where to.

use std::path::{Path, PathBuf};

use anyhow::bail;

/// The options of both commands.
#[derive(Debug, clap::Args)]
pub(super) struct Outputs {
    /// Write the cases as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub(super) write_cases: Option<PathBuf>,
    /// Write what was kept of every case under every budget as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub(super) dump: Option<PathBuf>,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    pub(super) json: bool,
    /// Write the curve over lines kept. HTML is a page with tables, SVG the drawing alone.
    #[arg(long, value_name = "FILE.html|FILE.svg")]
    pub(super) report: Option<PathBuf>,
}

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportForm {
    Page,
    Drawing,
}

impl Outputs {
    /// Checks what can be checked before anything is read, and says what a report is to be.
    /// `inputs` are not overwritten.
    ///
    /// # Errors
    /// For files that cannot be written.
    pub(super) fn check(&self, inputs: &[&Path]) -> anyhow::Result<Option<ReportForm>> {
        let outputs = [&self.write_cases, &self.dump, &self.report];
        let outputs: Vec<&PathBuf> = outputs.into_iter().flatten().collect();
        for (at, output) in outputs.iter().enumerate() {
            let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
            if output.is_dir() {
                bail!("`{}` is a folder: name a file to write", output.display());
            }
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                bail!(
                    "`{}` cannot be written: there is no folder `{}`",
                    output.display(),
                    folder.display()
                );
            }
            if inputs.contains(&output.as_path()) || outputs[..at].contains(output) {
                bail!("`{}` is named twice: it would be overwritten", output.display());
            }
        }
        let Some(report) = &self.report else { return Ok(None) };
        match report.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Ok(Some(ReportForm::Page)),
            Some("svg") => Ok(Some(ReportForm::Drawing)),
            _ => bail!("`{}` is no report: name a .html or a .svg file", report.display()),
        }
    }
}
