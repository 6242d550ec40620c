//! Calls whose answers may answer later ones.

use foveal_calls::CallTracker;
use foveal_transcript::Handle;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Dependency;

/// What is remembered of a call that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The whole text.
    pub content: Handle,
    /// Its bytes.
    pub bytes: u64,
    /// The same as data, where that is short.
    #[serde(default)]
    pub data: Option<Value>,
    /// Lines around each hit that it shows.
    #[serde(default)]
    pub context_lines: u64,
}

/// The calls of all sessions of a process.
pub type Calls = CallTracker<Recorded, Vec<Dependency>>;
