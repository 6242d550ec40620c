//! Files that are read without anybody having named them: rules, settings, sources. A repository
//! can put a pipe, a device, a link or a file without end in the place of each.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Whether a symbolic link in place of the file is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// A link is refused.
    Refused,
    /// What the link leads to is read, if it is a regular file.
    Followed,
}

/// Opens the regular file at `path`, without waiting for whoever might write into a pipe.
///
/// # Errors
///
/// If there is none, or it may not be read, or what is there is no regular file.
pub fn open_regular(path: &Path, links: Links) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => not_regular("a link"),
        // A socket cannot be opened at all.
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => not_regular("a socket"),
        _ => error,
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    Err(not_regular(if kind.is_dir() { "a folder" } else { "a pipe or a device" }))
}

/// Reads the regular file at `path`, if it has at most `bytes_max` bytes.
///
/// # Errors
///
/// As [`open_regular`], and if it is larger, also if it grows while it is read.
pub fn read_regular(path: &Path, bytes_max: u64, links: Links) -> io::Result<Vec<u8>> {
    let file = open_regular(path, links)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let why = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn not_regular(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, no regular file"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "four").expect("a file");
        symlink(at("plain"), at("link")).expect("a link");
        symlink("/dev/null", at("device")).expect("a link");
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        fs::create_dir(at("folder")).expect("a folder");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");

        let read = |name: &str, links| read_regular(&at(name), 4, links);
        assert_eq!(read("plain", Links::Refused).expect("a file"), b"four");
        assert_eq!(read("link", Links::Followed).expect("a file"), b"four");
        assert!(read_regular(&at("plain"), 3, Links::Refused).is_err());
        for name in ["link", "device", "pipe", "folder", "socket"] {
            let error = read(name, Links::Refused).expect_err(name);
            assert!(error.to_string().ends_with("no regular file"), "{name}: {error}");
        }
        for name in ["device", "pipe", "folder", "socket"] {
            read(name, Links::Followed).expect_err(name);
        }
    }
}
