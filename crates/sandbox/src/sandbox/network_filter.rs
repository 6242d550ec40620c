//! A seccomp filter that denies network access.
//!
//! Landlock only restricts TCP; the filter denies all sockets but those between local processes. It
//! kills programs for another architecture than foveal's (32 bits beside 64), whose system calls
//! have other numbers.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Sockets between processes, and those that query the kernel for network interfaces.
const ALLOWED_FAMILIES: [i32; 2] = [libc::AF_UNIX, libc::AF_NETLINK];

/// The bit that marks x32 system calls. Other architectures have no call with this number.
const X32_CALL_BIT: i64 = 0x4000_0000;

/// Denies network access to this thread and its descendants.
///
/// # Errors
/// If the kernel has no filters, or none is known for this architecture.
pub(super) fn deny_network() -> Result<(), seccompiler::Error> {
    seccompiler::apply_filter(&socket_filter()?)
}

fn socket_filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let is_other = |family: &i32| {
        let family = u64::from(family.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    };
    let others = ALLOWED_FAMILIES.iter().map(is_other).collect::<Result<Vec<_>, _>>()?;
    let socket = vec![SeccompRule::new(others)?];
    let refused = BTreeMap::from([
        (libc::SYS_socket, socket.clone()),
        // io_uring opens sockets that no filter sees.
        (libc::SYS_io_uring_setup, Vec::new()),
        // These system calls in the x32 numbering.
        (libc::SYS_socket | X32_CALL_BIT, socket),
        (libc::SYS_io_uring_setup | X32_CALL_BIT, Vec::new()),
    ]);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let here = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(refused, SeccompAction::Allow, refuse, here)?.try_into()
}
