//! A seccomp filter that protects the resource limits of other processes.
//!
//! Landlock does not restrict `prlimit`, and the kernel only requires the same user: a command
//! could take open files or processor time from foveal or any other program of that user, which
//! ends it as a signal does.

use seccompiler::{BpfProgram, sock_filter};

/// The bit that marks x32 system calls.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// The system call ABIs that a program may use here, as `AUDIT_ARCH_…` values, with the number of
/// `prlimit64` in each. 32-bit programs have numbers of their own.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(u32, u32)] = &[(0xc000_003e, 302), (0xc000_003e, 302 | X32), (0x4000_0003, 340)];
#[cfg(target_arch = "aarch64")]
const CALLS: &[(u32, u32)] = &[(0xc000_00b7, 261), (0x4000_0028, 369)];
#[cfg(target_arch = "riscv64")]
const CALLS: &[(u32, u32)] = &[(0xc000_00f3, 261), (0x4000_00f3, 261)];
/// On other processors the limits are not protected.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const CALLS: &[(u32, u32)] = &[];

/// Denies this thread and its descendants the right to set the limits of a process by its id.
/// Shells and libraries set their own limits with id 0, which is allowed.
///
/// # Errors
/// If the kernel accepts no filter.
pub(super) fn deny_foreign_limits() -> Result<(), seccompiler::Error> {
    match CALLS {
        [] => Ok(()),
        calls => seccompiler::apply_filter(&limit_filter(calls)),
    }
}

/// Offsets of the fields in `struct seccomp_data`; of arguments, the low halves.
mod call_offset {
    pub(super) const NUMBER: u32 = 0;
    pub(super) const KIND: u32 = 4;
    pub(super) const PROCESS: u32 = 16;
    pub(super) const LIMIT: u32 = 32;
    pub(super) const LIMIT_HIGH: u32 = 36;
}

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000;

fn limit_filter(calls: &[(u32, u32)]) -> BpfProgram {
    let load = |at: u32| sock_filter { code: LOAD, jt: 0, jf: 0, k: at };
    let is = |value: u32, then: u8, otherwise: u8| sock_filter {
        code: JUMP_IF_EQUAL,
        jt: then,
        jf: otherwise,
        k: value,
    };
    let end = |answer: u32| sock_filter { code: RETURN, jt: 0, jf: 0, k: answer };
    let refusal = REFUSE | libc::EPERM.unsigned_abs();
    let mut program = Vec::new();
    for (kind, number) in calls {
        program.extend([
            load(call_offset::KIND),
            is(*kind, 0, 10),
            load(call_offset::NUMBER),
            is(*number, 0, 8),
            load(call_offset::PROCESS),
            is(0, 5, 0),
            // A null pointer only queries the limits.
            load(call_offset::LIMIT),
            is(0, 0, 2),
            load(call_offset::LIMIT_HIGH),
            is(0, 1, 0),
            end(refusal),
            end(ALLOW),
        ]);
    }
    program.push(end(ALLOW));
    program
}
