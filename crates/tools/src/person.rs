//! The person at the machine, who is told what a model might keep to itself.

use std::fmt;

type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// Tells a person something in one line, from whatever thread.
#[derive(Default)]
pub struct Person(Option<Tell>);

impl Person {
    /// Somebody who is told by `tell`.
    pub fn told_by(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub(crate) fn tell(&self, text: &str) {
        if let Some(tell) = &self.0 {
            tell(text);
        }
    }
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Person").field(&self.0.is_some()).finish()
    }
}
