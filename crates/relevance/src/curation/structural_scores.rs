//! The score of lines without a query: imports, types and signatures, public ones first.

use super::curation_input::CurationInput;
use super::unit::{CurationUnit, UnitPart, line_rows};
use foveal_syntax::{Entity, EntityKind, Visibility};

/// The largest number of lines of documentation that is shown with a signature.
const DOC_LINES_MAX: usize = 4;

/// Returns the score of the lines of each unit, 0 to 1.
pub(crate) fn score_units(scene: &CurationInput<'_>) -> Vec<f32> {
    scene.map_units(|unit| score_unit(scene, unit))
}

fn score_unit(scene: &CurationInput<'_>, unit: &CurationUnit) -> f32 {
    let Some(entity) = scene.unit_entity(unit) else { return 0.05 };
    if entity.kind == EntityKind::Imports {
        return 0.7;
    }
    let part = match unit.part {
        UnitPart::Signature => 1.0,
        UnitPart::Attribute => 0.5,
        UnitPart::Doc if unit.len() <= DOC_LINES_MAX && begins_doc(entity, unit) => 0.45,
        UnitPart::Doc => 0.2,
        UnitPart::Body if entity.kind.has_members() => 0.5,
        UnitPart::Body | UnitPart::Outside => 0.05,
    };
    let visible = match entity.visibility {
        Visibility::Public => 1.0,
        Visibility::Restricted => 0.85,
        Visibility::Private => 0.7,
    };
    part * visible
}

/// Returns whether a unit is the beginning of its entity's documentation.
fn begins_doc(entity: &Entity, unit: &CurationUnit) -> bool {
    entity.doc.is_some_and(|doc| line_rows(doc).start == unit.first)
}
