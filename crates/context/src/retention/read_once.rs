//! Profile `read-once`: a file that was read is not sent again until it is written.
//!
//! Source: the design document "File Read Tracker - Deduplication" (seed 000). It
//! gives two wordings; this is the one in its code, its overview says "[File previously
//! read: {path}. Use the content from the earlier read.]". As there, the path decides and
//! not the content: a change from outside goes unnoticed, and so does a read of other lines.
//! Only what the prompt holds counts, so that a compaction makes the next read a first one.

use std::collections::HashMap;

use crate::shape::Shape;
use foveal_transcript::EntryIndex;

use super::PolicyView;
use super::read_tracker::ReadTracker;

/// The rule's name in shapes.
pub const RULE: &str = "read-once";

/// Replaces second and later reads of a file that was not written since.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    let mut tracker = ReadTracker::default();
    let mut first: HashMap<String, EntryIndex> = HashMap::new();
    let mut shapes = Vec::new();
    for index in view.results() {
        if let Some(read) = view.read(index) {
            let path = read.path.as_str();
            if tracker.has_been_read(path) {
                let text =
                    format!("[File previously read: {path}. Content unchanged since last read.]");
                let target = first.get(&path.to_lowercase()).copied();
                shapes.push(view.stand_in(index, RULE, text, target));
            } else {
                first.insert(path.to_lowercase(), index);
            }
            tracker.track_read(path);
        } else if !view.is_error(index) {
            let call = view.record.facts(index).call.as_ref();
            for write in call.iter().flat_map(|call| &call.effect.writes) {
                tracker.invalidate(&write.path);
            }
        }
    }
    shapes
}
