//! What was found of one thing.

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// Not there, or less than it could be; all else works.
    Note,
    /// Not as it should be.
    Broken,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The thing.
    pub(super) about: String,
    pub(super) state: State,
    /// How it is.
    pub(super) what: String,
    /// What to do about it, if there is something.
    pub(super) remedy: Option<String>,
}

impl Finding {
    pub(super) fn new(state: State, about: impl Into<String>, what: impl Into<String>) -> Self {
        Self { about: about.into(), state, what: what.into(), remedy: None }
    }

    pub(super) fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}
