//! A Rust file, split into code and comments by a small lexer.
//!
//! Rules want to know whether `std::fs` is code, prose or a string, and where a brace
//! closes; that needs the lexical grammar only, which is a page, and no parser.

/// One comment or one line of a block comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    /// 1-based line.
    pub(crate) line: usize,
    /// The text with its slashes.
    pub(crate) text: String,
}

/// A Rust file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Path relative to the repository, with `/`.
    pub(crate) path: String,
    /// The file as it is.
    pub(crate) text: String,
    /// The same bytes, but every byte in a comment, a string or a character is a space.
    pub(crate) code: String,
    /// The comments, in order.
    pub(crate) comments: Vec<Comment>,
}

impl Source {
    /// Splits `text`.
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let (code, comments) = split(&text);
        Self { path: path.into(), text, code, comments }
    }

    /// The 1-based line of a byte offset.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.code.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count() + 1
    }

    /// Byte offsets where `word` stands in the code as a whole word.
    pub(crate) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = self.code[..*at].chars().next_back();
            let after = self.code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test_file(&self) -> bool {
        let mut parts = self.path.split('/');
        parts.any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
    }

    /// Byte ranges of items under `#[cfg(test)]`.
    pub(crate) fn test_ranges(&self) -> Vec<std::ops::Range<usize>> {
        self.code
            .match_indices("#[cfg(test)]")
            .map(|(at, _)| at..item_end(&self.code, at + "#[cfg(test)]".len()))
            .collect()
    }
}

/// Whether `c` can be part of an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Where the item that starts at `from` ends: after its first `;` outside any bracket, or
/// after the brace block that comes first. The end of the code if it never does.
pub(crate) fn item_end(code: &str, from: usize) -> usize {
    let mut nested = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => nested += 1,
            b')' | b']' => nested = nested.saturating_sub(1),
            b';' if nested == 0 => return at + 1,
            b'{' if nested == 0 => return block_end(code, at),
            _ => {}
        }
    }
    code.len()
}

/// Where the brace block that opens at `open` ends, after its closing brace.
fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The code with everything else blanked, and the comments.
fn split(text: &str) -> (String, Vec<Comment>) {
    let mut code = String::with_capacity(text.len());
    let mut comments = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (length, kind) = token(rest, text[..at].chars().next_back());
        let part = &rest[..length];
        match kind {
            Kind::Code => code.push_str(part),
            Kind::Blank | Kind::Comment => blank(&mut code, part),
        }
        if kind == Kind::Comment {
            comments.extend(
                part.lines()
                    .zip(line..)
                    .map(|(one, line)| Comment { line, text: one.trim().to_owned() }),
            );
        }
        line += part.matches('\n').count();
        at += length;
    }
    (code, comments)
}

/// Spaces for every byte but the line breaks, so that offsets and lines stay.
fn blank(code: &mut String, part: &str) {
    code.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Blank,
}

/// Bytes and kind of the next token of `rest`; `before` is the character it follows.
fn token(rest: &str, before: Option<char>) -> (usize, Kind) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Kind::Comment);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), Kind::Comment);
    }
    if !before.is_some_and(is_word)
        && let Some(length) = string_with_prefix(rest)
    {
        return (length, Kind::Blank);
    }
    if rest.starts_with('"') {
        return (quoted(rest, 1), Kind::Blank);
    }
    if let Some(length) = character(rest) {
        return (length, Kind::Blank);
    }
    (rest.chars().next().map_or(1, char::len_utf8), Kind::Code)
}

/// Length of a block comment, nested ones included.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Length of a string such as `r#"…"#`, `b"…"` or `c"…"`, if `rest` starts with one.
fn string_with_prefix(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|p| {
        rest.strip_prefix(*p).is_some_and(|tail| {
            tail.starts_with('"')
                || (p.ends_with('r') && tail.trim_start_matches('#').starts_with('"'))
        })
    })?;
    let tail = &rest[prefix.len()..];
    if !prefix.ends_with('r') {
        return Some(prefix.len() + quoted(tail, 1));
    }
    let hashes = tail.len() - tail.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(hashes));
    let body = &tail[hashes + 1..];
    let end = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(prefix.len() + hashes + 1 + end)
}

/// Length of a string that starts with `quote_length` bytes of quote and honours `\`.
fn quoted(rest: &str, quote_length: usize) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(quote_length) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Length of a character literal, if `rest` starts with one and not with a lifetime.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next()?;
    if first == '\\' {
        let close = body.char_indices().skip(2).find(|(_, c)| *c == '\'')?.0;
        return Some(1 + close + 1);
    }
    let after = first.len_utf8();
    body[after..].starts_with('\'').then_some(1 + after + 1)
}

#[cfg(test)]
mod tests;
