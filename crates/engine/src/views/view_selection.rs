//! The choice of reads for which views are requested, and when.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::line_selection::{
    ChosenView, GAP_NAMES_MAX, LineSelection, ViewRequest, is_listable_name,
};
use super::read_text::ReadText;
use super::view_source::{ReadContext, ViewSource};
use crate::conversation_record::ConversationRecord;
use crate::entry_facts::EntryFacts;
use crate::lines::PriorShaping;
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::settings::{CurateSettings, OldReadSettings, Settings};
use foveal_tool_effects::{EffectKind, ReadSpan, ReadTarget};
use foveal_transcript::{EntryIndex, LineNumber};

/// All views chosen in one conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChosenViews(BTreeMap<(EntryIndex, ReductionLevel), Arc<Vec<ChosenView>>>);

impl ChosenViews {
    /// Returns the views chosen for a result at a level: one, or one for each of several files.
    pub(crate) fn get(&self, entry: EntryIndex, level: ReductionLevel) -> &[ChosenView] {
        self.0.get(&(entry, level)).map(|chosen| chosen.as_slice()).unwrap_or_default()
    }

    /// Adds chosen views.
    pub(crate) fn insert(&mut self, chosen: &[ChosenView]) {
        for chosen in chosen {
            let views = self.0.entry((chosen.entry, chosen.level)).or_default();
            let views = Arc::make_mut(views);
            views.retain(|earlier| earlier.file != chosen.file);
            views.push(chosen.clone());
        }
    }
}

/// The state of the conversation in which views are requested.
pub(crate) struct ViewSelectionInputs<'a> {
    pub(crate) record: &'a ConversationRecord,
    pub(crate) settings: &'a Settings,
    /// The entries of the prompt.
    pub(crate) window: &'a [EntryIndex],
    /// The position in `window` of the first entry that is new since the last request.
    pub(crate) new_from: usize,
    /// Levels that a rewrite raises.
    pub(crate) levels: &'a [(EntryIndex, ReductionLevel)],
    /// The current state of every entry.
    pub(crate) items: &'a [EntryState],
    /// The response about to be requested.
    pub(crate) answer: EntryIndex,
}

/// Requests a view of each read that arrives or is rewritten, as the settings allow.
pub(crate) fn choose_views(
    views: &dyn ViewSource,
    ask: &ViewSelectionInputs<'_>,
) -> Vec<ChosenView> {
    let mut chosen = Vec::new();
    if let Some(old) = old_read_settings(ask.settings) {
        chosen = choose_old_read_views(|reads| views.choose_views(reads), ask, old, &|| true);
    }
    announce_new_reads(views, ask);
    if let Some(curate) = &ask.settings.curate {
        for at in ask.new_from..ask.window.len() {
            let (before, entry) = (&ask.window[..at], ask.window[at]);
            chosen.extend(choose_first_read_views(views, ask.record, curate, before, entry));
        }
    }
    chosen
}

/// Returns the settings for views of old reads, if there are any.
fn old_read_settings(settings: &Settings) -> Option<&OldReadSettings> {
    settings.rewrite.as_ref()?.old_reads.as_ref()
}

/// Returns views of reads that a rewrite may soon reduce, as far as the source can predict them.
pub(crate) fn predict_views(
    views: &dyn ViewSource,
    ask: &ViewSelectionInputs<'_>,
    go_on: &dyn Fn() -> bool,
) -> Vec<ChosenView> {
    let old = old_read_settings(ask.settings);
    let foreseen = |reads: &[(ReadContext<'_>, ViewRequest)]| views.predict_views(reads, go_on);
    old.map(|old| choose_old_read_views(foreseen, ask, old, go_on)).unwrap_or_default()
}

/// Returns the views that `each` chooses for the old reads that are reduced, while `go_on` returns
/// true. All reads go into one call, since each may take milliseconds.
fn choose_old_read_views(
    each: impl FnOnce(&[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>>,
    ask: &ViewSelectionInputs<'_>,
    old: &OldReadSettings,
    go_on: &dyn Fn() -> bool,
) -> Vec<ChosenView> {
    let reduced = ask.levels.iter().filter(|(_, level)| *level == ReductionLevel::Reduced);
    let reduced = reduced.take_while(|_| go_on());
    let read = |(entry, _): &(EntryIndex, ReductionLevel)| {
        Some((*entry, old_read_content(ask.record, *entry, old)?))
    };
    let found: Vec<_> = reduced.filter_map(read).collect();
    let asked: Vec<(ReadContext<'_>, ViewRequest)> = found
        .iter()
        .map(|(entry, (path, first, text))| {
            let (record, upto) = (ask.record, ask.answer);
            let wanted = old.wanted.limit_to_read(ask.items[entry.as_usize()].tokens);
            (ReadContext { record, upto, path, first: *first, text }, wanted)
        })
        .collect();
    let views = each(&asked).into_iter();
    let chosen = found.iter().zip(&asked).zip(views).filter_map(|(((entry, _), asked), view)| {
        let (read, wanted) = asked;
        let view = clip_view(view?, read);
        let level = ReductionLevel::Reduced;
        Some(ChosenView { entry: *entry, level, file: None, wanted: *wanted, view })
    });
    chosen.collect()
}

/// Announces new reads for which a later rewrite may request views.
fn announce_new_reads(views: &dyn ViewSource, ask: &ViewSelectionInputs<'_>) {
    let Some(old) = old_read_settings(ask.settings).filter(|_| views.supports_prefetch()) else {
        return;
    };
    for entry in ask.window.get(ask.new_from..).unwrap_or_default() {
        if let Some((path, first, text)) = old_read_content(ask.record, *entry, old) {
            let (record, upto) = (ask.record, ask.answer);
            let read = ReadContext { record, upto, path, first, text: &text };
            views.announce_read(&read, old.wanted.limit_to_read(record.facts(*entry).tokens));
        }
    }
}

/// Returns the file, first line number and lines of a read, if a view is requested once it is old.
fn old_read_content<'r>(
    record: &'r ConversationRecord,
    entry: EntryIndex,
    old: &OldReadSettings,
) -> Option<(&'r str, LineNumber, ReadText<'r>)> {
    let facts = record.facts(entry);
    let is_short = facts.printed.lines.len() < old.lines_min as usize;
    if facts.kind() != EffectKind::Read || is_short {
        return None;
    }
    ReadText::from_result(
        &facts.printed,
        None,
        &record.entry(entry).tool_result()?.content,
        facts.content_hash,
    )
}

/// Requests a view of each file that a new result shows, if the result is a first read of whole
/// files; `before` are the earlier entries of the prompt.
pub(crate) fn choose_first_read_views(
    views: &dyn ViewSource,
    record: &ConversationRecord,
    curate: &CurateSettings,
    before: &[EntryIndex],
    entry: EntryIndex,
) -> Vec<ChosenView> {
    let facts = record.facts(entry);
    let mut chosen: Vec<ChosenView> = Vec::new();
    for read in curatable_reads(facts) {
        let place = || facts.printed.paths.iter().position(|path| *path == read.path);
        let file = match is_read_of_one_file(facts) {
            true => None,
            false => match place().and_then(|at| u16::try_from(at).ok()) {
                Some(file) if chosen.iter().all(|other| other.file != Some(file)) => Some(file),
                _ => continue,
            },
        };
        let first = FirstRead { record, curate, before, entry, read, file };
        chosen.extend(first.request_view(views).map(|view| ChosenView {
            entry,
            level: ReductionLevel::Arrival,
            file,
            wanted: ViewRequest::Curated(curate.amount),
            view,
        }));
    }
    chosen
}

/// Returns the reads of a result that may get views. Of several files, only foveal's headings tell
/// reliably which lines belong to which.
fn curatable_reads(facts: &EntryFacts) -> &[ReadTarget] {
    let Some(call) = facts.call.as_ref().filter(|_| !facts.is_error) else { return &[] };
    let (effect, has_headings) =
        (&call.effect, facts.printed.prior_shaping == PriorShaping::Heading);
    let is_curatable = effect.kind == EffectKind::Read && !effect.verbatim;
    let is_clear = is_read_of_one_file(facts) || has_headings;
    if is_curatable && is_clear { &effect.reads } else { &[] }
}

fn is_read_of_one_file(facts: &EntryFacts) -> bool {
    facts.call.as_ref().is_some_and(|call| call.effect.reads.len() == 1)
}

/// A file that a new result shows.
struct FirstRead<'a> {
    record: &'a ConversationRecord,
    curate: &'a CurateSettings,
    /// The earlier entries of the prompt.
    before: &'a [EntryIndex],
    entry: EntryIndex,
    read: &'a ReadTarget,
    /// The file, as an index into the paths of the result, if it shows several.
    file: Option<u16>,
}

impl FirstRead<'_> {
    fn request_view(&self, views: &dyn ViewSource) -> Option<LineSelection> {
        let Self { record, curate, before, entry, read, file } = *self;
        let facts = record.facts(entry);
        let is_curated = facts.call.as_ref()?.effect.curated;
        let lines_min = if is_curated { 1 } else { curate.lines_min as usize };
        if facts.printed.lines.len() < lines_min || read.span != ReadSpan::All {
            return None;
        }
        let is_mentioned =
            || before.iter().any(|earlier| mentions_file(record.facts(*earlier), &read.path));
        if !curate.again && !is_curated && is_mentioned() {
            return None;
        }
        let content = &record.entry(entry).tool_result()?.content;
        let (path, first, text) =
            ReadText::from_result(&facts.printed, file, content, facts.content_hash)?;
        let count = text.line_count();
        if first != LineNumber(1) || path != read.path || count < lines_min {
            return None;
        }
        let wanted = ViewRequest::Curated(curate.amount);
        let read = ReadContext { record, upto: entry, path, first, text: &text };
        let view = clip_view(views.choose_view(&read, wanted)?, &read);
        let kept = view.kept_ranges();
        let left_out: usize = (1u32..)
            .zip(text.lines())
            .filter(|(number, _)| !kept.contains(LineNumber(*number)))
            .map(|(_, line)| line.len() + 1)
            .sum();
        (left_out as f64 >= curate.saving_min * text.len() as f64).then_some(view)
    }
}

/// Returns whether an earlier result shows a file or answers a change of it.
fn mentions_file(facts: &EntryFacts, path: &str) -> bool {
    let Some(call) = facts.call.as_ref().filter(|_| !facts.is_error) else { return false };
    call.effect.reads.iter().any(|read| read.path == path)
        || call.effect.writes.iter().any(|write| write.path == path)
}

/// Reduces a view to the parts that apply to `read`. The view is recorded, and a source may name
/// every line of a long file.
fn clip_view(mut view: LineSelection, read: &ReadContext<'_>) -> LineSelection {
    let kept = view.kept_ranges();
    let row = |line: LineNumber| {
        let at = line.0.checked_sub(read.first.0)?;
        read.text.line_text(usize::try_from(at).ok()?)
    };
    let mut told: HashMap<usize, Vec<&str>> = HashMap::new();
    let mut is_told = Vec::with_capacity(view.names.len());
    for label in &view.names {
        let of_gap = told.entry(kept.count_ranges_up_to(label.line)).or_default();
        // One name beyond the limit records that there are more.
        let is_new = of_gap.len() <= GAP_NAMES_MAX
            && !of_gap.contains(&&*label.text)
            && !kept.contains(label.line)
            && row(label.line).is_some_and(|row| is_listable_name(label, row));
        if is_new {
            of_gap.push(&label.text);
        }
        is_told.push(is_new);
    }
    let mut is_told = is_told.into_iter();
    view.names.retain(|_| is_told.next().unwrap_or_default());
    view.remarks.retain(|label| kept.contains(label.line) && row(label.line).is_some());
    view.lines = kept.0;
    view
}
