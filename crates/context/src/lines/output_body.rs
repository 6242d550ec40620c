//! The part of a result that a tool printed, as a value.

use std::ops::Range;

/// The lines a tool printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) lines: Range<usize>,
    /// The result says that the call failed.
    pub(super) failed: bool,
    /// The number of the first line, where the client's heading tells it.
    pub(super) first: Option<u32>,
    /// Lines that stand for what the client left out, with the halves of lines next to them.
    pub(super) gap: Range<usize>,
    /// Lines of the output that a client left out in front of the first; `None` where it does not
    /// say how many.
    pub(super) skipped: Option<u32>,
    /// Lines of the output before a client left some out, where it says so.
    pub(super) total: Option<u32>,
}

impl Body {
    /// The lines a tool printed in full.
    pub(super) fn kept(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let gap = self.gap.clone();
        self.lines.clone().filter(move |at| !gap.contains(at))
    }
}

/// The exit code in a line that says nothing else.
pub(super) fn exit_code(line: &str) -> Option<&str> {
    let forms = [
        ("<returncode>", "</returncode>"),
        ("[Command exited with code ", "]"),
        ("Exit code ", ""),
        ("Exit code: ", ""),
        ("Process exited with code ", ""),
    ];
    let code = forms.iter().find_map(|(start, end)| line.strip_prefix(start)?.strip_suffix(end))?;
    (!code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
        .then_some(code)
}
