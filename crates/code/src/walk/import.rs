//! Turns a node that imports something into imports and the block they stand in.

use foveal_parser_runtime::Node;
use foveal_transcript::LineNumber;

use super::row::{last_row, row};
use super::walker::{Lead, Walker};
use crate::bounds::IMPORTS_MAX;
use crate::entity::{Entity, EntityKind, Import, ImportedName, Visibility};
use crate::lines::LineRange;
use crate::spec::split_alias;

impl<'a> Walker<'a> {
    pub(super) fn import(&mut self, node: Node<'a>, lead: Lead) {
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
}
