//! Rights of root that what runs in a sandbox keeps.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// The rights of root that work in the roots needs and that lead nowhere else: to own files and
/// have their modes, to be another user and end what it runs, low ports, lower rights, records
/// without which `su` refuses. `SYS_CHROOT` is for servers that shut themselves in: mounts and
/// Landlock go on to hold there.
///
/// All others go. With those a process reads the memory and variables of others, loads code into
/// the kernel, opens files by their numbers (`open_by_handle_at`) past the mounts that hold them,
/// makes files that others may run with rights (`SETFCAP`), hears what passes the network, tokens
/// of other programs on the loopback included (`NET_RAW`), or changes the machine for all: the
/// network, the clock, priorities, limits.
const KEPT: CapabilitySet = CapabilitySet::AUDIT_WRITE
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

/// So many rights the kernel can number.
const NUMBERS: u32 = u64::BITS;

/// Takes all other rights from every program that this thread starts. Nobody gains rights in a
/// sandbox, so that who is not root has none there.
///
/// # Errors
/// If one is kept.
pub(super) fn give_up() -> rustix::io::Result<()> {
    // What is inherited is not held to the bounds. Without it nothing is ambient either.
    let own = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::empty(), ..own })?;
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for number in 0..NUMBERS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        // A kernel that does not know it has nothing to take.
        let is_taken = !KEPT.contains(capability)
            && capability_is_in_bounding_set(capability).unwrap_or(false);
        if is_taken {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    Ok(())
}
