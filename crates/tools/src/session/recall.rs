//! Takes a session up where an earlier process left it.

use std::collections::HashMap;

use foveal_context::shape::Decision;
use foveal_files::{PathKey, Roots, Stamp, Version};
use foveal_store::{Record, RecordNumber, SessionId, Store};
use foveal_transcript::{ContentHash, EntryIndex, Handle};

use super::journal::Event;
use super::known_file::KnownFile;
use super::reads::ReadFile;
use super::seen::Seen;
use super::shaper::EarlierCall;

/// Records read at once.
const RECORDS: usize = 256;

/// What an earlier process showed in a session.
#[derive(Default)]
pub(super) struct Recalled {
    /// Its calls, in order, since all was last forgotten.
    pub(super) calls: Vec<EarlierCall>,
    /// Whether something that came later cannot be read any more: all of it counts for nothing.
    pub(super) is_lost: bool,
    /// Counts of reads, in order.
    pub(super) reads: Vec<ReadFile>,
    seen: HashMap<String, Saw>,
}

/// What was seen of a file.
struct Saw {
    version: Option<(Stamp, ContentHash)>,
    lines: Vec<(u32, u32)>,
}

/// Why what was shown before does not count.
enum Gone {
    /// It was forgotten then.
    Forgotten,
    /// It cannot be read any more.
    Unknown,
}

impl Recalled {
    /// What the store tells of a session. What came after something that cannot be read any more
    /// rests on it, and is as if it had been forgotten too.
    pub(super) fn read(store: &dyn Store, session: &SessionId) -> Self {
        let mut recalled = Self::default();
        let mut from = RecordNumber(1);
        while let Ok(records) = store.records(session, from, RECORDS) {
            let Some(last) = records.last() else { break };
            from = RecordNumber(last.number.0 + 1);
            for record in records {
                if let Err(gone) = recalled.take_record(store, record) {
                    recalled.calls.clear();
                    recalled.seen.clear();
                    recalled.is_lost = matches!(gone, Gone::Unknown);
                }
            }
        }
        recalled
    }

    /// What was seen of files, as far as these are called as they were then.
    pub(super) fn files(&self, roots: &Roots) -> Vec<(PathKey, KnownFile)> {
        let file = |(file, Saw { version, lines }): (&String, &Saw)| {
            let key = roots.resolve(file).ok()?.key();
            let (stamp, hash) = (*version)?;
            let version = Version::stored(stamp, hash);
            let known = KnownFile::recalled(version, Seen::of(lines.iter().copied()));
            (key.as_str() == file).then_some((key, known))
        };
        self.seen.iter().filter_map(file).collect()
    }

    fn deliver(&mut self, places: &[EntryIndex]) {
        for earlier in self.calls.iter_mut().filter(|call| !call.is_delivered) {
            earlier.is_delivered = places.contains(&earlier.place);
        }
    }

    fn take_record(&mut self, store: &dyn Store, record: Record) -> Result<(), Gone> {
        let time = record.time;
        let event = serde_json::from_value(record.payload).map_err(|_| Gone::Unknown)?;
        let (kept, (place, shape), call) = match event {
            Event::Answered {
                tool,
                arguments,
                question,
                handle,
                text,
                is_error,
                directory,
                place,
                shape,
                reads,
                awaits_delivery,
                delivered,
                ..
            } => {
                self.reads.extend(reads);
                self.deliver(&delivered);
                let kept = handle.and_then(|handle| store.get(handle).ok().flatten());
                let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
                (
                    kept.or(text),
                    (place, shape),
                    (tool, arguments, question, is_error, directory, awaits_delivery),
                )
            }
            Event::Pointed { reads, .. } => {
                self.reads.extend(reads);
                return Ok(());
            }
            Event::Saw { file, version, lines } => {
                if !self.is_lost {
                    self.seen.insert(file, Saw { version, lines });
                }
                return Ok(());
            }
            Event::Delivered { places } => {
                self.deliver(&places);
                return Ok(());
            }
            Event::Forgot => return Err(Gone::Forgotten),
        };
        let content = kept.ok_or(Gone::Unknown)?;
        // What was decided on another text, one with secrets, means nothing for this one.
        let handle = Handle::of(content.as_bytes());
        if shape.as_ref().is_some_and(|shape| shape.handle != handle) {
            return Err(Gone::Unknown);
        }
        if !self.is_lost {
            let (tool, arguments, question, is_error, directory, awaits_delivery) = call;
            self.calls.push(EarlierCall {
                tool,
                arguments,
                question,
                content,
                is_error,
                directory,
                time,
                place,
                decision: shape.map_or(Decision::Keep, Decision::Replace),
                is_delivered: !awaits_delivery,
            });
        }
        Ok(())
    }
}
