//! Commands that print one number, or nothing.

use tree_sitter::Node;

use super::arguments::Argument;

/// Whether a statement, of whose commands these are the words, prints one number, or nothing.
pub(super) fn is_printed<'t>(
    statement: Node<'t>,
    words: impl Fn(Node<'t>) -> Vec<Argument>,
) -> bool {
    let mut cursor = statement.walk();
    match statement.kind() {
        "command" => {
            // A variable before a command may change what it prints.
            let is_bare = statement.named_child(0).is_some_and(|it| it.kind() == "command_name");
            is_bare && is_number(&words(statement), false, false)
        }
        "redirected_statement" => {
            let command = statement.child_by_field_name("body").filter(|it| it.kind() == "command");
            command.is_some_and(|command| is_number(&words(command), true, false))
        }
        "pipeline" => {
            let commands: Vec<Node<'_>> = statement.named_children(&mut cursor).collect();
            let Some((last, before)) = commands.split_last() else { return false };
            let of = |node: &Node<'t>| match node.kind() {
                "command" => words(*node),
                _ => Vec::new(),
            };
            is_number(&of(last), true, is_numbered(before, of))
        }
        _ => false,
    }
}

/// Whether what these print is one line that begins with a number and a colon: the first or the
/// last that `grep -n` finds in one file.
fn is_numbered<'w>(commands: &[Node<'w>], words: impl Fn(&Node<'w>) -> Vec<Argument>) -> bool {
    let Some((first, rest)) = commands.split_first() else { return false };
    let takes_one = |node: &Node<'w>| {
        let words = words(node);
        let known: Vec<&str> = words.iter().filter_map(Argument::known).collect();
        known.len() == words.len()
            && matches!(known[..], ["head" | "tail", "-1" | "-n1"] | ["head" | "tail", "-n", "1"])
    };
    !rest.is_empty() && rest.iter().all(takes_one) && is_grep(&words(first), "n")
}

/// Whether the words are those of `grep` on one file, or on its input, with this letter.
fn is_grep(words: &[Argument], letter: &str) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    if !matches!(name.known(), Some("grep" | "egrep" | "fgrep")) {
        return false;
    }
    let is_plain =
        |word: &&str| word.len() > 1 && word[1..].bytes().all(|it| b"cnEFiwxsm1q".contains(&it));
    let mut has_letter = false;
    let mut operands = 0;
    for word in rest {
        match word.known() {
            Some(text) if text.starts_with('-') => {
                if !is_plain(&text) {
                    return false;
                }
                has_letter |= text.contains(letter);
            }
            Some(_) => operands += 1,
            // It may be several words, or an option.
            None => return false,
        }
    }
    has_letter && (1..=2).contains(&operands)
}

/// Whether the command of these words prints a number; fed by others, or lines that begin with one.
fn is_number(words: &[Argument], is_fed: bool, is_fed_numbered: bool) -> bool {
    let known: Option<Vec<&str>> = words.iter().map(Argument::known).collect();
    let Some(known) = known else { return false };
    match known[..] {
        ["nproc"] | ["date", "+%s"] | ["id", "-u" | "-g"] => true,
        ["wc", "-l" | "-c" | "-w" | "-m"] => is_fed,
        ["cut", "-d:", "-f1"] | ["cut", "-f1", "-d:"] | ["cut", "-d", ":", "-f", "1"] => {
            is_fed_numbered
        }
        ["grep" | "egrep" | "fgrep", ..] => is_grep(words, "c"),
        _ => false,
    }
}

/// Whether the words are those of `seq` that counts.
pub(super) fn are_counted(words: &[Argument]) -> bool {
    let is_count = |word: &Argument| {
        let known = word.known().or(word.numbered.as_ref().map(|[text, _]| text.as_str()));
        known.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    words.split_first().is_some_and(|(name, counts)| {
        name.known() == Some("seq") && !counts.is_empty() && counts.iter().all(is_count)
    })
}
