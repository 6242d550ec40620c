//! The root capabilities of sandboxed processes.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// The capabilities that work in the roots needs and that lead nowhere else: file ownership and
/// modes, changing users and ending their processes, low ports, lower capabilities, and audit
/// records, without which `su` refuses. `SYS_CHROOT` is for servers that confine themselves; mounts
/// and Landlock still apply there.
///
/// All others are dropped. With them, a process reads the memory and variables of others, loads
/// code into the kernel, opens files by handle (`open_by_handle_at`) past the protecting mounts,
/// creates files that run with privileges (`SETFCAP`), listens to the network, including tokens of
/// other programs on the loopback (`NET_RAW`), or changes the machine for all: network, clock,
/// priorities, limits.
const RETAINED_CAPABILITIES: CapabilitySet = CapabilitySet::AUDIT_WRITE
    .union(CapabilitySet::CHOWN)
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SYS_CHROOT);

/// The number of capabilities that the kernel can represent.
const CAPABILITY_NUMBERS: u32 = u64::BITS;

/// Drops all other capabilities from every program that this thread starts. No process gains
/// capabilities in a sandbox, so a user other than root has none there.
///
/// # Errors
/// If a capability cannot be dropped.
pub(super) fn drop_capabilities() -> rustix::io::Result<()> {
    // Inheritable capabilities are not limited by the bounding set. Without them no capability is
    // ambient either.
    let own = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::empty(), ..own })?;
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for number in 0..CAPABILITY_NUMBERS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        // A capability that the kernel does not know cannot be dropped.
        let is_taken = !RETAINED_CAPABILITIES.contains(capability)
            && capability_is_in_bounding_set(capability).unwrap_or(false);
        if is_taken {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    Ok(())
}
