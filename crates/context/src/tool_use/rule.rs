//! Which tools are shortened, and whether that pays.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::tokens::Tokens;

/// Sessions with calls that have to be known before a tool counts as one that is not called.
pub const SESSIONS_MIN: u64 = 5;

/// Conversations with shortened tools by which it is judged whether shortening pays.
pub const JUDGED: usize = 20;

/// The largest share of them in which a shortened tool may be called.
const CALLED_SHARE_MAX: f64 = 0.2;

/// The fewest tokens that have to be left out of a prompt, on average.
const TOKENS_MIN: u64 = 200;

/// Which tools the sessions of one user called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    sessions: u64,
    called: BTreeMap<String, u64>,
}

impl ToolUse {
    /// Adds a session that called these tools. One that called none says nothing.
    pub fn add(&mut self, called: &BTreeSet<String>) {
        self.sessions += u64::from(!called.is_empty());
        for name in called {
            *self.called.entry(name.clone()).or_default() += 1;
        }
    }

    /// Adds a tool to those that a session, which was added, called.
    pub fn add_to_session(&mut self, called: &str) {
        *self.called.entry(called.to_owned()).or_default() += 1;
    }

    /// The same as if a session that was added had not been.
    #[must_use]
    pub fn without(&self, called: &BTreeSet<String>) -> Self {
        let mut others = self.clone();
        others.sessions -= u64::from(!called.is_empty());
        for name in called {
            if let Some(count) = others.called.get_mut(name) {
                *count -= 1;
            }
        }
        others
    }

    /// Sessions with calls.
    pub fn sessions(&self) -> u64 {
        self.sessions
    }

    /// In how many sessions a tool was called.
    pub fn called(&self, name: &str) -> u64 {
        self.called.get(name).copied().unwrap_or(0)
    }

    /// Whether the descriptions of this tool are shortened: enough sessions are known, and none
    /// called it.
    pub fn is_shortened(&self, name: &str) -> bool {
        self.sessions >= SESSIONS_MIN && self.called(name) == 0
    }
}

/// A conversation with shortened tools that went on to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// What each of its prompts was shorter by.
    pub left_out: Tokens,
    /// Whether the model called a tool of which a description had been shortened.
    pub was_called: bool,
}

/// Whether shortening pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It does, or too little is known.
    GoesOn,
    /// Shortened tools are called too often: what is called is not known before.
    CalledTooOften,
    /// Too little is left out.
    SavesTooLittle,
}

/// Judges the last conversations with shortened tools, the last one last.
pub fn verdict(judged: &[Judged]) -> Verdict {
    let Some(last) = judged.len().checked_sub(JUDGED).map(|from| &judged[from..]) else {
        return Verdict::GoesOn;
    };
    let called = last.iter().filter(|it| it.was_called).count() as f64;
    let left_out: u64 = last.iter().map(|it| it.left_out.0).sum();
    if called / JUDGED as f64 > CALLED_SHARE_MAX {
        Verdict::CalledTooOften
    } else if left_out < TOKENS_MIN * JUDGED as u64 {
        Verdict::SavesTooLittle
    } else {
        Verdict::GoesOn
    }
}
