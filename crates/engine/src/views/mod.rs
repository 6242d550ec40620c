//! Views of read files: which lines the model sees, as chosen by a [`ViewSource`].
//!
//! The engine does not know the syntax of files. A [`ViewSource`] does: the engine decides when to
//! ask it, records the chosen view and makes the shape. Without a source or an answer, a read is
//! shaped by the other rules.

mod curation_progress;
mod line_selection;
pub mod model_curator;
mod read_text;
mod view_selection;
mod view_source;

pub use curation_progress::{CurationProgress, CurationRecord, ProgressListener};
pub use line_selection::{
    ChosenView, CurationAmount, GAP_NAMES_MAX, LineLabel, LineSelection, NAME_BYTES_MAX,
    ViewRequest,
};
pub(crate) use line_selection::{is_listable_name, is_safe_in_note};
pub use read_text::ReadText;
pub(crate) use view_selection::{
    ChosenViews, ViewSelectionInputs, choose_first_read_views, choose_views, predict_views,
};
pub use view_source::{ReadContext, ViewSource};
