//! How long this machine runs, which no clock that is set changes.

use std::sync::OnceLock;

use foveal_store::Uptime;
use rustix::time::{ClockId, clock_gettime};

/// `None` where the system does not tell it.
pub(crate) fn now() -> Option<Uptime> {
    // A process does not outlive its machine.
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let boot = BOOT.get_or_init(|| {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(boot.trim().to_owned())
    });
    let since = clock_gettime(ClockId::Boottime);
    let ms = since.tv_sec.checked_mul(1_000)?.checked_add(since.tv_nsec / 1_000_000)?;
    Some(Uptime { boot: boot.clone()?, ms })
}
