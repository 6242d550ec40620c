//! Tests of the parts of a small file in each language, rendered as text.

mod data;
mod native;
mod paragraphs;
mod scripts;
mod web;

use std::fmt::Write;

use foveal_syntax::{Entity, LineRange, MentionKind, ParsedFile, Visibility, parse_file};

/// Checks the parts of `text`, whose leading line break is dropped.
#[track_caller]
pub(crate) fn check(path: &str, text: &str, expected: &str) {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let found = render(&parse_file(path, text));
    assert!(found.trim() == expected.trim(), "<<<{path}\n{found}>>>\nexpected:\n{expected}");
}

pub(crate) fn render(parsed: &ParsedFile) -> String {
    let mut out = String::new();
    for (at, entity) in parsed.indexed_entities() {
        let depth = parsed.ancestry(at).count() - 1;
        writeln!(out, "{:w$}{}", "", line_of(entity), w = depth * 2)
            .expect("a string takes all text");
    }
    if let Some(doc) = parsed.doc {
        writeln!(out, "file doc: {doc}").expect("a string takes all text");
    }
    let imports: Vec<String> = parsed
        .imports
        .iter()
        .map(|import| {
            let module = aliased(&import.module, import.alias.as_deref());
            let names: Vec<String> =
                import.names.iter().map(|of| aliased(&of.name, of.alias.as_deref())).collect();
            match names.len() {
                0 => format!("{module}@{}", import.line.0),
                _ => format!("{module}[{}]@{}", names.join(" "), import.line.0),
            }
        })
        .collect();
    list(&mut out, "imports", &imports);
    let blocks = parsed.blocks.iter().map(|block| {
        let of = block.inside.and_then(|at| parsed.entity(at)).map_or("", |of| &of.name);
        format!("{}{of}:{}", "+".repeat(usize::from(block.depth)), block.lines)
    });
    list(&mut out, "blocks", &blocks.collect::<Vec<_>>());
    let mentions = parsed.mentions.iter().map(|mention| match mention.kind {
        MentionKind::Call => format!("{}()", mention.name),
        MentionKind::Type => format!("<{}>", mention.name),
        MentionKind::Name => mention.name.to_string(),
    });
    list(&mut out, "names", &mentions.collect::<Vec<_>>());
    if parsed.broken {
        out.push_str("broken\n");
    }
    out
}

fn aliased(name: &str, alias: Option<&str>) -> String {
    alias.map_or(name.to_owned(), |alias| format!("{name}={alias}"))
}

fn list(out: &mut String, what: &str, items: &[String]) {
    if !items.is_empty() {
        writeln!(out, "{what}: {}", items.join(" ")).expect("a string takes all text");
    }
}

fn line_of(entity: &Entity) -> String {
    let mut out = format!("{} {} {}", entity.lines, entity.kind.name(), entity.name);
    if let Some(owner) = &entity.owner {
        write!(out, " (of {owner})").expect("a string takes all text");
    }
    out.push_str(match entity.visibility {
        Visibility::Public => "",
        Visibility::Restricted => " restricted",
        Visibility::Private => " private",
    });
    let parts: [(&str, Option<LineRange>); 4] = [
        ("doc", entity.doc),
        ("attributes", entity.attributes),
        ("signature", Some(entity.signature).filter(|lines| *lines != entity.lines)),
        ("body", entity.body.filter(|lines| *lines != entity.lines)),
    ];
    for (name, lines) in parts {
        if let Some(lines) = lines {
            write!(out, ", {name} {lines}").expect("a string takes all text");
        }
    }
    out
}
