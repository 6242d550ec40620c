//! The uptime of this machine, which is independent of changes of the clock.

use std::sync::OnceLock;

use foveal_store::Uptime;
use rustix::time::{ClockId, clock_gettime};

/// Returns the uptime; `None` if the system does not provide it.
pub(crate) fn machine_uptime() -> Option<Uptime> {
    // A process does not survive a boot, so its id is read once.
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let boot = BOOT.get_or_init(|| {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(boot.trim().to_owned())
    });
    let since = clock_gettime(ClockId::Boottime);
    let ms = since.tv_sec.checked_mul(1_000)?.checked_add(since.tv_nsec / 1_000_000)?;
    Some(Uptime { boot: boot.clone()?, ms })
}
