//! The cursor over the tree and the state of the walk.

use std::collections::HashSet;

use foveal_parser_runtime::{Node, Tree};

use super::node_rows::{first_row, last_row};
use crate::entity::{EntityIndex, ParsedFile, SourceStatement, Visibility};
use crate::language_spec::{CompiledLanguageSpec, NodeContext, NodeRole};
use crate::line_range::LineRange;
use crate::parse_limits::{STATEMENT_LINES_MAX, STATEMENTS_MAX};

/// The least number of lines at which the elements of a list count as statements.
const LIST_ROWS_MIN: u32 = 8;

/// Adjacent rows of comments or attributes, and the offset of their first byte.
#[derive(Clone, Copy)]
pub(super) struct TriviaRun {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) byte: usize,
}

/// The comments and attributes directly above a node.
#[derive(Clone, Copy, Default)]
pub(super) struct LeadingTrivia {
    pub(super) comment: Option<TriviaRun>,
    pub(super) attributes: Option<TriviaRun>,
}

impl LeadingTrivia {
    pub(super) fn last_row(self) -> Option<u32> {
        self.comment.map(|run| run.last).max(self.attributes.map(|run| run.last))
    }

    pub(super) fn first_row(self) -> Option<u32> {
        [self.comment, self.attributes].into_iter().flatten().map(|run| run.first).min()
    }

    /// Returns the trivia if they touch a node that begins on `row`, else none.
    pub(super) fn adjacent_to(self, row: u32) -> Self {
        if self.last_row().is_some_and(|last| last.saturating_add(1) >= row) {
            self
        } else {
            Self::default()
        }
    }
}

/// The state of the walk over the children of one node.
#[derive(Default)]
pub(super) struct WalkFrame {
    /// The kind of the node.
    pub(super) parent: &'static str,
    /// The innermost entity around the children.
    pub(super) entity: Option<EntityIndex>,
    /// Whether the children are statements.
    pub(super) has_statements: bool,
    /// The number of statements of the entity around the children.
    pub(super) depth: u16,
    /// The trivia above the next child.
    pub(super) trivia: LeadingTrivia,
    /// The row and byte where the node around a definition begins, after its attributes.
    pub(super) header: Option<(u32, usize)>,
    /// Whether the node wraps a definition.
    pub(super) is_wrapper: bool,
    pub(super) exported: bool,
    /// The visibility that the last access modifier sets for the following children.
    pub(super) access: Option<Visibility>,
    /// Whether all names in the children are types.
    pub(super) in_type: bool,
    /// Whether a named child came before.
    pub(super) has_named_child: bool,
    /// The previous statement, as an index into `ParsedFile::blocks`.
    pub(super) last_block: Option<usize>,
    /// The statement that was recorded for the node around a definition.
    pub(super) wrapper_block: Option<usize>,
    /// The import block that came directly before.
    pub(super) last_imports: Option<EntityIndex>,
}

pub(super) struct TreeWalker<'a> {
    pub(super) compiled: &'static CompiledLanguageSpec,
    pub(super) text: &'a str,
    pub(super) in_test_file: bool,
    pub(super) parsed: &'a mut ParsedFile,
    pub(super) frames: Vec<WalkFrame>,
    /// The first bytes of the names of definitions, which are no uses.
    pub(super) definition_names: Vec<usize>,
    /// The comment at the top of the file.
    pub(super) file_comment: Option<TriviaRun>,
    /// Statements and definitions of many lines.
    pub(super) long_nodes: Vec<Node<'a>>,
    /// Names that the file exports away from their definitions.
    pub(super) exports: HashSet<&'a str>,
}

impl<'a> TreeWalker<'a> {
    pub(super) fn walk_children(&mut self, tree: &'a Tree) {
        let mut cursor = tree.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let descend = self.visit_node(cursor.node());
            if let Some(frame) = descend
                && cursor.goto_first_child()
            {
                self.frames.push(frame);
                continue;
            }
            while !cursor.goto_next_sibling() {
                self.frames.pop();
                if !cursor.goto_parent() || self.frames.is_empty() {
                    return;
                }
            }
        }
    }

    pub(super) fn current_frame(&mut self) -> &mut WalkFrame {
        self.frames.last_mut().expect("a node is visited only inside a frame")
    }

    /// Visits one node, and returns the frame for its children if they are to be walked.
    pub(super) fn visit_node(&mut self, node: Node<'a>) -> Option<WalkFrame> {
        if !node.is_named() {
            self.record_header(node);
            return None;
        }
        let mut role = self.compiled.kind_role(node.kind_id());
        if let NodeRole::Contextual(ask) = role {
            role = ask(&self.node_site(node));
        }
        match role {
            NodeRole::Comment => {
                self.record_comment(node);
                return None;
            }
            NodeRole::Attribute => {
                self.record_attribute(node);
                return Some(self.child_frame(node));
            }
            _ => {}
        }
        self.record_header(node);
        let is_import = matches!(role, NodeRole::Import);
        let frame = self.current_frame();
        frame.has_named_child = true;
        // A comment above `const (` belongs to the first constant, some rows below.
        let first = frame.header.map_or(first_row(node), |(first, _)| first.min(first_row(node)));
        let lead = std::mem::take(&mut frame.trivia).adjacent_to(first);
        if !is_import {
            frame.last_imports = None;
        }
        self.visit_role(node, role, lead)
    }

    pub(super) fn visit_role(
        &mut self,
        node: Node<'a>,
        role: NodeRole,
        lead: LeadingTrivia,
    ) -> Option<WalkFrame> {
        match role {
            NodeRole::Comment | NodeRole::Attribute | NodeRole::Contextual(_) => None,
            NodeRole::Skip => {
                self.record_statement(node, lead);
                None
            }
            NodeRole::Prose => {
                self.record_prose(node);
                None
            }
            NodeRole::AccessLabel(access) => {
                if let Some(visibility) = access(&self.node_site(node)) {
                    self.current_frame().access = Some(visibility);
                }
                None
            }
            NodeRole::Import => {
                self.record_import(node, lead);
                None
            }
            NodeRole::Doc => {
                self.record_docstring(node);
                None
            }
            NodeRole::Name | NodeRole::TypeName | NodeRole::CallName => {
                self.record_mention(node, role);
                None
            }
            NodeRole::Define(kind, namer) => self.record_definition(node, kind, namer, lead),
            NodeRole::Bind(..) if self.node_site(node).is_in_statements() => {
                self.visit_plain_node(node, lead)
            }
            NodeRole::Bind(kind, namer) => self.record_definition(node, kind, namer, lead),
            NodeRole::Wrapper => {
                let block = self.record_statement(node, lead);
                let exported = node.kind().starts_with("export");
                let outer = self.current_frame().exported;
                let mut frame = self.child_frame(node);
                frame.trivia = lead;
                frame.is_wrapper = true;
                frame.exported = exported || outer;
                frame.access = self.current_frame().access;
                frame.wrapper_block = block;
                let outer = self.current_frame();
                if outer.is_wrapper {
                    frame.header = outer.header.take();
                    frame.wrapper_block = frame.wrapper_block.or(outer.wrapper_block.take());
                }
                Some(frame)
            }
            NodeRole::Body
            | NodeRole::Items
            | NodeRole::Modifiers
            | NodeRole::TypeScope
            | NodeRole::Plain => {
                let mut frame = self.visit_plain_node(node, lead)?;
                let rows = last_row(node).saturating_sub(first_row(node));
                frame.has_statements = match role {
                    NodeRole::Body => rows > 0 || self.has_blank_prefix(node),
                    NodeRole::Items => rows >= LIST_ROWS_MIN,
                    _ => false,
                };
                frame.in_type |= matches!(role, NodeRole::TypeScope);
                Some(frame)
            }
        }
    }

    pub(super) fn visit_plain_node(
        &mut self,
        node: Node<'a>,
        lead: LeadingTrivia,
    ) -> Option<WalkFrame> {
        let block = self.record_statement(node, lead);
        if node.child_count() == 0 {
            return None;
        }
        let mut frame = self.child_frame(node);
        if block.is_none() {
            frame.trivia = lead;
        }
        Some(frame)
    }

    /// Returns a frame for the children of `node`.
    pub(super) fn child_frame(&mut self, node: Node<'_>) -> WalkFrame {
        let parent = self.compiled.kind_name(node.kind_id());
        let outer = self.current_frame();
        WalkFrame {
            parent,
            entity: outer.entity,
            depth: outer.depth.saturating_add(u16::from(outer.has_statements)),
            in_type: outer.in_type,
            ..WalkFrame::default()
        }
    }

    pub(super) fn node_site(&self, node: Node<'a>) -> NodeContext<'a> {
        let frame = self.frames.last();
        let container = frame.and_then(|frame| frame.entity);
        NodeContext {
            node,
            text: self.text,
            parent_kind: frame.map_or("", |frame| frame.parent),
            container: container.map(|at| self.parsed.entities[at.as_usize()].kind),
            is_first: frame.is_none_or(|frame| !frame.has_named_child),
        }
    }

    /// Returns whether only white space precedes `node` on its line.
    pub(super) fn has_blank_prefix(&self, node: Node<'_>) -> bool {
        let before = self.text[..node.start_byte()].bytes().rev();
        before.take_while(|byte| *byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    }

    /// Records a child of a body as a statement.
    pub(super) fn record_statement(
        &mut self,
        node: Node<'a>,
        lead: LeadingTrivia,
    ) -> Option<usize> {
        let first = lead.first_row().unwrap_or_else(|| first_row(node));
        let lines = LineRange::from_rows(first, last_row(node));
        let frame = self.frames.last_mut().filter(|frame| frame.has_statements)?;
        if lines.line_count() > STATEMENT_LINES_MAX {
            self.long_nodes.push(node);
        }
        if let Some(at) = frame.last_block {
            let before = &mut self.parsed.blocks[at];
            if before.lines.last >= lines.first {
                before.lines.last = before.lines.last.max(lines.last);
                return Some(at);
            }
        }
        if self.parsed.blocks.len() >= STATEMENTS_MAX {
            self.parsed.cut = true;
            return None;
        }
        let block = SourceStatement { lines, inside: frame.entity, depth: frame.depth };
        frame.last_block = Some(self.parsed.blocks.len());
        self.parsed.blocks.push(block);
        frame.last_block
    }
}
