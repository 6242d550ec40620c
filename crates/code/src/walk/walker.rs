//! The cursor over the tree, and what is known where it stands.

use std::collections::HashSet;

use foveal_parser_runtime::{Node, Tree};

use super::row::{last_row, row};
use crate::bounds::{BLOCKS_MAX, STATEMENT_LINES_MAX};
use crate::entity::{Block, EntityIndex, Parsed, Visibility};
use crate::lines::LineRange;
use crate::spec::{Compiled, Role, Site};

/// Lines from which on the elements of a list count as statements.
const LIST_ROWS_MIN: u32 = 8;

/// Rows of comments or attributes that follow each other, and their first byte.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) byte: usize,
}

/// What stands directly above a node and belongs to it.
#[derive(Clone, Copy, Default)]
pub(super) struct Lead {
    pub(super) comment: Option<Run>,
    pub(super) attributes: Option<Run>,
}

impl Lead {
    pub(super) fn last(self) -> Option<u32> {
        self.comment.map(|run| run.last).max(self.attributes.map(|run| run.last))
    }

    pub(super) fn first(self) -> Option<u32> {
        [self.comment, self.attributes].into_iter().flatten().map(|run| run.first).min()
    }

    /// What of it touches a node that begins on `row`.
    pub(super) fn above(self, row: u32) -> Self {
        if self.last().is_some_and(|last| last.saturating_add(1) >= row) {
            self
        } else {
            Self::default()
        }
    }
}

/// The children of one node, while they are walked.
#[derive(Default)]
pub(super) struct Frame {
    /// Kind of the node they are in.
    pub(super) parent: &'static str,
    /// The innermost entity they are in.
    pub(super) entity: Option<EntityIndex>,
    /// They are statements.
    pub(super) statements: bool,
    /// How many statements of the entity they are in.
    pub(super) depth: u16,
    /// What stands above the next of them.
    pub(super) lead: Lead,
    /// Row and byte where a node around a definition begins, its attributes aside.
    pub(super) header: Option<(u32, usize)>,
    /// They stand in a node around a definition.
    pub(super) wrapped: bool,
    pub(super) exported: bool,
    /// What was last said among them about who may use what follows.
    pub(super) access: Option<Visibility>,
    /// All names in them are types.
    pub(super) types: bool,
    /// A named one came before.
    pub(super) begun: bool,
    /// The statement that came before, as a place in `Parsed::blocks`.
    pub(super) block: Option<usize>,
    /// The statement that was made of the node around a definition.
    pub(super) wrap_block: Option<usize>,
    /// The import block that came directly before.
    pub(super) imports: Option<EntityIndex>,
}

pub(super) struct Walker<'a> {
    pub(super) compiled: &'static Compiled,
    pub(super) text: &'a str,
    pub(super) in_test_file: bool,
    pub(super) parsed: &'a mut Parsed,
    pub(super) frames: Vec<Frame>,
    /// First bytes of names being defined, which are no uses.
    pub(super) names: Vec<usize>,
    /// The comment that the file begins with.
    pub(super) head: Option<Run>,
    /// Statements and definitions of many lines.
    pub(super) long: Vec<Node<'a>>,
    /// Names that the file exports elsewhere than where it defines them.
    pub(super) exports: HashSet<&'a str>,
}

impl<'a> Walker<'a> {
    pub(super) fn run(&mut self, tree: &'a Tree) {
        let mut cursor = tree.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let descend = self.visit(cursor.node());
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

    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a node is visited only inside a frame")
    }

    /// Takes in one node; the frame for what is in it, if that is to be walked.
    pub(super) fn visit(&mut self, node: Node<'a>) -> Option<Frame> {
        if !node.is_named() {
            self.note_header(node);
            return None;
        }
        let mut role = self.compiled.role(node.kind_id());
        if let Role::Ask(ask) = role {
            role = ask(&self.site(node));
        }
        match role {
            Role::Comment => {
                self.comment(node);
                return None;
            }
            Role::Attribute => {
                self.attribute(node);
                return Some(self.inner(node));
            }
            _ => {}
        }
        self.note_header(node);
        let is_import = matches!(role, Role::Import);
        let frame = self.frame();
        frame.begun = true;
        // A comment above `const (` belongs to the first constant, some rows below.
        let first = frame.header.map_or(row(node), |(first, _)| first.min(row(node)));
        let lead = std::mem::take(&mut frame.lead).above(first);
        if !is_import {
            frame.imports = None;
        }
        self.dispatch(node, role, lead)
    }

    pub(super) fn dispatch(&mut self, node: Node<'a>, role: Role, lead: Lead) -> Option<Frame> {
        match role {
            Role::Comment | Role::Attribute | Role::Ask(_) => None,
            Role::Skip => {
                self.statement(node, lead);
                None
            }
            Role::Prose => {
                self.prose(node);
                None
            }
            Role::Access(access) => {
                if let Some(visibility) = access(&self.site(node)) {
                    self.frame().access = Some(visibility);
                }
                None
            }
            Role::Import => {
                self.import(node, lead);
                None
            }
            Role::Doc => {
                self.docstring(node);
                None
            }
            Role::Name | Role::TypeName | Role::CallName => {
                self.mention(node, role);
                None
            }
            Role::Define(kind, namer) => self.define(node, kind, namer, lead),
            Role::Bind(..) if self.site(node).in_statements() => self.plain(node, lead),
            Role::Bind(kind, namer) => self.define(node, kind, namer, lead),
            Role::Wrap => {
                let block = self.statement(node, lead);
                let exported = node.kind().starts_with("export");
                let outer = self.frame().exported;
                let mut frame = self.inner(node);
                frame.lead = lead;
                frame.wrapped = true;
                frame.exported = exported || outer;
                frame.access = self.frame().access;
                frame.wrap_block = block;
                let outer = self.frame();
                if outer.wrapped {
                    frame.header = outer.header.take();
                    frame.wrap_block = frame.wrap_block.or(outer.wrap_block.take());
                }
                Some(frame)
            }
            Role::Body | Role::Items | Role::Modifiers | Role::TypeScope | Role::Plain => {
                let mut frame = self.plain(node, lead)?;
                let rows = last_row(node).saturating_sub(row(node));
                frame.statements = match role {
                    Role::Body => rows > 0 || self.begins_line(node),
                    Role::Items => rows >= LIST_ROWS_MIN,
                    _ => false,
                };
                frame.types |= matches!(role, Role::TypeScope);
                Some(frame)
            }
        }
    }

    pub(super) fn plain(&mut self, node: Node<'a>, lead: Lead) -> Option<Frame> {
        let block = self.statement(node, lead);
        if node.child_count() == 0 {
            return None;
        }
        let mut frame = self.inner(node);
        if block.is_none() {
            frame.lead = lead;
        }
        Some(frame)
    }

    /// A frame for what is in `node`.
    pub(super) fn inner(&mut self, node: Node<'_>) -> Frame {
        let parent = self.compiled.kind(node.kind_id());
        let outer = self.frame();
        Frame {
            parent,
            entity: outer.entity,
            depth: outer.depth.saturating_add(u16::from(outer.statements)),
            types: outer.types,
            ..Frame::default()
        }
    }

    pub(super) fn site(&self, node: Node<'a>) -> Site<'a> {
        let frame = self.frames.last();
        let container = frame.and_then(|frame| frame.entity);
        Site {
            node,
            text: self.text,
            parent: frame.map_or("", |frame| frame.parent),
            container: container.map(|at| self.parsed.entities[at.get()].kind),
            is_first: frame.is_none_or(|frame| !frame.begun),
        }
    }

    /// Whether nothing but white space stands before `node` on its line.
    pub(super) fn begins_line(&self, node: Node<'_>) -> bool {
        let before = self.text[..node.start_byte()].bytes().rev();
        before.take_while(|byte| *byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    }

    /// Records a child of a body as a statement.
    pub(super) fn statement(&mut self, node: Node<'a>, lead: Lead) -> Option<usize> {
        let first = lead.first().unwrap_or_else(|| row(node));
        let lines = LineRange::of_rows(first, last_row(node));
        let frame = self.frames.last_mut().filter(|frame| frame.statements)?;
        if lines.count() > STATEMENT_LINES_MAX {
            self.long.push(node);
        }
        if let Some(at) = frame.block {
            let before = &mut self.parsed.blocks[at];
            if before.lines.last >= lines.first {
                before.lines.last = before.lines.last.max(lines.last);
                return Some(at);
            }
        }
        if self.parsed.blocks.len() >= BLOCKS_MAX {
            self.parsed.cut = true;
            return None;
        }
        let block = Block { lines, inside: frame.entity, depth: frame.depth };
        frame.block = Some(self.parsed.blocks.len());
        self.parsed.blocks.push(block);
        frame.block
    }
}
