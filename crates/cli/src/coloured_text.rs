//! Text for people, with its colours stored beside it.
//!
//! Files, sessions and programs may contain any character, including codes for terminals. Text
//! therefore never contains our own codes: they are stored beside it until it is printed, so every
//! control character in a text is foreign. Colours are printed through [`ColouredText::coloured`]
//! only.

use std::fmt;

use foveal_screen::escape_lines;

/// The SGR parameter that resets the colour.
const RESET_CODE: &str = "0";

/// Text and its colours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColouredText {
    text: String,
    /// The SGR parameters (between `ESC [` and `m`) at their byte offsets, in order.
    codes: Vec<(usize, &'static str)>,
}

/// The kind of reader of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A person: invisible characters are escaped.
    Person,
    /// A file or a program: every byte stays unchanged.
    Program,
}

impl ColouredText {
    /// Returns `text` in the colour of the SGR parameters `code`.
    pub(crate) fn coloured(code: &'static str, text: &str) -> Self {
        Self { text: text.to_owned(), codes: vec![(0, code), (text.len(), RESET_CODE)] }
    }

    /// Appends text.
    pub(crate) fn push(&mut self, next: impl Into<Self>) {
        let Self { text, codes } = next.into();
        let start = self.text.len();
        self.codes.extend(codes.into_iter().map(|(at, code)| (start + at, code)));
        match start {
            0 => self.text = text,
            _ => self.text.push_str(&text),
        }
    }

    /// Appends text without a colour.
    pub(crate) fn push_str(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Returns the text with `next` appended.
    #[must_use]
    pub(crate) fn append(mut self, next: impl Into<Self>) -> Self {
        self.push(next);
        self
    }

    /// Returns the text with `indent` before each line.
    #[must_use]
    pub(crate) fn with_indent(&self, indent: &str) -> Self {
        let mut all = Self::default();
        let mut codes = self.codes.iter().peekable();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            all.push_str(indent);
            while let Some((at, code)) = codes.next_if(|(at, _)| *at < start + line.len()) {
                all.codes.push((all.text.len() + at - start, code));
            }
            all.push_str(line);
            start += line.len();
        }
        all.codes.extend(codes.map(|(_, code)| (all.text.len(), *code)));
        all
    }

    /// Returns true if the text has colours, which only a person can see.
    pub(crate) fn is_coloured(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Renders the text for its audience.
    pub(crate) fn render(&self, reader: Audience) -> String {
        let mut out = String::with_capacity(self.text.len() + self.codes.len() * 4);
        let mut from = 0;
        let mut add = |out: &mut String, to: usize| {
            let part = &self.text[from..to];
            from = to;
            match reader {
                Audience::Person => *out += &escape_lines(part),
                Audience::Program => *out += part,
            }
        };
        for (at, code) in &self.codes {
            add(&mut out, *at);
            out.extend(["\x1b[", code, "m"]);
        }
        add(&mut out, self.text.len());
        out
    }
}

impl From<String> for ColouredText {
    fn from(text: String) -> Self {
        Self { text, codes: Vec::new() }
    }
}

impl From<&str> for ColouredText {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<char> for ColouredText {
    fn from(sign: char) -> Self {
        Self::from(sign.to_string())
    }
}

impl Extend<ColouredText> for ColouredText {
    fn extend<T: IntoIterator<Item = ColouredText>>(&mut self, parts: T) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl FromIterator<ColouredText> for ColouredText {
    fn from_iter<T: IntoIterator<Item = ColouredText>>(parts: T) -> Self {
        let mut all = Self::default();
        all.extend(parts);
        all
    }
}

/// Written text has no colour.
impl fmt::Write for ColouredText {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        self.push_str(words);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_codes_are_left_for_a_person() {
        let mut shown = ColouredText::from("a\x1b[31mb\r\n");
        shown.push(ColouredText::coloured("36", "c\x1b]0;d\x07"));
        shown.push_str("\n");
        assert!(shown.is_coloured());
        assert_eq!(
            shown.render(Audience::Person),
            "a\\u001b[31mb\n\x1b[36mc\\u001b]0;d\\u0007\x1b[0m\n"
        );
        assert_eq!(shown.render(Audience::Program), "a\x1b[31mb\r\n\x1b[36mc\x1b]0;d\x07\x1b[0m\n");
    }

    #[test]
    fn a_part_is_indented_with_its_colours() {
        let part = ColouredText::coloured("1", "a")
            .append("\n")
            .append(ColouredText::coloured("2", "b"))
            .append("c");
        let told = part.with_indent("  ").render(Audience::Person).replace('\x1b', "^");
        assert_eq!(told, "  ^[1ma^[0m\n  ^[2mb^[0mc");
        assert_eq!(ColouredText::default().with_indent("  "), ColouredText::default());
    }
}
