//! Folding of file names that some file system treats as equal.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Returns the common form of all names that some file system treats as equal to `name`.
pub(super) fn fold_name(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b':';
    if name.bytes().all(is_plain) && !name.ends_with('.') {
        return name.to_ascii_lowercase();
    }
    let is_shown = |letter: &char| {
        !matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    let shown: String = name.chars().filter(is_shown).collect();
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&shown);
    let lower = composed.to_lowercase();
    let name = match lower.split_once(':') {
        // The name of an NTFS stream follows the colon.
        Some((name, _)) if !name.is_empty() => name,
        _ => &lower,
    };
    let trimmed = name.trim_end_matches(['.', ' ']);
    // A name of dots alone is a path component, not a name.
    if trimmed.is_empty() { name.to_owned() } else { trimmed.to_owned() }
}
