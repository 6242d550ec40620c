//! When views are asked for, and of which reads.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::read::{Read, Views};
use super::text::ReadText;
use super::value::{Chosen, NAMES_MAX, View, Wanted, is_name_in};
use crate::facts::Facts;
use crate::level::Level;
use crate::record::Record;
use crate::settings::{CurateSettings, OldReads, Settings};
use crate::step::Item;
use foveal_effects::{EffectKind, Span};
use foveal_transcript::{EntryIndex, LineNumber};

/// All that was chosen in one conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices(BTreeMap<(EntryIndex, Level), Arc<Chosen>>);

impl Choices {
    /// What was chosen of a result for a level.
    pub(crate) fn of(&self, entry: EntryIndex, level: Level) -> Option<&Chosen> {
        self.0.get(&(entry, level)).map(|chosen| &**chosen)
    }

    /// Adds what was chosen.
    pub(crate) fn insert(&mut self, chosen: &[Chosen]) {
        for chosen in chosen {
            self.0.insert((chosen.entry, chosen.level), Arc::new(chosen.clone()));
        }
    }
}

/// The moment at which views are asked for.
pub(crate) struct Ask<'a> {
    pub(crate) record: &'a Record,
    pub(crate) settings: &'a Settings,
    /// The entries of the prompt.
    pub(crate) window: &'a [EntryIndex],
    /// Where in the window the entries begin that were not known at the last request.
    pub(crate) new_from: usize,
    /// Levels that a rewrite raises.
    pub(crate) levels: &'a [(EntryIndex, Level)],
    /// What stands so far, for every entry.
    pub(crate) items: &'a [Item],
    /// The response to be asked for.
    pub(crate) answer: EntryIndex,
}

/// Asks for a view of each read that arrives or is rewritten, as far as the settings say.
pub(crate) fn choose(views: &dyn Views, ask: &Ask<'_>) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    if let Some(old) = old_reads(ask.settings) {
        chosen = chosen_by(|reads| views.each(reads), ask, old, &|| true);
    }
    tell_of_reads(views, ask);
    if let Some(curate) = &ask.settings.curate {
        for at in ask.new_from..ask.window.len() {
            let (before, entry) = (&ask.window[..at], ask.window[at]);
            chosen.extend(choose_first(views, ask.record, curate, before, entry));
        }
    }
    chosen
}

/// What is wanted of old reads, if anything is.
fn old_reads(settings: &Settings) -> Option<&OldReads> {
    settings.rewrite.as_ref()?.old_reads.as_ref()
}

/// Views of reads of which a rewrite may soon show less, as far as they are foreseen.
pub(crate) fn foresee(views: &dyn Views, ask: &Ask<'_>, go_on: &dyn Fn() -> bool) -> Vec<Chosen> {
    let old = old_reads(ask.settings);
    let foreseen = |reads: &[(Read<'_>, Wanted)]| views.foreseen(reads, go_on);
    old.map(|old| chosen_by(foreseen, ask, old, go_on)).unwrap_or_default()
}

/// What `each` chooses of the old reads that are reduced, as long as it may `go_on`: it is asked about
/// many at once, since each may take milliseconds.
fn chosen_by(
    each: impl FnOnce(&[(Read<'_>, Wanted)]) -> Vec<Option<View>>,
    ask: &Ask<'_>,
    old: &OldReads,
    go_on: &dyn Fn() -> bool,
) -> Vec<Chosen> {
    let reduced = ask.levels.iter().filter(|(_, level)| *level == Level::Reduced);
    let reduced = reduced.take_while(|_| go_on());
    let read = |(entry, _): &(EntryIndex, Level)| Some((*entry, read_of(ask.record, *entry, old)?));
    let found: Vec<_> = reduced.filter_map(read).collect();
    let asked: Vec<(Read<'_>, Wanted)> = found
        .iter()
        .map(|(entry, (path, first, text))| {
            let (record, upto) = (ask.record, ask.answer);
            let wanted = old.wanted.of_read(ask.items[entry.at()].tokens);
            (Read { record, upto, path, first: *first, text }, wanted)
        })
        .collect();
    let views = each(&asked).into_iter();
    let chosen = found.iter().zip(&asked).zip(views).filter_map(|(((entry, _), asked), view)| {
        let (read, wanted) = asked;
        let view = bounded(view?, read);
        Some(Chosen { entry: *entry, level: Level::Reduced, wanted: *wanted, view })
    });
    chosen.collect()
}

/// Tells of the new reads that a rewrite may ask about later.
fn tell_of_reads(views: &dyn Views, ask: &Ask<'_>) {
    let Some(old) = old_reads(ask.settings).filter(|_| views.gets_ready()) else { return };
    for entry in ask.window.get(ask.new_from..).unwrap_or_default() {
        if let Some((path, first, text)) = read_of(ask.record, *entry, old) {
            let (record, upto) = (ask.record, ask.answer);
            let read = Read { record, upto, path, first, text: &text };
            views.comes(&read, old.wanted.of_read(record.facts(*entry).tokens));
        }
    }
}

/// The file, the first number and the lines of a read that views are asked of once it is old.
fn read_of<'r>(
    record: &'r Record,
    entry: EntryIndex,
    old: &OldReads,
) -> Option<(&'r str, LineNumber, ReadText<'r>)> {
    let facts = record.facts(entry);
    let is_short = facts.printed.lines.len() < old.lines_min as usize;
    if facts.kind() != EffectKind::Read || is_short {
        return None;
    }
    ReadText::of_result(&facts.printed, &record.entry(entry).result()?.content, facts.content)
}

/// Asks for a view of a new result if it is a first read of a whole file; `before` are the entries
/// of the prompt before it.
pub(crate) fn choose_first(
    views: &dyn Views,
    record: &Record,
    curate: &CurateSettings,
    before: &[EntryIndex],
    entry: EntryIndex,
) -> Option<Chosen> {
    let view = first_view(views, record, curate, before, entry)?;
    Some(Chosen { entry, level: Level::Arrival, wanted: Wanted::Curated(curate.amount), view })
}

fn first_view(
    views: &dyn Views,
    record: &Record,
    curate: &CurateSettings,
    before: &[EntryIndex],
    entry: EntryIndex,
) -> Option<View> {
    let facts = record.facts(entry);
    let effect = &facts.call.as_ref()?.effect;
    let [read] = effect.reads.as_slice() else { return None };
    let is_small = facts.printed.lines.len() < curate.lines_min as usize;
    if facts.is_error || is_small || effect.kind != EffectKind::Read || read.span != Span::All {
        return None;
    }
    if effect.verbatim {
        return None;
    }
    if !curate.again && before.iter().any(|earlier| knows(record.facts(*earlier), &read.path)) {
        return None;
    }
    let content = &record.entry(entry).result()?.content;
    let (path, first, text) = ReadText::of_result(&facts.printed, content, facts.content)?;
    let count = text.count();
    if first != LineNumber(1) || path != read.path || count < curate.lines_min as usize {
        return None;
    }
    let wanted = Wanted::Curated(curate.amount);
    let read = Read { record, upto: entry, path, first, text: &text };
    let view = bounded(views.view(&read, wanted)?, &read);
    let kept = view.kept();
    let left_out: usize = (1u32..)
        .zip(text.lines())
        .filter(|(number, _)| !kept.has(LineNumber(*number)))
        .map(|(_, line)| line.len() + 1)
        .sum();
    (left_out as f64 >= curate.saving_min * text.len() as f64).then_some(view)
}

/// Whether a result before tells of a file: it shows or answers a change of it.
fn knows(facts: &Facts, path: &str) -> bool {
    let Some(call) = facts.call.as_ref().filter(|_| !facts.is_error) else { return false };
    call.effect.reads.iter().any(|read| read.path == path)
        || call.effect.writes.iter().any(|write| write.path == path)
}

/// What can be shown of a view for `read`, and no more: what was answered is recorded, and may
/// name every line of a long file.
fn bounded(mut view: View, read: &Read<'_>) -> View {
    let kept = view.kept();
    let row = |line: LineNumber| {
        let at = line.0.checked_sub(read.first.0)?;
        read.text.line(usize::try_from(at).ok()?)
    };
    let mut told: HashMap<usize, Vec<&str>> = HashMap::new();
    let mut is_told = Vec::with_capacity(view.names.len());
    for label in &view.names {
        let of_gap = told.entry(kept.ranges_before(label.line)).or_default();
        // One more tells that there are more.
        let is_new = of_gap.len() <= NAMES_MAX
            && !of_gap.contains(&&*label.text)
            && !kept.has(label.line)
            && row(label.line).is_some_and(|row| is_name_in(label, row));
        if is_new {
            of_gap.push(&label.text);
        }
        is_told.push(is_new);
    }
    let mut is_told = is_told.into_iter();
    view.names.retain(|_| is_told.next().unwrap_or_default());
    view.remarks.retain(|label| kept.has(label.line) && row(label.line).is_some());
    view.lines = kept.0;
    view
}
