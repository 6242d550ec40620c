//! A Rust file, split into code and comments.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

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
    /// The bytes of `text`, but every byte in a comment, a string or a character is a space.
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

    /// Returns whether the whole file is test code.
    pub(crate) fn is_test_file(&self) -> bool {
        let mut parts = self.path.split('/');
        parts.any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
    }

    /// Returns whether the file is part of a program or library, and no test or example.
    pub(crate) fn is_product_file(&self) -> bool {
        let folder = self.path.split_once("/src/").map_or("", |(folder, _)| folder);
        let is_member = folder == "xtask" || folder.starts_with("crates/");
        is_member && !folder.ends_with("/fuzz") && !self.is_test_file()
    }

    /// Byte offsets where `word` stands in the code as a whole word, items under `#[cfg(test)]` left
    /// out.
    pub(crate) fn words_outside_tests<'a>(
        &'a self,
        word: &'a str,
    ) -> impl Iterator<Item = usize> + 'a {
        let tests = self.test_ranges();
        self.words(word).filter(move |at| !tests.iter().any(|test| test.contains(at)))
    }

    /// Byte ranges of items under `#[cfg(test)]`.
    pub(crate) fn test_ranges(&self) -> Vec<std::ops::Range<usize>> {
        self.code
            .match_indices("#[cfg(test)]")
            .map(|(at, _)| at..item_end(&self.code, at + "#[cfg(test)]".len()))
            .collect()
    }
}

/// Returns whether `c` can be part of an identifier.
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
            b'{' if nested == 0 => return group_end(code, at),
            _ => {}
        }
    }
    code.len()
}

/// Where the group that opens at `open`, with a brace or a round bracket, ends: after what
/// closes it.
pub(crate) fn group_end(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => {
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
    let (mut at, mut line) = (0, 1);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let part = &text[at..at + token.len as usize];
        match token.kind {
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                blank(&mut code, part);
                comments.extend(
                    part.lines()
                        .zip(line..)
                        .map(|(one, line)| Comment { line, text: one.trim().to_owned() }),
                );
            }
            TokenKind::Literal { kind, .. } if is_text(kind) => blank(&mut code, part),
            _ => code.push_str(part),
        }
        line += part.matches('\n').count();
        at += part.len();
    }
    (code, comments)
}

fn is_text(kind: LiteralKind) -> bool {
    !matches!(kind, LiteralKind::Int { .. } | LiteralKind::Float { .. })
}

/// Spaces for every byte but the line breaks, so that offsets and lines stay.
fn blank(code: &mut String, part: &str) {
    code.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

#[cfg(test)]
mod tests;
