//! The texts that go in place of others.

use std::ops::Range;
use std::sync::Arc;

use foveal_wire::body::{Body, Spelled};

/// Texts in place of others in one body: the places of JSON strings, ascending, and what stands there.
/// Cheap to make of what [`Standing`] holds, and to clone: there are many in a long conversation, and
/// they are far away in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replaced {
    places: Vec<Range<usize>>,
    texts: Arc<[Spelled]>,
}

impl Replaced {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Each with its place.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Range<usize>, &Spelled)> {
        self.places.iter().cloned().zip(&*self.texts)
    }

    /// The same with one more in front of all.
    #[must_use]
    pub(crate) fn behind(&self, (place, text): (Range<usize>, Spelled)) -> Self {
        let others = self.each().map(|(place, text)| (place, text.clone()));
        std::iter::once((place, text)).chain(others).collect()
    }
}

impl FromIterator<(Range<usize>, Spelled)> for Replaced {
    fn from_iter<T: IntoIterator<Item = (Range<usize>, Spelled)>>(all: T) -> Self {
        let (places, texts): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        Self { places, texts: texts.into() }
    }
}

/// The texts that stand in place of others in the messages of a conversation, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    /// The message of each, and where in it the string stands.
    places: Vec<(usize, Range<usize>)>,
    texts: Arc<[Spelled]>,
}

impl Standing {
    /// Where they stand in a body with the same messages, as far as it has them.
    pub(crate) fn in_body(&self, body: &Body) -> Replaced {
        let place = |(message, string): &(usize, Range<usize>)| {
            let start = body.messages.get(*message)?.start;
            Some(start + string.start..start + string.end)
        };
        let places = self.places.iter().map_while(place).collect();
        Replaced { places, texts: Arc::clone(&self.texts) }
    }
}

impl FromIterator<(usize, Range<usize>, Spelled)> for Standing {
    /// Of their messages, their strings there and the texts, ascending.
    fn from_iter<T: IntoIterator<Item = (usize, Range<usize>, Spelled)>>(all: T) -> Self {
        let all = all.into_iter().map(|(message, string, text)| ((message, string), text));
        let (places, texts): (Vec<_>, Vec<_>) = all.unzip();
        Self { places, texts: texts.into() }
    }
}
