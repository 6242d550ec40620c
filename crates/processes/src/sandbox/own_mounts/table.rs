//! The mounts of this process, as the kernel lists them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// The file system that it shows, as `major:minor`.
    pub(super) device: Vec<u8>,
    /// Which folder or file of the file system it shows.
    pub(super) shows: PathBuf,
    /// Where it is.
    pub(super) point: PathBuf,
}

/// All mounts of this process, those that lie in others after these.
pub(super) fn mounts() -> io::Result<Vec<Mount>> {
    let table = fs::read("/proc/self/mountinfo")?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(parsed).collect())
}

/// `number parent device shows point …`; see proc_pid_mountinfo(5).
fn parsed(line: &[u8]) -> Option<Mount> {
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    let device = words.next()?.to_vec();
    let (shows, point) = (path(words.next()?), path(words.next()?));
    Some(Mount { device, shows, point })
}

/// A path in which blanks and the like are written as `\040`.
fn path(word: &[u8]) -> PathBuf {
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
        let read = parsed(line).expect("a mount");
        assert_eq!(read.device, b"98:0");
        assert_eq!((read.shows.to_str(), read.point.to_str()), (Some("/mnt1"), Some(r"/mnt 2\")));
        assert_eq!(parsed(b""), None);
    }

    #[test]
    fn the_mounts_are_listed() {
        let all = mounts().expect("a table");
        assert!(all.iter().any(|mount| mount.point == Path::new("/proc")), "{all:?}");
    }
}
