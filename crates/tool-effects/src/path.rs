//! Paths as text: made absolute and normalised without access to a file system.

/// Resolves `path` against `directory`, and `.` and `..` lexically.
///
/// Absolute paths and paths under `~` ignore the directory. Without a directory the result stays
/// relative, with the `..` that lead out of it in front. An empty path denotes the directory itself
/// (`.` if there is none).
pub fn resolve(path: &str, directory: Option<&str>) -> String {
    let rooted = is_rooted(path);
    let mut names: Vec<&str> = Vec::new();
    let base = if rooted { "" } else { directory.unwrap_or("") };
    let absolute = path.starts_with('/') || (!rooted && base.starts_with('/'));
    for name in base.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => match names.last() {
                Some(&last) if last != ".." && !(last.starts_with('~') && names.len() == 1) => {
                    names.pop();
                }
                Some(_) => names.push(".."),
                None if absolute => {}
                None => names.push(".."),
            },
            name => names.push(name),
        }
    }
    let joined = names.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Returns whether `path` denotes the same file from every directory.
pub fn is_rooted(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/')
        || path.starts_with('~')
        || matches!(drive, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests;
