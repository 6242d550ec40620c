//! Which files are meant, and what can be wrong with saying so.

use std::path::{Component, Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::roots::unspelled;

/// Which part of a folder is searched or listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// A folder or file in it, relative, spelled as it is told; empty for all.
    pub path: String,
    /// Folders in it, relative, that are left out.
    pub without: Vec<PathBuf>,
    /// Globs that a file must match, and with `!` in front must not; the last that matches
    /// decides. One without `/` is about names, one with it about paths from the folder.
    /// They choose among the files that are not ignored.
    pub globs: Vec<String>,
    /// Kinds of files by ripgrep's names (`rust`, `py`); any of them.
    pub types: Vec<String>,
    /// Whether hidden files are meant too; never those of `.git`.
    pub hidden: bool,
    /// Whether files are meant too that `.gitignore` and its like name.
    pub ignored: bool,
}

/// Why a tree is not searched or listed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum TreeError {
    #[error("stopped before the end: the call was cancelled")]
    Cancelled,
    #[error("`{path}` is outside of the folder: give a path in it, without `..`")]
    Outside { path: String },
    #[error("`{path}` cannot be looked at: {source}")]
    Path { path: String, source: std::io::Error },
    #[error("`{path}` is a file, not a folder")]
    NoFolder { path: String },
    /// The path is a device, a pipe or the like.
    #[error("`{path}` is neither a file nor a folder")]
    Special { path: String },
    #[error("the pattern is empty: give a text or an expression to look for")]
    EmptyPattern,
    #[error("the pattern is no valid expression: {why}\n{hint}")]
    Pattern { why: String, hint: &'static str },
    #[error("the glob `{glob}` is not valid: {why}")]
    Glob { glob: String, why: String },
    #[error("there is no file type `{name}`: use a glob such as `*.{name}`{}", near(alike))]
    Type {
        name: String,
        /// Types with the same beginning.
        alike: Vec<String>,
    },
    /// A page lies further back than answers are held.
    #[error("offset and limit reach {asked}, more than the {max} that are held: narrow the search")]
    TooFar {
        /// Their sum.
        asked: usize,
        max: usize,
    },
}

fn near(alike: &[String]) -> String {
    if alike.is_empty() { String::new() } else { format!(", or one of {}", alike.join(", ")) }
}

/// A scope that was checked.
pub(super) struct Checked {
    /// Where the walk begins.
    pub(super) root: PathBuf,
    /// The path relative to the base, with `/` and without `.` parts.
    pub(super) path: String,
    pub(super) is_folder: bool,
    pub(super) globs: Override,
    pub(super) types: Option<Types>,
    /// Folders that are left out, as the walk meets them.
    pub(super) without: Vec<PathBuf>,
}

impl Scope {
    /// The scope, if it names something under `base`. Globs are about paths from there, or
    /// if `globs_at_path` is set from the scope's own path.
    pub(super) fn check(&self, base: &Path, globs_at_path: bool) -> Result<Checked, TreeError> {
        let path = plain(&self.path)?;
        let failed = |source| TreeError::Path { path: shown(&path), source };
        let base: PathBuf = base.components().collect();
        let root = match unspelled(&path) {
            _ if path.is_empty() => base.clone(),
            Some(path) => base.join(path),
            None => return Err(TreeError::Outside { path }),
        };
        // A link on the way may lead out, and the walk would follow it.
        let real = root.canonicalize().map_err(failed)?;
        let real_base = base.canonicalize().map_err(failed)?;
        if !real.starts_with(&real_base) {
            return Err(TreeError::Outside { path: self.path.clone() });
        }
        let is_folder = real.is_dir();
        if !is_folder && !real.is_file() {
            return Err(TreeError::Special { path });
        }
        let anchor = if globs_at_path && is_folder { &root } else { &base };
        let globs = globs(anchor, &self.globs)?;
        let types = types(&self.types)?;
        let without = self.without.iter().map(|folder| base.join(folder)).collect();
        Ok(Checked { root, path, is_folder, globs, types, without })
    }
}

/// How a path is told; the folder itself has no name.
fn shown(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// The path without `.` parts, with `/` between the others.
fn plain(path: &str) -> Result<String, TreeError> {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_string_lossy()),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(TreeError::Outside { path: path.to_owned() });
            }
        }
    }
    Ok(parts.join("/"))
}

fn globs(anchor: &Path, globs: &[String]) -> Result<Override, TreeError> {
    let mut builder = OverrideBuilder::new(anchor);
    if let [all] = globs
        && matches!(all.as_str(), "*" | "**" | "**/*")
    {
        // Every file fits; there is no need to look at each.
        return Ok(Override::empty());
    }
    for glob in globs {
        let wrong = |why: String| TreeError::Glob { glob: glob.clone(), why };
        let bare = glob.strip_prefix('!').unwrap_or(glob);
        if bare.trim().is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        if bare.split('/').any(|part| part == "..") {
            return Err(wrong("it leads out of the folder with `..`".to_owned()));
        }
        let not = if bare.len() < glob.len() { "!" } else { "" };
        let bare = bare.strip_prefix("./").map_or(bare.to_owned(), |rest| format!("/{rest}"));
        builder.add(&format!("{not}{bare}")).map_err(|error| wrong(reason(&error)))?;
    }
    builder.build().map_err(|error| TreeError::Glob { glob: globs.join(" "), why: reason(&error) })
}

/// What is wrong, without the glob, which is told already.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

fn types(names: &[String]) -> Result<Option<Types>, TreeError> {
    /// Types that are told where a name is not known.
    const ALIKE_MAX: usize = 8;
    if names.is_empty() {
        return Ok(None);
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for name in names {
        builder.select(name);
    }
    builder.build().map(Some).map_err(|error| {
        let name = match error {
            ignore::Error::UnrecognizedFileType(name) => name,
            _ => names.join(" "),
        };
        let begins = |known: &&str| {
            !name.is_empty()
                && (known.starts_with(&*name) || known.len() > 1 && name.starts_with(*known))
        };
        let all = builder.definitions();
        let known = all.iter().map(|known| known.name()).filter(begins);
        let alike = known.take(ALIKE_MAX).map(str::to_owned).collect();
        TreeError::Type { name, alike }
    })
}
