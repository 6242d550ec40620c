//! Paths of files as text.

/// The folder that a path is in; empty at the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file up to its first dot.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// A path without the ending of its last part.
pub(super) fn bare(path: &str) -> &str {
    let from = path.rfind('/').map_or(0, |at| at + 1);
    path[from..].find('.').map_or(path, |dot| &path[..from + dot])
}

pub(super) fn joined(folder: &str, rest: &str) -> String {
    match (folder.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{rest}"),
    }
}

/// Whether the last parts of `path` are those of `suffix`.
pub(super) fn ends_with(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// `module`, relative to the folder `here`; `None` where it leads out of the repository.
pub(super) fn resolved(here: &str, module: &str) -> Option<String> {
    let mut parts: Vec<&str> = here.split('/').filter(|part| !part.is_empty()).collect();
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of the crate's sources that a Rust file belongs to.
pub(super) fn crate_root(path: &str) -> &str {
    match path.rfind("/src/") {
        Some(at) => &path[..at + "/src".len()],
        None if path.starts_with("src/") => "src",
        None => folder(path),
    }
}

/// The folder in which the modules of a Rust file lie.
pub(super) fn own_module(path: &str) -> String {
    match stem(path) {
        "mod" | "lib" | "main" => folder(path).to_owned(),
        stem => joined(folder(path), stem),
    }
}
