//! Collection of names in use.

use foveal_parser_runtime::Node;

use super::node_rows::first_row;
use super::walker::TreeWalker;
use crate::entity::{Mention, MentionKind};
use crate::language_spec::NodeRole;
use crate::parse_limits::MENTIONS_MAX;
use foveal_transcript::LineNumber;

/// The largest number of bytes of a name; longer ones are ignored.
const NAME_BYTES_MAX: usize = 100;

/// The number of bytes of type arguments between a name and the bracket of its call.
const TYPE_ARGUMENT_BYTES_MAX: usize = 80;

impl TreeWalker<'_> {
    /// Records the name in `node`, unless it is the name of a definition.
    pub(super) fn record_mention(&mut self, node: Node<'_>, role: NodeRole) {
        let range = node.byte_range();
        while let Some(at) = self.definition_names.last().copied().filter(|at| *at <= range.start) {
            self.definition_names.pop();
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
            NodeRole::CallName => MentionKind::Call,
            _ if is_called(&self.text[range.end..]) => MentionKind::Call,
            NodeRole::TypeName => MentionKind::Type,
            _ if frame.in_type => MentionKind::Type,
            _ => MentionKind::Name,
        };
        let before = qualifier_before(&self.text[..range.start]).map(Into::into);
        self.push_mention(Mention::new(name, before, kind), first_row(node));
    }

    /// Records the words between back quotes in `node`.
    pub(super) fn record_prose(&mut self, node: Node<'_>) {
        let Some(text) = self.text.get(node.byte_range()) else { return };
        for (down, line) in (0u32..).zip(text.lines()) {
            for quoted in line.split('`').skip(1).step_by(2) {
                let words = quoted.split(|c: char| !c.is_alphanumeric() && c != '_');
                for word in words.filter(|word| (3..=NAME_BYTES_MAX).contains(&word.len())) {
                    let end = word.as_ptr() as usize - quoted.as_ptr() as usize + word.len();
                    let called = quoted[end..].starts_with('(');
                    let kind = if called { MentionKind::Call } else { MentionKind::Name };
                    let before = qualifier_before(&quoted[..end - word.len()]).map(Into::into);
                    let row = first_row(node).saturating_add(down);
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
    /// Returns a mention without its position.
    fn new(name: &str, qualifier: Option<Box<str>>, kind: MentionKind) -> Self {
        Self { name: name.into(), qualifier, kind, line: LineNumber(1), inside: None }
    }
}

/// The number of bytes before a name that are searched for its qualifier.
const QUALIFIER_BYTES_MAX: usize = 160;

/// Returns the qualifier of a name after `before`, as written. It is empty for an expression, and
/// `None` for an unqualified name.
pub(crate) fn qualifier_before(before: &str) -> Option<&str> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(QUALIFIER_BYTES_MAX));
    let before = &before[from..];
    let rest = strip_separator(before)?;
    let whole = rest.trim_end().trim_end_matches(['?', '!']);
    if whole.ends_with("super()") {
        return Some("super");
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut start = whole.trim_end_matches(is_letter).len();
    // Further segments of a path.
    while start < whole.len()
        && let Some(outer) = strip_separator(&whole[..start])
    {
        let next = outer.trim_end_matches(is_letter).len();
        if next == outer.len() {
            break;
        }
        start = next;
    }
    Some(&whole[start..])
}

/// Strips the separator between a qualifier and a name; `None` if `text` does not end with one.
fn strip_separator(text: &str) -> Option<&str> {
    let rest = ["::", "->", ".", "\\"].iter().find_map(|mark| text.strip_suffix(mark))?;
    // A range or a spread has no qualifier.
    (!rest.ends_with('.')).then_some(rest)
}

/// Returns whether the text after a name makes it a call: `(`, `!(`, `::<T>(`, `<T>(`.
fn is_called(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    match bytes.next() {
        Some(b'(') => true,
        Some(b' ') => bytes.next() == Some(b'('),
        Some(b'!') => matches!(bytes.next(), Some(b'(' | b'[' | b'{')),
        Some(b':') => rest.starts_with("::<"),
        Some(b'<') => {
            let end = rest.floor_char_boundary(TYPE_ARGUMENT_BYTES_MAX.min(rest.len()));
            let line = rest[..end].lines().next().unwrap_or_default();
            line.find(">(").is_some_and(|at| !line[..at].contains([';', '(', '{']))
        }
        _ => false,
    }
}
