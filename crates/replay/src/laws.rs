//! The engine's laws, checked on every request of a replay from what would be sent.

use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::shape::ShapeKind;
use foveal_transcript::EntryIndex;
use foveal_transcript::Handle;

/// How often each law was broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Breaches {
    /// Something left out whose handle is not that of the original.
    pub lost: u32,
    /// A note that points at what is not in the prompt before it.
    pub dangling: u32,
    /// Bytes before the declared rewrite that changed.
    pub unfrozen: u32,
    /// A replacement that is larger than what it replaces.
    pub larger: u32,
}

impl Breaches {
    /// All breaches.
    pub fn total(&self) -> u32 {
        self.lost + self.dangling + self.unfrozen + self.larger
    }
}

impl std::ops::AddAssign for Breaches {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.dangling += other.dangling;
        self.unfrozen += other.unfrozen;
        self.larger += other.larger;
    }
}

/// Checks the decisions on the entries of the present prompt from window position `from` on.
pub fn check(record: &Record, projector: &Projector, from: usize) -> Breaches {
    let mut breaches = Breaches::default();
    let window = projector.window();
    for index in &window[from.min(window.len())..] {
        let item = projector.item(*index);
        let Some(shape) = item.decision.shape() else { continue };
        if shape.handle != Handle::of(record.entry(*index).prompt_text().as_bytes()) {
            breaches.lost += 1;
        }
        if item.tokens > record.facts(*index).tokens {
            breaches.larger += 1;
        }
        let dangles = |target: &EntryIndex| {
            target >= index
                || window.binary_search(target).is_err()
                || shows_nothing(record, projector, *target)
        };
        if shape.refers_to().iter().any(dangles) {
            breaches.dangling += 1;
        }
    }
    breaches
}

/// Whether a result has been reduced until no line of it is left to point at. Of edits it is
/// the note on them that is pointed at.
fn shows_nothing(record: &Record, projector: &Projector, index: EntryIndex) -> bool {
    let shape = projector.item(index).decision.shape();
    let shape = shape.filter(|shape| shape.kind != ShapeKind::Folded);
    shape.is_some_and(|shape| shape.lines_kept(&record.facts(index).printed).is_empty())
}
