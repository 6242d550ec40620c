//! The anonymous file that tells a guard what it has to know: the sandbox's rules, and the variables
//! of its program. Until it is confined, the guard itself has no variables: they could make it load
//! a library that a command left in a folder (`LD_LIBRARY_PATH`).

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

use crate::CommandEnvironment;
use crate::inherited_files::InheritedFiles;
use crate::sandbox::{PathHandle, SandboxRules, WriteRule};

/// Environment variables and their values.
pub(super) type EnvironmentVariables = Vec<(OsString, OsString)>;

/// The order of a guard.
pub(super) struct LaunchOrder {
    /// `None`: it does not confine itself.
    pub(super) rules: Option<SandboxRules>,
    pub(super) variables: EnvironmentVariables,
}

/// Writes an order. The folders and files of the rules are added to `files`.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write_order(
    rules: Option<&SandboxRules>,
    variables: &CommandEnvironment,
    files: &mut InheritedFiles,
) -> io::Result<OwnedFd> {
    let mut words: Vec<OsString> = Vec::new();
    if let Some(rules) = rules {
        let writable = rules.writable.iter().map(|place| (place, "write"));
        let readable = rules.readable.iter().flatten().map(|place| (place, "read"));
        for (place, access) in writable.chain(readable) {
            let number = files.add_numbered(place.try_clone_descriptor()?);
            words.extend([
                access.into(),
                number.to_string().into(),
                place.original_path.as_os_str().to_owned(),
            ]);
        }
        for (path, rule) in rules.write_rules.iter() {
            words.extend(["part".into(), rule_word(rule).into(), path.into()]);
        }
        for (is_so, name) in [
            (true, "confines writes"),
            (rules.readable.is_some(), "confines reads"),
            (!rules.has_network, "has no network"),
            (rules.requires_confinement, "is required"),
        ] {
            if is_so {
                words.extend(["set", name, ""].map(OsString::from));
            }
        }
    }
    for (name, value) in variables.iter() {
        words.extend(["variable".into(), name.into(), value.into()]);
    }
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.as_bytes().iter().copied().chain([0])).collect();
    let mut file = File::from(memfd_create("foveal-order", MemfdFlags::CLOEXEC)?);
    file.write_all(&bytes)?;
    seek(&file, SeekFrom::Start(0))?;
    Ok(file.into())
}

impl LaunchOrder {
    /// Reads the order that this process inherited as `number`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read_inherited(number: i32) -> io::Result<Self> {
        let mut bytes = Vec::new();
        File::open(format!("/proc/self/fd/{number}"))?.read_to_end(&mut bytes)?;
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let words: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let mut rules = SandboxRules::from_writable(Vec::new());
        let (mut readable, mut parts, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        let (mut confines_writes, mut confines_reads) = (false, false);
        for entry in words.chunks_exact(3) {
            let &[kind, what, last] = entry else { continue };
            let last = OsStr::from_bytes(last);
            match (kind, std::str::from_utf8(what)) {
                (b"variable", _) => {
                    variables.push((OsString::from_vec(what.to_vec()), last.to_owned()));
                }
                (b"write" | b"read", Ok(number)) => {
                    let number = number.parse().map_err(|_| invalid())?;
                    let place = Arc::new(PathHandle::open_inherited(number, PathBuf::from(last))?);
                    let list = if kind == b"read" { &mut readable } else { &mut rules.writable };
                    list.push(place);
                }
                (b"part", Ok(word)) => {
                    parts.push((
                        Path::new(last).to_owned(),
                        parse_rule_word(word).ok_or_else(invalid)?,
                    ));
                }
                (b"set", Ok("confines writes")) => confines_writes = true,
                (b"set", Ok("confines reads")) => confines_reads = true,
                (b"set", Ok("has no network")) => rules.has_network = false,
                (b"set", Ok("is required")) => rules.requires_confinement = true,
                _ => return Err(invalid()),
            }
        }
        rules.readable = confines_reads.then_some(readable);
        rules.write_rules = Arc::new(parts.into_iter().collect());
        Ok(Self { rules: confines_writes.then_some(rules), variables })
    }
}

const WRITE_RULE_WORDS: [(WriteRule, &str); 3] = [
    (WriteRule::Forbidden, "forbidden"),
    (WriteRule::ForbiddenRenamable, "forbidden in place"),
    (WriteRule::Allowed, "allowed"),
];

fn rule_word(rule: WriteRule) -> &'static str {
    WRITE_RULE_WORDS.iter().find(|(known, _)| *known == rule).map_or("", |(_, word)| word)
}

fn parse_rule_word(word: &str) -> Option<WriteRule> {
    WRITE_RULE_WORDS.iter().find(|(_, known)| *known == word).map(|(rule, _)| *rule)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn what_is_ordered_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        let parts =
            [(path.join("a\nb"), WriteRule::Forbidden), (path.join("c"), WriteRule::Allowed)];
        let rules = SandboxRules {
            write_rules: Arc::new(parts.into_iter().collect()),
            has_network: false,
            ..SandboxRules::from_writable(Vec::new())
        };
        let variables =
            CommandEnvironment::default().with_variable("A", "b=\nc").with_variable("D", "");
        let order = write_order(Some(&rules), &variables, &mut InheritedFiles::default());
        let order = order.expect("a file");
        let read = LaunchOrder::read_inherited(order.as_raw_fd()).expect("an order");
        let set = read.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        assert!(set.eq(variables.iter()), "{:?}", read.variables);
        let read = read.rules.expect("a sandbox");
        assert!(read.readable.is_none() && read.writable.is_empty());
        assert_eq!((read.has_network, read.requires_confinement), (false, false));
        assert_eq!(read.write_rules, rules.write_rules);
        let free = write_order(None, &variables, &mut InheritedFiles::default()).expect("a file");
        assert!(LaunchOrder::read_inherited(free.as_raw_fd()).expect("an order").rules.is_none());
        assert!(LaunchOrder::parse(b"part\0no\0/a\0").is_err());
    }
}
