//! Replacement texts and their positions.

use std::ops::Range;
use std::sync::Arc;

use foveal_protocols::request_body::{EncodedString, RequestBody};

/// Replacement texts in one body: the ranges of JSON strings, ascending, and the texts for them. It
/// is cheap to make from [`MessageReplacements`] and to clone, because a long conversation has many
/// texts that are spread over the memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyReplacements {
    places: Vec<Range<usize>>,
    texts: Arc<[EncodedString]>,
}

impl BodyReplacements {
    /// Returns whether there are no replacements.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the replacements with their ranges.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Range<usize>, &EncodedString)> {
        self.places.iter().cloned().zip(&*self.texts)
    }

    /// Adds a replacement in front of all others.
    #[must_use]
    pub(crate) fn with_prepended(&self, place: Range<usize>, text: EncodedString) -> Self {
        let others = self.iter().map(|(place, text)| (place, text.clone()));
        std::iter::once((place, text)).chain(others).collect()
    }
}

impl FromIterator<(Range<usize>, EncodedString)> for BodyReplacements {
    fn from_iter<T: IntoIterator<Item = (Range<usize>, EncodedString)>>(all: T) -> Self {
        let (places, texts): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        Self { places, texts: texts.into() }
    }
}

/// The replacement texts of a conversation, in the order of its messages.
#[derive(Debug, Clone)]
pub(crate) struct MessageReplacements {
    /// The message index of each, and the range of the string in the message.
    places: Vec<(usize, Range<usize>)>,
    texts: Arc<[EncodedString]>,
}

impl MessageReplacements {
    /// Returns the replacements with their ranges in a body with the same messages, up to the first
    /// message that it does not have.
    pub(crate) fn locate_in(&self, body: &RequestBody) -> BodyReplacements {
        let place = |(message, string): &(usize, Range<usize>)| {
            let start = body.messages.get(*message)?.start;
            Some(start + string.start..start + string.end)
        };
        let places = self.places.iter().map_while(place).collect();
        BodyReplacements { places, texts: Arc::clone(&self.texts) }
    }
}

impl FromIterator<(usize, Range<usize>, EncodedString)> for MessageReplacements {
    /// Collects message indices, ranges in the message and texts, which must be ascending.
    fn from_iter<T: IntoIterator<Item = (usize, Range<usize>, EncodedString)>>(all: T) -> Self {
        let all = all.into_iter().map(|(message, string, text)| ((message, string), text));
        let (places, texts): (Vec<_>, Vec<_>) = all.unzip();
        Self { places, texts: texts.into() }
    }
}
