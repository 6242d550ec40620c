//! What a line of code binds names to, as far as its text tells.

use crate::Language;

/// What a name is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// A value of this type, as written: `Client`, `httpx.Client`.
    Type(String),
    /// A value of a type that the language brings along: a text, a number, a list.
    Foreign,
    /// Something.
    Unknown,
}

/// Types that a language brings along and that are no names with a capital.
const PLAIN_TYPES: &[&str] = &[
    "bool", "boolean", "bytes", "byte", "char", "complex", "dict", "error", "f32", "f64", "float",
    "float32", "float64", "func", "i16", "i32", "i64", "i8", "int", "int16", "int32", "int64",
    "int8", "isize", "list", "map", "number", "object", "rune", "set", "str", "string", "tuple",
    "u16", "u32", "u64", "u8", "uint", "uint16", "uint32", "uint64", "uint8", "usize", "void",
];

/// Calls `take` with each name that `line` binds, and `next` the line after it. Parameters are
/// for [`parameters`].
pub(super) fn bound_in(
    language: Language,
    line: &str,
    next: &str,
    take: &mut dyn FnMut(&str, Bound),
) {
    let line = line.trim();
    let goes_on = next.trim_start().starts_with(['.', '?']);
    match language {
        Language::Python => python(line, take),
        Language::Rust => {
            let Some((_, rest)) = line.split_once("let ").filter(|(before, _)| is_plain(before))
            else {
                return;
            };
            let rest = rest.trim_start().strip_prefix("mut ").unwrap_or(rest);
            declared(language, rest, goes_on, take);
        }
        Language::Go => go(line, take),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let line = line.strip_prefix("export ").unwrap_or(line);
            if let Some(field) = line.strip_prefix("this.") {
                member(language, field, goes_on, take);
            }
            let word = ["const ", "let ", "var "].into_iter();
            let mut rest = word.filter_map(|word| line.split_once(word));
            if let Some((_, rest)) = rest.find(|(before, _)| is_plain(before)) {
                declared(language, rest, goes_on, take);
            }
        }
        _ => {}
    }
}

/// Whether what stands before a declaration is no part of another word.
fn is_plain(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') && !before.contains(['"', '\''])
}

/// `name = value`, `name: Type = value`, `(one, other) = value`.
fn declared(language: Language, text: &str, goes_on: bool, take: &mut dyn FnMut(&str, Bound)) {
    let (left, value) = assigned(text);
    let name = word(left);
    if name.is_empty() || left[name.len()..].trim_start().starts_with(',') {
        let names = left.split(|c: char| !c.is_alphanumeric() && c != '_');
        names.filter(|name| !name.is_empty()).for_each(|name| take(name, Bound::Unknown));
        return;
    }
    let rest = left[name.len()..].trim();
    let bound = match rest.strip_prefix(':') {
        Some(annotation) => annotated(language, annotation),
        None if rest.is_empty() && !goes_on => {
            value.map_or(Bound::Unknown, |value| valued(language, value))
        }
        None => Bound::Unknown,
    };
    take(name, bound);
}

/// `field = value` of `this` or `self`.
fn member(language: Language, text: &str, goes_on: bool, take: &mut dyn FnMut(&str, Bound)) {
    let name = word(text);
    let rest = text[name.len()..].trim_start();
    let is_bound = rest.starts_with(':') || rest.starts_with('=') && !rest.starts_with("==");
    if is_bound && !name.is_empty() {
        let told = format!("self.{name}");
        declared(language, text, goes_on, &mut |_, bound| take(&told, bound));
    }
}

/// What stands before `=` and after it.
fn assigned(text: &str) -> (&str, Option<&str>) {
    for (at, _) in text.match_indices('=') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let is_other = after.starts_with(['=', '>'])
            || before.ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '|', '&', '%', '^', ':']);
        if !is_other {
            return (before.trim_end(), Some(after.trim()));
        }
    }
    (text.trim_end(), None)
}

fn python(line: &str, take: &mut dyn FnMut(&str, Bound)) {
    if line.starts_with(['#', '@', '"', '\''])
        || ["import ", "from "].iter().any(|word| line.starts_with(word))
    {
        return;
    }
    if let Some(field) = line.strip_prefix("self.") {
        return member(Language::Python, field, false, take);
    }
    if let Some((before, rest)) = line.split_once("for ")
        && is_plain(before)
        && let Some((names, _)) = rest.split_once(" in ")
    {
        let names = names.split([',', '(', ')']).map(str::trim);
        names.filter(|name| !name.is_empty()).for_each(|name| take(name, Bound::Unknown));
    }
    let held = ["with ", "async with ", "except "].iter().find_map(|word| line.strip_prefix(word));
    if let Some(held) = held {
        for (at, _) in held.match_indices(" as ") {
            let name = word(held[at + 4..].trim_start());
            let value = held[..at].rsplit(" as ").next().unwrap_or_default();
            let value = value
                .split_once(", ")
                .filter(|_| at != value.len())
                .map_or(value, |(_, value)| value);
            let is_exception = line.starts_with("except ");
            let bound = match is_exception {
                true => annotated(Language::Python, value),
                false => valued(Language::Python, value.trim_start_matches('(')),
            };
            take(name, bound);
        }
        return;
    }
    let (left, value) = assigned(line);
    let is_target = left.chars().all(|c| c.is_alphanumeric() || "_, ()*".contains(c));
    let is_annotated = left.split_once(':').is_some_and(|(name, _)| word(name) == name);
    let is_keyword = ["if", "elif", "else", "while", "return", "try", "class", "def", "lambda"]
        .contains(&word(line));
    if !is_keyword && (value.is_some() && is_target || is_annotated) {
        declared(Language::Python, line, false, take);
    }
}

fn go(line: &str, take: &mut dyn FnMut(&str, Bound)) {
    if let Some(rest) = line.strip_prefix("var ") {
        let name = word(rest);
        let rest = rest[name.len()..].trim();
        let bound = match rest.strip_prefix('=') {
            Some(value) => valued(Language::Go, value.trim()),
            None => annotated(Language::Go, rest.split(" =").next().unwrap_or(rest)),
        };
        return take(name, bound);
    }
    let Some((left, value)) = line.split_once(":=") else { return };
    let left = ["if ", "for ", "switch ", "case "]
        .iter()
        .find_map(|word| left.strip_prefix(word))
        .unwrap_or(left);
    let names: Vec<&str> = left.split(',').map(str::trim).collect();
    match names[..] {
        [name] => take(name, valued(Language::Go, value.trim())),
        _ => names.iter().for_each(|name| take(name, Bound::Unknown)),
    }
}

/// Calls `take` with each parameter in a signature, the receiver included.
pub(super) fn parameters(language: Language, signature: &str, take: &mut dyn FnMut(&str, Bound)) {
    use Language::*;
    // Elsewhere the type stands before the name, or another name does.
    if !matches!(language, Python | Rust | Go | TypeScript | Tsx | JavaScript | Kotlin) {
        return;
    }
    let Some(open) = signature.find('(') else { return };
    let mut rest = &signature[open..];
    let groups = if language == Language::Go { 2 } else { 1 };
    for _ in 0..groups {
        let Some(open) = rest.find('(') else { return };
        let Some(close) = closing(&rest[open..]) else { return };
        let inside = &rest[open + 1..open + close];
        let mut type_after = Bound::Unknown;
        let parts: Vec<&str> = parts(inside);
        for part in parts.into_iter().rev() {
            let part = part.trim().trim_start_matches(['*', '&']);
            let part = part.strip_prefix("mut ").unwrap_or(part);
            let name = word(part);
            let after = part[name.len()..].trim_start();
            if name.is_empty() {
                continue;
            }
            let bound = match language {
                Language::Go if after.is_empty() => type_after.clone(),
                Language::Go => annotated(language, after),
                _ => match after.trim_start_matches('?').trim_start().strip_prefix(':') {
                    Some(annotation) => annotated(language, assigned(annotation).0),
                    None => Bound::Unknown,
                },
            };
            type_after = bound.clone();
            if !matches!(name, "self" | "this" | "cls") {
                take(name, bound);
            }
        }
        rest = &rest[open + close + 1..];
    }
}

/// The type that an annotation names.
fn annotated(language: Language, text: &str) -> Bound {
    let mut text = text.trim().trim_matches(['"', '\'']).trim_end_matches([';', '{']).trim();
    if language == Language::Rust {
        loop {
            let bare = text.trim_start_matches(['&', '*']);
            let bare = if bare.starts_with('\'') {
                bare.split_once(' ').map_or(bare, |(_, rest)| rest)
            } else {
                bare
            };
            let bare = ["mut ", "dyn ", "impl ", "const "]
                .iter()
                .find_map(|word| bare.strip_prefix(word))
                .unwrap_or(bare);
            let inner = ["Box<", "Arc<", "Rc<"].iter().find_map(|word| bare.strip_prefix(word));
            let bare = inner.and_then(|inner| inner.strip_suffix('>')).unwrap_or(bare).trim();
            if bare == text {
                break;
            }
            text = bare;
        }
    }
    if language == Language::Go {
        text = text.trim_start_matches("...").trim_start_matches('*');
    }
    if language == Language::Python {
        let inner = ["Optional[", "t.Optional[", "typing.Optional["]
            .iter()
            .find_map(|word| text.strip_prefix(word));
        text = inner.and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
        text = text.strip_suffix("| None").unwrap_or(text).trim();
    }
    if text.starts_with(['[', '(', '{', '<']) || text.ends_with("[]") {
        return Bound::Foreign;
    }
    if text.contains(['|', '&', '+']) {
        return Bound::Unknown;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_.:".contains(c)).unwrap_or(text.len());
    of_path(&text[..end])
}

fn of_path(path: &str) -> Bound {
    let last = path.rsplit(['.', ':']).next().unwrap_or(path);
    if PLAIN_TYPES.contains(&last) {
        return Bound::Foreign;
    }
    let is_type = last.trim_start_matches('_').starts_with(char::is_uppercase);
    if is_type { Bound::Type(path.to_owned()) } else { Bound::Unknown }
}

/// The type of which a value is plainly made.
fn valued(language: Language, text: &str) -> Bound {
    let mut text = text.trim_end_matches([';', ':', ',']).trim();
    if text.starts_with(['"', '\'', '`', '[', '{'])
        || text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Bound::Foreign;
    }
    text = match language {
        Language::Go => text.trim_start_matches('&'),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let Some(made) = text.strip_prefix("new ") else { return Bound::Unknown };
            made
        }
        _ => text,
    };
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_.:".contains(c)).unwrap_or(text.len());
    let (path, rest) = (&text[..end], text[end..].trim_start());
    let opening = if language == Language::Go { '{' } else { '(' };
    if language == Language::Rust && rest.starts_with('{') {
        return of_path(path);
    }
    if !rest.starts_with(opening) {
        return Bound::Unknown;
    }
    // What goes on behind the bracket is of another type.
    if closing(rest).is_some_and(|close| !rest[close + 1..].trim().is_empty()) {
        return Bound::Unknown;
    }
    if language == Language::Rust {
        let Some((owner, function)) = path.rsplit_once("::") else { return of_path(path) };
        let makes = matches!(function, "new" | "default") || function.starts_with("with_");
        return if makes { of_path(owner) } else { Bound::Unknown };
    }
    of_path(path)
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The place of the bracket that closes the one that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth <= 1 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What commas part that stand in no brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0i32, 0, Vec::new());
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth <= 0 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        before = letter;
    }
    found.push(&text[from..]);
    found
}

#[cfg(test)]
mod tests;
