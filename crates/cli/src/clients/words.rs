//! Words of command lines for a shell.

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    // Backslashes stand in paths of Windows alone, whose shells keep them.
    let is_plain = |sign: char| {
        sign.is_alphanumeric() || "/._-+=:,@".contains(sign) || (cfg!(windows) && sign == '\\')
    };
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The word that [`quoted`] made this of.
pub(super) fn unquoted(word: &str) -> String {
    let within = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
    within.map_or(word.to_owned(), |word| word.replace(r"'\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_another() {
        for (word, expected) in [
            ("/usr/bin/foveal", "/usr/bin/foveal"),
            ("/home/jos\u{e9}/foveal", "/home/jos\u{e9}/foveal"),
            ("/my tools/it's/foveal", r"'/my tools/it'\''s/foveal'"),
            ("/a$b", "'/a$b'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
            assert_eq!(unquoted(expected), word);
        }
    }
}
