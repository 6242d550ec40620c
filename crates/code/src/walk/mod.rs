//! One pass over a syntax tree that collects entities, statements, names and imports.
//!
//! The tree is walked with a cursor and a stack of our own, so that its depth is bounded by
//! memory only. What stands beside each other shares a [`Frame`].

mod definition;
mod mention;

use std::collections::HashSet;

use tree_sitter::{Node, Tree};

use crate::entity::{
    Block, Entity, EntityIndex, EntityKind, Import, ImportedName, Parsed, Visibility,
};
use crate::language::Language;
use crate::lines::LineRange;
use crate::parse::{BLOCKS_MAX, IMPORTS_MAX};
use crate::spec::{Compiled, Role, Site, split_alias};
use foveal_transcript::LineNumber;

/// Lines from which on the elements of a list count as statements.
const LIST_ROWS_MIN: u32 = 8;

/// Fills `parsed` from the syntax tree of `text`.
pub(crate) fn walk<'a>(
    language: Language,
    tree: &'a Tree,
    path: &str,
    text: &'a str,
    parsed: &'a mut Parsed,
) {
    parsed.broken = tree.root_node().has_error();
    let mut walker = Walker {
        compiled: language.compiled(),
        text,
        in_test_file: is_test_path(path),
        parsed,
        frames: Vec::new(),
        names: Vec::new(),
        head: None,
        exports: (language.compiled().spec.exports)(text).into_iter().collect(),
    };
    walker.frames.push(Frame { statements: true, ..Frame::default() });
    walker.run(tree);
    walker.keep_head();
}

/// Rows of comments or attributes that follow each other, and their first byte.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    last: u32,
    byte: usize,
}

/// What stands directly above a node and belongs to it.
#[derive(Clone, Copy, Default)]
struct Lead {
    comment: Option<Run>,
    attributes: Option<Run>,
}

impl Lead {
    fn last(self) -> Option<u32> {
        self.comment.map(|run| run.last).max(self.attributes.map(|run| run.last))
    }

    fn first(self) -> Option<u32> {
        [self.comment, self.attributes].into_iter().flatten().map(|run| run.first).min()
    }

    /// What of it touches a node that begins on `row`.
    fn above(self, row: u32) -> Self {
        if self.last().is_some_and(|last| last.saturating_add(1) >= row) {
            self
        } else {
            Self::default()
        }
    }
}

/// The children of one node, while they are walked.
#[derive(Default)]
struct Frame {
    /// Kind of the node they are in.
    parent: &'static str,
    /// The innermost entity they are in.
    entity: Option<EntityIndex>,
    /// They are statements.
    statements: bool,
    /// How many statements of the entity they are in.
    depth: u16,
    /// What stands above the next of them.
    lead: Lead,
    /// Row and byte where a node around a definition begins, its attributes aside.
    header: Option<(u32, usize)>,
    /// They stand in a node around a definition.
    wrapped: bool,
    exported: bool,
    /// What was last said among them about who may use what follows.
    access: Option<Visibility>,
    /// All names in them are types.
    types: bool,
    /// A named one came before.
    begun: bool,
    /// The statement that came before, as a place in `Parsed::blocks`.
    block: Option<usize>,
    /// The statement that was made of the node around a definition.
    wrap_block: Option<usize>,
    /// The import block that came directly before.
    imports: Option<EntityIndex>,
}

struct Walker<'a> {
    compiled: &'static Compiled,
    text: &'a str,
    in_test_file: bool,
    parsed: &'a mut Parsed,
    frames: Vec<Frame>,
    /// First bytes of names being defined, which are no uses.
    names: Vec<usize>,
    /// The comment that the file begins with.
    head: Option<Run>,
    /// Names that the file exports elsewhere than where it defines them.
    exports: HashSet<&'a str>,
}

impl<'a> Walker<'a> {
    fn run(&mut self, tree: &'a Tree) {
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

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a node is visited only inside a frame")
    }

    /// Takes in one node; the frame for what is in it, if that is to be walked.
    fn visit(&mut self, node: Node<'a>) -> Option<Frame> {
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

    fn dispatch(&mut self, node: Node<'a>, role: Role, lead: Lead) -> Option<Frame> {
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

    fn plain(&mut self, node: Node<'a>, lead: Lead) -> Option<Frame> {
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
    fn inner(&mut self, node: Node<'_>) -> Frame {
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

    fn site(&self, node: Node<'a>) -> Site<'a> {
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

    /// The header of a definition begins with the first node around it that is no attribute.
    fn note_header(&mut self, node: Node<'_>) {
        let frame = self.frame();
        if frame.wrapped && frame.header.is_none() && !frame.begun {
            frame.header = Some((row(node), node.start_byte()));
        }
    }

    fn comment(&mut self, node: Node<'_>) {
        let (first, last) = (row(node), last_row(node));
        if !self.begins_line(node) {
            return;
        }
        let is_head = self.frames.len() == 1 && self.parsed.entities.is_empty();
        let frame = self.frame();
        let run = match frame.lead.comment {
            Some(run) if run.last.saturating_add(1) >= first => Run { last, ..run },
            _ => Run { first, last, byte: node.start_byte() },
        };
        frame.lead = Lead { comment: Some(run), attributes: frame.lead.above(first).attributes };
        if is_head && !frame.begun && self.head.is_none_or(|head| head.first == run.first) {
            self.head = Some(run);
        }
    }

    /// Whether nothing but white space stands before `node` on its line.
    fn begins_line(&self, node: Node<'_>) -> bool {
        let before = self.text[..node.start_byte()].bytes().rev();
        before.take_while(|byte| *byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    }

    fn attribute(&mut self, node: Node<'_>) {
        let (first, last) = (row(node), last_row(node));
        let frame = self.frame();
        frame.imports = None;
        frame.lead = frame.lead.above(first);
        let run = frame.lead.attributes.unwrap_or(Run { first, last, byte: node.start_byte() });
        frame.lead.attributes = Some(Run { last: run.last.max(last), ..run });
    }

    /// Records a child of a body as a statement.
    fn statement(&mut self, node: Node<'_>, lead: Lead) -> Option<usize> {
        let first = lead.first().unwrap_or_else(|| row(node));
        let lines = LineRange::of_rows(first, last_row(node));
        let frame = self.frames.last_mut().filter(|frame| frame.statements)?;
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

    fn docstring(&mut self, node: Node<'_>) {
        let lines = LineRange::of_rows(row(node), last_row(node));
        match self.frame().entity {
            Some(at) => self.parsed.entities[at.get()].doc = Some(lines),
            None => self.parsed.doc = Some(lines),
        }
    }

    fn import(&mut self, node: Node<'_>, lead: Lead) {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let (mut down, mut rest) = (0, text);
        for (module, names) in (self.compiled.spec.imports)(text) {
            let (module, alias) = split_alias(&module);
            // A module stands on the line where its name is found after the one before it.
            if let Some(at) = rest.find(module) {
                down += rest[..at].bytes().filter(|byte| *byte == b'\n').count();
                rest = &rest[at..];
            }
            let down = u32::try_from(down).unwrap_or(0);
            let line = LineNumber(row(node).saturating_add(down).saturating_add(1));
            if self.parsed.imports.len() >= IMPORTS_MAX {
                self.parsed.cut = true;
                break;
            }
            let named = |name: &String| {
                let (name, alias) = split_alias(name);
                ImportedName { name: name.into(), alias: alias.map(Into::into) }
            };
            let names = names.iter().map(named).collect();
            let alias = alias.map(Into::into);
            self.parsed.imports.push(Import { module: module.into(), alias, names, line });
        }
        let first = lead.attributes.map_or_else(|| row(node), |run| run.first);
        let lines = LineRange::of_rows(first, last_row(node));
        if let Some(at) = self.frame().imports {
            let entity = &mut self.parsed.entities[at.get()];
            entity.lines.last = entity.lines.last.max(lines.last);
            entity.signature = entity.lines;
            return;
        }
        let container = self.frame().entity;
        let kind = container.map(|at| self.parsed.entities[at.get()].kind);
        if kind.is_some_and(EntityKind::has_statements) {
            self.statement(node, lead);
            return;
        }
        let pushed = self.push(Entity {
            kind: EntityKind::Imports,
            name: "imports".into(),
            owner: None,
            lines,
            signature: lines,
            attributes: None,
            body: None,
            doc: None,
            visibility: Visibility::Private,
            parent: container,
        });
        self.frame().imports = pushed;
    }

    /// A comment at the top documents the file unless it documents what follows it.
    fn keep_head(&mut self) {
        let Some(head) = self.head.filter(|_| self.parsed.doc.is_none()) else { return };
        let lines = LineRange::of_rows(head.first, head.last);
        let taken = self
            .parsed
            .entities
            .first()
            .is_some_and(|entity| entity.doc.is_some_and(|doc| doc.overlaps(lines)));
        if !taken {
            self.parsed.doc = Some(lines);
        }
    }
}

/// The 0-based row a node begins on.
fn row(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
}

/// The 0-based row of a node's last byte, a line break at its end aside.
fn last_row(node: Node<'_>) -> u32 {
    let (start, end) = (node.start_position(), node.end_position());
    let row = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// Whether the path of a file says that it holds tests.
fn is_test_path(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(['/', '\\', '.', '_', '-'])
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
}
