//! Conversion of import nodes to imports and import blocks.

use foveal_parser_runtime::Node;
use foveal_transcript::LineNumber;

use super::node_rows::{first_row, last_row};
use super::walker::{LeadingTrivia, TreeWalker};
use crate::entity::{Entity, EntityKind, Import, ImportedName, Visibility};
use crate::language_spec::split_alias;
use crate::line_range::LineRange;
use crate::parse_limits::IMPORTS_MAX;

impl<'a> TreeWalker<'a> {
    pub(super) fn record_import(&mut self, node: Node<'a>, lead: LeadingTrivia) {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let (mut down, mut rest) = (0, text);
        for (module, names) in (self.compiled.spec.imports)(text) {
            let (module, alias) = split_alias(&module);
            // The line of a module is that of its name, searched after the module before.
            if let Some(at) = rest.find(module) {
                down += rest[..at].bytes().filter(|byte| *byte == b'\n').count();
                rest = &rest[at..];
            }
            let down = u32::try_from(down).unwrap_or(0);
            let line = LineNumber(first_row(node).saturating_add(down).saturating_add(1));
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
        let first = lead.attributes.map_or_else(|| first_row(node), |run| run.first);
        let lines = LineRange::from_rows(first, last_row(node));
        if let Some(at) = self.current_frame().last_imports {
            let entity = &mut self.parsed.entities[at.as_usize()];
            entity.lines.last = entity.lines.last.max(lines.last);
            entity.signature = entity.lines;
            return;
        }
        let container = self.current_frame().entity;
        let kind = container.map(|at| self.parsed.entities[at.as_usize()].kind);
        if kind.is_some_and(EntityKind::has_statements) {
            self.record_statement(node, lead);
            return;
        }
        let pushed = self.push_entity(Entity {
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
        self.current_frame().last_imports = pushed;
    }
}
