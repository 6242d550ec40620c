//! Measures cases and writes what came of it.

use std::process::ExitCode;

use foveal_bench::Case;
use foveal_cancel::Cancel;

use super::about::About;
use super::groups::{By, Group, groups};
use super::outputs::{Outputs, ReportForm};
use super::{cases, json, measure, page, text};
use crate::exit_code;
use crate::notice;
use crate::numbers::plural;
use crate::output;
use crate::progress;

/// Measures `cases`, prints the figures and writes the files that were asked for.
///
/// # Errors
/// If something cannot be written.
pub(super) fn evaluate(
    cases: &[Case],
    about: &About,
    outputs: &Outputs,
    report: Option<ReportForm>,
    cancel: &Cancel<'_>,
) -> anyhow::Result<ExitCode> {
    if cases.is_empty() {
        // Only an interruption leaves none: what was written before is not to be replaced.
        notice::say("interrupted before there was a case");
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    }
    if let Some(path) = &outputs.write_cases {
        cases::write(path, cases)?;
    }
    let bar = progress::bar_of(cases.len() as u64, "cases");
    let measured = measure::measure(cases, cancel, &|| bar.inc(1));
    bar.finish_and_clear();
    let groups = groups(cases, &measured);
    if let Some(path) = &outputs.dump {
        json::dump(path, cases, &measured)?;
    }
    if let Some((path, form)) = outputs.report.as_ref().zip(report) {
        page::write(path, form, about, &groups)?;
    }
    complain(&groups, cancel);
    let text = if outputs.json {
        json::render(&groups, about.seed, cases.len(), cancel.is_cancelled())
    } else {
        text::render(about, &groups)
    };
    output::print(text)?;
    let stopped = cancel.is_cancelled();
    Ok(if stopped { ExitCode::from(exit_code::INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Says on standard error what is wrong with the figures.
fn complain(groups: &[Group], cancel: &Cancel<'_>) {
    if cancel.is_cancelled() {
        notice::say("interrupted: the figures are of what was done until then");
    }
    let figures = groups.iter().filter(|group| group.by == By::All).flat_map(|all| &all.figures);
    let unsound: u32 = figures.flatten().map(|figures| figures.unsound).sum();
    if unsound > 0 {
        let views = plural(u64::from(unsound), "view");
        notice::say(format_args!(
            "{views} with ranges outside the file, out of order or over the budget"
        ));
    }
}
