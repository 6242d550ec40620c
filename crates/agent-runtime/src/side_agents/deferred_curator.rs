//! A curator whose views are made beside the run. A read is sent whole at once; the model's view of
//! it is ready when the read is old and a rewrite reduces it anyway.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::views::{
    CurationAmount, LineSelection, ProgressListener, ReadContext, ReadText, ViewRequest, ViewSource,
};
use foveal_pricing::tokens::{Tokenizer, Tokens, estimate_tokens};
use foveal_transcript::{ContentHash, Conversation, EntryIndex, LineNumber, MessageRole};

use super::curator::SideCurator;

/// The most reads in the queue to the model. Further ones get the fallback's view.
const QUEUED_READS_MAX: usize = 16;

/// The most views that wait for a rewrite. The oldest are dropped first.
const READY_VIEWS_MAX: usize = 256;

/// The most reads that are remembered as pending, or as already shown.
const RECENT_READS_MAX: usize = 1_024;

/// The most messages of the conversation that the model is given.
const CONTEXT_MESSAGES_MAX: usize = 20;

/// The tokens of a gap's note.
const GAP_TOKENS: u64 = 14;

/// The tokens of a line number.
const LINE_NUMBER_TOKENS: u64 = 2;

/// The interval at which the worker checks whether the model can be asked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A [`ViewSource`] that shows the fallback's view until the model's is ready.
#[derive(Debug)]
pub(crate) struct DeferredCurator {
    fallback: Arc<dyn ViewSource>,
    queue: SyncSender<QueuedRead>,
    state: Arc<DeferredState>,
}

/// The path, content and first line of a read.
type ReadIdentity = (String, ContentHash, LineNumber);

/// The state that is shared with the worker thread.
#[derive(Debug, Default)]
struct DeferredState {
    ready_views: Mutex<VecDeque<(ReadIdentity, LineSelection, Tokens)>>,
    /// Reads that were queued for the model.
    requested: Mutex<RecentReads>,
    already_shown: Mutex<RecentReads>,
    /// The number of callers that wait for a view of an arriving read.
    waiting_callers: AtomicUsize,
    /// Whether the views are needed no longer.
    is_closed: AtomicBool,
}

/// The most recent distinct reads.
#[derive(Debug, Default)]
struct RecentReads(VecDeque<ReadIdentity>);

impl RecentReads {
    fn contains(&self, key: &ReadIdentity) -> bool {
        self.0.contains(key)
    }

    fn insert(&mut self, key: ReadIdentity) {
        if self.contains(&key) {
            return;
        }
        if self.0.len() == RECENT_READS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(key);
    }

    fn remove(&mut self, key: &ReadIdentity) {
        self.0.retain(|known| known != key);
    }
}

/// A queued read, with the messages before it.
#[derive(Debug)]
struct QueuedRead {
    key: ReadIdentity,
    record: ConversationRecord,
    text: String,
    tokens_max: Tokens,
}

impl DeferredCurator {
    /// Starts the thread that asks `model`. It ends when this value is dropped.
    pub(crate) fn start(model: &Arc<SideCurator>, fallback: Arc<dyn ViewSource>) -> Self {
        let (queue, come) = sync_channel(QUEUED_READS_MAX);
        let state = Arc::new(DeferredState::default());
        let (model, known) = (Arc::clone(model), Arc::clone(&state));
        let before = Arc::clone(&fallback);
        // Without the thread, only the fallback's views are used.
        drop(thread::Builder::new().name("curator".into()).spawn(move || {
            process_queue(&model, &before, &come, &known);
        }));
        Self { fallback, queue, state }
    }

    /// Queues a read for the model, unless it was queued before or the queue is full.
    fn queue_read(&self, read: &ReadContext<'_>, tokens_max: Tokens) {
        let key = read_identity(read);
        if lock(&self.state.requested).contains(&key) {
            return;
        }
        let (record, text) = (messages_before(read), read.text.to_string());
        let waiting = QueuedRead { key: key.clone(), record, text, tokens_max };
        if self.queue.try_send(waiting).is_ok() {
            lock(&self.state.requested).insert(key);
        }
    }

    /// Returns the model's view of a read, if it is ready and fits the requested tokens.
    fn ready_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        let ViewRequest::Summary(most) = wanted else { return None };
        let views = lock(&self.state.ready_views);
        if views.is_empty() {
            return None;
        }
        let key = read_identity(read);
        let it = views.iter().find(|(known, ..)| *known == key);
        it.filter(|(.., tokens)| *tokens <= most).map(|(_, view, _)| view.clone())
    }
}

impl ViewSource for DeferredCurator {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.choose_view_with_progress(read, wanted, ProgressListener::IGNORED)
    }

    fn choose_view_with_progress(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        if let Some(view) = self.ready_view(read, wanted) {
            return Some(view);
        }
        let _waits = WaitGuard::enter(&self.state.waiting_callers);
        let view = self.fallback.choose_view_with_progress(read, wanted, watch);
        if view.as_ref().is_some_and(|view| view.by.is_some()) {
            lock(&self.state.already_shown).insert(read_identity(read));
        }
        view
    }

    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        let made: Vec<Option<LineSelection>> =
            reads.iter().map(|(read, wanted)| self.ready_view(read, *wanted)).collect();
        let missing = reads.iter().zip(&made).filter(|(_, made)| made.is_none());
        let missing: Vec<(ReadContext<'_>, ViewRequest)> = missing.map(|(read, _)| *read).collect();
        let mut others = self.fallback.choose_views(&missing).into_iter();
        let all = made.into_iter().map(|made| made.or_else(|| others.next().flatten()));
        all.collect()
    }

    fn supports_prefetch(&self) -> bool {
        true
    }

    fn announce_read(&self, read: &ReadContext<'_>, wanted: ViewRequest) {
        self.fallback.announce_read(read, wanted);
        if let ViewRequest::Summary(most) = wanted {
            self.queue_read(read, most);
        }
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        self.fallback.predict_views(reads, go_on)
    }
}

impl Drop for DeferredCurator {
    fn drop(&mut self) {
        self.state.is_closed.store(true, Ordering::SeqCst);
    }
}

/// Counts a caller as waiting until it is dropped.
struct WaitGuard<'a>(&'a AtomicUsize);

impl<'a> WaitGuard<'a> {
    fn enter(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_identity(read: &ReadContext<'_>) -> ReadIdentity {
    (read.path.to_owned(), ContentHash::from_content(read.text.as_bytes()), read.first)
}

/// Returns the last messages of user and model before a read.
fn messages_before(read: &ReadContext<'_>) -> ConversationRecord {
    let entries = read.record.entries();
    let known = &entries[..read.upto.as_usize().min(entries.len())];
    let is_said = |role| matches!(role, MessageRole::User | MessageRole::Assistant);
    let latest = known.iter().rev().filter(|entry| is_said(entry.role)).take(CONTEXT_MESSAGES_MAX);
    let mut latest: Vec<_> = latest.cloned().collect();
    latest.reverse();
    let conversation: Conversation = latest.into_iter().collect();
    ConversationRecord::from_conversation(conversation, Tokenizer::O200k)
}

/// Makes views of queued reads until the curator is dropped.
fn process_queue(
    model: &SideCurator,
    before: &Arc<dyn ViewSource>,
    come: &Receiver<QueuedRead>,
    made: &DeferredState,
) {
    let is_over = || made.is_closed.load(Ordering::SeqCst);
    while let Ok(waiting) = come.recv() {
        // Callers that wait for a view come first.
        let is_busy = || model.is_paused() || made.waiting_callers.load(Ordering::SeqCst) > 0;
        loop {
            thread::sleep(POLL_INTERVAL);
            if is_over() {
                return;
            }
            if !is_busy() {
                break;
            }
        }
        if lock(&made.already_shown).contains(&waiting.key) {
            continue;
        }
        let Some((view, tokens)) = curate_queued_read(model, before, &waiting, &is_over) else {
            // If the file is read again, the model is asked again.
            lock(&made.requested).remove(&waiting.key);
            continue;
        };
        let mut views = lock(&made.ready_views);
        let is_full = views.len() == READY_VIEWS_MAX;
        let gone = is_full.then(|| views.pop_front()).flatten();
        views.push_back((waiting.key, view, tokens));
        drop(views);
        if let Some((key, ..)) = gone {
            lock(&made.requested).remove(&key);
        }
    }
}

/// Returns the model's view of a queued read, with its tokens.
fn curate_queued_read(
    model: &SideCurator,
    before: &Arc<dyn ViewSource>,
    waiting: &QueuedRead,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Option<(LineSelection, Tokens)> {
    let QueuedRead { key: (path, _, first), record, text, tokens_max } = waiting;
    let upto = EntryIndex(u32::try_from(record.len()).ok()?);
    let read = ReadContext { record, upto, path, first: *first, text: &ReadText::from(&**text) };
    let wanted = ViewRequest::Curated(CurationAmount::Share(token_share(text, *tokens_max)));
    let watch = ProgressListener { report: &|_| {}, is_cancelled: is_over };
    fit_view(model.curate_read(&read, wanted, before, watch)?, &read, *tokens_max)
}

/// Returns the share of a text that `tokens_max` tokens are.
fn token_share(text: &str, tokens_max: Tokens) -> f64 {
    let lines = text.lines().count() as u64;
    let all = estimate_tokens(text).0 + LINE_NUMBER_TOKENS * lines;
    tokens_max.0 as f64 / all.max(1) as f64
}

/// Cuts a view to `tokens_max` tokens: its first remark, and its lines from the first on. `None` if
/// no line fits.
fn fit_view(
    mut view: LineSelection,
    read: &ReadContext<'_>,
    tokens_max: Tokens,
) -> Option<(LineSelection, Tokens)> {
    // The first remark describes the whole; remarks on single ranges would take the room of lines.
    view.remarks.truncate(1);
    let said: u64 = view.remarks.iter().map(|remark| estimate_tokens(&remark.text).0).sum();
    let rows: Vec<&str> = read.text.lines().collect();
    let mut room = tokens_max.0.checked_sub(said + GAP_TOKENS)?;
    let mut lines: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in std::mem::take(&mut view.lines) {
        let Some(left) = room.checked_sub(GAP_TOKENS) else { break };
        room = left;
        for number in first.0..=last.0 {
            let at = number.checked_sub(read.first.0).and_then(|at| usize::try_from(at).ok());
            let Some(row) = at.and_then(|at| rows.get(at)) else { break 'ranges };
            let Some(left) = room.checked_sub(estimate_tokens(row).0 + LINE_NUMBER_TOKENS + 1)
            else {
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
    use foveal_engine::views::LineLabel;

    use super::*;

    #[test]
    fn only_the_latest_reads_are_remembered() {
        let key = |at: u32| ("a.rs".to_owned(), ContentHash::from_content(b"text"), LineNumber(at));
        let mut latest = RecentReads::default();
        for at in (0..=RECENT_READS_MAX as u32).chain([5, 6]) {
            latest.insert(key(at));
        }
        assert_eq!(latest.0.len(), RECENT_READS_MAX);
        assert!(!latest.contains(&key(0)) && latest.contains(&key(1)));
        latest.remove(&key(1));
        assert!(!latest.contains(&key(1)) && latest.contains(&key(2)));
    }

    /// A view stays within its budget, whichever lines the model chooses.
    #[test]
    fn a_view_takes_no_more_than_is_wanted() {
        let text: String = (1..=400).map(|n| format!("let value_{n} = {n};\n")).collect();
        let record =
            ConversationRecord::from_conversation(Conversation::default(), Tokenizer::O200k);
        let (upto, path, first) = (EntryIndex(0), "a.rs", LineNumber(1));
        let text = ReadText::from(&*text);
        let read = ReadContext { record: &record, upto, path, first, text: &text };
        let range = |first, last| (LineNumber(first), LineNumber(last));
        let remark =
            |text: &str| LineLabel { line: LineNumber(10), text: text.to_owned().into_boxed_str() };
        let view = |lines: &[(LineNumber, LineNumber)]| LineSelection {
            lines: lines.to_vec(),
            remarks: vec![remark("the whole"), remark("one range")],
            ..LineSelection::default()
        };
        let chosen = view(&[range(10, 12), range(100, 300), range(350, 360)]);
        let (shown, tokens) = fit_view(chosen, &read, Tokens(200)).expect("some of it");
        assert!(tokens <= Tokens(200) && tokens > Tokens(150), "{tokens:?}");
        assert_eq!(shown.lines[0], range(10, 12));
        assert_eq!(shown.lines.len(), 2);
        assert!(shown.lines[1].0 == LineNumber(100) && shown.lines[1].1 < LineNumber(130));
        assert_eq!(shown.remarks.len(), 1);
        assert!(fit_view(view(&[range(10, 12)]), &read, Tokens(20)).is_none());
        assert!(fit_view(view(&[range(401, 500)]), &read, Tokens(200)).is_none());
        // Ranges that fit stay apart.
        let (both, _) =
            fit_view(view(&[range(1, 1), range(2, 2)]), &read, Tokens(200)).expect("it");
        assert_eq!(both.lines.len(), 2);
        assert!(token_share(&text, Tokens(200)) < 0.1);
    }
}
