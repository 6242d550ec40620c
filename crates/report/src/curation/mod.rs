//! Curated views as a page of their own, and their curve as a drawing.

mod curve;
mod data;
mod page;

pub use data::{CurationCurve, CurationPoint, CurationReport, CurationTable};
pub use page::{draw_curation, render_curation};
