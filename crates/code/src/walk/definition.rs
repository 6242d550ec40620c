//! Turns a node that defines something into an entity.

use foveal_parser_runtime::Node;

use super::row::{last_row, row};
use super::walker::{Frame, Lead, Walker};
use crate::bounds::{ENTITIES_MAX, STATEMENT_LINES_MAX};
use crate::entity::{Entity, EntityIndex, EntityKind};
use crate::lines::LineRange;
use crate::spec::{Header, Namer, Role};

/// Lines of a header; a longer one is cut.
const SIGNATURE_ROWS_MAX: u32 = 40;

/// Bytes of a name; a longer one is cut.
const NAME_BYTES_MAX: usize = 200;

/// Bytes before a name that are looked at for attributes and modifiers.
const HEADER_BYTES_MAX: usize = 2_000;

impl<'a> Walker<'a> {
    /// Records the entity that `node` defines; the frame for what is in it.
    pub(super) fn define(
        &mut self,
        node: Node<'a>,
        kind: EntityKind,
        namer: Namer,
        lead: Lead,
    ) -> Option<Frame> {
        let Some(named) = namer(&self.site(node)) else { return self.plain(node, lead) };
        let shape = self.shape(node);
        let outer = self.frame();
        let header = outer.header.take().filter(|_| outer.wrapped);
        let (parent, exported, access) = (outer.entity, outer.exported, outer.access);
        if let Some(at) = outer.wrap_block.take()
            && at + 1 == self.parsed.blocks.len()
        {
            self.parsed.blocks.pop();
            self.forget_block(at);
        }
        let header_row = header.map_or(shape.header_row, |(row, _)| row.min(shape.header_row));
        let attributes = match lead.attributes {
            Some(run) => Some((run.first, run.last)),
            None if shape.header_row > row(node) => Some((row(node), shape.header_row - 1)),
            None => None,
        };
        let first = [lead.first(), attributes.map(|(first, _)| first)].into_iter().flatten().min();
        let first = first.unwrap_or(header_row).min(header_row);
        let from = lead.attributes.map_or(node.start_byte(), |run| run.byte);
        let from = header.map_or(from, |(_, byte)| from.min(byte));
        let container = parent.map(|at| {
            let entity = &self.parsed.entities[at.get()];
            (entity.kind, entity.visibility)
        });
        let is_method =
            kind == EntityKind::Function && container.is_some_and(|(kind, _)| kind.has_members());
        let mut header = Header {
            kind: if is_method { EntityKind::Method } else { kind },
            name: &named.name,
            before_name: self.before(from, named.at),
            container,
            access,
            exported: exported || parent.is_none() && self.exports.contains(named.name.as_str()),
            in_test_file: self.in_test_file,
        };
        if (self.compiled.spec.is_test)(&header) {
            header.kind = EntityKind::Test;
        }
        let last_signature =
            shape.signature_last.max(header_row).min(header_row.saturating_add(SIGNATURE_ROWS_MAX));
        let entity = Entity {
            kind: header.kind,
            visibility: (self.compiled.spec.visibility)(&header),
            name: one_line(&named.name),
            owner: named.owner.as_deref().map(one_line),
            lines: LineRange::of_rows(first, last_row(node)),
            signature: LineRange::of_rows(header_row, last_signature),
            attributes: attributes.map(|(first, last)| LineRange::of_rows(first, last)),
            body: shape.body,
            doc: lead.comment.map(|run| LineRange::of_rows(run.first, run.last)),
            parent,
        };
        let header_kind = entity.kind;
        self.names.push(named.at);
        if entity.lines.count() > STATEMENT_LINES_MAX {
            self.long.push(node);
        }
        let index = self.push(entity)?;
        let parent = self.compiled.kind(node.kind_id());
        let statements = header_kind == EntityKind::Section && last_row(node) > row(node);
        Some(Frame { entity: Some(index), parent, statements, ..Frame::default() })
    }

    /// Adds an entity unless there are too many.
    pub(super) fn push(&mut self, entity: Entity) -> Option<EntityIndex> {
        if self.parsed.entities.len() >= ENTITIES_MAX {
            self.parsed.cut = true;
            return None;
        }
        let index = u32::try_from(self.parsed.entities.len()).ok().map(EntityIndex)?;
        self.parsed.entities.push(entity);
        Some(index)
    }

    /// Takes back that the statement at `at` was recorded.
    fn forget_block(&mut self, at: usize) {
        for frame in &mut self.frames {
            if frame.block == Some(at) {
                frame.block = None;
            }
        }
    }

    /// The text before a name, as much as is looked at.
    fn before(&self, from: usize, to: usize) -> &'a str {
        let from = from.max(to.saturating_sub(HEADER_BYTES_MAX));
        let from = self.text.ceil_char_boundary(from.min(to));
        self.text.get(from..to).unwrap_or_default()
    }

    /// Where header and body of a definition lie.
    fn shape(&self, node: Node<'_>) -> Shape {
        let body = (self.compiled.spec.body)(node).or_else(|| self.body_child(node));
        let signature_last = match body {
            Some(body) => self.row_before(node, body),
            None => last_row(node),
        };
        Shape {
            header_row: self.header_row(node),
            signature_last,
            body: body.map(|body| LineRange::of_rows(row(body), last_row(node))),
        }
    }

    fn body_child<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            if matches!(self.compiled.role(child.kind_id()), Role::Body) {
                return Some(child);
            }
            more = cursor.goto_next_sibling();
        }
        None
    }

    /// The row of the last thing in `node` before `body` that is no comment.
    fn row_before(&self, node: Node<'_>, body: Node<'_>) -> u32 {
        let mut found = row(node);
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            if child.start_byte() >= body.start_byte() {
                return found;
            }
            if child.end_byte() > body.start_byte() {
                // The body lies deeper.
                more = cursor.goto_first_child();
                continue;
            }
            if !matches!(self.compiled.role(child.kind_id()), Role::Comment) {
                found = last_row(child);
            }
            more = cursor.goto_next_sibling();
        }
        found
    }

    /// The row where a definition begins, attributes on rows of their own aside.
    fn header_row(&self, node: Node<'_>) -> u32 {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        let mut inside = false;
        while more {
            match self.compiled.role(cursor.node().kind_id()) {
                Role::Attribute | Role::Comment => {}
                Role::Modifiers if !inside && cursor.goto_first_child() => {
                    inside = true;
                    continue;
                }
                _ => return row(cursor.node()),
            }
            more = cursor.goto_next_sibling();
            if !more && inside {
                inside = false;
                more = cursor.goto_parent() && cursor.goto_next_sibling();
            }
        }
        row(node)
    }
}

struct Shape {
    header_row: u32,
    signature_last: u32,
    body: Option<LineRange>,
}

/// `name` on one line, cut where it is long. What a parser makes of broken code can be named
/// by several lines.
fn one_line(name: &str) -> Box<str> {
    let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX.min(name.len()))];
    if !name.contains(char::is_control) {
        return name.into();
    }
    let apart = |c: char| c.is_control() || c.is_whitespace();
    let words: Vec<&str> = name.split(apart).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "?".into() } else { words.join(" ").into() }
}
