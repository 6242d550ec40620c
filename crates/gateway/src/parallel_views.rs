//! Runs the slowest work on long conversations in parallel: counting the tokens of new
//! conversations, and making the views of old reads for a rewrite. Prepares predictable views
//! between requests.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_engine::entry_size::EntrySize;
use foveal_engine::views::{LineSelection, ReadContext, ViewRequest, ViewSource};
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::{CuratedViewSource, ViewNotCached, ViewQuery};
use foveal_transcript::{ContentHash, TranscriptEntry};
use rayon::prelude::*;

/// The fewest bytes for which it pays to wake other threads.
const PARALLEL_BYTES_MIN: usize = 64 << 10;

/// Returns the size of each entry; large inputs are measured in parallel.
pub fn measure_entries(entries: &[&TranscriptEntry], tokenizer: Tokenizer) -> Vec<EntrySize> {
    let results = entries.iter().filter_map(|entry| entry.tool_result());
    let bytes: usize = results.map(|result| result.content.len()).sum();
    if bytes < PARALLEL_BYTES_MIN {
        return EntrySize::measure_all(entries, tokenizer);
    }
    entries.par_iter().map(|entry| EntrySize::measure(entry, tokenizer)).collect()
}

/// The largest total size of files whose analysis is cached, in bytes. A conversation of 200,000
/// tokens has read less than a megabyte.
const REMEMBERED_BYTES_MAX: usize = 1 << 20;

/// The most reads in the prefetch queue. A further one is analysed when a view of it is requested.
const QUEUED_READS_MAX: usize = 256;

/// The most texts that are remembered as prefetched.
const PREFETCHED_TEXTS_MAX: usize = 1 << 10;

/// The delay before queued reads are prefetched. By then their request has gone to the model, which
/// takes longer to answer.
const PREFETCH_DELAY: Duration = Duration::from_millis(100);

/// A read to be analysed ahead of its use.
#[derive(Debug)]
struct QueuedPrefetch {
    path: String,
    text: String,
    identity: ContentHash,
}

impl QueuedPrefetch {
    fn from_read(read: &ReadContext<'_>) -> Self {
        let (path, text) = (read.path.to_owned(), read.text.to_string());
        Self { path, text, identity: read.text.identity() }
    }
}

/// A [`ViewSource`] that makes views in parallel and prefetches those that a rewrite will need.
#[derive(Debug)]
pub struct ParallelViews {
    views: Arc<CuratedViewSource>,
    queue: SyncSender<QueuedPrefetch>,
    /// Texts that were queued because a rewrite was predicted.
    prefetched_texts: Mutex<HashSet<ContentHash>>,
}

impl ParallelViews {
    /// Starts the prefetch thread. It ends when this value is dropped.
    pub fn start() -> Self {
        let views = Arc::new(CuratedViewSource::default().with_cache_limit(REMEMBERED_BYTES_MAX));
        let (queue, come) = sync_channel(QUEUED_READS_MAX);
        let ready = Arc::clone(&views);
        // Without the thread, reads are analysed when a view of them is requested.
        drop(
            thread::Builder::new()
                .name("views".into())
                .spawn(move || prefetch_reads(&ready, &come)),
        );
        Self { views, queue, prefetched_texts: Mutex::default() }
    }

    /// Records that a text is prefetched for a predicted rewrite; returns whether it is the first
    /// time. A text is prefetched once: where several conversations have read more than the cache
    /// holds, they would evict each other's files again and again.
    fn insert_prefetched(&self, identity: ContentHash) -> bool {
        let mut looked_at = self.prefetched_texts.lock().unwrap_or_else(PoisonError::into_inner);
        if looked_at.len() >= PREFETCHED_TEXTS_MAX {
            looked_at.clear();
        }
        looked_at.insert(identity)
    }
}

fn prefetch_reads(views: &CuratedViewSource, come: &Receiver<QueuedPrefetch>) {
    while let Ok(first) = come.recv() {
        thread::sleep(PREFETCH_DELAY);
        for QueuedPrefetch { path, text, identity } in std::iter::once(first).chain(come.try_iter())
        {
            views.prefetch_file(&path, &text, identity);
        }
    }
}

impl ViewSource for ParallelViews {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.views.choose_view(read, wanted)
    }

    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        let Some((first, _)) = reads.first() else { return Vec::new() };
        let (asked, record, upto) = (ViewQuery::from_read(first), first.record, first.upto);
        // The engine requests all views for the same point of the conversation.
        let is_of_moment =
            |read: &ReadContext<'_>| std::ptr::eq(read.record, record) && read.upto == upto;
        let known = |(read, wanted): &(ReadContext<'_>, ViewRequest)| match is_of_moment(read) {
            true => self.views.cached_view(read, *wanted, &asked),
            false => Err(ViewNotCached),
        };
        // A cached view is faster than waking other threads, so only unknown views are made in
        // parallel.
        let known: Vec<_> = reads.iter().map(known).collect();
        let are_few = known.iter().filter(|view| view.is_err()).count() < 2;
        let view = |(known, (read, wanted)): (
            Result<_, ViewNotCached>,
            &(ReadContext<'_>, ViewRequest),
        )| {
            known.unwrap_or_else(|ViewNotCached| match is_of_moment(read) {
                true => self.views.view_with_query(read, *wanted, &asked),
                false => self.views.choose_view(read, *wanted),
            })
        };
        match are_few {
            true => known.into_iter().zip(reads).map(view).collect(),
            false => known.into_par_iter().zip(reads).map(view).collect(),
        }
    }

    fn supports_prefetch(&self) -> bool {
        true
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        let Some((first, _)) = reads.first() else { return Vec::new() };
        let asked = ViewQuery::from_read(first);
        // The cache would not hold more.
        let bytes: usize = reads.iter().map(|(read, _)| read.text.byte_len()).sum();
        let view = |(read, wanted): &(ReadContext<'_>, ViewRequest)| {
            if self.views.is_file_cached(read) {
                return self.views.view_with_query(read, *wanted, &asked);
            }
            if bytes <= REMEMBERED_BYTES_MAX && self.insert_prefetched(read.text.identity()) {
                self.announce_read(read, *wanted);
            }
            None
        };
        reads.iter().take_while(|_| go_on()).map(view).collect()
    }

    fn announce_read(&self, read: &ReadContext<'_>, _wanted: ViewRequest) {
        // If the queue is full, the read is analysed when a view of it is requested.
        drop(self.queue.try_send(QueuedPrefetch::from_read(read)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};
    use std::sync::{Arc, Mutex};

    use foveal_engine::conversation_record::ConversationRecord;
    use foveal_engine::entry_size::EntrySize;
    use foveal_engine::views::{ReadContext, ReadText, ViewRequest, ViewSource as _};
    use foveal_pricing::tokens::{Tokenizer, Tokens};
    use foveal_relevance::curated_view_source::CuratedViewSource;
    use foveal_testkit::fixture::{FixtureBuilder, parse_fixture};
    use foveal_transcript::{ContentHash, EntryIndex, LineNumber, TranscriptEntry};

    use super::{
        PARALLEL_BYTES_MIN, PREFETCH_DELAY, PREFETCHED_TEXTS_MAX, ParallelViews, QUEUED_READS_MAX,
        QueuedPrefetch, REMEMBERED_BYTES_MAX, measure_entries, prefetch_reads,
    };

    #[test]
    fn what_comes_is_found_out_about_until_nothing_more_comes() {
        let views = CuratedViewSource::default().with_cache_limit(REMEMBERED_BYTES_MAX);
        let (reads, come) = channel();
        for at in 0..3 {
            let (path, text) = (format!("{at}.rs"), "fn main() {}\n".to_owned());
            let identity = ContentHash::from_content(text.as_bytes());
            reads.send(QueuedPrefetch { path, text, identity }).expect("it is open");
        }
        drop(reads);
        prefetch_reads(&views, &come);
        assert_eq!(views.cached_file_count(), 3);
    }

    #[test]
    fn many_views_at_once_are_what_each_is_alone() {
        let conversation = parse_fixture(
            "//- user\nwhat is here?\n//- assistant\nI look at outer\n//- user\nand third?\n",
        );
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        let functions = ["inner", "outer", "third"].map(|name| {
            let body = "    let more = 1;\n".repeat(12);
            format!("fn {name}() {{\n{body}}}\n")
        });
        let text = functions.concat();
        let text = ReadText::from(&*text);
        let read = |path, upto| ReadContext {
            record: &record,
            upto: EntryIndex(upto),
            path,
            first: LineNumber(1),
            text: &text,
        };
        let wanted = ViewRequest::Summary(Tokens(30));
        // The last is of another point of the conversation than the first.
        let reads =
            [(read("a.rs", 1), wanted), (read("b.rs", 1), wanted), (read("a.rs", 3), wanted)];
        let spread = ParallelViews::start();
        let alone: Vec<_> =
            reads.iter().map(|(read, wanted)| spread.choose_view(read, *wanted)).collect();
        assert_eq!(spread.choose_views(&reads), alone);
        assert!(alone[0].is_some() && alone[0] != alone[2], "{alone:?}");
        assert!(spread.choose_views(&[]).is_empty());
        // Views for one point are predicted once their files are analysed.
        let foreseen = || spread.predict_views(&reads[..2], &|| true);
        while foreseen().iter().any(Option::is_none) {
            std::thread::sleep(PREFETCH_DELAY);
        }
        assert_eq!(foreseen(), alone[..2]);
        assert!(spread.predict_views(&reads[..2], &|| false).is_empty());
    }

    #[test]
    fn what_is_foreseen_and_not_known_is_looked_at_once() {
        let views = Arc::new(CuratedViewSource::default().with_cache_limit(REMEMBERED_BYTES_MAX));
        let (reads, come) = sync_channel(QUEUED_READS_MAX);
        let spread = ParallelViews { views, queue: reads, prefetched_texts: Mutex::default() };
        let record = ConversationRecord::from_conversation(
            parse_fixture("//- user\nwhat is here?\n"),
            Tokenizer::O200k,
        );
        let foresee = |text: &str| {
            let (text, upto, first) = (ReadText::from(text), EntryIndex(1), LineNumber(1));
            let read = ReadContext { record: &record, upto, path: "a.rs", first, text: &text };
            spread.predict_views(&[(read, ViewRequest::Summary(Tokens(30)))], &|| true);
        };
        // As if two conversations evicted each other's files.
        for text in ["one", "other", "one", "other"] {
            foresee(text);
        }
        assert_eq!(come.try_iter().count(), 2);
        for at in 0..PREFETCHED_TEXTS_MAX {
            spread.insert_prefetched(ContentHash::from_content(&at.to_le_bytes()));
        }
        foresee("one");
        assert_eq!(come.try_iter().count(), 1, "it is long ago");
    }

    #[test]
    fn all_processors_count_what_one_counts_in_the_same_order() {
        let mut builder = FixtureBuilder::default();
        for at in 0..24 {
            builder.call("bash", serde_json::json!({ "command": format!("make {at}") }));
            builder.result(
                &format!("line {at}\n").repeat(PARALLEL_BYTES_MIN / 64 * (1 + at % 3)),
                false,
            );
        }
        let entries: Vec<&TranscriptEntry> = builder.entries().iter().collect();
        let alone = EntrySize::measure_all(&entries, Tokenizer::O200k);
        assert_eq!(measure_entries(&entries, Tokenizer::O200k), alone);
        assert!(alone.iter().any(|weight| *weight != alone[0]));
    }
}
