//! The conversion of the syntax tree to typed commands.

use foveal_parser_runtime::Node;

use super::command_tree::{ChainOperator, CommandChain, CommandStep, Redirect, SimpleCommand};
use super::shell_word::{ShellWord, unescape};
use super::syntax::{ParsedScript, node_text, split_redirection};

/// The deepest nesting of groups and substitutions.
const DEPTH_MAX: usize = 24;

/// Returns the steps of a command line.
pub(super) fn build_chain(parsed: &ParsedScript<'_>) -> CommandChain {
    let root = parsed.root();
    ChainBuilder { source: parsed.source, broken: root.has_error() }.sequence(root, 0)
}

#[derive(Clone, Copy)]
struct ChainBuilder<'a> {
    source: &'a str,
    /// Whether a part could not be parsed: the end of a here-document may then be a guess.
    broken: bool,
}

impl ChainBuilder<'_> {
    /// Builds the chain of the statements among `node`'s children.
    fn sequence(self, node: Node<'_>, depth: usize) -> CommandChain {
        let mut chain = CommandChain::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.is_named() || child.is_error() || child.is_missing() {
                self.add_statement(child, ChainOperator::Then, depth, &mut chain);
            }
        }
        chain
    }

    fn add_statement(
        self,
        node: Node<'_>,
        connection: ChainOperator,
        depth: usize,
        chain: &mut CommandChain,
    ) {
        if depth > DEPTH_MAX {
            chain.push((connection, CommandStep::Broken));
            return;
        }
        let step = match node.kind() {
            "comment" | "heredoc_body" | "heredoc_end" => return,
            "command" => CommandStep::Simple(self.build_simple_command(node, depth)),
            "list" => return self.add_list(node, connection, depth, chain),
            "pipeline" => return self.add_pipeline(node, connection, depth, chain),
            "redirected_statement" => {
                return self.add_redirected_statement(node, connection, depth, chain);
            }
            "subshell" => self.build_group(node, true, depth),
            "compound_statement" => self.build_group(node, false, depth),
            "negated_command" => self.build_block(node, depth),
            "for_statement"
            | "c_style_for_statement"
            | "while_statement"
            | "if_statement"
            | "case_statement" => self.build_block(node, depth),
            "do_group" | "elif_clause" | "else_clause" | "case_item" => {
                self.build_block(node, depth)
            }
            "variable_assignment"
            | "variable_assignments"
            | "declaration_command"
            | "test_command"
            | "unset_command" => CommandStep::Silent(self.substitutions(node, depth)),
            // Parts of loops and branches that are not statements.
            "variable_name" | "word" | "number" | "string" | "raw_string" | "concatenation"
            | "simple_expansion" | "expansion" | "brace_expression" | "binary_expression"
            | "unary_expression" | "postfix_expression" | "extglob_pattern" => {
                CommandStep::Silent(self.substitutions(node, depth))
            }
            "command_substitution" | "process_substitution" => {
                CommandStep::Silent(vec![self.sequence(node, depth + 1)])
            }
            _ => CommandStep::Broken,
        };
        chain.push((connection, step));
    }

    /// Adds `a && b || c`. The tree leans left and can be as deep as the line is long.
    fn add_list(
        self,
        node: Node<'_>,
        connection: ChainOperator,
        depth: usize,
        chain: &mut CommandChain,
    ) {
        let mut rights = Vec::new();
        let mut first = node;
        while first.kind() == "list" && !first.is_error() {
            let Some(left) = first.child(0) else { break };
            let mut cursor = first.walk();
            let mut following = Vec::new();
            let mut next = ChainOperator::And;
            for child in first.children(&mut cursor).skip(1) {
                match child.kind() {
                    "&&" => next = ChainOperator::And,
                    "||" => next = ChainOperator::Or,
                    _ if child.is_named() => following.push((next, child)),
                    _ => {}
                }
            }
            rights.extend(following.into_iter().rev());
            first = left;
        }
        self.add_statement(first, connection, depth + 1, chain);
        for (connection, right) in rights.into_iter().rev() {
            self.add_statement(right, connection, depth + 1, chain);
        }
    }

    fn add_pipeline(
        self,
        node: Node<'_>,
        connection: ChainOperator,
        depth: usize,
        chain: &mut CommandChain,
    ) {
        let mut stages: Vec<CommandStep> = Vec::new();
        let mut cursor = node.walk();
        for (place, child) in node.named_children(&mut cursor).enumerate() {
            let mut part = CommandChain::new();
            self.add_statement(child, ChainOperator::Then, depth + 1, &mut part);
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
                part.push((ChainOperator::Then, last));
                stages.push(CommandStep::Group {
                    chain: part,
                    subshell: true,
                    redirects: Vec::new(),
                });
            }
        }
        chain.push((connection, CommandStep::Pipe(stages)));
    }

    fn build_group(self, node: Node<'_>, subshell: bool, depth: usize) -> CommandStep {
        CommandStep::Group {
            chain: self.sequence(node, depth + 1),
            subshell,
            redirects: Vec::new(),
        }
    }

    fn build_block(self, node: Node<'_>, depth: usize) -> CommandStep {
        CommandStep::Block { chain: self.sequence(node, depth + 1), redirects: Vec::new() }
    }

    fn add_redirected_statement(
        self,
        node: Node<'_>,
        connection: ChainOperator,
        depth: usize,
        chain: &mut CommandChain,
    ) {
        let start = chain.len();
        match node.child_by_field_name("body") {
            Some(body) => self.add_statement(body, connection, depth + 1, chain),
            None => chain.push((connection, CommandStep::Simple(SimpleCommand::default()))),
        }
        let mut cursor = node.walk();
        for child in node.children_by_field_name("redirect", &mut cursor) {
            if chain.len() <= start {
                chain.push((connection, CommandStep::Broken));
            }
            if child.kind() == "heredoc_redirect" {
                self.add_here_document(child, depth, chain);
            } else if let Some((_, last)) = chain.last_mut() {
                self.add_redirect(child, depth, last);
            }
        }
        if node.has_error() && has_own_error(node) {
            chain.push((ChainOperator::Then, CommandStep::Broken));
        }
    }

    /// Adds a here-document, whose node holds the rest of the line it starts on: further
    /// redirections, a pipe, or `&& next`.
    fn add_here_document(self, node: Node<'_>, depth: usize, chain: &mut CommandChain) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let text = self.here_document_text(node, &children);
        let Some((_, last)) = chain.last_mut() else { return };
        attach_redirect(last, text);
        let mut next = ChainOperator::And;
        let mut after: Vec<(ChainOperator, Node<'_>)> = Vec::new();
        for child in children {
            match child.kind() {
                "&&" => next = ChainOperator::And,
                "||" => next = ChainOperator::Or,
                "file_redirect" | "herestring_redirect" => {
                    if let Some((_, last)) = chain.last_mut() {
                        self.add_redirect(child, depth, last);
                    }
                }
                "pipeline" => self.continue_pipeline(child, depth, chain),
                "heredoc_start" | "heredoc_body" | "heredoc_end" | "file_descriptor" => {}
                "ERROR" => after.push((ChainOperator::Then, child)),
                kind if child.is_named() && is_word_kind(kind) => {
                    if let Some((_, last)) = chain.last_mut() {
                        self.add_word(child, depth, last);
                    }
                }
                _ if child.is_named() => after.push((next, child)),
                _ => {}
            }
        }
        for (connection, node) in after {
            self.add_statement(node, connection, depth + 1, chain);
        }
    }

    fn here_document_text(self, node: Node<'_>, children: &[Node<'_>]) -> Redirect {
        let find = |kind: &str| children.iter().find(|child| child.kind() == kind);
        let body = find("heredoc_body");
        let quoted = find("heredoc_start")
            .is_some_and(|start| node_text(*start, self.source).contains(['\'', '"', '\\']));
        let mut text = body.map_or("", |body| node_text(*body, self.source)).to_owned();
        if node_text(node, self.source).starts_with("<<-") {
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

    /// Adds the pipe after a here-document: `cat <<EOF | first | second && next`.
    fn continue_pipeline(self, node: Node<'_>, depth: usize, chain: &mut CommandChain) {
        let Some((connection, first)) = chain.pop() else { return };
        let mut rest = CommandChain::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.add_statement(child, ChainOperator::Then, depth + 1, &mut rest);
        }
        let mut stages = vec![first];
        let mut following = CommandChain::new();
        for (connection, step) in rest {
            match step {
                CommandStep::Pipe(inner) if following.is_empty() => stages.extend(inner),
                step if following.is_empty() && connection == ChainOperator::Then => {
                    stages.push(step);
                }
                step => following.push((connection, step)),
            }
        }
        chain.push((connection, CommandStep::Pipe(stages)));
        chain.append(&mut following);
    }

    fn add_redirect(self, node: Node<'_>, depth: usize, step: &mut CommandStep) {
        if node.kind() == "herestring_redirect" {
            let word = node.named_child(0).map(|child| ShellWord::from_node(child, self.source));
            let word = word.unwrap_or_default();
            let text = word.text + "\n";
            return attach_redirect(step, Redirect::Text { text, known: !word.expands });
        }
        if node.kind() != "file_redirect" {
            return;
        }
        let descriptor =
            node.child_by_field_name("descriptor").map(|child| node_text(child, self.source));
        let (operator, targets) = split_redirection(node, self.source);
        let Some((first, extra)) = targets.split_first() else { return };
        let to = ShellWord::from_node(*first, self.source);
        for node in extra {
            self.add_word(*node, depth, step);
        }
        let duplicate =
            operator.ends_with('&') && to.text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if duplicate || to.text.starts_with("/dev/") {
            if !duplicate && operator.starts_with('<') {
                attach_redirect(step, Redirect::Input(to));
            } else if !duplicate && descriptor != Some("2") && to.text == "/dev/null" {
                attach_redirect(step, Redirect::Output { to, append: true, errors_only: false });
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
        attach_redirect(step, redirect);
    }

    fn build_simple_command(self, node: Node<'_>, depth: usize) -> SimpleCommand {
        let mut step = CommandStep::Simple(SimpleCommand::default());
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
                    if let CommandStep::Simple(simple) = &mut step {
                        simple.substitutions.append(&mut chains);
                    }
                }
                "file_redirect" | "herestring_redirect" => {
                    self.add_redirect(child, depth, &mut step);
                }
                _ => self.add_word(child, depth, &mut step),
            }
        }
        match step {
            CommandStep::Simple(simple) => simple,
            _ => SimpleCommand::default(),
        }
    }

    fn add_word(self, node: Node<'_>, depth: usize, step: &mut CommandStep) {
        let word = ShellWord::from_node(node, self.source);
        let mut chains = self.substitutions(node, depth);
        let mut target = step;
        while let CommandStep::Pipe(stages) = target {
            let Some(last) = stages.last_mut() else { return };
            target = last;
        }
        if let CommandStep::Simple(simple) = target {
            simple.words.push(word);
            simple.substitutions.append(&mut chains);
        }
    }

    /// Returns the commands of each `$( … )`, `` ` … ` `` and `<( … )` in `node`.
    fn substitutions(self, node: Node<'_>, depth: usize) -> Vec<CommandChain> {
        let mut chains = Vec::new();
        // Most words are leaves.
        if node.named_child_count() == 0 {
            return chains;
        }
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if matches!(node.kind(), "command_substitution" | "process_substitution") {
                chains.push(if depth >= DEPTH_MAX {
                    vec![(ChainOperator::Then, CommandStep::Broken)]
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

fn is_word_kind(kind: &str) -> bool {
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

/// Attaches a redirection: after a pipe, to its last command; after a group, to the group.
fn attach_redirect(step: &mut CommandStep, redirect: Redirect) {
    match step {
        CommandStep::Simple(simple) => simple.redirects.push(redirect),
        CommandStep::Group { redirects, .. } | CommandStep::Block { redirects, .. } => {
            redirects.push(redirect);
        }
        CommandStep::Pipe(stages) => {
            // A here-document at the end of a pipe was parsed with its last command.
            if let Some(last) = stages.last_mut() {
                attach_redirect(last, redirect);
            }
        }
        CommandStep::Silent(_) => *step = CommandStep::Broken,
        CommandStep::Broken => {}
    }
}
