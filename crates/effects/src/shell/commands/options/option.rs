//! What a word is: an option, in whatever spelling; a script that something else writes.

use crate::shell::holes::{HOLE, start_of};

/// Whether a word is an option: `--long`, which may be shortened; `-x`, alone or among other
/// letters; `-word`, as it is, with one dash or two; a file of options behind `@`. Whether it may
/// be one, if it has holes.
pub(super) fn is_option(option: &str, word: &str) -> bool {
    if !word.contains(HOLE) {
        return is_written_option(option, word);
    }
    let behind = word.trim_start_matches(HOLE);
    let (start, is_open) = start_of(behind);
    // What `$a-$b` begins with is taken to be something.
    let begins_anew = behind.len() < word.len() && start.trim_matches('-').is_empty();
    if !is_open || begins_anew {
        return is_written_option(option, &word.replace(HOLE, ""));
    }
    if is_written_option(option, start) {
        return true;
    }
    // What is put in may end the name, and be its value; an `=` before has done so.
    let may_go_on = start.starts_with('-') && !start.contains('=');
    let is_letter = option.len() == 2 && option.starts_with('-');
    match option.strip_prefix('+') {
        Some(_) => start.starts_with('+'),
        None if is_letter => may_go_on && !start.starts_with("--"),
        None => may_go_on && (option.starts_with(start) || option.starts_with(&start[1..])),
    }
}

fn is_written_option(option: &str, word: &str) -> bool {
    let bare = word.split('=').next().unwrap_or(word);
    if option.starts_with("--") {
        return bare.len() > 2 && option.starts_with(bare) && bare.starts_with("--");
    }
    if option == "@" {
        return word.starts_with('@');
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
