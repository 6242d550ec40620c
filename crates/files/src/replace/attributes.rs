//! Extended attributes of a file that is replaced: rights of single users, labels, marks that others
//! put there.

use std::fs::File;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

/// Bytes of all names, and of one value: the most that Linux allows.
const BYTES_MAX: usize = 64 << 10;

/// Attributes that are about the bytes of a file or give them rights: those of other bytes have none
/// of them.
const OF_BYTES: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Gives `to` the attributes of `from`, as far as the system lets it.
pub(super) fn copy(from: &File, to: &File) {
    let mut names = Vec::with_capacity(BYTES_MAX);
    // Most files have none, and some file systems know none.
    let Ok(1..) = flistxattr(from, rustix::buffer::spare_capacity(&mut names)) else { return };
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if OF_BYTES.contains(&name) {
            continue;
        }
        let mut value = Vec::with_capacity(BYTES_MAX);
        if fgetxattr(from, name, rustix::buffer::spare_capacity(&mut value)).is_ok() {
            let _ = fsetxattr(to, name, &value, XattrFlags::empty());
        }
    }
}
