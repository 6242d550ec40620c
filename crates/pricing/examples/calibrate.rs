//! Fits the Claude token estimate on recorded usage and prints how far off it is.
//!
//! `cargo run --release -p foveal-pricing --example calibrate -- FOLDER…` reads Claude Code
//! and pi recordings (`*.jsonl`). The system prompt and the tool schemas are not recorded,
//! so what is compared is how much the reported prompt grew from one request to the next,
//! and the recorded text in between: there the unknown parts cancel.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use foveal_pricing::tokens::Tokenizer;
use serde_json::Value;

/// Growths below this are weighed as if they were this large: a few hidden tokens of a
/// client's reminder would otherwise decide the fit.
const SMALL_GROWTH: f64 = 50.0;

/// What lies between two requests of one conversation.
#[derive(Debug, Default)]
struct Step {
    file: usize,
    /// Reported prompt tokens of the later request minus those of the earlier one.
    growth: f64,
    /// o200k tokens of the recorded text: the response with its calls, results, user text.
    text: f64,
    /// Tool calls, each with its result.
    calls: f64,
    /// Something whose tokens are not known lies in between (an image, a compaction).
    unknown: bool,
}

impl Step {
    fn add(&mut self, text: &str) {
        self.text += Tokenizer::O200k.count(text).0 as f64;
    }
}

/// Tokens predicted as `factor * text + per_call * calls`.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    factor: f64,
    per_call: f64,
}

impl Estimate {
    fn of(self, step: &Step) -> f64 {
        self.factor * step.text + self.per_call * step.calls
    }
}

fn main() -> ExitCode {
    let mut files: Vec<PathBuf> = std::env::args().skip(1).flat_map(recordings_in).collect();
    files.sort();
    let mut steps = Vec::new();
    for (index, file) in files.iter().enumerate() {
        match fs::read_to_string(file) {
            Ok(text) => steps.extend(steps_of(&text, index)),
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }
    let all = steps.len();
    // A prompt that shrank was cut by the client; what it lost is not recorded.
    steps.retain(|step| !step.unknown && step.growth > 0.0);
    println!("{} files, {all} request pairs, {} of known growth", files.len(), steps.len());
    let (fitted, tested): (Vec<_>, Vec<_>) = steps.iter().partition(|step| step.file % 2 == 0);
    if fitted.is_empty() || tested.is_empty() {
        eprintln!("calibrate: give folders that hold at least two recordings");
        return ExitCode::from(2);
    }
    for (name, with_calls) in [("factor only", false), ("factor and call overhead", true)] {
        let estimate = fit(&fitted, with_calls);
        println!(
            "\n{name}: factor {:.3}, per call {:.1}\n{}\n{}",
            estimate.factor,
            estimate.per_call,
            errors("  fitted half", &fitted, estimate),
            errors("  other half ", &tested, estimate)
        );
        let swapped = fit(&tested, with_calls);
        println!(
            "  halves swapped: factor {:.3}, per call {:.1}\n{}",
            swapped.factor,
            swapped.per_call,
            errors("  other half ", &fitted, swapped)
        );
    }
    ExitCode::SUCCESS
}

/// The `*.jsonl` files in `folder`.
fn recordings_in(folder: String) -> Vec<PathBuf> {
    match fs::read_dir(&folder) {
        Ok(files) => files
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect(),
        Err(_) if Path::new(&folder).is_file() => vec![PathBuf::from(folder)],
        Err(error) => {
            eprintln!("{folder}: {error}");
            Vec::new()
        }
    }
}

/// The steps of one recording's main conversation.
fn steps_of(recording: &str, file: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut open: Option<(String, f64, Step)> = None;
    for line in recording.lines() {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        if record["isSidechain"] == true {
            continue;
        }
        let message = &record["message"];
        if is_cut(&record) || message["model"] == "<synthetic>" {
            if let Some((_, _, step)) = &mut open {
                step.unknown |= is_cut(&record);
            }
            continue;
        }
        if message["role"] == "assistant" {
            // Claude Code writes one line per block of a response, pi one per response.
            let id = message["id"]
                .as_str()
                .map_or_else(|| record["timestamp"].to_string(), str::to_owned);
            let prompt = prompt_tokens(&message["usage"]);
            if open.as_ref().is_none_or(|(known, ..)| *known != id) {
                if let Some((_, before, mut step)) = open.take() {
                    step.growth = prompt - before;
                    // A failed request reports no usage; nothing can be said about it.
                    step.unknown |= prompt == 0.0 || before == 0.0;
                    steps.push(step);
                }
                open = Some((id, prompt, Step { file, ..Step::default() }));
            }
        }
        if let Some((_, _, step)) = &mut open {
            add_content(step, &message["content"]);
        }
    }
    steps
}

/// Whether the record says that the client compacted.
fn is_cut(record: &Value) -> bool {
    record["type"] == "compaction"
        || record["subtype"] == "compact_boundary"
        || record["isCompactSummary"] == true
}

/// All input tokens: uncached, read from the cache and written to it.
fn prompt_tokens(usage: &Value) -> f64 {
    [
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "input",
        "cacheRead",
        "cacheWrite",
    ]
    .iter()
    .filter_map(|field| usage[*field].as_f64())
    .sum()
}

fn add_content(step: &mut Step, content: &Value) {
    match content {
        Value::String(text) => step.add(text),
        Value::Array(parts) => parts.iter().for_each(|part| add_part(step, part)),
        _ => {}
    }
}

fn add_part(step: &mut Step, part: &Value) {
    let text = |field: &str| part[field].as_str().unwrap_or_default();
    match text("type") {
        "text" => step.add(text("text")),
        // The models recorded here keep their thinking in the prompt.
        "thinking" => step.add(text("thinking")),
        "tool_use" => add_call(step, text("name"), &part["input"]),
        "toolCall" => add_call(step, text("name"), &part["arguments"]),
        "tool_result" => add_content(step, &part["content"]),
        _ => step.unknown = true,
    }
}

/// A call counts as the engine's prompt text has it: name, space, arguments as JSON.
fn add_call(step: &mut Step, name: &str, arguments: &Value) {
    step.calls += 1.0;
    step.add(&format!("{name} {arguments}"));
}

/// The estimate with the least sum of absolute relative errors, by reweighted least squares
/// (Schlossmacher 1973): absolute errors, because a hidden reminder is an outlier.
fn fit(steps: &[&Step], with_calls: bool) -> Estimate {
    let mut estimate = Estimate { factor: 1.0, per_call: 0.0 };
    for _ in 0..100 {
        let (mut tt, mut tc, mut cc, mut ty, mut cy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for step in steps {
            let size = step.growth.max(SMALL_GROWTH);
            let miss = ((step.growth - estimate.of(step)) / size).abs().max(1e-3);
            let weight = 1.0 / (size * size * miss);
            tt += weight * step.text * step.text;
            tc += weight * step.text * step.calls;
            cc += weight * step.calls * step.calls;
            ty += weight * step.text * step.growth;
            cy += weight * step.calls * step.growth;
        }
        let determinant = tt * cc - tc * tc;
        estimate = if with_calls && determinant.abs() > f64::EPSILON {
            Estimate {
                factor: (ty * cc - cy * tc) / determinant,
                per_call: (cy * tt - ty * tc) / determinant,
            }
        } else {
            Estimate { factor: ty / tt, per_call: 0.0 }
        };
    }
    estimate
}

/// Median and 90th percentile of the absolute relative error, per request pair and per
/// session total.
fn errors(name: &str, steps: &[&Step], estimate: Estimate) -> String {
    let mut sessions: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut pairs = Vec::new();
    for step in steps {
        let predicted = estimate.of(step);
        pairs.push((predicted / step.growth - 1.0).abs());
        let totals = sessions.entry(step.file).or_default();
        *totals = (totals.0 + predicted, totals.1 + step.growth);
    }
    let totals: Vec<f64> = sessions.values().map(|(p, real)| (p / real - 1.0).abs()).collect();
    format!(
        "{name}: {} pairs median {:.1} % p90 {:.1} %; {} sessions median {:.1} % worst {:.1} %",
        pairs.len(),
        quantile(&pairs, 0.5),
        quantile(&pairs, 0.9),
        totals.len(),
        quantile(&totals, 0.5),
        quantile(&totals, 1.0)
    )
}

/// The quantile in percent.
fn quantile(values: &[f64], at: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (at * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN) * 100.0
}
