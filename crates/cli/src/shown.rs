//! Text for a person, with its colours beside it.
//!
//! What files, sessions and programs hold may contain anything, codes for terminals too. So no
//! text has codes of ours in it: they stand beside it until it is printed, and whatever control
//! character is in a text then came from elsewhere. The only way to print a colour is through
//! [`Shown::coloured`].

use std::fmt;

use foveal_screen::in_lines;

/// What stands between `ESC [` and `m` to end a colour.
const PLAIN: &str = "0";

/// Text, and the colours in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    text: String,
    /// Where in the text a colour begins or ends, in order: what stands between `ESC [` and `m`.
    codes: Vec<(usize, &'static str)>,
}

/// Who gets a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person: what cannot be seen is spelled out.
    Person,
    /// A file or a program: every byte stays as it is.
    Program,
}

impl Shown {
    /// `text` in the colour that `code` stands for.
    pub(crate) fn coloured(code: &'static str, text: &str) -> Self {
        Self { text: text.to_owned(), codes: vec![(0, code), (text.len(), PLAIN)] }
    }

    /// Adds what follows.
    pub(crate) fn push(&mut self, next: impl Into<Self>) {
        let Self { text, codes } = next.into();
        let start = self.text.len();
        self.codes.extend(codes.into_iter().map(|(at, code)| (start + at, code)));
        match start {
            0 => self.text = text,
            _ => self.text.push_str(&text),
        }
    }

    /// Adds words without a colour.
    pub(crate) fn push_str(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// The same with more behind it.
    #[must_use]
    pub(crate) fn and(mut self, next: impl Into<Self>) -> Self {
        self.push(next);
        self
    }

    /// The same with `indent` before each line.
    #[must_use]
    pub(crate) fn indented(&self, indent: &str) -> Self {
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

    /// Whoever wants colours has them shown by something.
    pub(crate) fn is_coloured(&self) -> bool {
        !self.codes.is_empty()
    }

    /// What is printed.
    pub(crate) fn render(&self, reader: Reader) -> String {
        let mut out = String::with_capacity(self.text.len() + self.codes.len() * 4);
        let mut from = 0;
        let mut add = |out: &mut String, to: usize| {
            let part = &self.text[from..to];
            from = to;
            match reader {
                Reader::Person => *out += &in_lines(part),
                Reader::Program => *out += part,
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

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self { text, codes: Vec::new() }
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<char> for Shown {
    fn from(sign: char) -> Self {
        Self::from(sign.to_string())
    }
}

impl Extend<Shown> for Shown {
    fn extend<T: IntoIterator<Item = Shown>>(&mut self, parts: T) {
        parts.into_iter().for_each(|part| self.push(part));
    }
}

impl FromIterator<Shown> for Shown {
    fn from_iter<T: IntoIterator<Item = Shown>>(parts: T) -> Self {
        let mut all = Self::default();
        all.extend(parts);
        all
    }
}

/// Words are added without a colour.
impl fmt::Write for Shown {
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
        let mut shown = Shown::from("a\x1b[31mb\r\n");
        shown.push(Shown::coloured("36", "c\x1b]0;d\x07"));
        shown.push_str("\n");
        assert!(shown.is_coloured());
        assert_eq!(
            shown.render(Reader::Person),
            "a\\u001b[31mb\n\x1b[36mc\\u001b]0;d\\u0007\x1b[0m\n"
        );
        assert_eq!(shown.render(Reader::Program), "a\x1b[31mb\r\n\x1b[36mc\x1b]0;d\x07\x1b[0m\n");
    }

    #[test]
    fn a_part_is_indented_with_its_colours() {
        let part = Shown::coloured("1", "a").and("\n").and(Shown::coloured("2", "b")).and("c");
        let told = part.indented("  ").render(Reader::Person).replace('\x1b', "^");
        assert_eq!(told, "  ^[1ma^[0m\n  ^[2mb^[0mc");
        assert_eq!(Shown::default().indented("  "), Shown::default());
    }
}
