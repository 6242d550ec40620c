//! What passes between foveal and a process that confines itself, in a file without a name that
//! nobody else can open: first the sandbox, then how far it holds.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::Pid;

use crate::Confinement;
use crate::sandbox::bounds::Bounds;
use crate::sandbox::parts::Writing;
use crate::sandbox::places::Place;

/// Bytes of the number that stands first: how long the sandbox is.
const HEAD_BYTES: usize = 16;

/// The longest report, in bytes.
const REPORT_BYTES_MAX: usize = 1024;

/// Orders for a process that is to confine itself.
#[derive(Debug)]
pub(crate) struct Order {
    file: File,
    /// Where the report begins; zero before there are orders.
    length: u64,
}

/// Variables and their values.
pub(super) type Variables = Vec<(OsString, OsString)>;

/// Why a process has no mounts of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoMounts {
    /// The step that failed, and why.
    pub(crate) why: String,
    /// Whether none can have them here; else another process may.
    pub(crate) lasts: bool,
}

/// What such a process tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// It is confined, and becomes what it was started for.
    Held(Confinement),
    /// It cannot have mounts of its own, and has ended.
    NoMounts(NoMounts),
    /// It is not confined, and has ended.
    Unconfined(String),
}

impl Order {
    /// A file that has no orders yet.
    ///
    /// # Errors
    /// If there can be no such file.
    pub(super) fn new() -> io::Result<Self> {
        let file = File::from(memfd_create("foveal-sandbox", MemfdFlags::CLOEXEC)?);
        Ok(Self { file, length: 0 })
    }

    /// Orders what `bounds` say, in which `own` may be written too, and the variables of the
    /// program that the process becomes.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn write(
        &mut self,
        bounds: &Bounds,
        own: &Place,
        variables: &Variables,
    ) -> io::Result<()> {
        let mut words: Vec<OsString> = Vec::new();
        let writable = bounds.places.iter().map(|place| (&**place, "write"));
        let readable = bounds.readable.iter().flatten().map(|place| (&**place, "read"));
        for (place, right) in writable.chain([(own, "write")]).chain(readable) {
            let (device, inode) = place.identity()?;
            words.extend([right, &*format!("{} {device} {inode}", place.number())].map(Into::into));
            words.push(place.real.clone().into());
        }
        for (path, writing) in bounds.parts.iter() {
            words.extend(["part".into(), word(writing).into(), path.into()]);
        }
        for (is_so, name) in [
            (bounds.readable.is_some(), "confines reads"),
            (!bounds.has_network, "has no network"),
            (bounds.is_required, "is required"),
        ] {
            if is_so {
                words.extend(["set", name, ""].map(OsString::from));
            }
        }
        for (name, value) in variables {
            let mut variable = name.clone();
            variable.push("=");
            variable.push(value);
            words.extend(["variable".into(), OsString::new(), variable]);
        }
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| word.as_bytes().iter().copied().chain([0])).collect();
        let head = format!("{:0width$}\n", bytes.len(), width = HEAD_BYTES - 1);
        self.length = (HEAD_BYTES + bytes.len()) as u64;
        self.file.write_all_at(&[head.as_bytes(), &bytes].concat(), 0)
    }

    /// Its number among what this process has open.
    pub(super) fn number(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// What was told, once it is.
    pub(super) fn report(&self) -> io::Result<Option<Report>> {
        let mut bytes = [0; REPORT_BYTES_MAX];
        let read = self.file.read_at(&mut bytes, self.length)?;
        let Some(text) = bytes[..read].strip_suffix(b"\n") else { return Ok(None) };
        Ok(Some(Report::parse(&String::from_utf8_lossy(text))))
    }

    /// The orders that `process` has open as `number`.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn open(process: Pid, number: i32) -> io::Result<Self> {
        let path = format!("/proc/{}/fd/{number}", process.as_raw_nonzero());
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut head = [0; HEAD_BYTES];
        file.read_exact_at(&mut head, 0)?;
        let length = std::str::from_utf8(&head).ok().and_then(|head| head.trim_end().parse().ok());
        let length: u64 = length.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { file, length: HEAD_BYTES as u64 + length })
    }

    /// The sandbox that they say, its places opened from what `process` has open, and the
    /// variables.
    ///
    /// # Errors
    /// If they cannot be read, or a place is not what is meant.
    pub(super) fn read(&self, process: Pid) -> io::Result<(Bounds, Variables)> {
        let size = usize::try_from(self.length).map_err(io::Error::other)? - HEAD_BYTES;
        let mut bytes = vec![0; size];
        self.file.read_exact_at(&mut bytes, HEAD_BYTES as u64)?;
        let words: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let (mut bounds, mut readable, mut parts) =
            (Bounds::of(Vec::new()), Vec::new(), Vec::new());
        let (mut confines_reads, mut variables) = (false, Variables::new());
        for said in words.chunks_exact(3) {
            let (&[kind, what, path], invalid) = (said, io::ErrorKind::InvalidData) else {
                continue;
            };
            let what = std::str::from_utf8(what).map_err(|_| invalid)?;
            let path = PathBuf::from(OsString::from_vec(path.to_vec()));
            match (kind, what) {
                (b"write" | b"read", numbers) => {
                    let place = opened(process, numbers, path)?;
                    let of = if kind == b"read" { &mut readable } else { &mut bounds.places };
                    of.push(Arc::new(place));
                }
                (b"part", what) => parts.push((path, writing(what).ok_or(invalid)?)),
                (b"variable", _) => variables.extend(variable(path.as_os_str())),
                (b"set", "confines reads") => confines_reads = true,
                (b"set", "has no network") => bounds.has_network = false,
                (b"set", "is required") => bounds.is_required = true,
                _ => return Err(invalid.into()),
            }
        }
        bounds.readable = confines_reads.then_some(readable);
        bounds.parts = Arc::new(parts.into_iter().collect());
        Ok((bounds, variables))
    }

    /// Tells it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn tell(&self, report: &Report) -> io::Result<()> {
        let mut text = report.spelled().replace('\n', " ");
        text.truncate(text.floor_char_boundary(REPORT_BYTES_MAX - 1));
        text.push('\n');
        self.file.write_all_at(text.as_bytes(), self.length)
    }
}

fn variable(text: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let part = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((part(&bytes[..at]), part(&bytes[at + 1..])))
}

fn opened(process: Pid, numbers: &str, real: PathBuf) -> io::Result<Place> {
    let numbers: Vec<u64> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[number, device, inode] = &*numbers else { return Err(io::ErrorKind::InvalidData.into()) };
    let number = i32::try_from(number).map_err(io::Error::other)?;
    let mut place = Place::of_process(process, number, (device, inode))?;
    place.real = real;
    Ok(place)
}

const WRITINGS: [(Writing, &str); 3] = [
    (Writing::Forbidden, "forbidden"),
    (Writing::ForbiddenInPlace, "forbidden in place"),
    (Writing::Allowed, "allowed"),
];

fn word(writing: Writing) -> &'static str {
    WRITINGS.iter().find(|(known, _)| *known == writing).map_or("", |(_, word)| word)
}

fn writing(word: &str) -> Option<Writing> {
    WRITINGS.iter().find(|(_, known)| *known == word).map(|(writing, _)| *writing)
}

impl Report {
    fn spelled(&self) -> String {
        match self {
            Self::Held(Confinement::Full) => "full ".to_owned(),
            Self::Held(Confinement::Writes) => "writes ".to_owned(),
            Self::Held(Confinement::Partial) => "partial ".to_owned(),
            Self::Held(Confinement::Absent { why }) => format!("absent {why}"),
            Self::NoMounts(NoMounts { why, lasts: false }) => format!("mounts {why}"),
            Self::NoMounts(NoMounts { why, lasts: true }) => format!("no-mounts {why}"),
            Self::Unconfined(why) => format!("unconfined {why}"),
        }
    }

    fn parse(text: &str) -> Self {
        let (word, why) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "full" => Self::Held(Confinement::Full),
            "writes" => Self::Held(Confinement::Writes),
            "partial" => Self::Held(Confinement::Partial),
            "absent" => Self::Held(Confinement::Absent { why: why.to_owned() }),
            "mounts" | "no-mounts" => {
                Self::NoMounts(NoMounts { why: why.to_owned(), lasts: word == "no-mounts" })
            }
            _ => Self::Unconfined(why.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ordered_and_told_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        let own = Place::open(&path).expect("it is there");
        let parts = [(path.join("a\nb"), Writing::Forbidden), (path.join("c"), Writing::Allowed)];
        let place = || Arc::new(Place::open(&path).expect("it is there"));
        let bounds = Bounds {
            readable: Some(vec![place()]),
            parts: Arc::new(parts.into_iter().collect()),
            has_network: false,
            ..Bounds::of(vec![place()])
        };
        let mut order = Order::new().expect("a file");
        let variables: Variables = vec![("A".into(), "b=\nc".into()), ("D".into(), "".into())];
        order.write(&bounds, &own, &variables).expect("a file");
        let me = rustix::process::getpid();
        let opened = Order::open(me, order.number()).expect("it is there");
        let (read, told) = opened.read(me).expect("a sandbox");
        assert_eq!(told, variables);
        assert_eq!(read.places.len(), 2);
        assert_eq!(read.places[0].real, path);
        assert_eq!(read.readable.as_ref().map(Vec::len), Some(1));
        assert_eq!((read.has_network, read.is_required), (false, false));
        assert_eq!(read.parts, bounds.parts);
        assert_eq!(order.report().expect("a file"), None);
        let absent = Confinement::Absent { why: "no\nLandlock".to_owned() };
        opened.tell(&Report::Held(absent)).expect("a file");
        let why = "no Landlock".to_owned();
        let told = Report::Held(Confinement::Absent { why });
        assert_eq!(order.report().expect("a file"), Some(told));
        assert!(Place::of_process(me, own.number(), (0, 0)).is_err(), "it is another");
        for lasts in [true, false] {
            let report = Report::NoMounts(NoMounts { why: "unshare: no".to_owned(), lasts });
            assert_eq!(Report::parse(&report.spelled()), report);
        }
    }
}
