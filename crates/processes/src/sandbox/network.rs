//! Commands without a network, held by a filter of system calls (seccomp).
//!
//! Landlock refuses TCP alone; a filter refuses sockets of every kind but those between the
//! processes of this machine. Programs for another kind of processor than foveal's own (32 bits
//! beside 64) are ended by it, as their system calls have other numbers.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Sockets between processes, and those that ask the kernel which interfaces there are.
const ALLOWED_FAMILIES: [i32; 2] = [libc::AF_UNIX, libc::AF_NETLINK];

/// What is added to the numbers of system calls in x32. Elsewhere no call has such a number.
const X32: i64 = 0x4000_0000;

/// Takes the network from this thread and from all that it starts.
///
/// # Errors
/// If the kernel has no filters, or none for this kind of processor is known.
pub(super) fn give_up() -> Result<(), seccompiler::Error> {
    seccompiler::apply_filter(&filter()?)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let is_other = |family: &i32| {
        let family = u64::from(family.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    };
    let others = ALLOWED_FAMILIES.iter().map(is_other).collect::<Result<Vec<_>, _>>()?;
    let socket = vec![SeccompRule::new(others)?];
    let refused = BTreeMap::from([
        (libc::SYS_socket, socket.clone()),
        // A ring opens sockets that no filter sees.
        (libc::SYS_io_uring_setup, Vec::new()),
        // The same two, as kernels with the x32 interface number them.
        (libc::SYS_socket | X32, socket),
        (libc::SYS_io_uring_setup | X32, Vec::new()),
    ]);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let here = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(refused, SeccompAction::Allow, refuse, here)?.try_into()
}
