//! Globs in the settings.

use globset::Glob;
use serde::Deserialize;

/// Why a glob is refused: what to write in its place.
#[derive(Debug, thiserror::Error)]
pub(super) enum WrongGlob {
    #[error("an empty glob matches nothing: write `*` for everything")]
    Empty,
    #[error("`{text}` is no glob: {why}")]
    Glob { text: String, why: globset::Error },
}

/// A glob that can match something.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct GlobText(pub(super) String);

impl TryFrom<String> for GlobText {
    type Error = WrongGlob;

    fn try_from(text: String) -> Result<Self, WrongGlob> {
        if text.trim().is_empty() {
            return Err(WrongGlob::Empty);
        }
        // What is no glob would match nothing, and a rule that forbids would forbid nothing.
        match Glob::new(&text) {
            Ok(_) => Ok(Self(text)),
            Err(why) => Err(WrongGlob::Glob { text, why }),
        }
    }
}
