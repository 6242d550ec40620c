//! Our entry in an agent's settings: what it is called, and how it is known.

/// What our entry is called everywhere.
pub(super) const NAME: &str = "foveal";

/// How `foveal mcp` is told which tools.
pub(super) const PROFILE: &str = "--profile";

/// Why a file is left alone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum EditError {
    /// It is not what it should be.
    #[error("line {line}: {what}: correct it, then run this again")]
    Broken {
        /// From 1.
        line: usize,
        what: String,
    },
    /// Something is of another kind than the client says.
    #[error("`{key}` is not {expected}: correct it, then run this again")]
    Kind { key: String, expected: &'static str },
    /// An object has a key twice, of which agents take the last and editors the first.
    #[error("`{key}` stands there twice: remove one of them, then run this again")]
    DuplicateKey { key: String },
    /// There is an entry of this name that is not ours.
    #[error("`{NAME}` is another program there: give that one another name, then run this again")]
    Taken,
    /// An address that is no upstream's.
    #[error(
        "`{address}` is no upstream of foveal's: give it a name in {names}, then run this again"
    )]
    NoUpstream {
        address: String,
        /// Where the user gives upstreams names.
        names: String,
    },
    /// An address of the gateway's that stands for one that is not known any more.
    #[error(
        "it is not known any more which address `{address}` stands for: name that in {names} \
         again, or write it there yourself"
    )]
    Gone {
        address: String,
        /// Where the user gives upstreams names.
        names: String,
    },
    /// An address that the agent is told elsewhere, which what is written would overrule.
    #[error(
        "the variable {0} names an address, which this would overrule: unset it, or write the \
         address there first, then run this again"
    )]
    Told(&'static str),
    /// There is none, and it is not clear where one belongs.
    #[error("it names no address of a model: set up a provider with a base URL there first")]
    NoAddress,
}

/// Whether a command is this program.
pub(super) fn is_ours(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name == NAME || name == "foveal.exe"
}

/// Arguments with this profile in the place of another.
pub(super) fn with_profile(arguments: &[&str], profile: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        match *argument {
            PROFILE => drop(left.next()),
            known if known.starts_with(PROFILE) && known[PROFILE.len()..].starts_with('=') => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept.extend([PROFILE.to_owned(), profile.to_owned()]);
    kept
}
