//! Checks the engine's laws on every request of a replay, from the prompt that would be sent.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::projector::Projector;
use foveal_transcript::EntryIndex;
use foveal_transcript::Handle;

/// The number of violations of each law.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LawBreaches {
    /// Omissions whose handle is not that of the original.
    pub lost: u32,
    /// Notes that point at content that is not in the prompt before them.
    pub dangling: u32,
    /// Entries before the declared rewrite whose bytes changed.
    pub unfrozen: u32,
    /// Replacements that are larger than the original.
    pub larger: u32,
}

impl LawBreaches {
    /// Returns the number of all violations.
    pub fn total(&self) -> u32 {
        self.lost + self.dangling + self.unfrozen + self.larger
    }
}

impl std::ops::AddAssign for LawBreaches {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.dangling += other.dangling;
        self.unfrozen += other.unfrozen;
        self.larger += other.larger;
    }
}

/// Checks the decisions on the entries of the current prompt from window position `from` on.
pub fn check_decisions(
    record: &ConversationRecord,
    projector: &Projector,
    from: usize,
) -> LawBreaches {
    let mut breaches = LawBreaches::default();
    let window = projector.window();
    for index in &window[from.min(window.len())..] {
        let item = projector.entry_state(*index);
        let Some(shape) = item.decision.shape() else { continue };
        if shape.handle != Handle::from_content(record.entry(*index).prompt_text().as_bytes()) {
            breaches.lost += 1;
        }
        if item.tokens > record.facts(*index).tokens {
            breaches.larger += 1;
        }
        let dangles = |target: &EntryIndex| {
            target >= index
                || window.binary_search(target).is_err()
                || has_no_visible_lines(record, projector, *target)
        };
        if shape.referenced_entries().iter().any(dangles) {
            breaches.dangling += 1;
        }
    }
    breaches
}

/// Returns whether no line of a result is left that a pointer could point at.
fn has_no_visible_lines(
    record: &ConversationRecord,
    projector: &Projector,
    index: EntryIndex,
) -> bool {
    let shape = projector.entry_state(index).decision.shape();
    shape.is_some_and(|shape| shape.kept_lines(&record.facts(index).printed).is_empty())
}
