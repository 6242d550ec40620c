//! A nested sandbox in which a command cannot signal its guard.

use landlock::{CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetError, Scope};

/// Puts processes that this thread starts from now on into a nested sandbox: they can signal no
/// process outside of it, the guard above all, which can signal them. Nothing else changes. Does
/// nothing outside of a sandbox, where it would cost the right to gain privileges, or if the kernel
/// does not support it; then a command can end its guard.
pub(crate) fn enter_signal_scope() {
    if rustix::thread::no_new_privs().unwrap_or_default() {
        // Without it the guard works as it did before Linux 6.12.
        drop(restrict_signals());
    }
}

fn restrict_signals() -> Result<(), RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    rules.scope(Scope::Signal)?.create()?.restrict_self().map(drop)
}
