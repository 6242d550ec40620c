//! What one turn of the model said, for who goes on with it.

use foveal_transcript::Handle;

use super::lone;

/// The tool's name. What effects of calls are known by trusts names that begin so.
pub const EXPAND_TOOL: &str = "foveal_expand";

/// A turn of the model that has come to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The turn as it goes back to the model: elements of the list of messages, joined by commas.
    /// `None` where it has parts that nobody here can put together.
    pub said: Option<Vec<u8>>,
    /// Its calls of the tool, in order.
    pub calls: Vec<Called>,
    /// What of it the client was shown, in order: see [`shown`].
    pub shown: Vec<String>,
    /// Whether the model waits for the results of these calls alone.
    pub waits: bool,
    /// Whether it waits for results of the client's tools too.
    pub waits_for_client: bool,
}

impl Turn {
    /// The same, ended as one does that waits for results, or not. Of `calls_client` it is said whether
    /// it calls the client's tools too.
    pub(super) fn ended(mut self, waits: bool, calls_client: bool) -> Self {
        let waits = waits && !self.calls.is_empty();
        (self.waits, self.waits_for_client) = (waits && !calls_client, waits && calls_client);
        self
    }

    /// The same with its characters whole.
    pub(super) fn joined(mut self) -> Self {
        let said = self.said.as_deref().map(String::from_utf8_lossy);
        self.said = said.map(|said| lone::joined(&said).into_bytes());
        for called in &mut self.calls {
            called.input = lone::joined(&called.input);
            called.spelled = lone::joined(&called.spelled);
        }
        self
    }
}

/// A call of the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The call's id.
    pub id: String,
    /// The arguments, as the model spelled them: JSON, if all is well.
    pub input: String,
    /// The call as a part of the model's turn, as it goes back to the model: JSON.
    pub spelled: String,
    /// How many parts of the turn that the client was shown stand in front of it.
    pub at: usize,
}

/// What a part of an answer is known by when the client sends it back: its kind, and a hash of what
/// stays the same whatever the client does to white space around it.
pub(crate) fn shown(kind: &str, says: &str) -> String {
    format!("{kind} {}", Handle::of(says.trim().as_bytes()))
}

/// Whether a part that is known so is text that says nothing: models say such, and their APIs take
/// none back.
pub(crate) fn says_nothing(shown: &str) -> bool {
    shown == self::shown("text", "")
}

/// Whether clients may leave out a part that is known so: thinking, text that says nothing, and what
/// is neither text nor a call of theirs.
pub(crate) fn may_be_missing(shown: &str) -> bool {
    let kinds = ["thinking ", "redacted_thinking ", "reasoning ", "item "];
    kinds.iter().any(|kind| shown.starts_with(kind)) || says_nothing(shown)
}
