//! Leading trivia: the comments and attributes above a definition.

use foveal_parser_runtime::Node;

use super::node_rows::{first_row, last_row};
use super::walker::{LeadingTrivia, TreeWalker, TriviaRun};
use crate::line_range::LineRange;

impl TreeWalker<'_> {
    /// Records the first node of a wrapped definition that is no attribute as the start of its
    /// header.
    pub(super) fn record_header(&mut self, node: Node<'_>) {
        let frame = self.current_frame();
        if frame.is_wrapper && frame.header.is_none() && !frame.has_named_child {
            frame.header = Some((first_row(node), node.start_byte()));
        }
    }

    pub(super) fn record_comment(&mut self, node: Node<'_>) {
        let (first, last) = (first_row(node), last_row(node));
        if !self.has_blank_prefix(node) {
            return;
        }
        let is_head = self.frames.len() == 1 && self.parsed.entities.is_empty();
        let frame = self.current_frame();
        let run = match frame.trivia.comment {
            Some(run) if run.last.saturating_add(1) >= first => TriviaRun { last, ..run },
            _ => TriviaRun { first, last, byte: node.start_byte() },
        };
        frame.trivia = LeadingTrivia {
            comment: Some(run),
            attributes: frame.trivia.adjacent_to(first).attributes,
        };
        if is_head
            && !frame.has_named_child
            && self.file_comment.is_none_or(|head| head.first == run.first)
        {
            self.file_comment = Some(run);
        }
    }

    pub(super) fn record_attribute(&mut self, node: Node<'_>) {
        let (first, last) = (first_row(node), last_row(node));
        let frame = self.current_frame();
        frame.last_imports = None;
        frame.trivia = frame.trivia.adjacent_to(first);
        let run =
            frame.trivia.attributes.unwrap_or(TriviaRun { first, last, byte: node.start_byte() });
        frame.trivia.attributes = Some(TriviaRun { last: run.last.max(last), ..run });
    }

    pub(super) fn record_docstring(&mut self, node: Node<'_>) {
        let lines = LineRange::from_rows(first_row(node), last_row(node));
        match self.current_frame().entity {
            Some(at) => self.parsed.entities[at.as_usize()].doc = Some(lines),
            None => self.parsed.doc = Some(lines),
        }
    }

    /// Takes a comment at the top as the file's documentation unless it belongs to the first
    /// entity.
    pub(super) fn record_file_comment(&mut self) {
        let Some(head) = self.file_comment.filter(|_| self.parsed.doc.is_none()) else { return };
        let lines = LineRange::from_rows(head.first, head.last);
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
