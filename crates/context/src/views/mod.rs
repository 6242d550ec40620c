//! Views of read files: which of their lines the model sees, as someone else chose.
//!
//! What a file consists of is not known here. Whoever knows implements [`Views`]; the engine
//! decides when to ask, records what was chosen and makes the shape. Where there is nobody to
//! ask, or no answer, a read is shaped as it would be without.

pub mod model;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::lines::Printed;
use crate::planner::Item;
use crate::record::Record;
use crate::rewrite::Level;
use crate::settings::Settings;
use crate::shape::ShapeKind;
use crate::shaping::view::{NAMES_MAX, is_name_in};
use crate::tokens::Tokens;
use foveal_effects::{EffectKind, Span};
use foveal_transcript::{EntryIndex, LineNumber};

/// Chooses what the model sees of files that were read.
///
/// The engine asks once for each choice and records the answer in the [`Step`], so an answer
/// need not be the same when asked again, as a model's is not.
///
/// [`Step`]: crate::planner::Step
pub trait Views: std::fmt::Debug + Send + Sync {
    /// The lines of `read` to show; `None` where nothing can be said of it.
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View>;
}

/// Lines of one file, as a result shows them.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The conversation is known up to before this entry: of a result that arrives itself, of
    /// an old one the response that is to be asked for.
    pub upto: EntryIndex,
    /// The file.
    pub path: &'a str,
    /// The number of the first line.
    pub first: LineNumber,
    /// The lines without their numbers, each with a line break.
    pub text: &'a str,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Wanted {
    /// The lines that matter to the conversation.
    Curated(Amount),
    /// What stands for the file in history, in about so many tokens.
    Summary(Tokens),
}

impl Wanted {
    /// What a read of so many tokens is about left with.
    pub(crate) fn tokens_left(self, tokens: Tokens) -> u64 {
        match self {
            Wanted::Curated(Amount::Adaptive) => tokens.0 * 2 / 5,
            Wanted::Curated(Amount::Share(share)) => {
                (tokens.0 as f64 * share.clamp(0.0, 1.0)) as u64
            }
            Wanted::Summary(most) => (tokens.0 / 4).min(most.0),
        }
    }

    /// The same, of a read that now takes so many tokens: what stands for it must be smaller.
    fn of_read(self, tokens: Tokens) -> Self {
        match self {
            Wanted::Curated(_) => self,
            Wanted::Summary(_) => Wanted::Summary(Tokens(self.tokens_left(tokens))),
        }
    }

    /// The kind of replacement that it leads to.
    pub(crate) fn kind(self) -> ShapeKind {
        match self {
            Wanted::Curated(_) => ShapeKind::Curated,
            Wanted::Summary(_) => ShapeKind::Summary,
        }
    }
}

/// How much of a file is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Amount {
    /// As much as the conversation demands.
    Adaptive,
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
}

/// The lines of a file to show. It need not be in order; what is not of the read is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// First and last number of lines to keep, both included.
    pub lines: Vec<(LineNumber, LineNumber)>,
    /// Names that stand in lines, told where these are left out.
    pub names: Vec<Label>,
    /// What is said before lines that are kept.
    pub remarks: Vec<Label>,
}

/// A short text that belongs to a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The line.
    pub line: LineNumber,
    /// The text.
    pub text: Box<str>,
}

/// What was chosen of one read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The result.
    pub entry: EntryIndex,
    /// The level at which it is shown so.
    pub level: Level,
    /// What was asked for.
    pub wanted: Wanted,
    /// What was answered.
    pub view: View,
}

/// When first reads of files are curated as they arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurateSettings {
    /// Reads of fewer lines are shown in full.
    pub lines_min: u32,
    /// How much is kept of others.
    pub amount: Amount,
    /// Share of the lines' bytes that must be saved, from 0 to 1; else all is shown.
    pub saving_min: f64,
    /// Whether files are curated again that the conversation knows already.
    pub again: bool,
}

/// What old reads are rewritten to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OldReads {
    /// Reads of fewer lines are outlined.
    pub lines_min: u32,
    /// What others become.
    pub wanted: Wanted,
}

/// All that was chosen in one conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices(BTreeMap<(EntryIndex, Level), Arc<Chosen>>);

impl Choices {
    /// What was chosen of a result for a level.
    pub(crate) fn of(&self, entry: EntryIndex, level: Level) -> Option<&Chosen> {
        self.0.get(&(entry, level)).map(|chosen| &**chosen)
    }

    /// Takes what was chosen over.
    pub(crate) fn take(&mut self, chosen: &[Chosen]) {
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
    let old = ask.settings.rewrite.as_ref().and_then(|rewrite| rewrite.old_reads.as_ref());
    if let Some(old) = old {
        for (entry, level) in ask.levels.iter().filter(|(_, level)| *level == Level::Reduced) {
            let wanted = old.wanted.of_read(ask.items[entry.at()].tokens);
            let view = old_view(views, ask, old.lines_min, *entry, wanted);
            chosen.extend(view.map(|view| Chosen { entry: *entry, level: *level, wanted, view }));
        }
    }
    if let Some(curate) = &ask.settings.curate {
        for at in ask.new_from..ask.window.len() {
            chosen.extend(first_view(views, ask, curate, at).map(|view| Chosen {
                entry: ask.window[at],
                level: Level::Arrival,
                wanted: Wanted::Curated(curate.amount),
                view,
            }));
        }
    }
    chosen
}

/// A view of an old read.
fn old_view(
    views: &dyn Views,
    ask: &Ask<'_>,
    lines_min: u32,
    entry: EntryIndex,
    wanted: Wanted,
) -> Option<View> {
    let facts = ask.record.facts(entry);
    if facts.kind() != EffectKind::Read || facts.printed.lines.len() < lines_min as usize {
        return None;
    }
    let content = &ask.record.entry(entry).result()?.content;
    let (path, first, text) = lines_of(&facts.printed, content)?;
    let read = ask.read(ask.answer, path, first, &text);
    views.view(&read, wanted).map(|view| view.bounded(&read))
}

/// A view of the result at a window position, if it is a first read of a whole file.
fn first_view(
    views: &dyn Views,
    ask: &Ask<'_>,
    curate: &CurateSettings,
    at: usize,
) -> Option<View> {
    let entry = ask.window[at];
    let facts = ask.record.facts(entry);
    let effect = &facts.call.as_ref()?.effect;
    let [read] = effect.reads.as_slice() else { return None };
    let is_small = facts.printed.lines.len() < curate.lines_min as usize;
    if facts.is_error || is_small || effect.kind != EffectKind::Read || read.span != Span::All {
        return None;
    }
    if effect.verbatim {
        return None;
    }
    let mut before = ask.window[..at].iter();
    if !curate.again && before.any(|earlier| knows(ask.record.facts(*earlier), &read.path)) {
        return None;
    }
    let content = &ask.record.entry(entry).result()?.content;
    let (path, first, text) = lines_of(&facts.printed, content)?;
    let count = text.lines().count();
    if first != LineNumber(1) || path != read.path || count < curate.lines_min as usize {
        return None;
    }
    let wanted = Wanted::Curated(curate.amount);
    let read = ask.read(entry, path, first, &text);
    let view = views.view(&read, wanted)?.bounded(&read);
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

/// The file, the first number and the text of a result's numbered lines, if they are of one
/// file and count up by one.
fn lines_of<'p>(printed: &'p Printed, content: &str) -> Option<(&'p str, LineNumber, String)> {
    let mut numbered = printed.lines.iter().filter(|line| line.number.is_some()).peekable();
    let (path, first) = numbered.peek().and_then(|line| line.path.zip(line.number))?;
    let mut text = String::new();
    for (number, line) in (first.0..).zip(numbered) {
        if line.path != Some(path) || line.number != Some(LineNumber(number)) {
            return None;
        }
        text.push_str(line.text_in(content));
        text.push('\n');
    }
    Some((printed.paths.get(usize::from(path))?, first, text))
}

impl<'a> Ask<'a> {
    fn read<'r>(
        &self,
        upto: EntryIndex,
        path: &'r str,
        first: LineNumber,
        text: &'r str,
    ) -> Read<'r>
    where
        'a: 'r,
    {
        Read { record: self.record, upto, path, first, text }
    }
}

impl View {
    /// Whether a line is to be kept.
    pub fn keeps(&self, line: LineNumber) -> bool {
        self.lines.iter().any(|(first, last)| *first <= line && line <= *last)
    }

    /// The lines to be kept, to be asked of many.
    pub(crate) fn kept(&self) -> Kept {
        let mut ranges = self.lines.clone();
        ranges.sort_unstable();
        let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
        for (first, end) in ranges.into_iter().filter(|(first, end)| first <= end) {
            match kept.last_mut() {
                Some((_, last)) if first <= *last => *last = end.max(*last),
                _ => kept.push((first, end)),
            }
        }
        Kept(kept)
    }

    /// What can be shown of it for `read`, and no more: what was answered is recorded, and may
    /// name every line of a long file.
    fn bounded(mut self, read: &Read<'_>) -> Self {
        let kept = self.kept();
        let rows: Vec<&str> = read.text.lines().collect();
        let row = |line: LineNumber| {
            let at = line.0.checked_sub(read.first.0)?;
            rows.get(usize::try_from(at).ok()?).copied()
        };
        let mut told: HashMap<usize, HashSet<Box<str>>> = HashMap::new();
        self.names.retain(|label| {
            if kept.has(label.line) || !row(label.line).is_some_and(|row| is_name_in(label, row)) {
                return false;
            }
            let of_gap = told.entry(kept.ranges_before(label.line)).or_default();
            // One more tells that there are more.
            of_gap.len() <= NAMES_MAX && of_gap.insert(label.text.clone())
        });
        self.remarks.retain(|label| kept.has(label.line) && row(label.line).is_some());
        self.lines = kept.0;
        self
    }
}

/// Ranges of lines, ascending and apart.
pub(crate) struct Kept(Vec<(LineNumber, LineNumber)>);

impl Kept {
    pub(crate) fn has(&self, line: LineNumber) -> bool {
        let before = self.ranges_before(line).checked_sub(1);
        before.is_some_and(|at| line <= self.0[at].1)
    }

    /// How many ranges begin at or before a line.
    fn ranges_before(&self, line: LineNumber) -> usize {
        self.0.partition_point(|(first, _)| *first <= line)
    }
}
