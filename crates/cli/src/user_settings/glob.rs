//! Globs in settings.

use globset::Glob;
use serde::Deserialize;

/// The reason why a glob is rejected, with advice.
#[derive(Debug, thiserror::Error)]
pub(super) enum GlobError {
    #[error("an empty glob matches nothing: write `*` for everything")]
    Empty,
    #[error("`{text}` is no glob: {why}")]
    Glob { text: String, why: globset::Error },
}

/// A valid glob that is not empty.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct GlobText(pub(super) String);

impl TryFrom<String> for GlobText {
    type Error = GlobError;

    fn try_from(text: String) -> Result<Self, GlobError> {
        if text.trim().is_empty() {
            return Err(GlobError::Empty);
        }
        // An invalid glob would match nothing, and a rule that denies would deny nothing.
        match Glob::new(&text) {
            Ok(_) => Ok(Self(text)),
            Err(why) => Err(GlobError::Glob { text, why }),
        }
    }
}
