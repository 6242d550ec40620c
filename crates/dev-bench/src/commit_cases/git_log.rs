//! Parses the raw log of git.

/// A commit and its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitCommit {
    /// The id in hexadecimal digits.
    pub(super) id: String,
    /// The whole message.
    pub(super) message: String,
    /// The changed files.
    pub(super) files: Vec<GitFileChange>,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitFileChange {
    /// `M` for changed, `A` for added, `D` for deleted, `R` for renamed …
    pub(super) status: char,
    /// Whether it is a regular file before and after.
    pub(super) ordinary: bool,
    /// The id of its content before.
    pub(super) old: String,
    /// The id of its content after.
    pub(super) new: String,
    /// The path; for a rename the new one.
    pub(super) path: String,
}

/// Parses the output of [`super::git::GitRepository::log`]. Invalid UTF-8 in paths and messages
/// becomes replacement characters; malformed entries are left out.
pub(super) fn parse_log(log: &[u8]) -> Vec<GitCommit> {
    let text = String::from_utf8_lossy(log);
    text.split('\u{1e}').filter_map(parse_commit).collect()
}

fn parse_commit(text: &str) -> Option<GitCommit> {
    let (id, rest) = text.split_once('\u{1f}')?;
    let (message, changes) = rest.rsplit_once('\u{1f}')?;
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| GitCommit {
        id: id.to_owned(),
        message: message.to_owned(),
        files: parse_file_changes(changes),
    })
}

fn parse_file_changes(changes: &str) -> Vec<GitFileChange> {
    let mut files = Vec::new();
    let mut parts = changes.split('\0').map(|part| part.trim_start_matches('\n'));
    while let Some(part) = parts.next() {
        // `:100644 100644 <old> <new> M`, then the path; for renames both paths.
        let Some(heading) = part.strip_prefix(':') else { continue };
        let words: Vec<&str> = heading.split(' ').collect();
        let [old_mode, new_mode, old, new, status] = words.as_slice() else { continue };
        let status = status.chars().next().unwrap_or('?');
        let Some(mut path) = parts.next() else { break };
        if matches!(status, 'R' | 'C') {
            path = parts.next().unwrap_or(path);
        }
        files.push(GitFileChange {
            status,
            ordinary: [old_mode, new_mode].iter().all(|mode| mode.starts_with("100")),
            old: (*old).to_owned(),
            new: (*new).to_owned(),
            path: path.to_owned(),
        });
    }
    files
}

#[cfg(test)]
mod tests;
