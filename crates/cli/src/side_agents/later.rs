//! Views by a model that are made beside the run: a read goes whole at once, and what the model would
//! show of it is there when the read is old and a rewrite shows less of it anyway.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_context::record::Record;
use foveal_context::tokens::{Tokenizer, Tokens, estimate};
use foveal_context::views::{Amount, Read, ReadText, View, Views, Wanted, Watch};
use foveal_transcript::{ContentHash, Conversation, EntryIndex, LineNumber, Role};

use super::curator::Curator;

/// Reads that wait for the model. Of further ones there is what is there without it.
const READS_MAX: usize = 16;

/// Views that wait for a rewrite. The oldest ones go first.
const VIEWS_MAX: usize = 256;

/// Reads of which it is remembered that the model was asked about them, or has shown them.
const LATEST_MAX: usize = 1_024;

/// Messages of the conversation that the model is asked with, at most.
const MESSAGES_MAX: usize = 20;

/// What a gap takes, by its note.
const GAP_TOKENS: u64 = 14;

/// What the number of a line takes.
const NUMBER_TOKENS: u64 = 2;

/// How often it is looked whether the model can be asked again.
const LOOK_UP_TIME: Duration = Duration::from_millis(100);

/// Views by a model that come later, and by somebody else until then.
#[derive(Debug)]
pub(crate) struct Later {
    otherwise: Arc<dyn Views>,
    reads: SyncSender<WaitingRead>,
    made: Arc<Made>,
}

/// Which lines of which file they are.
type Key = (String, ContentHash, LineNumber);

/// What was made so far.
#[derive(Debug, Default)]
struct Made {
    views: Mutex<VecDeque<(Key, View, Tokens)>>,
    /// What waited for the model, and what it has shown while the run waited.
    asked: Mutex<Latest>,
    shown: Mutex<Latest>,
    /// How many wait for a view of a read that arrives.
    waiting: AtomicUsize,
    /// Whether nobody needs any more of it.
    is_over: AtomicBool,
}

/// The reads that something happened to last, each once.
#[derive(Debug, Default)]
struct Latest(VecDeque<Key>);

impl Latest {
    fn has(&self, key: &Key) -> bool {
        self.0.contains(key)
    }

    fn add(&mut self, key: Key) {
        if self.has(&key) {
            return;
        }
        if self.0.len() == LATEST_MAX {
            self.0.pop_front();
        }
        self.0.push_back(key);
    }

    fn remove(&mut self, key: &Key) {
        self.0.retain(|known| known != key);
    }
}

/// A read that waits, with the messages before it.
#[derive(Debug)]
struct WaitingRead {
    key: Key,
    record: Record,
    text: String,
    tokens_max: Tokens,
}

impl Later {
    /// Starts the thread that asks `model`. It ends with this.
    pub(crate) fn start(model: &Arc<Curator>, otherwise: Arc<dyn Views>) -> Self {
        let (reads, come) = sync_channel(READS_MAX);
        let made = Arc::new(Made::default());
        let (model, known) = (Arc::clone(model), Arc::clone(&made));
        let before = Arc::clone(&otherwise);
        // Without it there is what is there without the model.
        drop(thread::Builder::new().name("curator".into()).spawn(move || {
            make((&model, &before), &come, &known);
        }));
        Self { otherwise, reads, made }
    }

    /// Has the model asked about a read, unless it was, or too many wait.
    fn ask_later(&self, read: &Read<'_>, tokens_max: Tokens) {
        let key = key(read);
        if lock(&self.made.asked).has(&key) {
            return;
        }
        let (record, text) = (messages_before(read), read.text.to_string());
        let waiting = WaitingRead { key: key.clone(), record, text, tokens_max };
        if self.reads.try_send(waiting).is_ok() {
            lock(&self.made.asked).add(key);
        }
    }

    /// What the model showed of a read, where that is there and takes no more than is wanted.
    fn made(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let Wanted::Summary(most) = wanted else { return None };
        let views = lock(&self.made.views);
        if views.is_empty() {
            return None;
        }
        let key = key(read);
        let it = views.iter().find(|(known, ..)| *known == key);
        it.filter(|(.., tokens)| *tokens <= most).map(|(_, view, _)| view.clone())
    }
}

impl Views for Later {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.view_watched(read, wanted, Watch::NOBODY)
    }

    fn view_watched(&self, read: &Read<'_>, wanted: Wanted, watch: Watch<'_>) -> Option<View> {
        if let Some(view) = self.made(read, wanted) {
            return Some(view);
        }
        let _waits = Waits::begin(&self.made.waiting);
        let view = self.otherwise.view_watched(read, wanted, watch);
        if view.as_ref().is_some_and(|view| view.by.is_some()) {
            lock(&self.made.shown).add(key(read));
        }
        view
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        let made: Vec<Option<View>> =
            reads.iter().map(|(read, wanted)| self.made(read, *wanted)).collect();
        let missing = reads.iter().zip(&made).filter(|(_, made)| made.is_none());
        let missing: Vec<(Read<'_>, Wanted)> = missing.map(|(read, _)| *read).collect();
        let mut others = self.otherwise.each(&missing).into_iter();
        let all = made.into_iter().map(|made| made.or_else(|| others.next().flatten()));
        all.collect()
    }

    fn gets_ready(&self) -> bool {
        true
    }

    fn comes(&self, read: &Read<'_>, wanted: Wanted) {
        self.otherwise.comes(read, wanted);
        if let Wanted::Summary(most) = wanted {
            self.ask_later(read, most);
        }
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        self.otherwise.foreseen(reads, go_on)
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        self.made.is_over.store(true, Ordering::SeqCst);
    }
}

/// Somebody waits until this is dropped.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(read: &Read<'_>) -> Key {
    (read.path.to_owned(), ContentHash::of(read.text.as_bytes()), read.first)
}

/// What was said before a read, as much of it as a model is told.
fn messages_before(read: &Read<'_>) -> Record {
    let entries = read.record.entries();
    let known = &entries[..read.upto.at().min(entries.len())];
    let is_said = |role| matches!(role, Role::User | Role::Assistant);
    let latest = known.iter().rev().filter(|entry| is_said(entry.role)).take(MESSAGES_MAX);
    let mut latest: Vec<_> = latest.cloned().collect();
    latest.reverse();
    let conversation: Conversation = latest.into_iter().collect();
    Record::of(conversation, Tokenizer::O200k)
}

/// Makes views until nobody needs any more.
fn make((model, before): (&Curator, &Arc<dyn Views>), come: &Receiver<WaitingRead>, made: &Made) {
    let is_over = || made.is_over.load(Ordering::SeqCst);
    while let Ok(waiting) = come.recv() {
        // Whoever waits for a view of it, or of another read, comes first.
        let is_busy = || model.is_paused() || made.waiting.load(Ordering::SeqCst) > 0;
        loop {
            thread::sleep(LOOK_UP_TIME);
            if is_over() {
                return;
            }
            if !is_busy() {
                break;
            }
        }
        if lock(&made.shown).has(&waiting.key) {
            continue;
        }
        let Some((view, tokens)) = of_waiting((model, before), &waiting, &is_over) else {
            // Where it is read once more, it is asked once more.
            lock(&made.asked).remove(&waiting.key);
            continue;
        };
        let mut views = lock(&made.views);
        let is_full = views.len() == VIEWS_MAX;
        let gone = is_full.then(|| views.pop_front()).flatten();
        views.push_back((waiting.key, view, tokens));
        drop(views);
        if let Some((key, ..)) = gone {
            lock(&made.asked).remove(&key);
        }
    }
}

/// What the model shows of a read, and what that takes.
fn of_waiting(
    (model, before): (&Curator, &Arc<dyn Views>),
    waiting: &WaitingRead,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Option<(View, Tokens)> {
    let WaitingRead { key: (path, _, first), record, text, tokens_max } = waiting;
    let upto = EntryIndex(u32::try_from(record.len()).ok()?);
    let read = Read { record, upto, path, first: *first, text: &ReadText::from(&**text) };
    let wanted = Wanted::Curated(Amount::Share(share(text, *tokens_max)));
    let watch = Watch { tell: &|_| {}, is_over };
    fitted(model.view_of(&read, wanted, (before, watch))?, &read, *tokens_max)
}

/// The share of a text that has so many tokens.
fn share(text: &str, tokens_max: Tokens) -> f64 {
    let lines = text.lines().count() as u64;
    let all = estimate(text).0 + NUMBER_TOKENS * lines;
    tokens_max.0 as f64 / all.max(1) as f64
}

/// A view of at most so many tokens: what it says of the whole, and its lines from the first on.
/// `None` where no line has room.
fn fitted(mut view: View, read: &Read<'_>, tokens_max: Tokens) -> Option<(View, Tokens)> {
    // What is said of the whole stands first; reasons for single ranges would take the room of lines.
    view.remarks.truncate(1);
    let said: u64 = view.remarks.iter().map(|remark| estimate(&remark.text).0).sum();
    let rows: Vec<&str> = read.text.lines().collect();
    let mut room = tokens_max.0.checked_sub(said + GAP_TOKENS)?;
    let mut lines: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in std::mem::take(&mut view.lines) {
        let Some(left) = room.checked_sub(GAP_TOKENS) else { break };
        room = left;
        for number in first.0..=last.0 {
            let at = number.checked_sub(read.first.0).and_then(|at| usize::try_from(at).ok());
            let Some(row) = at.and_then(|at| rows.get(at)) else { break 'ranges };
            let Some(left) = room.checked_sub(estimate(row).0 + NUMBER_TOKENS + 1) else {
                break 'ranges;
            };
            room = left;
            match lines.last_mut().filter(|_| number > first.0) {
                Some((_, last)) => *last = LineNumber(number),
                None => lines.push((LineNumber(number), LineNumber(number))),
            }
        }
    }
    view.lines = lines;
    let is_any = !view.lines.is_empty();
    is_any.then(|| (view, Tokens(tokens_max.0 - room)))
}

#[cfg(test)]
mod tests {
    use foveal_context::views::Label;

    use super::*;

    #[test]
    fn only_the_latest_reads_are_remembered() {
        let key = |at: u32| ("a.rs".to_owned(), ContentHash::of(b"text"), LineNumber(at));
        let mut latest = Latest::default();
        for at in (0..=LATEST_MAX as u32).chain([5, 6]) {
            latest.add(key(at));
        }
        assert_eq!(latest.0.len(), LATEST_MAX);
        assert!(!latest.has(&key(0)) && latest.has(&key(1)));
        latest.remove(&key(1));
        assert!(!latest.has(&key(1)) && latest.has(&key(2)));
    }

    /// A view is held to what is wanted, whatever a model chooses.
    #[test]
    fn a_view_takes_no_more_than_is_wanted() {
        let text: String = (1..=400).map(|n| format!("let value_{n} = {n};\n")).collect();
        let record = Record::of(Conversation::default(), Tokenizer::O200k);
        let (upto, path, first) = (EntryIndex(0), "a.rs", LineNumber(1));
        let text = ReadText::from(&*text);
        let read = Read { record: &record, upto, path, first, text: &text };
        let range = |first, last| (LineNumber(first), LineNumber(last));
        let remark =
            |text: &str| Label { line: LineNumber(10), text: text.to_owned().into_boxed_str() };
        let view = |lines: &[(LineNumber, LineNumber)]| View {
            lines: lines.to_vec(),
            remarks: vec![remark("the whole"), remark("one range")],
            ..View::default()
        };
        let chosen = view(&[range(10, 12), range(100, 300), range(350, 360)]);
        let (shown, tokens) = fitted(chosen, &read, Tokens(200)).expect("some of it");
        assert!(tokens <= Tokens(200) && tokens > Tokens(150), "{tokens:?}");
        assert_eq!(shown.lines[0], range(10, 12));
        assert_eq!(shown.lines.len(), 2);
        assert!(shown.lines[1].0 == LineNumber(100) && shown.lines[1].1 < LineNumber(130));
        assert_eq!(shown.remarks.len(), 1);
        assert!(fitted(view(&[range(10, 12)]), &read, Tokens(20)).is_none());
        assert!(fitted(view(&[range(401, 500)]), &read, Tokens(200)).is_none());
        // Ranges that fit stay apart.
        let (both, _) = fitted(view(&[range(1, 1), range(2, 2)]), &read, Tokens(200)).expect("it");
        assert_eq!(both.lines.len(), 2);
        assert!(share(&text, Tokens(200)) < 0.1);
    }
}
