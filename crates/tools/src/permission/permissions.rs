//! What a session may do: the rules, and what the person granted to it and to all sessions.

use std::sync::{Arc, Mutex, PoisonError};

use crate::toolbox::Toolbox;

use super::access::{Access, Verdict};
use super::decided::Decided;
use super::grants::Grants;

/// What one session may do.
#[derive(Debug)]
pub struct Permissions {
    toolbox: Arc<Toolbox>,
    granted: Mutex<Grants>,
}

impl Permissions {
    /// Those of a new session.
    pub(crate) fn new(toolbox: &Arc<Toolbox>) -> Self {
        Self { toolbox: Arc::clone(toolbox), granted: Mutex::default() }
    }

    /// What the rules say, where a grant answers what they would have asked.
    pub(crate) fn decide(&self, access: &Access<'_>) -> Decided {
        match self.toolbox.policy.decide(access) {
            Decided { verdict: Verdict::Ask, .. }
                if self.is_granted(access) || self.toolbox.is_granted(access) =>
            {
                Decided::without_rule(Verdict::Allow)
            }
            decided => decided,
        }
    }

    /// Why a command is asked about.
    pub(crate) fn ask_reason(&self, access: &Access<'_>) -> String {
        self.toolbox.policy.ask_reason(access)
    }

    pub(crate) fn verdict(&self, access: &Access<'_>) -> Verdict {
        self.decide(access).verdict
    }

    /// Whether a tool may touch `subject` without asking anybody.
    pub fn allow(&self, tool: &'static str, subject: &str) -> bool {
        self.verdict(&Access::of(tool, subject)) == Verdict::Allow
    }

    /// The same as [`Self::allow`] for addresses, spelled as rules have them, on any thread: by what
    /// is granted now.
    pub(crate) fn allowed_addresses(
        &self,
        tool: &'static str,
    ) -> impl Fn(&str) -> bool + Send + Sync + use<> {
        let toolbox = Arc::clone(&self.toolbox);
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        move |address| {
            let access = Access { written: Some(address), ..Access::of(tool, address) };
            match toolbox.policy.decide(&access).verdict {
                Verdict::Allow => true,
                Verdict::Ask => granted.hold(&access) || toolbox.is_granted(&access),
                Verdict::Deny => false,
            }
        }
    }

    /// Remembers a grant for this session.
    pub(crate) fn grant(&self, access: &Access<'_>) {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).add(access.grant());
    }

    /// Remembers a grant for all sessions.
    pub(crate) fn grant_always(&self, access: &Access<'_>) {
        self.toolbox.grant(access);
    }

    fn is_granted(&self, access: &Access<'_>) -> bool {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).hold(access)
    }
}
