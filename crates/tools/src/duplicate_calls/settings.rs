//! The limits on remembered calls.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Limits on remembered calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallLimits {
    /// The number of calls of one session; the oldest are forgotten.
    pub calls_max: usize,
    /// The age in milliseconds after which a call answers no other.
    pub age_ms_max: i64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { calls_max: 50, age_ms_max: 5 * 60 * 1000 }
    }
}

/// Overrides for one tool; `None` means the common value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolLimits {
    /// Whether its calls are looked up.
    pub detect: Option<bool>,
    /// The number of calls of this tool in one session.
    pub calls_max: Option<usize>,
    /// The age in milliseconds after which a call answers no other.
    pub age_ms_max: Option<i64>,
}

/// The settings of a tracker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallSettings {
    /// Whether calls are looked up, unless the session overrides it.
    pub detect: bool,
    /// The limits for every tool.
    pub limits: CallLimits,
    /// Overrides for some tools, by name as the client spells it.
    pub tools: BTreeMap<String, ToolLimits>,
    /// The number of sessions; the one idle for longest is forgotten.
    pub sessions_max: usize,
    /// Calls with longer arguments, in bytes of text, are not remembered.
    pub arguments_bytes_max: usize,
    /// A call counts as repeated at once if at most this many other calls of the session stand in
    /// between: a model makes several calls at once.
    pub calls_between_max: u64,
}

impl Default for CallSettings {
    fn default() -> Self {
        Self {
            detect: true,
            limits: CallLimits::default(),
            tools: BTreeMap::new(),
            sessions_max: 256,
            arguments_bytes_max: 256 * 1024,
            calls_between_max: 4,
        }
    }
}

impl CallSettings {
    /// Returns the limits for one tool. Its `calls_max` counts its own calls only.
    pub(crate) fn limits_for(&self, tool: &str) -> CallLimits {
        let Some(own) = self.tools.get(tool) else { return self.limits };
        CallLimits {
            calls_max: own.calls_max.unwrap_or(self.limits.calls_max),
            age_ms_max: own.age_ms_max.unwrap_or(self.limits.age_ms_max),
        }
    }

    /// Returns the names of the tools whose calls are not looked up.
    pub fn undetected_tools(&self) -> BTreeSet<String> {
        let off = self.tools.iter().filter(|(_, own)| own.detect == Some(false));
        off.map(|(name, _)| name.clone()).collect()
    }

    /// Returns whether calls of a tool are looked up, unless the session or the call overrides it.
    pub(crate) fn detects_tool(&self, tool: &str) -> bool {
        self.tools.get(tool).and_then(|own| own.detect).unwrap_or(true)
    }
}
