//! Profiles `first-last-sampled` and `first-last-sampled-max5`: of many reads of one file
//! the first, the last and some between stay; long run output keeps its ends.
//!
//! Source: the design document "Smart Tool History Strategy" (seed 002). Its table and its
//! code differ in which reads they keep and in the pointer's wording; both are here. Light
//! tools (lists, focus, unfocus) stay only among the last 30 results, the number the
//! document's present strategy has. Edits, searches and all other results always stay.

use std::collections::{BTreeSet, HashMap};

use crate::shape::Shape;
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

use super::{PolicyView, bytes_of_first, bytes_of_last, keep_last};

/// The rule's name in shapes of re-reads.
pub const RULE_READ: &str = "re-read";
/// The rule's name in shapes of run output.
pub const RULE_RUN: &str = "run-output";

/// Results among which light tools stay.
pub const LIGHT_RESULTS_KEPT: usize = 30;

/// Most full reads of one file, in both forms.
pub const FILE_READS_MAX: usize = 5;

/// Which of the document's two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Its table of rules.
    Table,
    /// Its code, with `max_file_reads` = 5.
    Code,
}

/// What the document lets be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampled {
    /// Which form.
    pub form: Form,
    /// Most full reads of one file: `max_file_reads`. Below 2 it is read as 2.
    pub file_reads_max: usize,
    /// Whether results of edits always stay, whatever their age: `keep_all_edits`. If not, they
    /// stay as light tools do.
    pub keeps_edits: bool,
    /// Run output of more characters than this is truncated: `bash_truncate`.
    pub run_characters_max: usize,
}

impl Sampled {
    /// As the document has it.
    pub fn new(form: Form) -> Self {
        let (file_reads_max, run_characters_max) = (FILE_READS_MAX, LONG_CHARACTERS);
        Self { form, file_reads_max, keeps_edits: true, run_characters_max }
    }
}

/// The table's form as a policy.
pub fn table(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    decide(view, &Sampled::new(Form::Table))
}

/// The code's form as a policy.
pub fn code(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    decide(view, &Sampled::new(Form::Code))
}

/// What becomes of results.
pub fn decide(view: &PolicyView<'_>, sampled: &Sampled) -> Vec<(EntryIndex, Shape)> {
    let form = sampled.form;
    let mut shapes = keep_last::older_than(view, LIGHT_RESULTS_KEPT)
        .filter(|index| is_light(view, *index) || (!sampled.keeps_edits && is_edit(view, *index)))
        .map(|index| view.stand_in(index, keep_last::RULE, keep_last::DROPPED.to_owned(), None))
        .collect::<Vec<_>>();
    let mut reads: HashMap<&str, Vec<EntryIndex>> = HashMap::new();
    for index in view.results() {
        if let Some(read) = view.read(index) {
            reads.entry(&read.path).or_default().push(index);
        } else if is_run(view, index) {
            shapes.extend(truncated(view, index, sampled.run_characters_max));
        }
    }
    for (path, reads) in &reads {
        let kept = match form {
            Form::Table => reads_kept_by_table(reads.len(), sampled.file_reads_max),
            Form::Code => reads_kept_by_code(reads.len(), sampled.file_reads_max),
        };
        for (_, index) in reads.iter().enumerate().filter(|(at, _)| !kept.contains(at)) {
            let seen = match form {
                Form::Table => "first read above",
                Form::Code => "earlier read",
            };
            let text = format!("[Re-read of {path} - see {seen} for content]");
            shapes.push(view.stand_in(*index, RULE_READ, text, Some(reads[0])));
        }
    }
    shapes
}

/// Places of the reads that stay in full, of `count` reads of one file, by the table: one
/// stays, two stay, of three to five the first and the last, of more also up to three evenly
/// spaced between. Six have one between, the fourth, as in the document's picture; seven
/// have two and eight or more three, with at most `reads_max` = 5 in all.
pub fn reads_kept_by_table(count: usize, reads_max: usize) -> BTreeSet<usize> {
    let Some(last) = count.checked_sub(1) else { return BTreeSet::new() };
    let samples = count.saturating_sub(FILE_READS_MAX).min(reads_max.saturating_sub(2));
    let spaces = samples + 1;
    // Rounded to the nearest, halves up.
    let between = (1..=samples).map(|sample| (2 * sample * last + spaces) / (2 * spaces));
    [0, last].into_iter().chain(between).collect()
}

/// Places of the reads that stay in full, of `count` reads of one file, by the document's
/// `select_reads_to_keep`: the first, the last, and of those between every one if they are
/// at most `reads_max - 2`, otherwise the ones at `int(i * step)`. `reads_max` below 2 is
/// read as 2.
pub fn reads_kept_by_code(count: usize, reads_max: usize) -> BTreeSet<usize> {
    if count <= 2 {
        return (0..count).collect();
    }
    let middle = count - 2;
    let samples = reads_max.saturating_sub(2);
    let mut kept = BTreeSet::from([0, count - 1]);
    if middle <= samples {
        kept.extend(1..=middle);
    } else {
        kept.extend((0..samples).map(|sample| 1 + sample * middle / samples));
    }
    kept
}

/// What becomes of run output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutput {
    /// Kept.
    Full,
    /// Kept, and the first to be truncated should room be needed; the document says no more
    /// of it, so the text is as for [`RunOutput::Full`].
    FullMarked,
    /// Only its ends are kept.
    Truncated,
}

/// Output below this many characters is short.
const SHORT_CHARACTERS: usize = 1_000;
/// Output of more characters than this is truncated.
const LONG_CHARACTERS: usize = 10_000;
/// Characters kept at each end.
const END_CHARACTERS: usize = 2_000;

/// The row of the document's table that output of so many characters falls in, where more than
/// `most` are truncated.
pub fn run_output(characters: usize, most: usize) -> RunOutput {
    match characters {
        characters if characters > most => RunOutput::Truncated,
        0..SHORT_CHARACTERS => RunOutput::Full,
        _ => RunOutput::FullMarked,
    }
}

fn truncated(view: &PolicyView<'_>, index: EntryIndex, most: usize) -> Option<(EntryIndex, Shape)> {
    let content = view.content(index);
    // A text has no more characters than bytes, and counting those is free.
    if run_output(content.len(), most) != RunOutput::Truncated {
        return None;
    }
    if let Some(shape) = view.replaced(index).filter(|shape| shape.rule == RULE_RUN) {
        return Some((index, shape.clone()));
    }
    let characters = content.chars().count();
    if run_output(characters, most) != RunOutput::Truncated {
        return None;
    }
    let end = END_CHARACTERS.min(most / 2);
    let ends = (bytes_of_first(content, end), bytes_of_last(content, end));
    let note = format!(
        "\n... [truncated: {} chars total, {} lines] ...\n",
        with_separators(characters),
        with_separators(content.lines().count()),
    );
    Some(view.head_and_tail(index, RULE_RUN, ends, note))
}

/// `45231` as `45,231`.
fn with_separators(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Whether a result is what the document calls bash output: of a shell, and no read.
fn is_run(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let Some(call) = &view.record.facts(index).call else { return false };
    match call.effect.kind {
        EffectKind::Run => true,
        EffectKind::Search | EffectKind::List => call.effect.command.is_some(),
        EffectKind::Read
        | EffectKind::Edit
        | EffectKind::Write
        | EffectKind::Fetch
        | EffectKind::Other => false,
    }
}

fn is_edit(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    matches!(view.record.facts(index).kind(), EffectKind::Edit | EffectKind::Write)
        && !view.is_error(index)
}

fn is_light(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let lists = view.record.facts(index).kind() == EffectKind::List && !is_run(view, index);
    lists || ["focus", "unfocus"].contains(&view.tool(index))
}

#[cfg(test)]
mod tests;
