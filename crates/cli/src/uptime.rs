//! How long this machine runs, which no clock that is set changes.

use foveal_store::Uptime;
use rustix::time::{ClockId, clock_gettime};

/// `None` where the system does not tell it.
pub(crate) fn now() -> Option<Uptime> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let since = clock_gettime(ClockId::Boottime);
    let ms = since.tv_sec.checked_mul(1_000)?.checked_add(since.tv_nsec / 1_000_000)?;
    Some(Uptime { boot: boot.trim().to_owned(), ms })
}
