//! Programs that start others behind a word that says so, as `npm exec` does.

use crate::shell::holes::{HOLE, may_be, with_holes};
use crate::shell::word::Word;

/// Programs that start others if this word comes first.
const STARTING_WORDS: &[(&str, &[&str])] = &[
    ("bun", &["x"]),
    ("asdf", &["exec"]),
    ("aws-vault", &["exec"]),
    ("bundle", &["exec"]),
    ("chamber", &["exec"]),
    ("conda", &["run"]),
    ("direnv", &["exec"]),
    ("distrobox", &["enter"]),
    ("doppler", &["run"]),
    ("dotenv", &["run"]),
    ("dotenvx", &["run"]),
    ("fnm", &["exec"]),
    ("foreman", &["run"]),
    ("gem", &["exec"]),
    ("hatch", &["run"]),
    ("honcho", &["run"]),
    ("infisical", &["run"]),
    ("ip", &["netns", "vrf"]),
    ("lerna", &["exec"]),
    ("mamba", &["run"]),
    ("mise", &["exec", "x"]),
    ("nix", &["develop", "run", "shell"]),
    ("nodenv", &["exec"]),
    ("npm", &["exec", "explore", "x"]),
    ("nx", &["exec"]),
    ("op", &["run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("pixi", &["run"]),
    ("pnpm", &["dlx", "exec"]),
    ("poetry", &["run"]),
    ("pyenv", &["exec"]),
    ("rbenv", &["exec"]),
    ("rustup", &["run"]),
    ("rye", &["run"]),
    ("sops", &["exec-env", "exec-file"]),
    ("toolbox", &["run"]),
    ("uv", &["run", "x"]),
    ("volta", &["run"]),
    ("yarn", &["dlx", "exec"]),
];

/// The words after which a program starts others.
fn starting(name: &str) -> &'static [&'static str] {
    STARTING_WORDS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, words)| words)
}

/// Whether a word of which not all is told may be one after which a program starts others.
pub(super) fn may_start_by_word(name: &str, rest: &[Word]) -> bool {
    let starting = starting(name);
    if starting.is_empty() {
        return false;
    }
    let end = rest.iter().position(|word| !word.text.starts_with('-'));
    let first = &rest[..end.map_or(rest.len(), |at| at + 1)];
    first.iter().any(|word| {
        let text = with_holes(word);
        let may_say = || text.contains(HOLE) && starting.iter().any(|known| may_be(&text, known));
        word.may_be_several() || may_say()
    })
}

/// Whether a program starts others after a word that says so, as `npm exec`.
pub(super) fn starts_by_word<'w>(name: &str, mut rest: impl Iterator<Item = &'w str>) -> bool {
    let starting = starting(name);
    rest.find(|word| !word.starts_with('-')).is_some_and(|word| starting.contains(&word))
}
