//! A shaper for callers whose prompts cannot be told apart.

use foveal_transcript::Handle;

use crate::read_view::ReadView;

use super::shaper::{AnswerShaper, RestoredCall, ShapedAnswer, ShapingInput};
use super::transcript_shaper::TranscriptShaper;

/// Shapes each answer without reference to earlier ones, which another reader may have received.
#[derive(Debug)]
pub(super) struct StatelessShaper(pub(super) TranscriptShaper);

impl AnswerShaper for StatelessShaper {
    fn shape(&mut self, call: ShapingInput<'_>, content: String, view: ReadView) -> ShapedAnswer {
        self.0.clear_visibility();
        ShapedAnswer { place: None, ..self.0.shape(call, content, view) }
    }

    fn restore(&mut self, _: Vec<RestoredCall>) -> bool {
        true
    }

    fn clear_visibility(&mut self) {
        self.0.clear_visibility();
    }

    fn would_overflow(&self, _: usize) -> bool {
        false
    }

    fn find_whole_content(&self, handle: Handle) -> Option<&str> {
        self.0.find_whole_content(handle)
    }
}
