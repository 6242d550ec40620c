//! Quotes words of a shell's command line.

/// Quotes a word for a shell, if it needs quotes.
pub(crate) fn shell_quote(word: &str) -> String {
    // Backslashes occur only in paths of Windows, whose shells keep them.
    let is_plain = |sign: char| {
        sign.is_alphanumeric() || "/._-+=:,@".contains(sign) || (cfg!(windows) && sign == '\\')
    };
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Reverts [`shell_quote`].
pub(crate) fn shell_unquote(word: &str) -> String {
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
            assert_eq!(shell_quote(word), expected);
            assert_eq!(shell_unquote(expected), word);
        }
    }
}
