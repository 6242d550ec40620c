//! Options and commands of `kubectl` that run programs, or show what it knows to others.

use super::option::is_option;
use crate::shell::holes::{HOLE, may_be};

/// Options that name other settings, which may name programs, or another server, or that have
/// any address of the server asked.
#[rustfmt::skip]
const LONG: &[&str] = &[
    "--certificate-authority", "--insecure-skip-tls-verify", "--kubeconfig", "--kuberc", "--raw",
    "--server", "--tls-server-name",
];

/// Commands of `kubectl config` that change what later calls run or whom they ask.
const SETTING: &[&str] = &["set", "set-cluster", "set-credentials"];

/// Short options that take no word, and may stand before others in one.
const PLAIN: &str = "ARhipqtw";

/// Commands that build what a folder says, which may name folders elsewhere.
const BUILDING: &[&str] = &["apply", "create", "delete", "diff", "kustomize", "replace"];

/// Whether one of the words behind `kubectl` has it run a program, or show its keys to a server
/// that the line names.
pub(super) fn runs_more(words: &[&str]) -> bool {
    // What stands behind `--` is for a program in a container.
    let own = words.split(|word| *word == "--").next().unwrap_or_default();
    let mut plain = own.iter().filter(|word| !word.starts_with('-'));
    let command = plain.clone().next().copied().unwrap_or_default();
    let may_set = |word: &&str| SETTING.iter().any(|known| may_be(word, known));
    if may_be(command, "config") && plain.any(may_set) {
        return true;
    }
    let builds = BUILDING.contains(&command);
    let mut is_file = command == "kustomize";
    own.iter().any(|word| {
        let (name, value) =
            word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        let letter = short(word);
        let names_file =
            matches!(name, "--filename" | "--kustomize") || matches!(letter, Some('f' | 'k'));
        // Files and folders are fetched from elsewhere by `git`, or asked for over the network.
        let is_fetched = (is_file || names_file) && is_elsewhere(word);
        is_file = command == "kustomize" || names_file && value.is_none();
        let is_built = name == "--kustomize" || letter == Some('k');
        let is_open = word.contains(HOLE) && LONG.iter().any(|option| is_option(option, word));
        LONG.contains(&name)
            || is_open
            || matches!(letter, Some('s' | HOLE))
            || is_fetched
            || is_built && !builds
    })
}

/// The letter of the first option in a word of short ones that takes a word itself.
fn short(word: &str) -> Option<char> {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    letters.chars().find(|letter| !PLAIN.contains(*letter))
}

fn is_elsewhere(file: &str) -> bool {
    file.contains("://") || file.contains("git@") || file.contains("?ref=")
}
