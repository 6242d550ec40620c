//! File names in paths and texts.

use super::line_hash::LineHash;

/// Returns the last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the key of the file at `path`: the hash of its name.
pub fn file_key(path: &str) -> LineHash {
    LineHash::from_text(file_name(path))
}

/// Calls `found` with the key of every file name in `text`: the last part of a run of path
/// characters that ends in a dot and a short suffix.
pub fn for_each_file_name(text: &str, mut found: impl FnMut(LineHash)) {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    for run in text.split(|c: char| !is_path(c)) {
        let name = file_name(run.trim_matches(['.', '-', '/']));
        let Some((stem, suffix)) = name.rsplit_once('.') else { continue };
        let short = (1..=5).contains(&suffix.len());
        if short && stem.len() >= 2 && suffix.bytes().all(|b| b.is_ascii_alphanumeric()) {
            found(LineHash::from_text(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_found_in_prose() {
        let mut keys = Vec::new();
        for_each_file_name("look at `src/main.rs:12`, then b_c.go. Not e.g. this.", |key| {
            keys.push(key);
        });
        assert_eq!(keys, [file_key("main.rs"), file_key("x/b_c.go")]);
    }
}
