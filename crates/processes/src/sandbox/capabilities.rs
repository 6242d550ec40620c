//! Rights of root that what runs in a sandbox does not have.

use rustix::thread::{
    CapabilitySet, capability_is_in_bounding_set, remove_capability_from_bounding_set,
};

/// Rights of root with which a process gets round the sandbox, or changes the machine for all:
/// it reads the memory and variables of processes outside, loads code into the kernel, makes
/// disks readable, opens files by their numbers (`open_by_handle_at`) past the mounts that hold them,
/// sets the clock, restarts. Files of others root still reads: `DAC_OVERRIDE` is left to it.
const TAKEN: [CapabilitySet; 18] = [
    CapabilitySet::AUDIT_CONTROL,
    CapabilitySet::BPF,
    CapabilitySet::BLOCK_SUSPEND,
    CapabilitySet::CHECKPOINT_RESTORE,
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::LINUX_IMMUTABLE,
    CapabilitySet::MAC_ADMIN,
    CapabilitySet::MAC_OVERRIDE,
    CapabilitySet::MKNOD,
    CapabilitySet::PERFMON,
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYSLOG,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_TTY_CONFIG,
    CapabilitySet::SYS_TIME,
];

/// Takes these rights from every program that this thread starts. Other users have none of them,
/// and nobody gains rights in a sandbox.
///
/// # Errors
/// If this is root and keeps one of them.
pub(super) fn give_up() -> rustix::io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for capability in TAKEN {
        // A kernel that does not know it has nothing to take.
        if capability_is_in_bounding_set(capability).unwrap_or(false) {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    Ok(())
}
