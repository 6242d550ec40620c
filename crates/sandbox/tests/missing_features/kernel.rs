//! Simulates a kernel without some features.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// The system calls of Landlock.
pub(crate) const LANDLOCK_CALLS: [i64; 3] = [
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
];

/// Runs `test` on a thread for which, and for whose descendants, the kernel seems to have no
/// Landlock, as before Linux 5.13, and no mounts for bubblewrap.
pub(crate) fn without_confinement(test: impl FnOnce() + Send) {
    without_calls(&[&LANDLOCK_CALLS[..], &[libc::SYS_mount]].concat(), test);
}

/// Runs `test` on a thread without the system calls of these numbers.
pub(crate) fn without_calls(calls: &[i64], test: impl FnOnce() + Send) {
    let refused: BTreeMap<_, _> = calls.iter().map(|call| (*call, Vec::new())).collect();
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let here = TargetArch::try_from(std::env::consts::ARCH).expect("a processor with filters");
    let filter = SeccompFilter::new(refused, SeccompAction::Allow, missing, here);
    let program: BpfProgram = filter.and_then(TryInto::try_into).expect("a filter");
    let filtered = || {
        seccompiler::apply_filter(&program).expect("a kernel with filters");
        test();
    };
    std::thread::scope(|scope| scope.spawn(filtered).join().expect("the test holds"));
}
