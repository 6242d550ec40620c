//! The result of one check.

/// The status of a checked thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HealthStatus {
    /// Everything is as it should be.
    Ok,
    /// Missing, or less than possible; all else works.
    Note,
    /// Broken: needs a repair.
    Broken,
}

impl HealthStatus {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Broken => "broken",
        }
    }
}

/// The result of one check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diagnosis {
    /// The subject of the check.
    pub(super) subject: String,
    pub(super) status: HealthStatus,
    /// A description of the status.
    pub(super) description: String,
    /// The advised repair, if there is one.
    pub(super) remedy: Option<String>,
}

impl Diagnosis {
    pub(super) fn new(
        status: HealthStatus,
        about: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self { subject: about.into(), status, description: what.into(), remedy: None }
    }

    pub(super) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}
