//! Why a path is refused.

use std::io;

use thiserror::Error;

/// Why a path names nothing that may be touched. Paths in messages are shortened where long.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum PathError {
    #[error("the path is empty; give a path relative to the workspace")]
    Empty,
    /// A NUL, a line break or another control character.
    #[error("the path `{path}` holds a control character (written here as an escape)")]
    Control {
        /// The path, escaped.
        path: String,
    },
    /// Longer than any file system takes.
    #[error("the path `{path}` is too long: {bytes} bytes of at most {limit}")]
    TooLong {
        /// The beginning of the path.
        path: String,
        /// Its length, or that of its longest part.
        bytes: usize,
        limit: usize,
    },
    /// `~`, which only a shell knows.
    #[error(
        "`{path}` names a home folder, which is not looked up here; use a path in the workspace"
    )]
    Home { path: String },
    /// A drive or a share.
    #[error("`{path}` is a Windows path; use a path relative to the workspace, with `/`")]
    Windows { path: String },
    #[error("`{path}` is an address, not a path; use a path relative to the workspace")]
    Address { path: String },
    /// `$'…'` with something in it that no name holds.
    #[error(
        "`{path}` spells a name that no file can have: in `$'…'` there are `\\\\`, `\\'`, `\\n`, \
         `\\r`, `\\t` and `\\xHH`, and no slash"
    )]
    Spelled { path: String },
    #[error("`{path}` is outside the workspace ({roots})")]
    Outside { path: String, roots: String },
    #[error("`{path}` leads outside the workspace by the symbolic link `{link}` -> `{target}`")]
    LinkOutside {
        path: String,
        /// The link, relative to the root.
        link: String,
        /// What stands in it.
        target: String,
    },
    /// Links that lead to each other, or very many.
    #[error("`{path}` goes through more than {limit} symbolic links; they may form a circle")]
    Links { path: String, limit: usize },
    /// A part of the path became a symbolic link after it had been looked at.
    #[error("`{path}` was replaced by a symbolic link meanwhile; nothing was touched, try again")]
    Swapped { path: String },
    #[error("the workspace folder `{root}` was removed or cannot be reached any more")]
    RootGone { root: String },
    #[error(
        "the workspace folder `{root}` was replaced by another one; start a new session to use it"
    )]
    RootReplaced { root: String },
    /// The path goes on below something that is no folder.
    #[error("`{part}` is not a folder, so there is no `{path}`")]
    NotAFolder {
        path: String,
        /// The part that is a file.
        part: String,
    },
    #[error("no such file `{path}`{}", did_you_mean(similar))]
    NotFound {
        path: String,
        /// Names there are, most alike first.
        similar: Vec<String>,
    },
    #[error("no permission for `{path}`; change its permissions or ask the user to")]
    Denied { path: String },
    #[error("`{path}` cannot be reached: {source}")]
    Io { path: String, source: io::Error },
}

impl PathError {
    /// What the system says about `path`, where it is none of the cases with advice.
    pub(crate) fn of(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path, similar: Vec::new() },
            // Not the system but the handle of a folder says that a path leads out of it.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                Self::Swapped { path }
            }
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { part: path.clone(), path },
            _ if is_loop(&source) => Self::Swapped { path },
            _ => Self::Io { path, source },
        }
    }
}

/// Whether an open that follows no link met one.
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

fn did_you_mean(similar: &[String]) -> String {
    let names: Vec<_> = similar.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}
