//! foveal's entry in an agent's settings: its name, and how it is recognized.

use std::path::Path;

/// The name of foveal's entry in every settings file.
pub(crate) const NAME: &str = "foveal";

/// The option of `foveal mcp` that selects the tools.
const PROFILE_OPTION: &str = "--profile";

/// The command with which an agent starts foveal's MCP server.
pub struct ServerCommand<'a> {
    pub(crate) program: &'a str,
    pub(crate) arguments: Vec<&'static str>,
    /// The profile that the user asked for. An existing entry gets it as well.
    pub(crate) profile: Option<&'static str>,
}

impl<'a> ServerCommand<'a> {
    /// Creates the command for `program`, with the option for `profile` if there is one.
    pub fn new(program: &'a str, profile: Option<&'static str>) -> Self {
        let choice = profile.into_iter().flat_map(|profile| [PROFILE_OPTION, profile]);
        let arguments = std::iter::once("mcp").chain(choice).collect();
        Self { program, arguments, profile }
    }
}

/// The reason why a settings file is not edited.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EditError {
    /// The text cannot be parsed.
    #[error("line {line}: {what}: correct it, then run this again")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// The fault.
        what: String,
    },
    /// A value has another type than the agent expects.
    #[error("`{key}` is not {expected}: correct it, then run this again")]
    WrongType {
        /// The keys to the value.
        key: String,
        /// The expected type.
        expected: &'static str,
    },
    /// An object has a key twice. Agents use the last, editors the first.
    #[error("`{key}` occurs twice: remove one of them, then run this again")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// Another program has an entry of this name.
    #[error("`{NAME}` is the entry of another program: rename that entry, then run this again")]
    NameTaken,
    /// The address belongs to no upstream.
    #[error("`{address}` is not an upstream of foveal: name it in {names}, then run this again")]
    NoUpstream {
        /// The address.
        address: String,
        /// The place where the user names upstreams.
        names: String,
    },
    /// A gateway address whose original is no longer known.
    #[error(
        "the original address behind `{address}` is no longer known: name it in {names} again, or \
         restore it yourself"
    )]
    UnknownOriginal {
        /// The address.
        address: String,
        /// The place where the user names upstreams.
        names: String,
    },
    /// An environment variable sets the address, and an edit of the file would override it.
    #[error(
        "the variable {0} sets an address, which this would override: unset it, or add the address \
         to the file first, then run this again"
    )]
    SetByVariable(&'static str),
    /// The file has no address, and foveal cannot tell where to add one.
    #[error("it contains no model address: set up a provider with a base URL there first")]
    NoAddress,
}

/// Returns whether a command runs foveal: by its usual name, or as this program, which may have
/// another one.
pub(crate) fn is_foveal_command(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name == NAME || name == "foveal.exe" || is_own_path(command)
}

/// Returns whether an absolute path leads to this program.
fn is_own_path(path: &str) -> bool {
    let path = Path::new(path);
    let own = || std::env::current_exe()?.canonicalize();
    path.is_absolute() && path.canonicalize().is_ok_and(|path| own().is_ok_and(|own| own == path))
}

/// Returns the arguments with the profile replaced or added.
pub(crate) fn replace_profile(arguments: &[&str], profile: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        match *argument {
            PROFILE_OPTION => drop(left.next()),
            known
                if known.starts_with(PROFILE_OPTION)
                    && known[PROFILE_OPTION.len()..].starts_with('=') => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept.extend([PROFILE_OPTION.to_owned(), profile.to_owned()]);
    kept
}
