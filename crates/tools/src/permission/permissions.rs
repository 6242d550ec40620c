//! The permissions of a session: the rules, and the grants for it and for all sessions.

use std::sync::{Arc, Mutex, PoisonError};

use crate::toolbox::Toolbox;

use super::access::{Access, Verdict};
use super::decision::PermissionDecision;
use super::grants::Grants;

/// The permissions of one session.
#[derive(Debug)]
pub struct Permissions {
    toolbox: Arc<Toolbox>,
    granted: Mutex<Grants>,
}

impl Permissions {
    /// Creates the permissions of a new session.
    pub(crate) fn new(toolbox: &Arc<Toolbox>) -> Self {
        Self { toolbox: Arc::clone(toolbox), granted: Mutex::default() }
    }

    /// Returns the decision of the rules; a grant turns [`Verdict::Ask`] into [`Verdict::Allow`].
    pub(crate) fn decide(&self, access: &Access<'_>) -> PermissionDecision {
        match self.toolbox.policy.decide(access) {
            PermissionDecision { verdict: Verdict::Ask, .. }
                if self.is_granted(access) || self.toolbox.is_granted(access) =>
            {
                PermissionDecision::without_rule(Verdict::Allow)
            }
            decided => decided,
        }
    }

    /// Returns the reason for the question about a command.
    pub(crate) fn ask_reason(&self, access: &Access<'_>) -> String {
        self.toolbox.policy.ask_reason(access)
    }

    pub(crate) fn verdict(&self, access: &Access<'_>) -> Verdict {
        self.decide(access).verdict
    }

    /// Returns whether a tool may access `subject` without a question to the user.
    pub fn permits(&self, tool: &'static str, subject: &str) -> bool {
        self.verdict(&Access::new(tool, subject)) == Verdict::Allow
    }

    /// Returns a filter for web addresses in the form that rules use. It decides as
    /// [`Self::permits`] does, by the grants of this moment, and works on any thread.
    pub(crate) fn address_filter(
        &self,
        tool: &'static str,
    ) -> impl Fn(&str) -> bool + Send + Sync + use<> {
        let toolbox = Arc::clone(&self.toolbox);
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        move |address| {
            let access = Access { written: Some(address), ..Access::new(tool, address) };
            match toolbox.policy.decide(&access).verdict {
                Verdict::Allow => true,
                Verdict::Ask => granted.covers(&access) || toolbox.is_granted(&access),
                Verdict::Deny => false,
            }
        }
    }

    /// Stores a grant for this session.
    pub(crate) fn grant_for_session(&self, access: &Access<'_>) {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).add(access.wider_grant());
    }

    /// Stores a grant for all sessions.
    pub(crate) fn grant_always(&self, access: &Access<'_>) {
        self.toolbox.add_grant(access);
    }

    fn is_granted(&self, access: &Access<'_>) -> bool {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).covers(access)
    }
}
