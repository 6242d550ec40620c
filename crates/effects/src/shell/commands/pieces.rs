//! The commands, redirections, assignments and tests of a command line, read from the whole of
//! the grammar's tree: what could run something that is not among them makes the line unclear.
//! Beside the grammar a scanner looks at what the grammar takes for one command, so that a
//! mistake of either alone lets nothing through.

use tree_sitter::Node;

use super::evaluated::does_more;
use super::input::{TAKERS_MAX, takes_untold};
use super::loose::LineValues;
use super::scan::{expansions, is_one, single_blanks, without};
use super::told::{has_odd_letters, start_others, untold};
use crate::shell::parse::{Parsed, redirection, text_of};
use crate::shell::read::words_of;
use crate::shell::starters::commands_of_find;
use crate::shell::word::{Loose, Word, name_of};

/// Files that nothing is kept in.
const NO_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// What ends a command unless it is quoted.
const OPERATORS: &str = ";|&\n()<>`";

/// A part of a line that a rule may be about.
pub(super) struct Piece {
    /// As it is written, redirections left out, single blanks between words.
    pub(super) text: String,
    /// The words of a command; none of what is no command.
    pub(super) words: Vec<Word>,
}

/// The pieces of a line.
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// Whether they are all of it, whatever names files have, or not even then.
    pub(super) untold: Loose,
    /// Where it goes with `cd`, in this order; `None` for a folder that is not told.
    pub(super) folders: Vec<Option<String>>,
}

/// The pieces of a line, of which these values are known.
pub(super) fn pieces(parsed: &Parsed<'_>, values: &LineValues) -> Pieces {
    let source = parsed.source;
    // To the grammar a carriage return is a blank, to a shell a letter, and a terminal takes
    // such letters for keys.
    let has_keys = source.contains(|letter: char| letter.is_control() && !"\t\n".contains(letter));
    let is_clear = !parsed.root().has_error() && !has_keys && !does_more(parsed.root(), source);
    let is_nested = parsed.is_nested;
    let mut reader = PieceReader {
        source,
        is_nested,
        values,
        pieces: Vec::new(),
        is_clear,
        untold: Loose::Not,
        folders: Vec::new(),
        takers: TAKERS_MAX,
    };
    reader.read(parsed.root());
    let mut folders = reader.folders;
    folders.sort_unstable();
    Pieces {
        pieces: reader.pieces,
        untold: if reader.is_clear { reader.untold } else { Loose::Anything },
        folders: folders.into_iter().map(|(_, folder)| folder).collect(),
    }
}

/// What stands between letters that may end commands, for lines of which not all is clear.
pub(super) fn fragments(line: &str) -> impl Iterator<Item = Piece> {
    let fragments = line.split([';', '|', '&', '\n', '(', ')', '`', '{', '}']).map(str::trim);
    fragments.filter(|text| !text.is_empty()).map(|text| Piece {
        text: text.to_owned(),
        words: text.split_whitespace().map(Word::literal).collect(),
    })
}

struct PieceReader<'a> {
    source: &'a str,
    is_nested: bool,
    values: &'a LineValues,
    pieces: Vec<Piece>,
    is_clear: bool,
    untold: Loose,
    /// With the places of the commands.
    folders: Vec<(usize, Option<String>)>,
    /// Programs that take commands from their input, and may still be looked at.
    takers: u8,
}

impl PieceReader<'_> {
    fn add(&mut self, text: String, words: Vec<Word>) {
        if !text.is_empty() {
            self.pieces.push(Piece { text, words });
        }
    }

    /// The tree can be as deep as the line is long.
    fn read(&mut self, root: Node<'_>) {
        let mut waiting = vec![(root, false)];
        while let Some((node, is_in_word)) = waiting.pop() {
            self.is_clear &= !node.is_error() && !node.is_missing();
            let mut is_in_word = is_in_word;
            match node.kind() {
                // Arithmetic, which is no command.
                "compound_statement" if text_of(node, self.source).starts_with("((") => {
                    self.command(node);
                    is_in_word = true;
                }
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
            "expansion" | "test_command" | "compound_statement" => "",
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
            "command" => self.words(node),
            _ => Vec::new(),
        };
        self.is_clear &= !has_odd_letters(node, self.source);
        self.add(single_blanks(&written), words);
    }

    /// The words of a command, looked at as they are, and with the values that the line writes.
    fn words(&mut self, node: Node<'_>) -> Vec<Word> {
        let mut words = words_of(node, self.source);
        let loosened = self.values.loosen(node, self.source, &mut words);
        let fed = self.values.fed(node);
        // A script has the input of who runs it.
        let typed = if self.is_nested { "" } else { self.source };
        for words in &loosened.numbered {
            self.untold = self.untold.max(untold(words, typed, fed));
        }
        for read in loosened.readings {
            self.untold = self.untold.max(untold(&read, typed, fed));
            // What `find` hands on is judged by what stands in the line.
            if words.iter().any(|word| name_of(&word.text) == "find")
                && commands_of_find(&read).len() != commands_of_find(&words).len()
            {
                self.untold = Loose::Anything;
            }
            if start_others(&words, &read) {
                self.untold = Loose::Anything;
            }
        }
        if matches!(words.first().map(|word| word.text.as_str()), Some("cd" | "pushd" | "popd")) {
            self.folders.push((node.start_byte(), folder_of(&words)));
        }
        self.is_clear &= !takes_untold(&words, node, self.source, self.is_nested, &mut self.takers);
        words
    }

    /// The variable of a loop may be one that programs look at.
    fn loop_head(&mut self, node: Node<'_>) {
        let end =
            node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let head = self.source.get(node.start_byte()..end).unwrap_or_default();
        self.add(head.trim_end_matches([';', ' ', '\n', '\t']).to_owned(), Vec::new());
    }

    fn redirect(&mut self, node: Node<'_>) {
        let (operator, to) = redirection(node, self.source);
        let [to] = to[..] else {
            // Further words are words of the command.
            self.is_clear &= to.is_empty() && operator.ends_with("&-");
            return;
        };
        let to = text_of(to, self.source);
        let is_descriptor = to.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if NO_FILES.contains(&to) || (operator.ends_with('&') && is_descriptor) {
            return;
        }
        self.add(format!("{operator} {to}"), Vec::new());
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
        let written = text_of(*start, self.source);
        let name = written.trim_matches(['\'', '"']);
        let is_quoted = name != written;
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let body = find("heredoc_body");
        let text = body.map_or("", |body| text_of(*body, self.source));
        let ends_early = text.lines().any(|line| line.trim_start_matches('\t') == name);
        let has_words =
            children.iter().any(|child| is_part_of_word(child.kind()) && !is_frame(child.kind()));
        let is_end = text_of(*end, self.source).trim() == name;
        self.is_clear &= is_plain && is_end && !ends_early && !has_words;
        if let Some(body) = body.filter(|_| !is_quoted) {
            let rest = without(self.source, body.byte_range(), &expansions(*body), "_");
            self.is_clear &= !rest.contains('`') && !rest.contains("$(");
        }
    }
}

/// Where `cd` and its like go, if the words tell it.
fn folder_of(words: &[Word]) -> Option<String> {
    match words {
        [name, folder] if name.text != "popd" => {
            folder.known().filter(|it| !it.starts_with(['-', '+', '~'])).map(str::to_owned)
        }
        _ => None,
    }
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
