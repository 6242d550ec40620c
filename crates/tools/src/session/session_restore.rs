//! Restores a session from the events of an earlier process.

use std::collections::HashMap;

use foveal_engine::message_shape::Decision;
use foveal_store::{RecordNumber, SessionId, SessionRecord, Store};
use foveal_transcript::{ContentHash, EntryIndex, Handle};
use foveal_workspace::{FileStamp, FileVersion, PathKey, WorkspaceRoots};

use super::known_file::KnownFile;
use super::line_range_set::LineRangeSet;
use super::read_counts::FileReadCount;
use super::session_recorder::SessionEvent;
use super::shaper::RestoredCall;

/// Records read from the store at once.
const RECORDS_PER_READ: usize = 256;

/// A session as an earlier process left it.
#[derive(Default)]
pub(super) struct RestoredSession {
    /// The calls since the last loss of visibility, in order.
    pub(super) calls: Vec<RestoredCall>,
    /// Whether a later event cannot be read, so that no shown content counts.
    pub(super) is_incomplete: bool,
    /// The read counts, in order.
    pub(super) reads: Vec<FileReadCount>,
    seen_lines: HashMap<String, StoredFileLines>,
}

/// The seen lines of a file.
struct StoredFileLines {
    version: Option<(FileStamp, ContentHash)>,
    lines: Vec<(u32, u32)>,
}

/// The reason why earlier shown content does not count.
enum VisibilityLoss {
    /// The session forgot it.
    Forgotten,
    /// An event of it cannot be read.
    Unreadable,
}

impl RestoredSession {
    /// Loads a session from the store. Events after an unreadable one depend on it and are dropped
    /// with it.
    pub(super) fn load(store: &dyn Store, session: &SessionId) -> Self {
        let mut recalled = Self::default();
        let mut from = RecordNumber(1);
        while let Ok(records) = store.records(session, from, RECORDS_PER_READ) {
            let Some(last) = records.last() else { break };
            from = RecordNumber(last.number.0 + 1);
            for record in records {
                if let Err(gone) = recalled.apply_record(store, record) {
                    recalled.calls.clear();
                    recalled.seen_lines.clear();
                    recalled.is_incomplete = matches!(gone, VisibilityLoss::Unreadable);
                }
            }
        }
        recalled
    }

    /// Returns the files with their seen lines, as far as their paths still resolve to the same
    /// keys.
    pub(super) fn known_files(&self, roots: &WorkspaceRoots) -> Vec<(PathKey, KnownFile)> {
        let file = |(file, StoredFileLines { version, lines }): (&String, &StoredFileLines)| {
            let key = roots.resolve(file).ok()?.path_key();
            let (stamp, hash) = (*version)?;
            let version = FileVersion::from_store(stamp, hash);
            let known =
                KnownFile::from_stored(version, LineRangeSet::from_ranges(lines.iter().copied()));
            (key.as_str() == file).then_some((key, known))
        };
        self.seen_lines.iter().filter_map(file).collect()
    }

    fn mark_delivered(&mut self, places: &[EntryIndex]) {
        for earlier in self.calls.iter_mut().filter(|call| !call.is_delivered) {
            earlier.is_delivered = places.contains(&earlier.place);
        }
    }

    fn apply_record(
        &mut self,
        store: &dyn Store,
        record: SessionRecord,
    ) -> Result<(), VisibilityLoss> {
        let time = record.time;
        let event =
            serde_json::from_value(record.payload).map_err(|_| VisibilityLoss::Unreadable)?;
        let (kept, (place, shape), call) = match event {
            SessionEvent::Answered {
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
                self.mark_delivered(&delivered);
                let kept = handle.and_then(|handle| store.content(handle).ok().flatten());
                let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
                (
                    kept.or(text),
                    (place, shape),
                    (tool, arguments, question, is_error, directory, awaits_delivery),
                )
            }
            SessionEvent::Pointed { reads, .. } => {
                self.reads.extend(reads);
                return Ok(());
            }
            SessionEvent::Saw { file, version, lines } => {
                if !self.is_incomplete {
                    self.seen_lines.insert(file, StoredFileLines { version, lines });
                }
                return Ok(());
            }
            SessionEvent::Delivered { places } => {
                self.mark_delivered(&places);
                return Ok(());
            }
            SessionEvent::Forgot => return Err(VisibilityLoss::Forgotten),
        };
        let content = kept.ok_or(VisibilityLoss::Unreadable)?;
        // A shape made for another text, one with secrets, does not fit this one.
        let handle = Handle::from_content(content.as_bytes());
        if shape.as_ref().is_some_and(|shape| shape.handle != handle) {
            return Err(VisibilityLoss::Unreadable);
        }
        if !self.is_incomplete {
            let (tool, arguments, question, is_error, directory, awaits_delivery) = call;
            self.calls.push(RestoredCall {
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
