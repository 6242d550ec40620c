//! The mounts of this process, as the kernel lists them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// A mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MountEntry {
    /// The mounted file system, as `major:minor`.
    pub(super) device: Vec<u8>,
    /// The folder or file of the file system that is mounted.
    pub(super) file_system_path: PathBuf,
    /// The mount point.
    pub(super) mount_point: PathBuf,
}

/// Returns all mounts of this process, in mount order.
pub(super) fn read_mounts() -> io::Result<Vec<MountEntry>> {
    let table = fs::read("/proc/self/mountinfo")?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(parse_mount).collect())
}

/// Parses `number parent device path point …`; see proc_pid_mountinfo(5).
fn parse_mount(line: &[u8]) -> Option<MountEntry> {
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    let device = words.next()?.to_vec();
    let (shows, point) = (unescape_path(words.next()?), unescape_path(words.next()?));
    Some(MountEntry { device, file_system_path: shows, mount_point: point })
}

/// Unescapes a path, in which blanks and the like are written as `\040`.
fn unescape_path(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|_| *first == b'\\');
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[3..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_line_is_read() {
        let line = br"36 35 98:0 /mnt1 /mnt\0402\134 rw,noatime master:1 - ext3 /dev/root rw";
        let read = parse_mount(line).expect("a mount");
        assert_eq!(read.device, b"98:0");
        assert_eq!(
            (read.file_system_path.to_str(), read.mount_point.to_str()),
            (Some("/mnt1"), Some(r"/mnt 2\"))
        );
        assert_eq!(parse_mount(b""), None);
    }

    #[test]
    fn the_mounts_are_listed() {
        let all = read_mounts().expect("a table");
        assert!(all.iter().any(|mount| mount.mount_point == Path::new("/proc")), "{all:?}");
    }
}
