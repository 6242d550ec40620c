//! Types of local bindings, inferred from single lines of code.

use foveal_syntax::Language;

/// The type of a bound name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InferredType {
    /// A type of the repository or of a library, as written: `Client`, `httpx.Client`.
    Type(String),
    /// A built-in type of the language, such as text, numbers and lists.
    BuiltIn,
    /// A type that the line does not state.
    Unknown,
}

/// Built-in types with lower-case names.
const BUILT_IN_TYPES: &[&str] = &[
    "bool", "boolean", "bytes", "byte", "char", "complex", "dict", "error", "f32", "f64", "float",
    "float32", "float64", "func", "i16", "i32", "i64", "i8", "int", "int16", "int32", "int64",
    "int8", "isize", "list", "map", "number", "object", "rune", "set", "str", "string", "tuple",
    "u16", "u32", "u64", "u8", "uint", "uint16", "uint32", "uint64", "uint8", "usize", "void",
];

/// Calls `take` with each name that `line` binds and its type; `next` is the line after it.
/// Parameters are found by [`parse_parameters`].
pub(super) fn parse_bindings(
    language: Language,
    line: &str,
    next: &str,
    take: &mut dyn FnMut(&str, InferredType),
) {
    let line = line.trim();
    let goes_on = next.trim_start().starts_with(['.', '?']);
    match language {
        Language::Python => parse_python_line(line, take),
        Language::Rust => {
            let Some((_, rest)) =
                line.split_once("let ").filter(|(before, _)| ends_outside_word(before))
            else {
                return;
            };
            let rest = rest.trim_start().strip_prefix("mut ").unwrap_or(rest);
            parse_declaration(language, rest, goes_on, take);
        }
        Language::Go => parse_go_line(line, take),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let line = line.strip_prefix("export ").unwrap_or(line);
            if let Some(field) = line.strip_prefix("this.") {
                parse_member_assignment(language, field, goes_on, take);
            }
            let word = ["const ", "let ", "var "].into_iter();
            let mut rest = word.filter_map(|word| line.split_once(word));
            if let Some((_, rest)) = rest.find(|(before, _)| ends_outside_word(before)) {
                parse_declaration(language, rest, goes_on, take);
            }
        }
        _ => {}
    }
}

/// Returns whether a declaration keyword after `before` stands alone, outside of words and strings.
fn ends_outside_word(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') && !before.contains(['"', '\''])
}

/// Parses `name = value`, `name: Type = value`, or `(one, other) = value`.
fn parse_declaration(
    language: Language,
    text: &str,
    goes_on: bool,
    take: &mut dyn FnMut(&str, InferredType),
) {
    let (left, value) = split_assignment(text);
    let name = leading_identifier(left);
    if name.is_empty() || left[name.len()..].trim_start().starts_with(',') {
        let names = left.split(|c: char| !c.is_alphanumeric() && c != '_');
        names.filter(|name| !name.is_empty()).for_each(|name| take(name, InferredType::Unknown));
        return;
    }
    let rest = left[name.len()..].trim();
    let bound = match rest.strip_prefix(':') {
        Some(annotation) => parse_annotation(language, annotation),
        None if rest.is_empty() && !goes_on => {
            value.map_or(InferredType::Unknown, |value| infer_from_value(language, value))
        }
        None => InferredType::Unknown,
    };
    take(name, bound);
}

/// Parses `field = value` after `self.` or `this.`.
fn parse_member_assignment(
    language: Language,
    text: &str,
    goes_on: bool,
    take: &mut dyn FnMut(&str, InferredType),
) {
    let name = leading_identifier(text);
    let rest = text[name.len()..].trim_start();
    let is_bound = rest.starts_with(':') || rest.starts_with('=') && !rest.starts_with("==");
    if is_bound && !name.is_empty() {
        let told = format!("self.{name}");
        parse_declaration(language, text, goes_on, &mut |_, bound| take(&told, bound));
    }
}

/// Splits an assignment into the text before `=` and the value after it.
fn split_assignment(text: &str) -> (&str, Option<&str>) {
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

fn parse_python_line(line: &str, take: &mut dyn FnMut(&str, InferredType)) {
    if line.starts_with(['#', '@', '"', '\''])
        || ["import ", "from "].iter().any(|word| line.starts_with(word))
    {
        return;
    }
    if let Some(field) = line.strip_prefix("self.") {
        return parse_member_assignment(Language::Python, field, false, take);
    }
    if let Some((before, rest)) = line.split_once("for ")
        && ends_outside_word(before)
        && let Some((names, _)) = rest.split_once(" in ")
    {
        let names = names.split([',', '(', ')']).map(str::trim);
        names.filter(|name| !name.is_empty()).for_each(|name| take(name, InferredType::Unknown));
    }
    let held = ["with ", "async with ", "except "].iter().find_map(|word| line.strip_prefix(word));
    if let Some(held) = held {
        for (at, _) in held.match_indices(" as ") {
            let name = leading_identifier(held[at + 4..].trim_start());
            let value = held[..at].rsplit(" as ").next().unwrap_or_default();
            let value = value
                .split_once(", ")
                .filter(|_| at != value.len())
                .map_or(value, |(_, value)| value);
            let is_exception = line.starts_with("except ");
            let bound = match is_exception {
                true => parse_annotation(Language::Python, value),
                false => infer_from_value(Language::Python, value.trim_start_matches('(')),
            };
            take(name, bound);
        }
        return;
    }
    let (left, value) = split_assignment(line);
    let is_target = left.chars().all(|c| c.is_alphanumeric() || "_, ()*".contains(c));
    let is_annotated =
        left.split_once(':').is_some_and(|(name, _)| leading_identifier(name) == name);
    let is_keyword = ["if", "elif", "else", "while", "return", "try", "class", "def", "lambda"]
        .contains(&leading_identifier(line));
    if !is_keyword && (value.is_some() && is_target || is_annotated) {
        parse_declaration(Language::Python, line, false, take);
    }
}

fn parse_go_line(line: &str, take: &mut dyn FnMut(&str, InferredType)) {
    if let Some(rest) = line.strip_prefix("var ") {
        let name = leading_identifier(rest);
        let rest = rest[name.len()..].trim();
        let bound = match rest.strip_prefix('=') {
            Some(value) => infer_from_value(Language::Go, value.trim()),
            None => parse_annotation(Language::Go, rest.split(" =").next().unwrap_or(rest)),
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
        [name] => take(name, infer_from_value(Language::Go, value.trim())),
        _ => names.iter().for_each(|name| take(name, InferredType::Unknown)),
    }
}

/// Calls `take` with each parameter in a signature and its type, the receiver of a Go method
/// included.
pub(super) fn parse_parameters(
    language: Language,
    signature: &str,
    take: &mut dyn FnMut(&str, InferredType),
) {
    use Language::*;
    // In the other languages the type stands before the name, or the parameter has a second name.
    if !matches!(language, Python | Rust | Go | TypeScript | Tsx | JavaScript | Kotlin) {
        return;
    }
    let Some(open) = signature.find('(') else { return };
    let mut rest = &signature[open..];
    let groups = if language == Language::Go { 2 } else { 1 };
    for _ in 0..groups {
        let Some(open) = rest.find('(') else { return };
        let Some(close) = closing_bracket(&rest[open..]) else { return };
        let inside = &rest[open + 1..open + close];
        let mut type_after = InferredType::Unknown;
        let parts: Vec<&str> = split_at_commas(inside);
        for part in parts.into_iter().rev() {
            let part = part.trim().trim_start_matches(['*', '&']);
            let part = part.strip_prefix("mut ").unwrap_or(part);
            let name = leading_identifier(part);
            let after = part[name.len()..].trim_start();
            if name.is_empty() {
                continue;
            }
            let bound = match language {
                Language::Go if after.is_empty() => type_after.clone(),
                Language::Go => parse_annotation(language, after),
                _ => match after.trim_start_matches('?').trim_start().strip_prefix(':') {
                    Some(annotation) => parse_annotation(language, split_assignment(annotation).0),
                    None => InferredType::Unknown,
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

/// Returns the type that an annotation names.
fn parse_annotation(language: Language, text: &str) -> InferredType {
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
        return InferredType::BuiltIn;
    }
    if text.contains(['|', '&', '+']) {
        return InferredType::Unknown;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_.:".contains(c)).unwrap_or(text.len());
    type_from_path(&text[..end])
}

fn type_from_path(path: &str) -> InferredType {
    let last = path.rsplit(['.', ':']).next().unwrap_or(path);
    if BUILT_IN_TYPES.contains(&last) {
        return InferredType::BuiltIn;
    }
    let is_type = last.trim_start_matches('_').starts_with(char::is_uppercase);
    if is_type { InferredType::Type(path.to_owned()) } else { InferredType::Unknown }
}

/// Returns the type of a value that is a literal or a plain construction.
fn infer_from_value(language: Language, text: &str) -> InferredType {
    let mut text = text.trim_end_matches([';', ':', ',']).trim();
    if text.starts_with(['"', '\'', '`', '[', '{'])
        || text.starts_with(|c: char| c.is_ascii_digit())
    {
        return InferredType::BuiltIn;
    }
    text = match language {
        Language::Go => text.trim_start_matches('&'),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let Some(made) = text.strip_prefix("new ") else { return InferredType::Unknown };
            made
        }
        _ => text,
    };
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_.:".contains(c)).unwrap_or(text.len());
    let (path, rest) = (&text[..end], text[end..].trim_start());
    let opening = if language == Language::Go { '{' } else { '(' };
    if language == Language::Rust && rest.starts_with('{') {
        return type_from_path(path);
    }
    if !rest.starts_with(opening) {
        return InferredType::Unknown;
    }
    // Code after the closing bracket, such as a method call, changes the type.
    if closing_bracket(rest).is_some_and(|close| !rest[close + 1..].trim().is_empty()) {
        return InferredType::Unknown;
    }
    if language == Language::Rust {
        let Some((owner, function)) = path.rsplit_once("::") else { return type_from_path(path) };
        let makes = matches!(function, "new" | "default") || function.starts_with("with_");
        return if makes { type_from_path(owner) } else { InferredType::Unknown };
    }
    type_from_path(path)
}

/// Returns the identifier at the start of a text.
fn leading_identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Returns the offset of the bracket that closes the one at the start of a text.
fn closing_bracket(text: &str) -> Option<usize> {
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

/// Splits a text at the commas outside of brackets.
fn split_at_commas(text: &str) -> Vec<&str> {
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
