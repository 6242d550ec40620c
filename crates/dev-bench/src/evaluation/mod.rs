//! Evaluates every curator on every case, and renders the figures as tables or JSON.

mod case_sample;
mod figures;
mod file_facts;
mod groups;
mod json;
mod measure;
mod measurement;
mod outputs;
mod ratio;
mod size_classes;
mod tables;

use crate::case_file;

pub(crate) use self::case_sample::CaseSample;
pub(crate) use self::figures::CurationFigures;
pub(crate) use self::file_facts::FileFacts;
pub(crate) use self::measurement::CurationMeasurement;
pub(crate) use self::outputs::EvaluationOutputs;
pub(crate) use self::size_classes::SIZES;

/// Measures the cases, writes the files that `outputs` names, and returns the figures as text.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn evaluate(sample: &CaseSample, outputs: &EvaluationOutputs) -> anyhow::Result<String> {
    let cases = &sample.cases;
    if let Some(path) = &outputs.write_cases {
        case_file::write_cases(path, cases)?;
    }
    eprintln!("{} cases to measure", cases.len());
    let measurements = measure::measure_cases(cases);
    if let Some(path) = &outputs.dump {
        json::write_dump(path, cases, &measurements)?;
    }
    let groups = groups::group_cases(cases, &measurements);
    let unsound: u32 = groups::all_figures(&groups).map(|figures| figures.unsound).sum();
    if unsound > 0 {
        eprintln!("{unsound} views with ranges outside the file, out of order or over the budget");
    }
    Ok(match outputs.json {
        true => json::render_groups(sample, &groups),
        false => tables::render_tables(sample.title, &groups),
    })
}

#[cfg(test)]
mod tests;
