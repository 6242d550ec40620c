//! From the grammar's tree to typed commands.

use foveal_parser_runtime::Node;

use super::parse::{Parsed, redirection, text_of};
use super::tree::{Chain, Connection, Redirect, Simple, Step};
use super::word::{Word, unescape};

/// Groups and substitutions nest up to here.
const DEPTH_MAX: usize = 24;

/// The steps of a command line.
pub(super) fn chain_of(parsed: &Parsed<'_>) -> Chain {
    let root = parsed.root();
    TreeReader { source: parsed.source, broken: root.has_error() }.sequence(root, 0)
}

#[derive(Clone, Copy)]
struct TreeReader<'a> {
    source: &'a str,
    /// Something was not understood: where a here-document ends may be a guess.
    broken: bool,
}

impl TreeReader<'_> {
    /// The statements among `node`'s children.
    fn sequence(self, node: Node<'_>, depth: usize) -> Chain {
        let mut chain = Chain::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.is_named() || child.is_error() || child.is_missing() {
                self.statement(child, Connection::Then, depth, &mut chain);
            }
        }
        chain
    }

    fn statement(self, node: Node<'_>, connection: Connection, depth: usize, chain: &mut Chain) {
        if depth > DEPTH_MAX {
            chain.push((connection, Step::Broken));
            return;
        }
        let step = match node.kind() {
            "comment" | "heredoc_body" | "heredoc_end" => return,
            "command" => Step::Simple(self.command(node, depth)),
            "list" => return self.list(node, connection, depth, chain),
            "pipeline" => return self.pipeline(node, connection, depth, chain),
            "redirected_statement" => return self.redirected(node, connection, depth, chain),
            "subshell" => self.group(node, true, depth),
            "compound_statement" => self.group(node, false, depth),
            "negated_command" => self.block(node, depth),
            "for_statement"
            | "c_style_for_statement"
            | "while_statement"
            | "if_statement"
            | "case_statement" => self.block(node, depth),
            "do_group" | "elif_clause" | "else_clause" | "case_item" => self.block(node, depth),
            "variable_assignment"
            | "variable_assignments"
            | "declaration_command"
            | "test_command"
            | "unset_command" => Step::Silent(self.substitutions(node, depth)),
            // The parts of loops and branches that are no statements.
            "variable_name" | "word" | "number" | "string" | "raw_string" | "concatenation"
            | "simple_expansion" | "expansion" | "brace_expression" | "binary_expression"
            | "unary_expression" | "postfix_expression" | "extglob_pattern" => {
                Step::Silent(self.substitutions(node, depth))
            }
            "command_substitution" | "process_substitution" => {
                Step::Silent(vec![self.sequence(node, depth + 1)])
            }
            _ => Step::Broken,
        };
        chain.push((connection, step));
    }

    /// `a && b || c`: the tree leans left and can be as deep as the line is long.
    fn list(self, node: Node<'_>, connection: Connection, depth: usize, chain: &mut Chain) {
        let mut rights = Vec::new();
        let mut first = node;
        while first.kind() == "list" && !first.is_error() {
            let Some(left) = first.child(0) else { break };
            let mut cursor = first.walk();
            let mut following = Vec::new();
            let mut next = Connection::And;
            for child in first.children(&mut cursor).skip(1) {
                match child.kind() {
                    "&&" => next = Connection::And,
                    "||" => next = Connection::Or,
                    _ if child.is_named() => following.push((next, child)),
                    _ => {}
                }
            }
            rights.extend(following.into_iter().rev());
            first = left;
        }
        self.statement(first, connection, depth + 1, chain);
        for (connection, right) in rights.into_iter().rev() {
            self.statement(right, connection, depth + 1, chain);
        }
    }

    fn pipeline(self, node: Node<'_>, connection: Connection, depth: usize, chain: &mut Chain) {
        let mut stages: Vec<Step> = Vec::new();
        let mut cursor = node.walk();
        for (place, child) in node.named_children(&mut cursor).enumerate() {
            let mut part = Chain::new();
            self.statement(child, Connection::Then, depth + 1, &mut part);
            let Some((_, last)) = part.pop() else { continue };
            // `cd x && make 2>&1 | tail`: a redirection takes the whole list with it in the
            // tree, but only the last command feeds the pipe.
            if place == 0 && child.kind() == "redirected_statement" && !part.is_empty() {
                if let Some(head) = part.first_mut() {
                    head.0 = connection;
                }
                chain.append(&mut part);
            }
            if part.is_empty() {
                stages.push(last);
            } else {
                part.push((Connection::Then, last));
                stages.push(Step::Group { chain: part, subshell: true, redirects: Vec::new() });
            }
        }
        chain.push((connection, Step::Pipe(stages)));
    }

    fn group(self, node: Node<'_>, subshell: bool, depth: usize) -> Step {
        Step::Group { chain: self.sequence(node, depth + 1), subshell, redirects: Vec::new() }
    }

    fn block(self, node: Node<'_>, depth: usize) -> Step {
        Step::Block { chain: self.sequence(node, depth + 1), redirects: Vec::new() }
    }

    fn redirected(self, node: Node<'_>, connection: Connection, depth: usize, chain: &mut Chain) {
        let start = chain.len();
        match node.child_by_field_name("body") {
            Some(body) => self.statement(body, connection, depth + 1, chain),
            None => chain.push((connection, Step::Simple(Simple::default()))),
        }
        let mut cursor = node.walk();
        for child in node.children_by_field_name("redirect", &mut cursor) {
            if chain.len() <= start {
                chain.push((connection, Step::Broken));
            }
            if child.kind() == "heredoc_redirect" {
                self.here_document(child, depth, chain);
            } else if let Some((_, last)) = chain.last_mut() {
                self.redirect(child, depth, last);
            }
        }
        if node.has_error() && has_own_error(node) {
            chain.push((Connection::Then, Step::Broken));
        }
    }

    /// A here-document holds, in the tree, the rest of the line it starts on: further
    /// redirections, a pipe, or `&& next`.
    fn here_document(self, node: Node<'_>, depth: usize, chain: &mut Chain) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let text = self.here_text(node, &children);
        let Some((_, last)) = chain.last_mut() else { return };
        attach(last, text);
        let mut next = Connection::And;
        let mut after: Vec<(Connection, Node<'_>)> = Vec::new();
        for child in children {
            match child.kind() {
                "&&" => next = Connection::And,
                "||" => next = Connection::Or,
                "file_redirect" | "herestring_redirect" => {
                    if let Some((_, last)) = chain.last_mut() {
                        self.redirect(child, depth, last);
                    }
                }
                "pipeline" => self.continue_pipe(child, depth, chain),
                "heredoc_start" | "heredoc_body" | "heredoc_end" | "file_descriptor" => {}
                "ERROR" => after.push((Connection::Then, child)),
                kind if child.is_named() && is_word(kind) => {
                    if let Some((_, last)) = chain.last_mut() {
                        self.add_word(child, depth, last);
                    }
                }
                _ if child.is_named() => after.push((next, child)),
                _ => {}
            }
        }
        for (connection, node) in after {
            self.statement(node, connection, depth + 1, chain);
        }
    }

    fn here_text(self, node: Node<'_>, children: &[Node<'_>]) -> Redirect {
        let find = |kind: &str| children.iter().find(|child| child.kind() == kind);
        let body = find("heredoc_body");
        let quoted = find("heredoc_start")
            .is_some_and(|start| text_of(*start, self.source).contains(['\'', '"', '\\']));
        let mut text = body.map_or("", |body| text_of(*body, self.source)).to_owned();
        if text_of(node, self.source).starts_with("<<-") {
            text = text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect();
        }
        let mut cursor = node.walk();
        let expands = body.is_some_and(|body| {
            body.named_children(&mut cursor).any(|child| child.kind() != "heredoc_content")
        });
        if !quoted {
            text = unescape(&text, "$`\\");
        }
        let ended = find("heredoc_end").is_some_and(|end| !end.is_missing());
        Redirect::Text { text, known: ended && !self.broken && (quoted || !expands) }
    }

    /// `cat <<EOF | first | second && next`.
    fn continue_pipe(self, node: Node<'_>, depth: usize, chain: &mut Chain) {
        let Some((connection, first)) = chain.pop() else { return };
        let mut rest = Chain::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.statement(child, Connection::Then, depth + 1, &mut rest);
        }
        let mut stages = vec![first];
        let mut following = Chain::new();
        for (connection, step) in rest {
            match step {
                Step::Pipe(inner) if following.is_empty() => stages.extend(inner),
                step if following.is_empty() && connection == Connection::Then => stages.push(step),
                step => following.push((connection, step)),
            }
        }
        chain.push((connection, Step::Pipe(stages)));
        chain.append(&mut following);
    }

    fn redirect(self, node: Node<'_>, depth: usize, step: &mut Step) {
        if node.kind() == "herestring_redirect" {
            let word = node.named_child(0).map(|child| Word::of(child, self.source));
            let word = word.unwrap_or_default();
            let text = word.text + "\n";
            return attach(step, Redirect::Text { text, known: !word.expands });
        }
        if node.kind() != "file_redirect" {
            return;
        }
        let descriptor =
            node.child_by_field_name("descriptor").map(|child| text_of(child, self.source));
        let (operator, targets) = redirection(node, self.source);
        let Some((first, extra)) = targets.split_first() else { return };
        let to = Word::of(*first, self.source);
        for node in extra {
            self.add_word(*node, depth, step);
        }
        let duplicate =
            operator.ends_with('&') && to.text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if duplicate || to.text.starts_with("/dev/") {
            if !duplicate && operator.starts_with('<') {
                attach(step, Redirect::Input(to));
            } else if !duplicate && descriptor != Some("2") && to.text == "/dev/null" {
                attach(step, Redirect::Output { to, append: true, errors_only: false });
            }
            return;
        }
        let redirect = match operator {
            "<" => Redirect::Input(to),
            operator => Redirect::Output {
                to,
                append: operator.contains(">>"),
                errors_only: descriptor == Some("2"),
            },
        };
        attach(step, redirect);
    }

    fn command(self, node: Node<'_>, depth: usize) -> Simple {
        let mut step = Step::Simple(Simple::default());
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "command_name" => {
                    if let Some(name) = child.child(0) {
                        self.add_word(name, depth, &mut step);
                    }
                }
                "variable_assignment" => {
                    let mut chains = self.substitutions(child, depth);
                    if let Step::Simple(simple) = &mut step {
                        simple.substitutions.append(&mut chains);
                    }
                }
                "file_redirect" | "herestring_redirect" => self.redirect(child, depth, &mut step),
                _ => self.add_word(child, depth, &mut step),
            }
        }
        match step {
            Step::Simple(simple) => simple,
            _ => Simple::default(),
        }
    }

    fn add_word(self, node: Node<'_>, depth: usize, step: &mut Step) {
        let word = Word::of(node, self.source);
        let mut chains = self.substitutions(node, depth);
        let mut target = step;
        while let Step::Pipe(stages) = target {
            let Some(last) = stages.last_mut() else { return };
            target = last;
        }
        if let Step::Simple(simple) = target {
            simple.words.push(word);
            simple.substitutions.append(&mut chains);
        }
    }

    /// What the `$( … )`, `` ` … ` `` and `<( … )` anywhere in `node` run.
    fn substitutions(self, node: Node<'_>, depth: usize) -> Vec<Chain> {
        let mut chains = Vec::new();
        // Most words are leaves.
        if node.named_child_count() == 0 {
            return chains;
        }
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if matches!(node.kind(), "command_substitution" | "process_substitution") {
                chains.push(if depth >= DEPTH_MAX {
                    vec![(Connection::Then, Step::Broken)]
                } else {
                    self.sequence(node, depth + 1)
                });
                continue;
            }
            let mut cursor = node.walk();
            waiting.extend(node.named_children(&mut cursor));
        }
        chains
    }
}

fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "number"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "concatenation"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
    )
}

fn has_own_error(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.is_error() || child.is_missing())
}

/// A redirection after a pipe is its last command's; after a group, the group's.
fn attach(step: &mut Step, redirect: Redirect) {
    match step {
        Step::Simple(simple) => simple.redirects.push(redirect),
        Step::Group { redirects, .. } | Step::Block { redirects, .. } => redirects.push(redirect),
        Step::Pipe(stages) => {
            // A here-document at a pipe's end was read with its last command.
            if let Some(last) = stages.last_mut() {
                attach(last, redirect);
            }
        }
        Step::Silent(_) => *step = Step::Broken,
        Step::Broken => {}
    }
}
