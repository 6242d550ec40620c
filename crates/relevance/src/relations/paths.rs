//! Path arithmetic on text, with `/` between folders.

/// Returns the folder of a path; empty at the root.
pub(super) fn parent_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the file name up to its first dot.
pub(super) fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// Returns the path without the extension of its last part.
pub(super) fn without_extension(path: &str) -> &str {
    let from = path.rfind('/').map_or(0, |at| at + 1);
    path[from..].find('.').map_or(path, |dot| &path[..from + dot])
}

pub(super) fn join_path(folder: &str, rest: &str) -> String {
    match (folder.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{rest}"),
    }
}

/// Returns whether the last parts of `path` are those of `suffix`.
pub(super) fn has_path_suffix(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Resolves `module` relative to the folder `here`; `None` where it leaves the repository.
pub(super) fn resolve_relative(here: &str, module: &str) -> Option<String> {
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

/// Returns the source folder of the crate of a Rust file.
pub(super) fn crate_source_folder(path: &str) -> &str {
    match path.rfind("/src/") {
        Some(at) => &path[..at + "/src".len()],
        None if path.starts_with("src/") => "src",
        None => parent_folder(path),
    }
}

/// Returns the folder with the submodules of a Rust file.
pub(super) fn submodule_folder(path: &str) -> String {
    match file_stem(path) {
        "mod" | "lib" | "main" => parent_folder(path).to_owned(),
        stem => join_path(parent_folder(path), stem),
    }
}
