//! How many calls are remembered, and for how long.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Bounds on remembered calls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallLimits {
    /// Calls of one session; the oldest are forgotten.
    pub calls_max: usize,
    /// Milliseconds after which a call answers no more.
    pub age_ms_max: i64,
    /// Share of properties, from 0 to 1, above which the generic rule finds two calls alike.
    pub threshold: f64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { calls_max: 50, age_ms_max: 5 * 60 * 1000, threshold: 0.5 }
    }
}

/// What is different for one tool; what is `None` is as for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolLimits {
    /// Whether its calls are looked up at all.
    pub detect: Option<bool>,
    /// Calls of this tool in one session.
    pub calls_max: Option<usize>,
    /// Milliseconds after which a call answers no more.
    pub age_ms_max: Option<i64>,
    /// Share of properties above which the generic rule finds two calls alike.
    pub threshold: Option<f64>,
}

/// All settings of a tracker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallSettings {
    /// Whether calls are looked up, unless a session says otherwise.
    pub detect: bool,
    /// Bounds for every tool.
    pub limits: CallLimits,
    /// What is different for some tools, by name as the client spells it.
    pub tools: BTreeMap<String, ToolLimits>,
    /// Sessions remembered; the one idle for longest is forgotten.
    pub sessions_max: usize,
    /// Calls with longer arguments, in bytes of text, are not remembered.
    pub arguments_bytes_max: usize,
    /// A call asked again with no more than so many other calls of the session between counts
    /// as asked right after: a model makes several at once.
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
    /// The bounds for one tool. Its `calls_max` is of its own calls alone.
    pub(crate) fn of(&self, tool: &str) -> CallLimits {
        let Some(own) = self.tools.get(tool) else { return self.limits };
        CallLimits {
            calls_max: own.calls_max.unwrap_or(self.limits.calls_max),
            age_ms_max: own.age_ms_max.unwrap_or(self.limits.age_ms_max),
            threshold: own.threshold.unwrap_or(self.limits.threshold),
        }
    }

    /// Returns the tools whose calls are not looked up, by name.
    pub fn tools_undetected(&self) -> BTreeSet<String> {
        let off = self.tools.iter().filter(|(_, own)| own.detect == Some(false));
        off.map(|(name, _)| name.clone()).collect()
    }

    /// Whether calls of a tool are looked up, as far as sessions and calls do not say.
    pub(crate) fn detects(&self, tool: &str) -> bool {
        self.tools.get(tool).and_then(|own| own.detect).unwrap_or(true)
    }
}
