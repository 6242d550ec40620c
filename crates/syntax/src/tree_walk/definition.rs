//! Conversion of defining nodes to entities.

use foveal_parser_runtime::Node;

use super::node_rows::{first_row, last_row};
use super::walker::{LeadingTrivia, TreeWalker, WalkFrame};
use crate::entity::{Entity, EntityIndex, EntityKind};
use crate::language_spec::{DefinitionHeader, NameFinder, NodeRole};
use crate::line_range::LineRange;
use crate::parse_limits::{ENTITIES_MAX, STATEMENT_LINES_MAX};

/// The largest number of lines of a signature; longer ones are cut.
const SIGNATURE_ROWS_MAX: u32 = 40;

/// The largest number of bytes of a name; longer ones are cut.
const NAME_BYTES_MAX: usize = 200;

/// The number of bytes before a name that are searched for attributes and modifiers.
const HEADER_BYTES_MAX: usize = 2_000;

impl<'a> TreeWalker<'a> {
    /// Records the entity that `node` defines, and returns the frame for its children.
    pub(super) fn record_definition(
        &mut self,
        node: Node<'a>,
        kind: EntityKind,
        namer: NameFinder,
        lead: LeadingTrivia,
    ) -> Option<WalkFrame> {
        let Some(named) = namer(&self.node_site(node)) else {
            return self.visit_plain_node(node, lead);
        };
        let shape = self.definition_layout(node);
        let outer = self.current_frame();
        let header = outer.header.take().filter(|_| outer.is_wrapper);
        let (parent, exported, access) = (outer.entity, outer.exported, outer.access);
        if let Some(at) = outer.wrapper_block.take()
            && at + 1 == self.parsed.blocks.len()
        {
            self.parsed.blocks.pop();
            self.forget_block(at);
        }
        let header_row = header.map_or(shape.header_row, |(row, _)| row.min(shape.header_row));
        let attributes = match lead.attributes {
            Some(run) => Some((run.first, run.last)),
            None if shape.header_row > first_row(node) => {
                Some((first_row(node), shape.header_row - 1))
            }
            None => None,
        };
        let first =
            [lead.first_row(), attributes.map(|(first, _)| first)].into_iter().flatten().min();
        let first = first.unwrap_or(header_row).min(header_row);
        let from = lead.attributes.map_or(node.start_byte(), |run| run.byte);
        let from = header.map_or(from, |(_, byte)| from.min(byte));
        let container = parent.map(|at| &self.parsed.entities[at.as_usize()]);
        let container = container.map(|entity| (entity.kind, entity.visibility));
        let is_method =
            kind == EntityKind::Function && container.is_some_and(|(kind, _)| kind.has_members());
        let mut header = DefinitionHeader {
            kind: if is_method { EntityKind::Method } else { kind },
            name: &named.name,
            before_name: self.text_before_name(from, named.start_byte),
            container,
            access,
            is_exported: exported || parent.is_none() && self.exports.contains(named.name.as_str()),
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
            name: normalise_name(&named.name),
            owner: named.owner.as_deref().map(normalise_name),
            lines: LineRange::from_rows(first, last_row(node)),
            signature: LineRange::from_rows(header_row, last_signature),
            attributes: attributes.map(|(first, last)| LineRange::from_rows(first, last)),
            body: shape.body,
            doc: lead.comment.map(|run| LineRange::from_rows(run.first, run.last)),
            parent,
        };
        let header_kind = entity.kind;
        self.definition_names.push(named.start_byte);
        if entity.lines.line_count() > STATEMENT_LINES_MAX {
            self.long_nodes.push(node);
        }
        let index = self.push_entity(entity)?;
        let parent = self.compiled.kind_name(node.kind_id());
        let statements = header_kind == EntityKind::Section && last_row(node) > first_row(node);
        Some(WalkFrame {
            entity: Some(index),
            parent,
            has_statements: statements,
            ..WalkFrame::default()
        })
    }

    /// Adds an entity unless there are too many.
    pub(super) fn push_entity(&mut self, entity: Entity) -> Option<EntityIndex> {
        if self.parsed.entities.len() >= ENTITIES_MAX {
            self.parsed.cut = true;
            return None;
        }
        let index = u32::try_from(self.parsed.entities.len()).ok().map(EntityIndex)?;
        self.parsed.entities.push(entity);
        Some(index)
    }

    /// Forgets the block at `at`, which was removed.
    fn forget_block(&mut self, at: usize) {
        for frame in &mut self.frames {
            if frame.last_block == Some(at) {
                frame.last_block = None;
            }
        }
    }

    /// Returns the text between `from` and a name, or its last [`HEADER_BYTES_MAX`] bytes.
    fn text_before_name(&self, from: usize, to: usize) -> &'a str {
        let from = from.max(to.saturating_sub(HEADER_BYTES_MAX));
        let from = self.text.ceil_char_boundary(from.min(to));
        self.text.get(from..to).unwrap_or_default()
    }

    /// Returns the positions of header and body of a definition.
    fn definition_layout(&self, node: Node<'_>) -> DefinitionLayout {
        let body = (self.compiled.spec.body)(node).or_else(|| self.find_body(node));
        let signature_last = match body {
            Some(body) => self.last_row_before_body(node, body),
            None => last_row(node),
        };
        DefinitionLayout {
            header_row: self.header_row(node),
            signature_last,
            body: body.map(|body| LineRange::from_rows(first_row(body), last_row(node))),
        }
    }

    fn find_body<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            if matches!(self.compiled.kind_role(child.kind_id()), NodeRole::Body) {
                return Some(child);
            }
            more = cursor.goto_next_sibling();
        }
        None
    }

    /// Returns the row of the last node in `node` before `body` other than comments.
    fn last_row_before_body(&self, node: Node<'_>, body: Node<'_>) -> u32 {
        let mut found = first_row(node);
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
            if !matches!(self.compiled.kind_role(child.kind_id()), NodeRole::Comment) {
                found = last_row(child);
            }
            more = cursor.goto_next_sibling();
        }
        found
    }

    /// Returns the first row of a definition, after attributes on rows of their own.
    fn header_row(&self, node: Node<'_>) -> u32 {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        let mut inside = false;
        while more {
            match self.compiled.kind_role(cursor.node().kind_id()) {
                NodeRole::Attribute | NodeRole::Comment => {}
                NodeRole::Modifiers if !inside && cursor.goto_first_child() => {
                    inside = true;
                    continue;
                }
                _ => return first_row(cursor.node()),
            }
            more = cursor.goto_next_sibling();
            if !more && inside {
                inside = false;
                more = cursor.goto_parent() && cursor.goto_next_sibling();
            }
        }
        first_row(node)
    }
}

struct DefinitionLayout {
    header_row: u32,
    signature_last: u32,
    body: Option<LineRange>,
}

/// Returns `name` on one line, cut if it is long. The parser may find a name of several lines in
/// broken code.
fn normalise_name(name: &str) -> Box<str> {
    let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX.min(name.len()))];
    if !name.contains(char::is_control) {
        return name.into();
    }
    let apart = |c: char| c.is_control() || c.is_whitespace();
    let words: Vec<&str> = name.split(apart).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "?".into() } else { words.join(" ").into() }
}
