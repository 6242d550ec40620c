//! Which turns of the prompt are told in words.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::shape::Shape;
use foveal_transcript::EntryIndex;

/// What is told of the prompt.
#[derive(Debug, Clone, Default)]
pub(super) struct Telling {
    /// The responses of each telling, in the order in which they were told.
    told: Vec<Vec<EntryIndex>>,
    /// What stands in place of each of them.
    shapes: BTreeMap<EntryIndex, Arc<Shape>>,
    /// Whether the last rewrite for size left more than the low mark.
    pub(super) falls_short: bool,
}

impl Telling {
    /// What stands in place of a response.
    pub(super) fn shape(&self, index: EntryIndex) -> Option<&Arc<Shape>> {
        self.shapes.get(&index)
    }

    /// Puts a telling of these responses in place.
    pub(super) fn put(&mut self, entries: &[EntryIndex], stand_ins: Vec<(EntryIndex, Shape)>) {
        let shapes = stand_ins.into_iter().map(|(index, shape)| (index, Arc::new(shape)));
        self.shapes.extend(shapes);
        self.told.push(entries.to_vec());
    }

    /// Takes back what tells of a response that is not there; the first response of all that.
    pub(super) fn keep_if(&mut self, is_there: impl Fn(EntryIndex) -> bool) -> Option<EntryIndex> {
        let told = std::mem::take(&mut self.told);
        let is_whole = |entries: &Vec<EntryIndex>| entries.iter().all(|index| is_there(*index));
        let (stays, goes): (Vec<_>, Vec<_>) = told.into_iter().partition(is_whole);
        self.told = stays;
        goes.iter().flatten().for_each(|index| drop(self.shapes.remove(index)));
        goes.iter().flatten().min().copied()
    }
}
