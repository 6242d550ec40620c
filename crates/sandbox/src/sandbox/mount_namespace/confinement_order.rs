//! The anonymous file by which foveal and a self-confining process communicate: it holds the
//! sandbox's rules, and later a report on how far they are enforced.

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
use crate::sandbox::landlock_rules::SandboxRules;
use crate::sandbox::path_handle::PathHandle;
use crate::sandbox::write_rules::WriteRule;

/// Bytes of the header, which holds the length of the rules.
const HEADER_BYTES: usize = 16;

/// Longest report, in bytes.
const REPORT_BYTES_MAX: usize = 1024;

/// An order for a process to confine itself.
#[derive(Debug)]
pub(crate) struct ConfinementOrder {
    file: File,
    /// The offset of the report; zero before the order is written.
    report_offset: u64,
}

/// Environment variables and their values.
pub(super) type EnvironmentVariables = Vec<(OsString, OsString)>;

/// Why a process cannot have a mount namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountFailure {
    /// The failed step and its error.
    pub(crate) why: String,
    /// Whether no process can have one here; otherwise another attempt may succeed.
    pub(crate) is_permanent: bool,
}

/// The report of a process on its confinement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfinementReport {
    /// It is confined and executes its program.
    Confined(Confinement),
    /// It cannot have a mount namespace and has exited.
    MountsFailed(MountFailure),
    /// It is not confined and has exited.
    Unconfined(String),
}

impl ConfinementOrder {
    /// Creates an empty order.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(super) fn new() -> io::Result<Self> {
        let file = File::from(memfd_create("foveal-sandbox", MemfdFlags::CLOEXEC)?);
        Ok(Self { file, report_offset: 0 })
    }

    /// Writes the rules in `bounds`, in which `own` may be written too, and the variables of the
    /// program that the process becomes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn write(
        &mut self,
        bounds: &SandboxRules,
        own: &PathHandle,
        variables: &EnvironmentVariables,
    ) -> io::Result<()> {
        let mut words: Vec<OsString> = Vec::new();
        let writable = bounds.writable.iter().map(|place| (&**place, "write"));
        let readable = bounds.readable.iter().flatten().map(|place| (&**place, "read"));
        for (place, right) in writable.chain([(own, "write")]).chain(readable) {
            let (device, inode) = place.identity()?;
            words.extend(
                [right, &*format!("{} {device} {inode}", place.descriptor())].map(Into::into),
            );
            words.push(place.original_path.clone().into());
        }
        for (path, writing) in bounds.write_rules.iter() {
            words.extend(["part".into(), rule_word(writing).into(), path.into()]);
        }
        for (is_so, name) in [
            (bounds.readable.is_some(), "confines reads"),
            (!bounds.has_network, "has no network"),
            (bounds.requires_confinement, "is required"),
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
        let head = format!("{:0width$}\n", bytes.len(), width = HEADER_BYTES - 1);
        self.report_offset = (HEADER_BYTES + bytes.len()) as u64;
        self.file.write_all_at(&[head.as_bytes(), &bytes].concat(), 0)
    }

    /// Returns the file descriptor in this process.
    pub(super) fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// Reads the report; `None` before it is written.
    pub(super) fn read_report(&self) -> io::Result<Option<ConfinementReport>> {
        let mut bytes = [0; REPORT_BYTES_MAX];
        let read = self.file.read_at(&mut bytes, self.report_offset)?;
        let Some(text) = bytes[..read].strip_suffix(b"\n") else { return Ok(None) };
        Ok(Some(ConfinementReport::parse(&String::from_utf8_lossy(text))))
    }

    /// Opens the order that `process` has open as `number`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open(process: Pid, number: i32) -> io::Result<Self> {
        let path = format!("/proc/{}/fd/{number}", process.as_raw_nonzero());
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut head = [0; HEADER_BYTES];
        file.read_exact_at(&mut head, 0)?;
        let length = std::str::from_utf8(&head).ok().and_then(|head| head.trim_end().parse().ok());
        let length: u64 = length.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { file, report_offset: HEADER_BYTES as u64 + length })
    }

    /// Reads the rules and the variables. The paths are opened from the descriptors of `process`.
    ///
    /// # Errors
    /// If they cannot be read, or a path is not the one that is meant.
    pub(super) fn read_rules(
        &self,
        process: Pid,
    ) -> io::Result<(SandboxRules, EnvironmentVariables)> {
        let size = usize::try_from(self.report_offset).map_err(io::Error::other)? - HEADER_BYTES;
        let mut bytes = vec![0; size];
        self.file.read_exact_at(&mut bytes, HEADER_BYTES as u64)?;
        let words: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let (mut bounds, mut readable, mut parts) =
            (SandboxRules::from_writable(Vec::new()), Vec::new(), Vec::new());
        let (mut confines_reads, mut variables) = (false, EnvironmentVariables::new());
        for said in words.chunks_exact(3) {
            let (&[kind, what, path], invalid) = (said, io::ErrorKind::InvalidData) else {
                continue;
            };
            let what = std::str::from_utf8(what).map_err(|_| invalid)?;
            let path = PathBuf::from(OsString::from_vec(path.to_vec()));
            match (kind, what) {
                (b"write" | b"read", numbers) => {
                    let place = open_path(process, numbers, path)?;
                    let of = if kind == b"read" { &mut readable } else { &mut bounds.writable };
                    of.push(Arc::new(place));
                }
                (b"part", what) => parts.push((path, parse_rule_word(what).ok_or(invalid)?)),
                (b"variable", _) => variables.extend(parse_variable(path.as_os_str())),
                (b"set", "confines reads") => confines_reads = true,
                (b"set", "has no network") => bounds.has_network = false,
                (b"set", "is required") => bounds.requires_confinement = true,
                _ => return Err(invalid.into()),
            }
        }
        bounds.readable = confines_reads.then_some(readable);
        bounds.write_rules = Arc::new(parts.into_iter().collect());
        Ok((bounds, variables))
    }

    /// Writes the report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write_report(&self, report: &ConfinementReport) -> io::Result<()> {
        let mut text = report.to_text().replace('\n', " ");
        text.truncate(text.floor_char_boundary(REPORT_BYTES_MAX - 1));
        text.push('\n');
        self.file.write_all_at(text.as_bytes(), self.report_offset)
    }
}

fn parse_variable(text: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let part = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((part(&bytes[..at]), part(&bytes[at + 1..])))
}

fn open_path(process: Pid, numbers: &str, real: PathBuf) -> io::Result<PathHandle> {
    let numbers: Vec<u64> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[number, device, inode] = &*numbers else { return Err(io::ErrorKind::InvalidData.into()) };
    let number = i32::try_from(number).map_err(io::Error::other)?;
    let mut place = PathHandle::open_from_process(process, number, (device, inode))?;
    place.original_path = real;
    Ok(place)
}

const WRITE_RULE_WORDS: [(WriteRule, &str); 3] = [
    (WriteRule::Forbidden, "forbidden"),
    (WriteRule::ForbiddenRenamable, "forbidden in place"),
    (WriteRule::Allowed, "allowed"),
];

fn rule_word(writing: WriteRule) -> &'static str {
    WRITE_RULE_WORDS.iter().find(|(known, _)| *known == writing).map_or("", |(_, word)| word)
}

fn parse_rule_word(word: &str) -> Option<WriteRule> {
    WRITE_RULE_WORDS.iter().find(|(_, known)| *known == word).map(|(writing, _)| *writing)
}

impl ConfinementReport {
    fn to_text(&self) -> String {
        match self {
            Self::Confined(Confinement::Full) => "full ".to_owned(),
            Self::Confined(Confinement::Writes) => "writes ".to_owned(),
            Self::Confined(Confinement::Partial) => "partial ".to_owned(),
            Self::Confined(Confinement::Absent { why }) => format!("absent {why}"),
            Self::MountsFailed(MountFailure { why, is_permanent: false }) => {
                format!("mounts {why}")
            }
            Self::MountsFailed(MountFailure { why, is_permanent: true }) => {
                format!("no-mounts {why}")
            }
            Self::Unconfined(why) => format!("unconfined {why}"),
        }
    }

    fn parse(text: &str) -> Self {
        let (word, why) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "full" => Self::Confined(Confinement::Full),
            "writes" => Self::Confined(Confinement::Writes),
            "partial" => Self::Confined(Confinement::Partial),
            "absent" => Self::Confined(Confinement::Absent { why: why.to_owned() }),
            "mounts" | "no-mounts" => Self::MountsFailed(MountFailure {
                why: why.to_owned(),
                is_permanent: word == "no-mounts",
            }),
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
        let own = PathHandle::open(&path).expect("it is there");
        let parts =
            [(path.join("a\nb"), WriteRule::Forbidden), (path.join("c"), WriteRule::Allowed)];
        let place = || Arc::new(PathHandle::open(&path).expect("it is there"));
        let bounds = SandboxRules {
            readable: Some(vec![place()]),
            write_rules: Arc::new(parts.into_iter().collect()),
            has_network: false,
            ..SandboxRules::from_writable(vec![place()])
        };
        let mut order = ConfinementOrder::new().expect("a file");
        let variables: EnvironmentVariables =
            vec![("A".into(), "b=\nc".into()), ("D".into(), "".into())];
        order.write(&bounds, &own, &variables).expect("a file");
        let me = rustix::process::getpid();
        let opened = ConfinementOrder::open(me, order.descriptor()).expect("it is there");
        let (read, told) = opened.read_rules(me).expect("a sandbox");
        assert_eq!(told, variables);
        assert_eq!(read.writable.len(), 2);
        assert_eq!(read.writable[0].original_path, path);
        assert_eq!(read.readable.as_ref().map(Vec::len), Some(1));
        assert_eq!((read.has_network, read.requires_confinement), (false, false));
        assert_eq!(read.write_rules, bounds.write_rules);
        assert_eq!(order.read_report().expect("a file"), None);
        let absent = Confinement::Absent { why: "no\nLandlock".to_owned() };
        opened.write_report(&ConfinementReport::Confined(absent)).expect("a file");
        let why = "no Landlock".to_owned();
        let told = ConfinementReport::Confined(Confinement::Absent { why });
        assert_eq!(order.read_report().expect("a file"), Some(told));
        assert!(
            PathHandle::open_from_process(me, own.descriptor(), (0, 0)).is_err(),
            "it is another"
        );
        for lasts in [true, false] {
            let report = ConfinementReport::MountsFailed(MountFailure {
                why: "unshare: no".to_owned(),
                is_permanent: lasts,
            });
            assert_eq!(ConfinementReport::parse(&report.to_text()), report);
        }
    }
}
