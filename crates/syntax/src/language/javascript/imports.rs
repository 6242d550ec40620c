//! Imports and named exports of JavaScript and TypeScript.

use crate::language_spec::{ParsedImport, append_alias, without_comments};

/// The largest number of exports of each form.
const EXPORTS_MAX: usize = 50;

/// Returns the names in `export { a, b as c }`, `export default a` and `module.exports = { a, b }`.
pub(super) fn exports(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for mark in ["export {", "export default ", "module.exports = {", "module.exports = "] {
        for (at, _) in text.match_indices(mark).take(EXPORTS_MAX) {
            let rest = &text[at + mark.len()..];
            let end = if mark.ends_with('{') { rest.find('}') } else { rest.find([';', '\n']) };
            let list = &rest[..end.unwrap_or(0)];
            // Plain names only; inline definitions are exported where they are defined.
            found.extend(list.split(',').filter_map(|part| part.split_whitespace().next()));
        }
    }
    found
}

pub(super) fn imports(text: &str) -> Vec<ParsedImport> {
    let text = &*without_comments(text);
    let found = parse_requires(text);
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
                append_alias("*", rest.trim_start().strip_prefix("as ").unwrap_or_default().trim())
            }
            None => append_alias("default", part),
        });
    }
    names.extend(parse_name_list(inside));
    vec![(text[start + 1..end].to_owned(), names)]
}

/// Parses `const … = require('…')` and `const … = require('…').name`.
fn parse_requires(text: &str) -> Vec<ParsedImport> {
    let mut found = Vec::new();
    let mut before = "";
    for part in text.split("require(") {
        let left = std::mem::replace(&mut before, part).trim_end();
        let quoted = part.trim_start().trim_start_matches(['"', '\'', '`']);
        let Some((module, rest)) = quoted.split_once(['"', '\'', '`']).filter(|_| !left.is_empty())
        else {
            continue;
        };
        // A local is an alias of the module only if it is assigned the `require` itself, not a
        // value derived from it.
        let declared = left.strip_suffix('=').map(last_declarator).unwrap_or_default();
        let (name, type_or_names) =
            declared.split_at(declared.find(['{', ':']).unwrap_or(declared.len()));
        if let Some(names) = type_or_names.strip_prefix('{') {
            found.push((module.to_owned(), parse_name_list(names)));
            continue;
        }
        let alias = name.split_whitespace().last().unwrap_or_default();
        let member = rest.trim_start().strip_prefix(").").unwrap_or_default();
        let end = member.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        match &member[..end.unwrap_or(member.len())] {
            "" => found.push((append_alias(module, alias), Vec::new())),
            name => found.push((module.to_owned(), vec![append_alias(name, alias)])),
        }
    }
    found
}

/// Returns the last declarator of the text before an `=`: the part after the last comma outside
/// brackets.
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

/// Returns the names in `a, b as c, type D, e: f }`.
fn parse_name_list(list: &str) -> Vec<String> {
    let list = list.split('}').next().unwrap_or_default();
    let parts = list.split(',').map(|part| part.trim().trim_start_matches("type "));
    let named = |part: &str| {
        // A default value does not affect the name.
        let part = part.split('=').next().unwrap_or_default();
        let words: Vec<&str> = part.split([':', ' ', '\n']).filter(|w| !w.is_empty()).collect();
        match words[..] {
            [name] => Some(name.to_owned()),
            [name, "as", alias] | [name, alias] => Some(append_alias(name, alias)),
            _ => None,
        }
    };
    parts.filter_map(named).collect()
}
