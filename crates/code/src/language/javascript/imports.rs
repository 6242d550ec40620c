//! What scripts take from other modules, and what they export by name.

use crate::spec::{Imported, with_alias, without_comments};

/// Exports of each form that are looked for.
const EXPORTS_MAX: usize = 50;

/// The names in `export { a, b as c }`, `export default a` and `module.exports = { a, b }`.
pub(super) fn exports(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for mark in ["export {", "export default ", "module.exports = {", "module.exports = "] {
        for (at, _) in text.match_indices(mark).take(EXPORTS_MAX) {
            let rest = &text[at + mark.len()..];
            let end = if mark.ends_with('{') { rest.find('}') } else { rest.find([';', '\n']) };
            let list = &rest[..end.unwrap_or(0)];
            // Only plain names; what is defined in place is marked there.
            found.extend(list.split(',').filter_map(|part| part.split_whitespace().next()));
        }
    }
    found
}

pub(super) fn imports(text: &str) -> Vec<Imported> {
    let text = &*without_comments(text);
    let found = required(text);
    if !found.is_empty() {
        return found;
    }
    let Some(end) = text.rfind(['"', '\'']) else { return found };
    let Some(start) = text[..end].rfind(['"', '\'']) else { return found };
    let clause = text[..start].trim_start();
    let clause = clause.strip_prefix("import").or_else(|| clause.strip_prefix("export"));
    let clause = clause.unwrap_or_default().trim_start().trim_start_matches("type ");
    let (outside, inside) = clause.split_once('{').unwrap_or((clause, ""));
    let mut names = Vec::new();
    let outside = outside.split(" from").next().unwrap_or_default();
    for part in outside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        names.push(match part.strip_prefix('*') {
            Some(rest) => {
                with_alias("*", rest.trim_start().strip_prefix("as ").unwrap_or_default().trim())
            }
            None => with_alias("default", part),
        });
    }
    names.extend(taken(inside));
    vec![(text[start + 1..end].to_owned(), names)]
}

/// What `const … = require('…')` imports, also `require('…').name`.
fn required(text: &str) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut before = "";
    for part in text.split("require(") {
        let left = std::mem::replace(&mut before, part).trim_end();
        let quoted = part.trim_start().trim_start_matches(['"', '\'', '`']);
        let Some((module, rest)) = quoted.split_once(['"', '\'', '`']).filter(|_| !left.is_empty())
        else {
            continue;
        };
        // What is called with it, or made from it otherwise, is not the module.
        let declared = left.strip_suffix('=').map(last_declarator).unwrap_or_default();
        let (name, type_or_names) =
            declared.split_at(declared.find(['{', ':']).unwrap_or(declared.len()));
        if let Some(names) = type_or_names.strip_prefix('{') {
            found.push((module.to_owned(), taken(names)));
            continue;
        }
        let alias = name.split_whitespace().last().unwrap_or_default();
        let member = rest.trim_start().strip_prefix(").").unwrap_or_default();
        let end = member.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        match &member[..end.unwrap_or(member.len())] {
            "" => found.push((with_alias(module, alias), Vec::new())),
            name => found.push((module.to_owned(), vec![with_alias(name, alias)])),
        }
    }
    found
}

/// What follows the last comma outside brackets in what stands before an `=`.
fn last_declarator(text: &str) -> &str {
    let mut depth = 0u32;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            ')' | ']' | '}' | '>' => depth += 1,
            '(' | '[' | '{' | '<' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    text
}

/// The names in `a, b as c, type D, e: f }`.
fn taken(list: &str) -> Vec<String> {
    let list = list.split('}').next().unwrap_or_default();
    let parts = list.split(',').map(|part| part.trim().trim_start_matches("type "));
    let named = |part: &str| {
        // A value that is taken where there is none changes nothing about the name.
        let part = part.split('=').next().unwrap_or_default();
        let words: Vec<&str> = part.split([':', ' ', '\n']).filter(|w| !w.is_empty()).collect();
        match words[..] {
            [name] => Some(name.to_owned()),
            [name, "as", alias] | [name, alias] => Some(with_alias(name, alias)),
            _ => None,
        }
    };
    parts.filter_map(named).collect()
}
