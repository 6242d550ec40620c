//! Limits of other processes, held by a filter of system calls (seccomp).
//!
//! Landlock does not ask who sets the limits of a process (`prlimit`), and the kernel asks only for
//! the same user: a command could take from foveal, or from any program of that user, its open files
//! or its time, which ends it as a signal does.

use seccompiler::{BpfProgram, sock_filter};

/// What is added to the numbers of system calls in x32.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Kinds of system calls that a program may make here, as `AUDIT_ARCH_…` numbers them, with the
/// number of `prlimit64` in each. Programs of 32 bits have numbers of their own.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(u32, u32)] = &[(0xc000_003e, 302), (0xc000_003e, 302 | X32), (0x4000_0003, 340)];
#[cfg(target_arch = "aarch64")]
const CALLS: &[(u32, u32)] = &[(0xc000_00b7, 261), (0x4000_0028, 369)];
#[cfg(target_arch = "riscv64")]
const CALLS: &[(u32, u32)] = &[(0xc000_00f3, 261), (0x4000_00f3, 261)];
/// On others it is not held.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const CALLS: &[(u32, u32)] = &[];

/// Takes from this thread and from all that it starts the right to set limits of a process that is
/// named by its number. Their own they set as 0, which is what shells and libraries do.
///
/// # Errors
/// If the kernel takes no filter.
pub(super) fn give_up() -> Result<(), seccompiler::Error> {
    match CALLS {
        [] => Ok(()),
        calls => seccompiler::apply_filter(&filter(calls)),
    }
}

/// Where the parts of a call stand (`struct seccomp_data`); of its words, the low halves.
mod at {
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

fn filter(calls: &[(u32, u32)]) -> BpfProgram {
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
            load(at::KIND),
            is(*kind, 0, 10),
            load(at::NUMBER),
            is(*number, 0, 8),
            load(at::PROCESS),
            is(0, 5, 0),
            // Who only asks what the limits are gives none.
            load(at::LIMIT),
            is(0, 0, 2),
            load(at::LIMIT_HIGH),
            is(0, 1, 0),
            end(refusal),
            end(ALLOW),
        ]);
    }
    program.push(end(ALLOW));
    program
}
