//! What takes longest about a long conversation, on all processors: counting tokens when it is new,
//! and views of old reads when it is rewritten. What can be known of those before is found out
//! between requests.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_code::views::{Asked, CuratedViews, Unknown};
use foveal_context::tokens::Tokenizer;
use foveal_context::views::{Read, View, Views, Wanted};
use foveal_context::weight::Weight;
use foveal_transcript::{ContentHash, Entry};
use rayon::prelude::*;

/// Fewest bytes that are worth waking other threads for.
const BYTES_MIN: usize = 64 << 10;

/// What each of some entries takes.
pub(crate) fn weigh(entries: &[&Entry], tokenizer: Tokenizer) -> Vec<Weight> {
    let results = entries.iter().filter_map(|entry| entry.result());
    let bytes: usize = results.map(|result| result.content.len()).sum();
    if bytes < BYTES_MIN {
        return Weight::of_each(entries, tokenizer);
    }
    entries.par_iter().map(|entry| Weight::of(entry, tokenizer)).collect()
}

/// Bytes of files of which it is remembered what they consist of. A conversation of 200,000 tokens
/// has read less than a megabyte.
const FILES_BYTES_MAX: usize = 1 << 20;

/// Reads that may wait until something is found out about them. One more is found out about when
/// it is asked for.
const READS_MAX: usize = 256;

/// Texts of which is known whether they were looked at.
const LOOKED_AT_MAX: usize = 1 << 10;

/// How long it is left alone what has come: by then its request has gone to the model, which takes
/// longer to answer.
const QUIET: Duration = Duration::from_millis(100);

/// A read about which something is to be found out.
#[derive(Debug)]
struct Coming {
    path: String,
    text: String,
    identity: ContentHash,
}

impl Coming {
    fn of(read: &Read<'_>) -> Self {
        let (path, text) = (read.path.to_owned(), read.text.to_string());
        Self { path, text, identity: read.text.identity() }
    }
}

/// Asks for many views at the same time, and gets ready for those to come.
#[derive(Debug)]
pub(crate) struct Spread {
    views: Arc<CuratedViews>,
    reads: SyncSender<Coming>,
    /// Texts that were not known when a rewrite was foreseen, and were looked at then.
    looked_at: Mutex<HashSet<ContentHash>>,
}

impl Spread {
    /// Starts the thread that gets ready. It ends with this.
    pub(crate) fn start() -> Self {
        let views = Arc::new(CuratedViews::default().remembering(FILES_BYTES_MAX));
        let (reads, come) = sync_channel(READS_MAX);
        let ready = Arc::clone(&views);
        // Without it everything is found out when it is asked for.
        drop(thread::Builder::new().name("views".into()).spawn(move || get_ready(&ready, &come)));
        Self { views, reads, looked_at: Mutex::default() }
    }

    /// Whether a text was not looked at before because a rewrite was foreseen. Once is enough: where
    /// several conversations have read more than is remembered, each would drive out another, again
    /// and again.
    fn is_new(&self, identity: ContentHash) -> bool {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        if looked_at.len() >= LOOKED_AT_MAX {
            looked_at.clear();
        }
        looked_at.insert(identity)
    }
}

fn get_ready(views: &CuratedViews, come: &Receiver<Coming>) {
    while let Ok(first) = come.recv() {
        thread::sleep(QUIET);
        for Coming { path, text, identity } in std::iter::once(first).chain(come.try_iter()) {
            views.get_ready(&path, &text, identity);
        }
    }
}

impl Views for Spread {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.views.view(read, wanted)
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        let Some((first, _)) = reads.first() else { return Vec::new() };
        let (asked, record, upto) = (Asked::of(first), first.record, first.upto);
        // They are all of one moment, as far as the engine asks.
        let is_of_moment = |read: &Read<'_>| std::ptr::eq(read.record, record) && read.upto == upto;
        let known = |(read, wanted): &(Read<'_>, Wanted)| match is_of_moment(read) {
            true => self.views.known_view(read, *wanted, &asked),
            false => Err(Unknown),
        };
        // Others are woken only for what is not known: that takes longer than to look.
        let known: Vec<_> = reads.iter().map(known).collect();
        let are_few = known.iter().filter(|view| view.is_err()).count() < 2;
        let view = |(known, (read, wanted)): (Result<_, Unknown>, &(Read<'_>, Wanted))| {
            known.unwrap_or_else(|Unknown| match is_of_moment(read) {
                true => self.views.view_for(read, *wanted, &asked),
                false => self.views.view(read, *wanted),
            })
        };
        match are_few {
            true => known.into_iter().zip(reads).map(view).collect(),
            false => known.into_par_iter().zip(reads).map(view).collect(),
        }
    }

    fn gets_ready(&self) -> bool {
        true
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        let Some((first, _)) = reads.first() else { return Vec::new() };
        let asked = Asked::of(first);
        // More than this are not remembered.
        let bytes: usize = reads.iter().map(|(read, _)| read.text.bytes()).sum();
        let view = |(read, wanted): &(Read<'_>, Wanted)| {
            if self.views.is_ready(read) {
                return self.views.view_for(read, *wanted, &asked);
            }
            if bytes <= FILES_BYTES_MAX && self.is_new(read.text.identity()) {
                self.comes(read, *wanted);
            }
            None
        };
        reads.iter().take_while(|_| go_on()).map(view).collect()
    }

    fn comes(&self, read: &Read<'_>, _wanted: Wanted) {
        // Where too many wait, this one is found out about when it is asked for.
        drop(self.reads.try_send(Coming::of(read)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};
    use std::sync::{Arc, Mutex};

    use foveal_code::views::CuratedViews;
    use foveal_context::record::Record;
    use foveal_context::tokens::{Tokenizer, Tokens};
    use foveal_context::views::{Read, ReadText, Views as _, Wanted};
    use foveal_context::weight::Weight;
    use foveal_testkit::fixture::{Builder, fixture};
    use foveal_transcript::{ContentHash, Entry, EntryIndex, LineNumber};

    use super::{
        BYTES_MIN, Coming, FILES_BYTES_MAX, LOOKED_AT_MAX, QUIET, READS_MAX, Spread, get_ready,
        weigh,
    };

    #[test]
    fn what_comes_is_found_out_about_until_nothing_more_comes() {
        let views = CuratedViews::default().remembering(FILES_BYTES_MAX);
        let (reads, come) = channel();
        for at in 0..3 {
            let (path, text) = (format!("{at}.rs"), "fn main() {}\n".to_owned());
            let identity = ContentHash::of(text.as_bytes());
            reads.send(Coming { path, text, identity }).expect("it is open");
        }
        drop(reads);
        get_ready(&views, &come);
        assert_eq!(views.remembered(), 3);
    }

    #[test]
    fn many_views_at_once_are_what_each_is_alone() {
        let conversation = fixture(
            "//- user\nwhat is here?\n//- assistant\nI look at outer\n//- user\nand third?\n",
        );
        let record = Record::of(conversation, Tokenizer::O200k);
        let functions = ["inner", "outer", "third"].map(|name| {
            let body = "    let more = 1;\n".repeat(12);
            format!("fn {name}() {{\n{body}}}\n")
        });
        let text = functions.concat();
        let text = ReadText::from(&*text);
        let read = |path, upto| Read {
            record: &record,
            upto: EntryIndex(upto),
            path,
            first: LineNumber(1),
            text: &text,
        };
        let wanted = Wanted::Summary(Tokens(30));
        // The last is of another moment than the first.
        let reads =
            [(read("a.rs", 1), wanted), (read("b.rs", 1), wanted), (read("a.rs", 3), wanted)];
        let spread = Spread::start();
        let alone: Vec<_> = reads.iter().map(|(read, wanted)| spread.view(read, *wanted)).collect();
        assert_eq!(spread.each(&reads), alone);
        assert!(alone[0].is_some() && alone[0] != alone[2], "{alone:?}");
        assert!(spread.each(&[]).is_empty());
        // Those of one moment are foreseen once it is known what their files consist of.
        let foreseen = || spread.foreseen(&reads[..2], &|| true);
        while foreseen().iter().any(Option::is_none) {
            std::thread::sleep(QUIET);
        }
        assert_eq!(foreseen(), alone[..2]);
        assert!(spread.foreseen(&reads[..2], &|| false).is_empty());
    }

    #[test]
    fn what_is_foreseen_and_not_known_is_looked_at_once() {
        let views = Arc::new(CuratedViews::default().remembering(FILES_BYTES_MAX));
        let (reads, come) = sync_channel(READS_MAX);
        let spread = Spread { views, reads, looked_at: Mutex::default() };
        let record = Record::of(fixture("//- user\nwhat is here?\n"), Tokenizer::O200k);
        let foresee = |text: &str| {
            let (text, upto, first) = (ReadText::from(text), EntryIndex(1), LineNumber(1));
            let read = Read { record: &record, upto, path: "a.rs", first, text: &text };
            spread.foreseen(&[(read, Wanted::Summary(Tokens(30)))], &|| true);
        };
        // As of conversations whose files drive out each other's.
        for text in ["one", "other", "one", "other"] {
            foresee(text);
        }
        assert_eq!(come.try_iter().count(), 2);
        for at in 0..LOOKED_AT_MAX {
            spread.is_new(ContentHash::of(&at.to_le_bytes()));
        }
        foresee("one");
        assert_eq!(come.try_iter().count(), 1, "it is long ago");
    }

    #[test]
    fn all_processors_count_what_one_counts_in_the_same_order() {
        let mut builder = Builder::default();
        for at in 0..24 {
            builder.call("bash", serde_json::json!({ "command": format!("make {at}") }));
            builder.result(&format!("line {at}\n").repeat(BYTES_MIN / 64 * (1 + at % 3)), false);
        }
        let entries: Vec<&Entry> = builder.entries().iter().collect();
        let alone = Weight::of_each(&entries, Tokenizer::O200k);
        assert_eq!(weigh(&entries, Tokenizer::O200k), alone);
        assert!(alone.iter().any(|weight| *weight != alone[0]));
    }
}
