//! Programs that take commands from their input, and run others by some of these: `.shell` of
//! `sqlite3`, `\!` of `psql`. Such a program is told if its words say what it does, if somebody
//! types to it, or if all that the line may feed it is written there and runs nothing.

use tree_sitter::Node;

use super::options::may_run;
use super::scan::expansions;
use crate::shell::parse::text_of;
use crate::shell::starters::is_starter;
use crate::shell::word::{Word, name_of};

/// A program that takes commands from its input.
struct Taker {
    programs: &'static [&'static str],
    /// Options that take a word, if what is no option counts.
    valued: &'static [&'static str],
    /// So many words that are no options keep it from its input.
    words_max: Option<usize>,
    /// Options that keep it from its input.
    options: &'static [&'static str],
    /// What its input holds if it runs something, in small letters.
    runs: &'static [&'static str],
}

const NONE: &[&str] = &[];
/// So many of them are looked at in a line.
pub(super) const TAKERS_MAX: u8 = 16;
/// So deep in a line; finding what a node stands in takes as long as that is deep.
const DEPTH_MAX: usize = 100;
/// Whatever its input holds.
const ANY: &[&str] = &[""];

/// The table.
#[rustfmt::skip]
const TAKERS: &[Taker] = &[
    Taker { programs: &["at", "batch"], valued: NONE, words_max: None, options: &["-l", "-r", "-d", "-c", "-f"], runs: ANY },
    Taker { programs: &["duckdb", "sqlite3"], valued: &["-cmd", "-heap", "-init", "-lookaside", "-maxsize", "-mmap", "-newline", "-nullvalue", "-pagecache", "-separator", "-vfs", "-zip"], words_max: Some(2), options: &["-version", "-help"], runs: NONE },
    Taker { programs: &["gdb", "lldb"], valued: NONE, words_max: None, options: &["-batch", "-batch-silent", "--batch", "--batch-silent", "--version"], runs: ANY },
    Taker { programs: &["gnuplot"], valued: &["-e"], words_max: Some(1), options: NONE, runs: &["system", "!", "`", "|", "<", "load", "call"] },
    Taker { programs: &["m4"], valued: &["-I", "-D", "-U"], words_max: Some(1), options: NONE, runs: &["syscmd"] },
    Taker { programs: &["mail", "mailx", "s-nail"], valued: NONE, words_max: None, options: NONE, runs: &["~", "!", "|"] },
    Taker { programs: &["mariadb", "mysql"], valued: NONE, words_max: None, options: &["-e", "--execute", "--version"], runs: &["\\", "system", "pager", "source", "edit", "tee"] },
    Taker { programs: &["nvim", "rview", "rvim", "vi", "view", "vim"], valued: NONE, words_max: None, options: &["--version"], runs: ANY },
    Taker { programs: &["psql"], valued: NONE, words_max: None, options: &["-c", "--command", "-f", "--file", "-l", "--list", "-V", "--version"], runs: &["\\", "program"] },
    Taker { programs: &["sftp", "smbclient"], valued: NONE, words_max: None, options: &["-c", "--command"], runs: &["!"] },
];

/// Whether the command of these words, which `node` of the tree of `source` stands for, takes
/// commands that the line does not tell. `is_nested` says that it stands in a script, which has the
/// input of who runs it; `left` is how many more such programs are looked at.
pub(super) fn takes_untold(
    words: &[Word],
    node: Node<'_>,
    source: &str,
    is_nested: bool,
    left: &mut u8,
) -> bool {
    let Some((taker, rest)) = taker_in(words) else { return false };
    if taker.is_kept_from_input(rest) {
        return false;
    }
    if *left == 0 || is_nested {
        return true;
    }
    *left -= 1;
    let mut root = node;
    for _ in 0..DEPTH_MAX {
        let Some(parent) = root.parent() else { return taker.may_be_fed(root, source) };
        let is_first = parent.named_child(0).is_some_and(|first| first.id() == root.id());
        if parent.kind() == "pipeline" && !is_first {
            return true;
        }
        root = parent;
    }
    true
}

/// The program and the words behind it, also behind a starter.
fn taker_in(words: &[Word]) -> Option<(&'static Taker, &[Word])> {
    let starts = |name: &str| name == "find" || is_starter(name);
    let is_started = words.first().is_some_and(|word| starts(name_of(&word.text)));
    let places = if is_started { words.len() } else { 1 };
    words.iter().take(places).enumerate().find_map(|(at, word)| {
        let name = name_of(&word.text);
        let taker = TAKERS.iter().find(|taker| taker.programs.contains(&name))?;
        let rest = &words[at + 1..];
        // Where `find -exec` ends.
        let end = rest.iter().position(|word| is_started && matches!(&*word.text, ";" | "+"));
        Some((taker, &rest[..end.unwrap_or(rest.len())]))
    })
}

impl Taker {
    fn is_kept_from_input(&self, words: &[Word]) -> bool {
        let mut named = 0;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if self.valued.iter().any(|option| text.trim_start_matches('-') == &option[1..]) {
                words.next();
            } else if text.starts_with('-') {
                let value = words.clone().next().map_or("", |next| next.text.as_str());
                let names_input = text.starts_with("-f") || text.starts_with("--file");
                let is_input = names_input && [text, value].iter().any(|file| is_own_input(file));
                if !is_input && self.options.iter().any(|option| is_same(option, text)) {
                    return true;
                }
            } else if !word.splits {
                named += 1;
            }
        }
        self.words_max.is_some_and(|max| named >= max)
    }

    /// Whether anything in the line may feed it what runs something.
    fn may_be_fed(&self, root: Node<'_>, source: &str) -> bool {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let text = text_of(node, source);
            let is_fed = match node.kind() {
                "heredoc_body" | "herestring_redirect" => {
                    !expansions(node).is_empty() || has_variable(node) || self.runs(text)
                }
                "file_redirect" => text.contains("<("),
                // What runs beside it may feed it.
                "command" => text.starts_with("coproc"),
                _ => false,
            };
            if is_fed {
                return true;
            }
            let mut cursor = node.walk();
            waiting.extend(node.named_children(&mut cursor));
        }
        false
    }

    fn runs(&self, input: &str) -> bool {
        let small = input.to_ascii_lowercase();
        // As a here-string it stands behind `<<<` and in quotes.
        let inner = input.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '<');
        let lines = inner.lines().map(|line| line.trim_start_matches([' ', '\t', '\'', '"', '$']));
        self.runs.iter().any(|part| small.contains(part))
            || input.contains("$'") && input.contains('\\')
            || may_run(self.programs[0], lines)
    }
}

/// Whether a word is this option: `-c`, with its value or without, or `--command=…`.
fn is_same(option: &str, word: &str) -> bool {
    let is_letter = option.len() == 2;
    word == option
        || is_letter && !word.starts_with("--") && word.starts_with(option)
        || !is_letter && word.split('=').next() == Some(option)
}

/// Whether a file is the input itself, also behind the option that names it.
fn is_own_input(file: &str) -> bool {
    let file = file.split_once('=').map_or(file, |(_, file)| file);
    let file = file.strip_prefix("-f").unwrap_or(file);
    file == "-" || file.starts_with("/dev/") || file.starts_with("/proc/")
}

/// Whether a variable is put in.
fn has_variable(node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if node.kind() == "simple_expansion" {
            return true;
        }
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    false
}
