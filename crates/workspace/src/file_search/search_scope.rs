//! The scope of a search or listing, and its errors.

use std::path::{Component, Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::roots::unescape_path;

/// The part of a folder that is searched or listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchScope {
    /// The relative path of a folder or file, escaped for display; empty for the whole folder.
    pub path: String,
    /// Relative paths of folders to exclude.
    pub excluded_folders: Vec<PathBuf>,
    /// Globs that a file must match, or with a leading `!` must not match; the last matching glob
    /// decides. A glob without `/` applies to names, one with `/` to paths from the folder. A glob
    /// with brackets also applies to paths that have these brackets. Globs select among the files
    /// that are not ignored.
    pub globs: Vec<String>,
    /// File types by ripgrep's names (`rust`, `py`); a file must have one of them.
    pub types: Vec<String>,
    /// Whether to include hidden files, except those of `.git`.
    pub include_hidden: bool,
    /// Whether to include files ignored by `.gitignore` and the like.
    pub include_ignored: bool,
}

/// An error of searching or listing files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum FileSearchError {
    #[error("stopped before the end: the call was cancelled")]
    Cancelled,
    #[error("`{path}` is outside of the folder: give a path in it, without `..`")]
    Outside { path: String },
    #[error("`{path}` cannot be accessed: {source}")]
    Path { path: String, source: std::io::Error },
    #[error("`{path}` is a file, not a folder")]
    NoFolder { path: String },
    /// The path is a device, a pipe or the like.
    #[error("`{path}` is neither a file nor a folder")]
    Special { path: String },
    #[error("the pattern is empty: give a text or an expression to look for")]
    EmptyPattern,
    #[error(transparent)]
    Pattern(PatternError),
    #[error("the glob `{glob}` is not valid: {why}")]
    Glob { glob: String, why: String },
    #[error(
        "there is no file type `{name}`: use a glob such as `*.{name}`{}",
        similar_types_hint(alike)
    )]
    Type {
        name: String,
        /// Types that begin alike.
        alike: Vec<String>,
    },
    /// The page lies beyond the results that are held.
    #[error(
        "offset and limit reach {asked}, more than the {max} results that are kept: narrow \
         the search"
    )]
    TooFar {
        /// The sum of offset and limit.
        asked: usize,
        max: usize,
    },
}

/// The error of an invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern is not a valid regular expression: {why}\n{remedy}")]
pub struct PatternError {
    /// The reason, as the parser of expressions gives it.
    pub why: String,
    /// The way to a valid search.
    pub remedy: PatternRemedy,
}

/// The way from an invalid pattern to a valid search. Its text names the arguments of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternRemedy {
    /// To search over several lines.
    #[error("set multiline to match across lines")]
    Multiline,
    /// To shorten the text.
    #[error("shorten it")]
    Shorten,
    /// To search for the text as it stands, or to escape a character.
    #[error("set literal to search for the exact text, or put `\\` before the special character")]
    Literal,
}

fn similar_types_hint(alike: &[String]) -> String {
    if alike.is_empty() { String::new() } else { format!(", or one of {}", alike.join(", ")) }
}

/// A validated scope.
pub(super) struct ResolvedScope {
    /// The start of the walk.
    pub(super) root: PathBuf,
    /// The path relative to the base, with `/` as separator and without `.` components.
    pub(super) path: String,
    pub(super) is_folder: bool,
    pub(super) globs: Override,
    pub(super) types: Option<Types>,
    /// Folders to exclude, as paths of the walk.
    pub(super) excluded_folders: Vec<PathBuf>,
}

impl SearchScope {
    /// Validates the scope below `base`. Globs apply to paths relative to `base`, or with
    /// `globs_at_path` to paths relative to the scope's own path.
    pub(super) fn resolve(
        &self,
        base: &Path,
        globs_at_path: bool,
    ) -> Result<ResolvedScope, FileSearchError> {
        let path = normalize_path(&self.path)?;
        let failed = |source| FileSearchError::Path { path: path_for_message(&path), source };
        let base: PathBuf = base.components().collect();
        let root = match unescape_path(&path) {
            _ if path.is_empty() => base.clone(),
            Some(path) => base.join(path),
            None => return Err(FileSearchError::Outside { path }),
        };
        // A link on the way may lead out of the base, and the walk would follow it.
        let real = root.canonicalize().map_err(failed)?;
        let real_base = base.canonicalize().map_err(failed)?;
        if !real.starts_with(&real_base) {
            return Err(FileSearchError::Outside { path: self.path.clone() });
        }
        let is_folder = real.is_dir();
        if !is_folder && !real.is_file() {
            return Err(FileSearchError::Special { path });
        }
        let anchor = if globs_at_path && is_folder { &root } else { &base };
        let globs = build_globs(anchor, &self.globs)?;
        let types = build_types(&self.types)?;
        let without = self.excluded_folders.iter().map(|folder| base.join(folder)).collect();
        Ok(ResolvedScope { root, path, is_folder, globs, types, excluded_folders: without })
    }
}

/// Returns the path for messages; the base itself is `.`.
fn path_for_message(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// Returns the path without `.` components, with `/` as separator.
fn normalize_path(path: &str) -> Result<String, FileSearchError> {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_string_lossy()),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(FileSearchError::Outside { path: path.to_owned() });
            }
        }
    }
    Ok(parts.join("/"))
}

fn build_globs(anchor: &Path, globs: &[String]) -> Result<Override, FileSearchError> {
    let mut builder = OverrideBuilder::new(anchor);
    if let [all] = globs
        && matches!(all.as_str(), "*" | "**" | "**/*")
    {
        // Every file matches, so no test is needed.
        return Ok(Override::empty());
    }
    for glob in globs {
        let wrong = |why: String| FileSearchError::Glob { glob: glob.clone(), why };
        let bare = glob.strip_prefix('!').unwrap_or(glob);
        if bare.trim().is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        if bare.split('/').any(|part| part == "..") {
            return Err(wrong("it leads out of the folder with `..`".to_owned()));
        }
        let not = if bare.len() < glob.len() { "!" } else { "" };
        let bare = bare.strip_prefix("./").map_or(bare.to_owned(), |rest| format!("/{rest}"));
        let mut add = |bare: &str| builder.add(&format!("{not}{bare}")).map(drop);
        add(&bare).map_err(|error| wrong(glob_error_reason(&error)))?;
        if let Some(literal) = escape_brackets(&bare) {
            add(&literal).map_err(|error| wrong(glob_error_reason(&error)))?;
        }
    }
    builder.build().map_err(|error| FileSearchError::Glob {
        glob: globs.join(" "),
        why: glob_error_reason(&error),
    })
}

/// Returns the glob with its brackets as plain characters: `app/[slug]/*` is the name of a folder as
/// often as a character class. `None` if it has no brackets, or escapes characters itself.
fn escape_brackets(glob: &str) -> Option<String> {
    let is_plain = !glob.contains('[') || glob.contains('\\');
    (!is_plain).then(|| glob.replace('[', "\\[").replace(']', "\\]"))
}

/// Returns the error without the glob, which the message already contains.
fn glob_error_reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

fn build_types(names: &[String]) -> Result<Option<Types>, FileSearchError> {
    /// Types that are suggested for an unknown name.
    const SUGGESTED_TYPES_MAX: usize = 8;
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
        let alike = known.take(SUGGESTED_TYPES_MAX).map(str::to_owned).collect();
        FileSearchError::Type { name, alike }
    })
}
