//! Profile `read-once`: a file that was read is not sent again until it is written.
//!
//! Source: the design document "File Read Tracker - Deduplication" (seed 000). It gives two
//! wordings; this is the one in its code, while its overview says "[File previously read: {path}.
//! Use the content from the earlier read.]". As in the document, the path decides and not the
//! content: changes from outside and reads of other lines go unnoticed. Only reads in the prompt
//! count, so a compaction makes the next read a first one.

use std::collections::HashMap;

use foveal_engine::message_shape::MessageShape;
use foveal_transcript::EntryIndex;

use super::read_tracker::ReadTracker;
use foveal_engine::policies::policy_view::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "read-once";

/// Replaces second and later reads of a file that was not written since.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    let mut tracker = ReadTracker::default();
    let mut first: HashMap<String, EntryIndex> = HashMap::new();
    let mut shapes = Vec::new();
    for index in view.results() {
        if let Some(read) = view.single_read(index) {
            let path = read.path.as_str();
            if tracker.has_been_read(path) {
                let text =
                    format!("[File previously read: {path}. Content unchanged since last read.]");
                let target = first.get(&path.to_lowercase()).copied();
                shapes.push(view.placeholder(index, RULE, text, target));
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
