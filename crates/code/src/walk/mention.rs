//! Names in use.

use foveal_parser_runtime::Node;

use super::row::row;
use super::walker::Walker;
use crate::bounds::MENTIONS_MAX;
use crate::entity::{Mention, MentionKind};
use crate::spec::Role;
use foveal_transcript::LineNumber;

/// Bytes of a name; longer ones name nothing.
const NAME_BYTES_MAX: usize = 100;

/// Bytes of type arguments between a name and the bracket that calls it.
const TYPE_ARGUMENTS_MAX: usize = 80;

impl Walker<'_> {
    /// Records the name in `node`, unless it is the one being defined.
    pub(super) fn mention(&mut self, node: Node<'_>, role: Role) {
        let range = node.byte_range();
        while let Some(at) = self.names.last().copied().filter(|at| *at <= range.start) {
            self.names.pop();
            if at == range.start {
                return;
            }
        }
        let Some(name) = self.text.get(range.clone()) else { return };
        let is_word = (2..=NAME_BYTES_MAX).contains(&name.len())
            && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "\"'`".contains(c));
        if !is_word || matches!(name, "self" | "this") {
            return;
        }
        let frame = self.frames.last().expect("a node is visited only inside a frame");
        let kind = match role {
            Role::CallName => MentionKind::Call,
            _ if is_called(&self.text[range.end..]) => MentionKind::Call,
            Role::TypeName => MentionKind::Type,
            _ if frame.types => MentionKind::Type,
            _ => MentionKind::Name,
        };
        let before = qualifier(&self.text[..range.start]).map(Into::into);
        self.push_mention(Mention::new(name, before, kind), row(node));
    }

    /// Records what stands between back quotes in `node`.
    pub(super) fn prose(&mut self, node: Node<'_>) {
        let Some(text) = self.text.get(node.byte_range()) else { return };
        for (down, line) in (0u32..).zip(text.lines()) {
            for quoted in line.split('`').skip(1).step_by(2) {
                let words = quoted.split(|c: char| !c.is_alphanumeric() && c != '_');
                for word in words.filter(|word| (3..=NAME_BYTES_MAX).contains(&word.len())) {
                    let end = word.as_ptr() as usize - quoted.as_ptr() as usize + word.len();
                    let called = quoted[end..].starts_with('(');
                    let kind = if called { MentionKind::Call } else { MentionKind::Name };
                    let before = qualifier(&quoted[..end - word.len()]).map(Into::into);
                    let row = row(node).saturating_add(down);
                    self.push_mention(Mention::new(word, before, kind), row);
                }
            }
        }
    }

    fn push_mention(&mut self, mention: Mention, row: u32) {
        if self.parsed.mentions.len() >= MENTIONS_MAX {
            self.parsed.cut = true;
            return;
        }
        let inside = self.frames.last().and_then(|frame| frame.entity);
        let line = LineNumber(row.saturating_add(1));
        self.parsed.mentions.push(Mention { line, inside, ..mention });
    }
}

impl Mention {
    /// A mention whose place is not known yet.
    fn new(name: &str, qualifier: Option<Box<str>>, kind: MentionKind) -> Self {
        Self { name: name.into(), qualifier, kind, line: LineNumber(1), inside: None }
    }
}

/// Bytes before a name that are looked at for what it belongs to.
const QUALIFIER_BYTES_MAX: usize = 160;

/// The words that a name after `before` belongs to, as written; empty where it is an
/// expression.
pub(crate) fn qualifier(before: &str) -> Option<&str> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(QUALIFIER_BYTES_MAX));
    let before = &before[from..];
    let rest = before_mark(before)?;
    let whole = rest.trim_end().trim_end_matches(['?', '!']);
    if whole.ends_with("super()") {
        return Some("super");
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut start = whole.trim_end_matches(is_letter).len();
    // Further words that are joined to it directly.
    while start < whole.len()
        && let Some(outer) = before_mark(&whole[..start])
    {
        let next = outer.trim_end_matches(is_letter).len();
        if next == outer.len() {
            break;
        }
        start = next;
    }
    Some(&whole[start..])
}

/// What stands before the mark that `text` ends with, if it joins two names.
fn before_mark(text: &str) -> Option<&str> {
    let rest = ["::", "->", ".", "\\"].iter().find_map(|mark| text.strip_suffix(mark))?;
    // A range or a spread joins nothing.
    (!rest.ends_with('.')).then_some(rest)
}

/// Whether what follows a name calls it: `(`, `!(`, `::<T>(`, `<T>(`.
fn is_called(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    match bytes.next() {
        Some(b'(') => true,
        Some(b' ') => bytes.next() == Some(b'('),
        Some(b'!') => matches!(bytes.next(), Some(b'(' | b'[' | b'{')),
        Some(b':') => rest.starts_with("::<"),
        Some(b'<') => {
            let end = rest.floor_char_boundary(TYPE_ARGUMENTS_MAX.min(rest.len()));
            let line = rest[..end].lines().next().unwrap_or_default();
            line.find(">(").is_some_and(|at| !line[..at].contains([';', '(', '{']))
        }
        _ => false,
    }
}
