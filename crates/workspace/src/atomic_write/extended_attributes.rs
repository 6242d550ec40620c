//! Extended attributes of a replaced file: access control lists, labels, marks of other programs.

use std::fs::File;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

/// Bytes of all names, and of one value: the limit of Linux.
const BYTES_MAX: usize = 64 << 10;

/// Attributes that certify the content or give it rights; new content must not inherit them.
const CONTENT_ATTRIBUTES: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Copies the attributes of `from` to `to`, as far as the system permits.
pub(super) fn copy_attributes(from: &File, to: &File) {
    let mut names = Vec::with_capacity(BYTES_MAX);
    // Most files have no attributes, and some file systems do not support them.
    let Ok(1..) = flistxattr(from, rustix::buffer::spare_capacity(&mut names)) else { return };
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if CONTENT_ATTRIBUTES.contains(&name) {
            continue;
        }
        let mut value = Vec::with_capacity(BYTES_MAX);
        if fgetxattr(from, name, rustix::buffer::spare_capacity(&mut value)).is_ok() {
            let _ = fsetxattr(to, name, &value, XattrFlags::empty());
        }
    }
}
