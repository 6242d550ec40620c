//! Answers for callers of whom nobody knows which prompt is theirs.

use foveal_transcript::Handle;

use crate::read_view::ReadView;

use super::shaper::{EarlierCall, ShapedAnswer, Shaper, ShownCall};
use super::shown::Shown;

/// Shapes every answer by itself. None points at an earlier one: another reader may have been
/// given that.
#[derive(Debug)]
pub(super) struct EachAlone(pub(super) Shown);

impl Shaper for EachAlone {
    fn shape(&mut self, call: ShownCall<'_>, content: String, view: ReadView) -> ShapedAnswer {
        self.0.forget();
        ShapedAnswer { place: None, ..self.0.shape(call, content, view) }
    }

    fn resume(&mut self, _: Vec<EarlierCall>) -> bool {
        true
    }

    fn forget(&mut self) {
        self.0.forget();
    }

    fn is_full(&self, _: usize) -> bool {
        false
    }

    fn whole(&self, handle: Handle) -> Option<&str> {
        self.0.whole(handle)
    }
}
