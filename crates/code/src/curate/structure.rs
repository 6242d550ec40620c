//! What lines are worth when nothing is asked: imports, types, signatures, public ones first.

use super::scene::Scene;
use super::unit::{Part, Unit, rows_of};
use crate::entity::{Entity, EntityKind, Visibility};

/// Lines of documentation that are shown with a signature.
const DOC_LINES_MAX: usize = 4;

/// What each line of every unit is worth, 0 to 1.
pub(crate) fn worth(scene: &Scene<'_>) -> Vec<f32> {
    scene.each(|unit| of_unit(scene, unit))
}

fn of_unit(scene: &Scene<'_>, unit: &Unit) -> f32 {
    let Some(entity) = scene.entity(unit) else { return 0.05 };
    if entity.kind == EntityKind::Imports {
        return 0.7;
    }
    let part = match unit.part {
        Part::Signature => 1.0,
        Part::Attribute => 0.5,
        Part::Doc if unit.len() <= DOC_LINES_MAX && begins(entity, unit) => 0.45,
        Part::Doc => 0.2,
        Part::Body if entity.kind.has_members() => 0.5,
        Part::Body | Part::Between => 0.05,
    };
    let visible = match entity.visibility {
        Visibility::Public => 1.0,
        Visibility::Restricted => 0.85,
        Visibility::Private => 0.7,
    };
    part * visible
}

/// Whether a unit is where the documentation of its entity begins.
fn begins(entity: &Entity, unit: &Unit) -> bool {
    entity.doc.is_some_and(|doc| rows_of(doc).start == unit.first)
}
