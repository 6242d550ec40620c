//! Files that hold a version and nothing else, as long as they do.

use std::path::Path;

use super::by::ObeyedBy;
use super::spelling::plain;
use super::table::{VERSIONS, VERSIONS_OF_PYTHON};

/// Whether the file at `path` is such a file by its name.
pub(crate) fn may_hold_version(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name_of(&name.to_string_lossy()).is_some())
}

/// Who obeys a file at `path` that holds `content`, where its name alone does not tell: one that
/// should hold a version, and holds something else.
pub fn obeyed_by_content(path: &Path, content: &[u8]) -> Option<ObeyedBy> {
    let name = name_of(&path.file_name()?.to_string_lossy())?;
    let is_plain = std::str::from_utf8(content).is_ok_and(|text| {
        let lines = text.trim_start_matches('\u{feff}').lines();
        let said = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
        said.filter(|line| !line.is_empty()).all(|line| is_version(name, line))
    });
    (!is_plain).then_some(ObeyedBy::Versions)
}

fn name_of(name: &str) -> Option<&'static str> {
    let name = plain(name);
    VERSIONS.iter().copied().find(|known| name == *known)
}

fn is_version(name: &str, line: &str) -> bool {
    if VERSIONS_OF_PYTHON.contains(&name) {
        return is_python(line);
    }
    let line = match name {
        ".sdkmanrc" => line.split_once('=').map_or(line, |(_, version)| version.trim()),
        _ => line.strip_prefix("lts/").unwrap_or(line),
    };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._+@-".contains(letter);
    line == "*"
        || line.starts_with(|first: char| first.is_ascii_alphanumeric())
            && line.chars().all(is_letter)
            && !line.contains("..")
}

/// `3.12`, `3.13.0rc1`, `3.13t`: what every reader takes for a version before it looks for a file.
fn is_python(line: &str) -> bool {
    let line = line.strip_suffix('t').unwrap_or(line);
    let number = ["rc", "a", "b"].iter().find_map(|mark| {
        let (number, at) = line.split_once(mark)?;
        (!at.is_empty() && at.bytes().all(|it| it.is_ascii_digit())).then_some(number)
    });
    let mut parts = number.unwrap_or(line).split('.');
    parts.clone().count() <= 4
        && parts.all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit()))
}
