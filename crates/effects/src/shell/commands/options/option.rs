//! What a word is: an option, in whatever spelling; a script that something else writes.

/// Whether a word is an option: `--long`, which may be shortened; `-x`, alone or among other
/// letters; `-word`, as it is, with one dash or two.
pub(super) fn is_option(option: &str, word: &str) -> bool {
    let bare = word.split('=').next().unwrap_or(word);
    if option.starts_with("--") {
        return bare.len() > 2 && option.starts_with(bare) && bare.starts_with("--");
    }
    if let Some(sign) = option.strip_prefix('+') {
        return word.starts_with('+') && word.contains(sign);
    }
    let letter = option.strip_prefix('-').filter(|letters| letters.len() == 1);
    match letter {
        Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        None => bare == option || bare.strip_prefix('-').is_some_and(|bare| bare == option),
    }
}

/// Whether a file is what something else writes: a script in it is not told.
pub(super) fn is_input(file: &str) -> bool {
    file == "-" || ["/dev/", "/proc/", "<("].iter().any(|start| file.starts_with(start))
}
