//! A guard that its own command cannot end.

use landlock::{CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetError, Scope};

/// Puts what this thread starts from now on into a sandbox of its own inside the one that the
/// thread is in: it reaches no process that is outside of it, the guard above all, which reaches
/// it. Nothing else changes. Nothing happens outside of a sandbox, since gained rights would be
/// lost, or where the kernel cannot do it: a command can end its guard then.
pub(crate) fn stand_apart() {
    if rustix::thread::no_new_privs().unwrap_or_default() {
        // Without it the guard is as good as guards were before Linux 6.12.
        drop(restrict());
    }
}

fn restrict() -> Result<(), RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    rules.scope(Scope::Signal)?.create()?.restrict_self().map(drop)
}
