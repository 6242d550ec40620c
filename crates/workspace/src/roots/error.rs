//! Errors of path resolution.

use std::io;

use thiserror::Error;

/// An error of resolving or opening a path. Long paths are truncated in messages.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum PathError {
    #[error("the path is empty; give a path relative to the workspace")]
    Empty,
    /// A NUL, a line break or another control character.
    #[error("the path `{path}` contains a control character (escaped here)")]
    ControlCharacter {
        /// The path, escaped.
        path: String,
    },
    /// Longer than any file system allows.
    #[error("the path `{path}` is too long: {bytes} bytes, at most {limit} are allowed")]
    TooLong {
        /// The beginning of the path.
        path: String,
        /// The length of the path or of its longest component.
        bytes: usize,
        limit: usize,
    },
    /// `~`, which only shells expand.
    #[error(
        "`{path}` names a home folder, which is not expanded here; use a path in the workspace"
    )]
    HomeFolder { path: String },
    /// A drive or a share.
    #[error("`{path}` is a Windows path; use a path relative to the workspace, with `/`")]
    WindowsPath { path: String },
    #[error("`{path}` is an address, not a path; use a path relative to the workspace")]
    Url { path: String },
    /// An invalid `$'…'` escape, or one that stands for an impossible name.
    #[error(
        "`{path}` is not a valid file name: the escapes in `$'…'` are `\\\\`, `\\'`, `\\n`, \
         `\\r`, `\\t` and `\\xHH`, and a slash is not allowed"
    )]
    InvalidEscape { path: String },
    #[error("`{path}` is outside the workspace ({roots})")]
    Outside { path: String, roots: String },
    #[error("`{path}` leads outside the workspace by the symbolic link `{link}` -> `{target}`")]
    LinkOutside {
        path: String,
        /// The link, relative to the root.
        link: String,
        /// The target of the link.
        target: String,
    },
    /// Circular links, or too many.
    #[error("`{path}` goes through more than {limit} symbolic links; they may form a circle")]
    TooManyLinks { path: String, limit: usize },
    /// A component of the path became a symbolic link after its check.
    #[error("`{path}` was replaced by a symbolic link meanwhile; nothing was touched, try again")]
    BecameLink { path: String },
    #[error("the workspace folder `{root}` was removed or cannot be reached any more")]
    RootGone { root: String },
    #[error(
        "the workspace folder `{root}` was replaced by another one; start a new session to use it"
    )]
    RootReplaced { root: String },
    /// The path continues below a component that is not a folder.
    #[error("`{part}` is not a folder, so there is no `{path}`")]
    NotAFolder {
        path: String,
        /// The component that is a file.
        part: String,
    },
    #[error("no such file `{path}`{}{}", in_folder(folder), did_you_mean(similar))]
    NotFound {
        path: String,
        /// The working directory, if the path is relative to one below a root.
        folder: Option<String>,
        /// Existing names, most similar first.
        similar: Vec<String>,
    },
    #[error("no permission for `{path}`; change its permissions or ask the user to")]
    Denied { path: String },
    #[error("`{path}` cannot be reached: {source}")]
    Io { path: String, source: io::Error },
}

impl PathError {
    /// Converts an I/O error on `path`, with advice where the cause is known.
    pub(crate) fn from_io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path, folder: None, similar: Vec::new() },
            // Without an OS error code, the error comes from the folder handle: the path leads out
            // of it.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                Self::BecameLink { path }
            }
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { part: path.clone(), path },
            _ if is_loop(&source) => Self::BecameLink { path },
            _ => Self::Io { path, source },
        }
    }
}

/// Returns whether an open without following links met a link.
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

fn in_folder(folder: &Option<String>) -> String {
    folder.as_ref().map(|folder| format!(" in `{folder}/`")).unwrap_or_default()
}

fn did_you_mean(similar: &[String]) -> String {
    let names: Vec<_> = similar.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}
