//! What stands above a definition and belongs to it: comments and attributes.

use foveal_parser_runtime::Node;

use super::row::{last_row, row};
use super::walker::{Lead, Run, Walker};
use crate::lines::LineRange;

impl Walker<'_> {
    /// The header of a definition begins with the first node around it that is no attribute.
    pub(super) fn note_header(&mut self, node: Node<'_>) {
        let frame = self.frame();
        if frame.wrapped && frame.header.is_none() && !frame.begun {
            frame.header = Some((row(node), node.start_byte()));
        }
    }

    pub(super) fn comment(&mut self, node: Node<'_>) {
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

    pub(super) fn attribute(&mut self, node: Node<'_>) {
        let (first, last) = (row(node), last_row(node));
        let frame = self.frame();
        frame.imports = None;
        frame.lead = frame.lead.above(first);
        let run = frame.lead.attributes.unwrap_or(Run { first, last, byte: node.start_byte() });
        frame.lead.attributes = Some(Run { last: run.last.max(last), ..run });
    }

    pub(super) fn docstring(&mut self, node: Node<'_>) {
        let lines = LineRange::of_rows(row(node), last_row(node));
        match self.frame().entity {
            Some(at) => self.parsed.entities[at.get()].doc = Some(lines),
            None => self.parsed.doc = Some(lines),
        }
    }

    /// A comment at the top documents the file unless it documents what follows it.
    pub(super) fn keep_head(&mut self) {
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
