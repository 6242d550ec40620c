//! Profiles `first-last-sampled` and `first-last-sampled-max5`: of many reads of one file the
//! first, the last and some between stay; long run output keeps head and tail.
//!
//! Source: the design document "Smart Tool History Strategy" (seed 002). Its table and its code
//! differ in the reads that they keep and in the pointer's wording; both are here. Light tools
//! (lists, focus, unfocus) stay only among the last 30 results, the number of the document's
//! present strategy. Edits, searches and all other results always stay.

use std::collections::{BTreeSet, HashMap};

use crate::message_shape::MessageShape;
use foveal_tool_effects::EffectKind;
use foveal_transcript::EntryIndex;

use super::policy_view::{DROPPED_NOTE, PolicyView, RULE_DROPPED, first_chars_len, last_chars_len};

/// The rule's name in shapes of re-reads.
pub const RULE_READ: &str = "re-read";
/// The rule's name in shapes of run output.
pub const RULE_RUN: &str = "run-output";

/// Number of last results among which light tools stay.
pub const LIGHT_RESULTS_KEPT: usize = 30;

/// Most full reads of one file, in both forms.
pub const FILE_READS_MAX: usize = 5;

/// The document's two forms of the strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingForm {
    /// Its table of rules.
    Table,
    /// Its code, with `max_file_reads` = 5.
    Code,
}

/// The parameters of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplingSettings {
    /// The form.
    pub form: SamplingForm,
    /// Most full reads of one file: `max_file_reads`. Values below 2 count as 2.
    pub file_reads_max: usize,
    /// Whether results of edits always stay, whatever their age: `keep_all_edits`. Otherwise they
    /// stay as light tools do.
    pub keeps_edits: bool,
    /// Run output of more characters is truncated: `bash_truncate`.
    pub run_characters_max: usize,
}

impl SamplingSettings {
    /// Returns the parameters of the document.
    pub fn new(form: SamplingForm) -> Self {
        let (file_reads_max, run_characters_max) = (FILE_READS_MAX, LONG_CHARACTERS);
        Self { form, file_reads_max, keeps_edits: true, run_characters_max }
    }
}

/// Decides on all results.
pub fn decide(
    view: &PolicyView<'_>,
    sampled: &SamplingSettings,
) -> Vec<(EntryIndex, MessageShape)> {
    let form = sampled.form;
    let mut shapes = view
        .results_before_last(LIGHT_RESULTS_KEPT)
        .filter(|index| {
            is_light_tool(view, *index) || (!sampled.keeps_edits && is_edit(view, *index))
        })
        .map(|index| view.placeholder(index, RULE_DROPPED, DROPPED_NOTE.to_owned(), None))
        .collect::<Vec<_>>();
    let mut reads: HashMap<&str, Vec<EntryIndex>> = HashMap::new();
    for index in view.results() {
        if let Some(read) = view.single_read(index) {
            reads.entry(&read.path).or_default().push(index);
        } else if is_shell_output(view, index) {
            shapes.extend(truncate_run_output(view, index, sampled.run_characters_max));
        }
    }
    for (path, reads) in &reads {
        let kept = match form {
            SamplingForm::Table => reads_kept_by_table(reads.len(), sampled.file_reads_max),
            SamplingForm::Code => reads_kept_by_code(reads.len(), sampled.file_reads_max),
        };
        for (_, index) in reads.iter().enumerate().filter(|(at, _)| !kept.contains(at)) {
            let seen = match form {
                SamplingForm::Table => "first read above",
                SamplingForm::Code => "earlier read",
            };
            let text = format!("[Re-read of {path} - see {seen} for content]");
            shapes.push(view.placeholder(*index, RULE_READ, text, Some(reads[0])));
        }
    }
    shapes
}

/// Returns the indices of the reads that stay in full, of `count` reads of one file, by the table:
/// one or two stay; of three to five the first and the last; of more also up to three evenly spaced
/// between. Six have one between, the fourth, as in the document's picture; seven have two and
/// eight or more three, with at most `reads_max` = 5 in all.
pub fn reads_kept_by_table(count: usize, reads_max: usize) -> BTreeSet<usize> {
    let Some(last) = count.checked_sub(1) else { return BTreeSet::new() };
    let samples = count.saturating_sub(FILE_READS_MAX).min(reads_max.saturating_sub(2));
    let spaces = samples + 1;
    // Rounded to the nearest, halves up.
    let between = (1..=samples).map(|sample| (2 * sample * last + spaces) / (2 * spaces));
    [0, last].into_iter().chain(between).collect()
}

/// Returns the indices of the reads that stay in full, of `count` reads of one file, by the
/// document's `select_reads_to_keep`: the first, the last, and of those between all if they are at
/// most `reads_max - 2`, otherwise the ones at `int(i * step)`. `reads_max` below 2 counts as 2.
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

/// The treatment of run output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutputClass {
    /// Kept.
    Full,
    /// Kept, and the first to be truncated if room is needed. The document specifies no more, so
    /// the text is as for [`RunOutputClass::Full`].
    FullMarked,
    /// Head and tail are kept.
    Truncated,
}

/// Output below this many characters is short.
const SHORT_CHARACTERS: usize = 1_000;
/// Output of more characters is truncated.
const LONG_CHARACTERS: usize = 10_000;
/// Characters kept at each end.
const END_CHARACTERS: usize = 2_000;

/// Returns the row of the document's table for output of this many characters, where more than
/// `most` are truncated.
pub fn classify_run_output(characters: usize, most: usize) -> RunOutputClass {
    match characters {
        characters if characters > most => RunOutputClass::Truncated,
        0..SHORT_CHARACTERS => RunOutputClass::Full,
        _ => RunOutputClass::FullMarked,
    }
}

fn truncate_run_output(
    view: &PolicyView<'_>,
    index: EntryIndex,
    most: usize,
) -> Option<(EntryIndex, MessageShape)> {
    let content = view.content(index);
    // A text has no more characters than bytes, and its bytes need not be counted.
    if classify_run_output(content.len(), most) != RunOutputClass::Truncated {
        return None;
    }
    if let Some(shape) = view.current_shape(index).filter(|shape| shape.rule == RULE_RUN) {
        return Some((index, shape.clone()));
    }
    let characters = content.chars().count();
    if classify_run_output(characters, most) != RunOutputClass::Truncated {
        return None;
    }
    let end = END_CHARACTERS.min(most / 2);
    let (head, tail) = (first_chars_len(content, end), last_chars_len(content, end));
    let note = format!(
        "\n... [truncated: {} chars total, {} lines] ...\n",
        with_separators(characters),
        with_separators(content.lines().count()),
    );
    Some(view.head_and_tail(index, RULE_RUN, head, tail, note))
}

/// Formats `45231` as `45,231`.
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

/// Returns whether a result is the document's bash output: of a shell, and no read.
fn is_shell_output(view: &PolicyView<'_>, index: EntryIndex) -> bool {
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

fn is_light_tool(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let lists =
        view.record.facts(index).kind() == EffectKind::List && !is_shell_output(view, index);
    lists || ["focus", "unfocus"].contains(&view.tool_name(index))
}

#[cfg(test)]
mod tests;
