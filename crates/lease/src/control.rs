//! `fcntl(2)` with what leases take.

use std::fs::File;
use std::os::fd::AsRawFd as _;

use libc::{F_GETLEASE, F_RDLCK, F_SETLEASE, F_UNLCK, SIGURG, c_int};

/// Which signal tells of events of a file. The same number on every machine that Rust knows;
/// `libc` has it for some.
const F_SETSIG: c_int = 10;

/// What is leased of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leased {
    Not,
    Reading,
}

/// Has events of the file told by a signal that does nothing. `SIGIO`, which tells of them
/// otherwise, ends the process. None if that cannot be.
pub(crate) fn signal_by_what_is_ignored(file: &File) -> Option<()> {
    control(file, F_SETSIG, SIGURG).map(drop)
}

/// Takes the lease or gives it back; None if that is refused.
pub(crate) fn set_lease(file: &File, leased: Leased) -> Option<()> {
    let kind = match leased {
        Leased::Not => F_UNLCK,
        Leased::Reading => F_RDLCK,
    };
    control(file, F_SETLEASE, kind).map(drop)
}

/// What is leased. Nothing, if somebody waits for it to be given back.
pub(crate) fn lease(file: &File) -> Leased {
    match control(file, F_GETLEASE, 0) {
        Some(F_RDLCK) => Leased::Reading,
        _ => Leased::Not,
    }
}

/// Asks the system, with one of the three commands above; None if it refuses.
#[expect(unsafe_code, reason = "no safe crate has these commands of fcntl")]
fn control(file: &File, command: c_int, argument: c_int) -> Option<c_int> {
    // SAFETY: the descriptor is open as long as `file` is borrowed. The commands take a number,
    // or nothing, and give a number: no memory is passed in either direction, and the descriptor
    // is neither closed nor handed on.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
    (answer != -1).then_some(answer)
}
