//! A command line as the simple commands it runs, for rules that allow or forbid commands.
//!
//! Read more strictly than [`super::syntax`] does: what could run something that is not listed
//! makes the line unclear. Beside the grammar a small scanner looks at what the grammar takes
//! for one command, so that a mistake of either alone lets nothing through.

use tree_sitter::Node;

use super::syntax::{Word, words_of};
use super::{COMMAND_BYTES_MAX, SHELLS_MAX, is_shell, masked};

/// A command line taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLine {
    /// All that it may run or write to, in no particular order.
    pub commands: Vec<SimpleCommand>,
    /// Whether `commands` is all. If not, they are those that could be found.
    pub is_clear: bool,
}

/// One program with its words; or an assignment, a test, the head of a loop; or a redirection
/// to a file (`> file`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// As it is written, assignments before the program included, redirections left out, single
    /// blanks between words.
    pub text: String,
    /// How else the same may be written: without quotes, without assignments, without the
    /// folder of the program, without what only starts another (`env`, `sudo`, `sh -c`).
    pub spellings: Vec<String>,
}

/// Programs that start another one, which stands somewhere in their words.
const STARTERS: &[&str] = &[
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "doas",
    "env",
    "exec",
    "fakeroot",
    "find",
    "flock",
    "ionice",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "prlimit",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unshare",
    "watch",
    "xargs",
];

/// Starters that take a whole line as one word.
const LINE_TAKERS: &[&str] = &["env", "flock", "parallel", "runuser", "script", "su", "watch"];

/// Starters that give the program further words, which they are told otherwise.
const FEEDERS: &[&str] = &["parallel", "xargs"];

/// Stands for what a feeder gives.
const FED: &str = "{}";

/// Words of a starter at which the program may stand.
const STARTED_MAX: usize = 16;

/// Files that nothing is kept in.
const NO_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// What ends a command unless it is quoted.
const OPERATORS: &str = ";|&\n()<>`";

impl CommandLine {
    /// Takes `line` apart.
    pub fn of(line: &str) -> Self {
        nested(line, 0)
    }
}

fn nested(line: &str, shells: u8) -> CommandLine {
    if line.len() > COMMAND_BYTES_MAX || shells > SHELLS_MAX {
        return CommandLine::default();
    }
    let mut parser = tree_sitter::Parser::new();
    let tree = parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()
        .and_then(|()| parser.parse(masked(line), None));
    let Some(tree) = tree else { return CommandLine::default() };
    // To the grammar a carriage return is a blank, to a shell a letter, and a terminal takes
    // such letters for keys.
    let has_keys = line.contains(|letter: char| letter.is_control() && !"\t\n".contains(letter));
    let is_clear = !tree.root_node().has_error() && !has_keys;
    let mut reader = Reader { source: line, shells, commands: Vec::new(), is_clear };
    reader.read(tree.root_node());
    if !reader.is_clear {
        for piece in line.split([';', '|', '&', '\n', '(', ')', '`', '{', '}']) {
            let words: Vec<Word> = piece.split_whitespace().map(Word::literal).collect();
            reader.add(piece.trim(), &words);
        }
    }
    CommandLine { commands: reader.commands, is_clear: reader.is_clear }
}

struct Reader<'a> {
    source: &'a str,
    shells: u8,
    commands: Vec<SimpleCommand>,
    is_clear: bool,
}

impl<'a> Reader<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The tree can be as deep as the line is long.
    fn read(&mut self, root: Node<'_>) {
        let mut waiting = vec![(root, false)];
        while let Some((node, is_in_word)) = waiting.pop() {
            self.is_clear &= !node.is_error() && !node.is_missing();
            let mut is_in_word = is_in_word;
            match node.kind() {
                "program"
                | "list"
                | "pipeline"
                | "subshell"
                | "compound_statement"
                | "negated_command"
                | "do_group"
                | "if_statement"
                | "elif_clause"
                | "else_clause"
                | "while_statement"
                | "redirected_statement"
                | "case_statement"
                | "case_item" => {}
                "command_substitution" | "process_substitution" => is_in_word = false,
                "comment" => self.comment(node),
                "variable_assignment" | "variable_assignments" if is_in_word => {}
                "command"
                | "variable_assignment"
                | "variable_assignments"
                | "declaration_command"
                | "unset_command"
                | "test_command" => {
                    self.command(node);
                    is_in_word = true;
                }
                "for_statement" | "c_style_for_statement" => self.loop_head(node),
                "file_redirect" => self.redirect(node),
                "herestring_redirect" => {
                    let text = without(self.source, node.byte_range(), &expansions(node), "_");
                    let word = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
                    self.is_clear &= is_one(word.trim_start_matches('<'), OPERATORS);
                }
                "heredoc_redirect" => self.here_document(node),
                kind if is_part_of_word(kind) => {}
                // A function may be called like a program that is allowed.
                _ => self.is_clear = false,
            }
            self.is_clear &= self.is_seen_whole(node) && !self.hides_commands(node);
            let mut cursor = node.walk();
            waiting.extend(node.named_children(&mut cursor).map(|child| (child, is_in_word)));
        }
    }

    /// The grammar's scanner drops some letters, which a shell would not.
    fn is_seen_whole(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        let mut at = node.start_byte();
        for child in node.children(&mut cursor) {
            let gap = self.source.get(at..child.start_byte()).unwrap_or_default();
            if !gap.replace("\\\n", "").trim_matches([' ', '\t', '\n']).is_empty() {
                return false;
            }
            at = child.end_byte();
        }
        true
    }

    /// In `${ … }`, `$(( … ))` and the like the grammar takes for letters what a shell runs.
    fn hides_commands(&self, node: Node<'_>) -> bool {
        let opening = match node.kind() {
            "arithmetic_expansion" => "$((",
            "array" => "(",
            "expansion" | "test_command" => "",
            _ => return false,
        };
        let mut cursor = node.walk();
        let holes: Vec<_> = node.children(&mut cursor).flat_map(expansions).collect();
        let rest = without(self.source, node.byte_range(), &holes, "_");
        let rest = rest.strip_prefix(opening).unwrap_or(&rest);
        ["`", "$(", "<(", ">("].iter().any(|start| rest.contains(start))
    }

    fn comment(&mut self, node: Node<'_>) {
        let before = self.source.get(..node.start_byte()).unwrap_or_default();
        self.is_clear &=
            before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')']);
    }

    fn command(&mut self, node: Node<'_>) {
        let before = self.source.get(..node.start_byte()).unwrap_or_default();
        // To the grammar an escaped blank is a blank, to a shell a letter.
        self.is_clear &= !before.trim_end_matches([' ', '\t']).ends_with('\\');
        let is_redirect = |child: &Node<'_>| child.kind().ends_with("_redirect");
        let mut cursor = node.walk();
        let redirects: Vec<_> = node
            .children(&mut cursor)
            .filter(is_redirect)
            .map(|child| child.byte_range())
            .collect();
        let range = node.byte_range();
        let written = without(self.source, range.clone(), &redirects, "");
        let mut hidden = expansions(node);
        hidden.extend(redirects);
        let scanned = without(self.source, range, &hidden, "_");
        // In brackets operators compare and join tests.
        let is_test = written.starts_with("[[") || written.starts_with("((");
        self.is_clear &= is_one(&scanned, if is_test { ";\n`" } else { OPERATORS });
        let words = match node.kind() {
            "command" => words_of(node, self.source),
            _ => Vec::new(),
        };
        self.is_clear &= is_told(&words, self.source) && !has_odd_letters(node, self.source);
        self.add(&single_blanks(&written), &words);
    }

    /// The variable of a loop may be one that programs look at.
    fn loop_head(&mut self, node: Node<'_>) {
        let end =
            node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let head = self.source.get(node.start_byte()..end).unwrap_or_default();
        self.add(head.trim_end_matches([';', ' ', '\n', '\t']), &[]);
    }

    fn redirect(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let operator = node.children(&mut cursor).find(|child| !child.is_named());
        let operator = operator.map_or("", |child| self.text(child));
        let to: Vec<Node<'_>> = node.children_by_field_name("destination", &mut cursor).collect();
        let [to] = to[..] else {
            // Further words are words of the command.
            self.is_clear &= to.is_empty() && operator.ends_with("&-");
            return;
        };
        let to = self.text(to);
        let is_descriptor = to.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if NO_FILES.contains(&to) || (operator.ends_with('&') && is_descriptor) {
            return;
        }
        self.add(&format!("{operator} {to}"), &[]);
    }

    /// Where it ends must be beyond doubt, and what is expanded in it is run.
    fn here_document(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let find = |kind: &str| children.iter().find(|child| child.kind() == kind);
        let (Some(start), Some(end)) = (find("heredoc_start"), find("heredoc_end")) else {
            self.is_clear = false;
            return;
        };
        let written = self.text(*start);
        let name = written.trim_matches(['\'', '"']);
        let is_quoted = name != written;
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let body = find("heredoc_body");
        let text = body.map_or("", |body| self.text(*body));
        let ends_early = text.lines().any(|line| line.trim_start_matches('\t') == name);
        let has_words =
            children.iter().any(|child| is_part_of_word(child.kind()) && !is_frame(child.kind()));
        let is_end = self.text(*end).trim() == name;
        self.is_clear &= is_plain && is_end && !ends_early && !has_words;
        if let Some(body) = body.filter(|_| !is_quoted) {
            let rest = without(self.source, body.byte_range(), &expansions(*body), "_");
            self.is_clear &= !rest.contains('`') && !rest.contains("$(");
        }
    }

    fn add(&mut self, text: &str, words: &[Word]) {
        if text.is_empty() {
            return;
        }
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let mut spellings = Vec::new();
        self.spell(&words, &mut spellings);
        // A feeder may give nothing.
        let bare = spellings.iter().filter_map(|spelling| spelling.strip_suffix(FED));
        let bare: Vec<String> = bare.map(|spelling| spelling.trim_end().to_owned()).collect();
        spellings.extend(bare);
        spellings.retain(|spelling| spelling != text);
        self.commands.push(SimpleCommand { text: text.to_owned(), spellings });
    }

    fn spell(&mut self, words: &[&str], spellings: &mut Vec<String>) {
        let Some((program, rest)) = words.split_first() else { return };
        spellings.push(words.join(" "));
        let name = name_of(program);
        if name != *program {
            spellings.push([&[name], rest].concat().join(" "));
        }
        if STARTERS.contains(&name) {
            for at in 0..rest.len().min(STARTED_MAX) {
                let fed: &[&str] = if FEEDERS.contains(&name) { &[FED] } else { &[] };
                self.spell(&[&rest[at..], fed].concat(), spellings);
                if STARTERS.contains(&name_of(rest[at])) {
                    break;
                }
            }
        }
        let scripts: Vec<String> = match name {
            "eval" => vec![rest.join(" ")],
            "trap" => rest.iter().map(|word| (*word).to_owned()).collect(),
            _ if runs_scripts(name) => rest.iter().map(|word| (*word).to_owned()).collect(),
            _ if LINE_TAKERS.contains(&name) => {
                rest.iter().filter_map(|word| line_in(word)).collect()
            }
            _ => Vec::new(),
        };
        let is_flag = |word: &&str| word.starts_with('-') && !word.starts_with("--");
        let are_run = matches!(name, "eval" | "trap")
            || (runs_scripts(name) && rest.iter().any(|word| is_flag(word) && word.contains('c')));
        for script in scripts.iter().filter(|script| script.len() < self.source.len()) {
            let line = nested(script, self.shells + 1);
            self.is_clear &= line.is_clear || !are_run || script.starts_with(['-', '+']);
            for command in line.commands {
                spellings.push(command.text);
                spellings.extend(command.spellings);
            }
        }
    }
}

fn name_of(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether the program takes command lines as words or as input.
fn runs_scripts(name: &str) -> bool {
    is_shell(name) || matches!(name, "ash" | "csh" | "mksh" | "rbash" | "tcsh")
}

/// The line in a word of a starter, which a flag may stand before (`-cline`, `--command=line`).
fn line_in(word: &str) -> Option<String> {
    let line = match word.split_once('=') {
        Some((flag, line)) if flag.starts_with("--") => line,
        _ => word.strip_prefix("-c").or_else(|| word.strip_prefix("-S")).unwrap_or(word),
    };
    line.contains([' ', '\t', '\n']).then(|| line.to_owned())
}

/// Whether the words say which program is run: its name is written as it is, and a shell's
/// script is not what something else writes.
fn is_told(words: &[Word], source: &str) -> bool {
    let mut waiting = words;
    while let Some((program, rest)) = waiting.split_first() {
        if program.expands || program.glob || program.text.contains('{') {
            return false;
        }
        let name = name_of(&program.text);
        let is_made = |word: &Word| word.text.starts_with("<(") || word.text == "/dev/stdin";
        match name {
            "alias" => return !rest.iter().any(|word| word.text.contains('=')),
            "." | "source" => return !rest.first().is_some_and(is_made),
            _ if runs_scripts(name) => {
                let has_script = rest.iter().any(|word| !word.text.starts_with('-'));
                let is_asked = rest.iter().any(|word| word.text.starts_with("--"));
                // Alone on its line it waits for what is typed.
                let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                let is_alone = source.trim() == texts.join(" ");
                return !rest.iter().any(is_made) && (has_script || is_asked || is_alone);
            }
            "find" => return true,
            _ if STARTERS.contains(&name) => waiting = started(rest),
            _ => return true,
        }
    }
    true
}

/// The words from the program on that a starter starts, if that is beyond doubt or expanded.
fn started(words: &[Word]) -> &[Word] {
    let is_flag = |word: &Word| word.text.starts_with('-') || word.text.contains('=');
    let at = words.iter().position(|word| !is_flag(word)).unwrap_or(words.len());
    let after_flag = at > 0 && words[at - 1].text.starts_with('-');
    let is_name = words.get(at).is_some_and(|word| {
        let is_first = word.expands && !after_flag;
        let name = name_of(&word.text);
        is_first || STARTERS.contains(&name) || runs_scripts(name)
    });
    if is_name { &words[at..] } else { &[] }
}

/// Whether letters are written as numbers where they may name a program.
fn has_odd_letters(node: Node<'_>, source: &str) -> bool {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
    let is_odd = |text: &str| text.contains("$'") && text.contains('\\');
    let Some(name) = node.child_by_field_name("name").map(text) else { return false };
    let program = name_of(name);
    let runs = STARTERS.contains(&program) || runs_scripts(program) || program == "eval";
    is_odd(if runs { text(node) } else { name })
}

/// What words are made of, and the parts of here-documents and loops that run nothing.
fn is_part_of_word(kind: &str) -> bool {
    is_frame(kind)
        || matches!(
            kind,
            "word"
                | "number"
                | "string"
                | "string_content"
                | "raw_string"
                | "ansi_c_string"
                | "translated_string"
                | "concatenation"
                | "simple_expansion"
                | "expansion"
                | "arithmetic_expansion"
                | "brace_expression"
                | "binary_expression"
                | "unary_expression"
                | "postfix_expression"
                | "ternary_expression"
                | "parenthesized_expression"
                | "subscript"
                | "array"
                | "regex"
                | "extglob_pattern"
                | "test_operator"
                | "command_name"
        )
}

/// What stands around words and runs nothing.
fn is_frame(kind: &str) -> bool {
    matches!(
        kind,
        "heredoc_start"
            | "heredoc_body"
            | "heredoc_content"
            | "heredoc_end"
            | "file_descriptor"
            | "variable_name"
            | "special_variable_name"
    )
}

/// Where values are put in below `node`; what these run is read by itself.
fn expansions(node: Node<'_>) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if matches!(
            node.kind(),
            "command_substitution"
                | "process_substitution"
                | "expansion"
                | "arithmetic_expansion"
                | "array"
        ) {
            found.push(node.byte_range());
            continue;
        }
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    found
}

/// The text of `range`, with `mark` in place of the `holes`.
fn without(
    source: &str,
    range: std::ops::Range<usize>,
    holes: &[std::ops::Range<usize>],
    mark: &str,
) -> String {
    let mut holes: Vec<_> = holes.to_vec();
    holes.sort_unstable_by_key(|hole| hole.start);
    let mut text = String::new();
    let mut at = range.start;
    for hole in holes.into_iter().filter(|hole| hole.end <= range.end) {
        if hole.start < at {
            continue;
        }
        text.push_str(source.get(at..hole.start).unwrap_or_default());
        text.push_str(mark);
        at = hole.end;
    }
    text.push_str(source.get(at..range.end).unwrap_or_default());
    text
}

/// How a shell takes the next letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
    /// `$' … '`, in which a backslash escapes.
    Ansi,
}

/// Whether `text` is one command to a shell: all quotes are closed, and none of `operators`
/// stands outside of them.
fn is_one(text: &str, operators: &str) -> bool {
    let mut quote = Quote::None;
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Quote::Single, '\'') | (Quote::Ansi, '\'') | (Quote::Double, '"') => {
                quote = Quote::None;
            }
            (Quote::Single, _) => {}
            (_, '\\') => drop(letters.next()),
            (Quote::Ansi, _) => {}
            (_, '`') => return false,
            (_, '$') if letters.peek() == Some(&'(') => return false,
            (Quote::Double, _) => {}
            (Quote::None, '\'') if before == '$' => quote = Quote::Ansi,
            (Quote::None, '\'') => quote = Quote::Single,
            (Quote::None, '"') => quote = Quote::Double,
            (Quote::None, letter) if operators.contains(letter) => return false,
            (Quote::None, _) => {}
        }
        before = letter;
    }
    quote == Quote::None
}

/// The text with one blank in place of several outside of quotes, and none at its ends.
fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\\') if letters.peek() == Some(&'\n') => {
                letters.next();
            }
            (None | Some('"'), '\\') => {
                out.push(letter);
                out.extend(letters.next());
            }
            (None, ' ' | '\t') => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                out.push(letter);
            }
            (Some(open), letter) if open == letter => {
                quote = None;
                out.push(letter);
            }
            (_, letter) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands in alphabetical order, or those that were found where there may be others.
    fn check(line: &str, expected: &[&str]) {
        let found = CommandLine::of(line);
        let mut texts: Vec<&str> = found.commands.iter().map(|one| one.text.as_str()).collect();
        texts.sort_unstable();
        assert!(found.is_clear, "{line}: unclear, {texts:?}");
        assert_eq!(texts, expected, "{line}");
    }

    #[test]
    fn a_line_is_all_that_it_runs() {
        for (line, expected) in [
            ("git log", &["git log"][..]),
            ("  git   log \\\n -1 ", &["git log -1"]),
            ("", &[]),
            ("# git log", &[]),
            ("git log # ; rm", &["git log"]),
            ("git --version; echo pwned > pwn", &["> pwn", "echo pwned", "git --version"]),
            ("git log && make || false", &["false", "git log", "make"]),
            ("git log | head -1 |& tee x", &["git log", "head -1", "tee x"]),
            ("git log & make", &["git log", "make"]),
            ("git log\nmake", &["git log", "make"]),
            ("git log $(make)", &["git log $(make)", "make"]),
            ("git log `make`", &["git log `make`", "make"]),
            ("git log \"a $(make b) c\"", &["git log \"a $(make b) c\"", "make b"]),
            ("git log ${x:-$(make)}", &["git log ${x:-$(make)}", "make"]),
            ("git log $(( $(make) + 1 ))", &["git log $(( $(make) + 1 ))", "make"]),
            ("diff <(make a) <(make b)", &["diff <(make a) <(make b)", "make a", "make b"]),
            ("git log '; rm' \"; rm\" \\; x", &["git log '; rm' \"; rm\" \\; x"]),
            ("git log --format='%h (%s)'", &["git log --format='%h (%s)'"]),
            ("(git log; make)", &["git log", "make"]),
            ("{ git log; make; }", &["git log", "make"]),
            ("! git log", &["git log"]),
            ("if git log; then make; else rm x; fi", &["git log", "make", "rm x"]),
            ("while true; do make; done", &["make", "true"]),
            ("for x in a $(ls); do make $x; done", &["for x in a $(ls)", "ls", "make $x"]),
            ("case $x in a) make;; esac", &["make"]),
            ("GIT_PAGER=make git log", &["GIT_PAGER=make git log"]),
            ("PATH=/evil; git log", &["PATH=/evil", "git log"]),
            ("export PATH=$(make)", &["export PATH=$(make)", "make"]),
            ("env A=b git log", &["env A=b git log"]),
            ("git log 2>&1 >/dev/null </dev/null", &["git log"]),
            ("git log 2>> errors", &[">> errors", "git log"]),
            ("> a git log", &["> a", "git log"]),
            ("git apply < patch", &["< patch", "git apply"]),
            ("(git log) > a", &["> a", "git log"]),
            ("[[ -f a && -f b ]] && make", &["[[ -f a && -f b ]]", "make"]),
            ("git commit -F x <<'END'\n$(make)\nEND", &["git commit -F x"]),
            ("git commit <<END && rm x\n$(make)\nEND", &["git commit", "make", "rm x"]),
            ("git log <<< $(make)", &["git log", "make"]),
            ("résumé é", &["résumé é"]),
        ] {
            check(line, expected);
        }
        let long = "git log && ".repeat(3_000) + "make";
        let found = CommandLine::of(&long);
        assert!(found.is_clear && found.commands.len() == 3_001);
    }

    #[test]
    fn what_may_run_more_is_unclear() {
        for line in [
            "git() { make; }; git log",
            "function git { make; }",
            "git log 'open",
            "git log \"open",
            "git log $(make",
            "git log )",
            "git log; )",
            "git log > a b",
            "git log <<END b\nx\nEND",
            // The grammar loses the dash.
            "git log - <<END\nx\nEND",
            "git log <<END\nx",
            "git log <<\"E D\"\nx\nE D",
            "git log\r\nmake",
            "git log; \\ make",
            "if git log; then",
            "git log <<END\n`make\nEND",
            "git x ${x:-`rm a`}",
            "git x \"${x:=`rm a`}\"",
            "git x ${x+`rm a`}",
            "git x ${x?`rm a`}",
            "git x ${x#`rm a`}",
            "git x ${x%%`rm a`}",
            "git x ${x/a/`rm a`}",
            "git x ${x//`rm a`/b}",
            "git x ${x^^`rm a`}",
            "git x ${x,,`rm a`}",
            "git x ${x:-${y:-`rm a`}}",
            "git x <<< ${x:-`rm a`}",
            "git x <<E\n${x:-`rm a`}\nE",
            "git x ${x:-<(rm a)}",
            "git x ${HOME##>(rm a)}",
            "git x $(( 'a[$(rm a)]' ))",
            "[[ 'a[$(rm a)]' -eq 1 ]]",
            "$x a",
            "r${x}m a",
            "rm${IFS}a",
            "$(echo rm) a",
            "`echo rm` a",
            "\"$@\"",
            "\"${a[@]}\"",
            "$'\\x72m' a",
            "/bin/r? a",
            "r[m] a",
            "{rm,a}",
            "env $x a",
            "sudo -n env $x a",
            "sh -c \"$x\"",
            "sh -c '$x a'",
            "sh -c $'\\x72m a'",
            "eval \"$x\"",
            "echo rm a | sh",
            "bash <<E\nrm a\nE",
            "bash <<< 'rm a'",
            "bash <(echo rm a)",
            "echo rm a | env bash",
            ". <(echo rm a)",
            "alias g=rm",
            "rx\u{7f}m a\n",
            "zz\u{15}rm a\n",
            "zz\u{17}rm a\n",
            "r\u{16}m a\n",
            &"x".repeat(70_000),
        ] {
            let found = CommandLine::of(line);
            assert!(!found.is_clear, "{line}: {found:?}");
        }
    }

    #[test]
    fn everyday_lines_are_clear() {
        for line in [
            "git commit -m \"$(cat <<'E'\nwhat `this` $(does)\n\n(and why)\nE\n)\"",
            "cargo test -- --nocapture",
            "echo $HOME ${x:-a} ${x%.*} \"${a[@]}\" ${#a} ${x//\\//_}",
            "for f in *; do echo \"$f\"; done",
            "a=(x $(ls) \"$y\"); echo $((1 + (2 * x))) $(( $(nproc) / 2 ))",
            "[ -f x ] && [[ $x == *.rs && ( -f y ) ]] && (( x < 3 ))",
            "find . -name '*.rs' -exec grep -n 'fn (' {} +",
            "find . -name \"$x\" | xargs -P \"$(nproc)\" grep -n \"$y\"",
            "sudo -u \"$USER\" make; timeout 5 make; env A=$b make; nohup ./x.sh \"$a\" &",
            "sh -c 'echo a | wc -l'; bash x.sh '(a'; bash --version | head -1; source .env",
            "printf 'a\\n' $'b\\n'; trap 'rm -f \"$x\"' EXIT; trap - EXIT",
            "bash",
            "python3 <<'E'\nprint(`a`)\nE\n",
            "cat <<< \"$x\"; x=$(cat <a); \\\nmake\tall\n",
            "./run {a,b} ~/bin/x; ~/bin/x y",
        ] {
            let found = CommandLine::of(line);
            assert!(found.is_clear, "{line}: {found:?}");
        }
    }

    #[test]
    fn one_command_has_many_spellings() {
        for line in [
            "rm -rf x",
            "'rm' -rf x",
            "r\\m -rf \"x\"",
            "/bin/rm -rf x",
            "A=1 rm -rf x",
            "env -i A=1 rm -rf x",
            "sudo -u root /bin/rm -rf x",
            "nohup nice -n 5 rm -rf x",
            "sh -c 'rm -rf x'",
            "bash -ec \"true; sh -c 'rm -rf x'\"",
            "eval rm -rf x",
            "trap 'rm -rf x' EXIT",
            "$'rm' -rf x",
            "rm  -rf   x >log",
            "true; ( rm -rf x ) &",
            "f() { rm -rf x; }; f",
            "echo 'open; rm -rf x",
            "timeout 5 xargs rm -rf x",
            "taskset 1 rm -rf x",
            "chrt 1 setpriv prlimit nsenter -t 1 rm -rf x",
            "script -qc 'rm -rf x'",
            "su root -c'rm -rf x'",
            "flock f -c 'rm -rf x'",
            "env -S 'rm -rf x'",
            "rbash -c 'rm -rf x'",
        ] {
            let found = CommandLine::of(line);
            let is_there = found
                .commands
                .iter()
                .any(|one| one.text == "rm -rf x" || one.spellings.iter().any(|s| s == "rm -rf x"));
            assert!(is_there, "{line}: {found:#?}");
        }
    }
}
