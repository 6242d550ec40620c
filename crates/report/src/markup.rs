//! Writes HTML; text can never become markup.

use std::fmt::Write as _;

use foveal_screen::is_hidden_char;

/// HTML under construction. All methods but [`HtmlWriter::push_markup`] escape their input.
#[derive(Debug, Clone, Default)]
pub(crate) struct HtmlWriter {
    text: String,
}

/// The name and value of an attribute.
pub(crate) type Attribute<'a> = (&'a str, &'a str);

impl HtmlWriter {
    /// Appends trusted markup without escapes.
    pub(crate) fn push_markup(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Appends the markup of another writer.
    pub(crate) fn append(&mut self, part: &HtmlWriter) {
        self.text.push_str(&part.text);
    }

    /// Appends text.
    pub(crate) fn push_text(&mut self, text: &str) {
        escape_into(&mut self.text, text);
    }

    /// Opens an element.
    pub(crate) fn open_element(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.write_tag(tag, attributes);
        self.text.push('>');
    }

    /// Closes an element.
    pub(crate) fn close_element(&mut self, tag: &str) {
        write!(self.text, "</{tag}>").expect("strings take all text");
    }

    /// Writes an element without content.
    pub(crate) fn empty_element(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.write_tag(tag, attributes);
        self.text.push_str("/>");
    }

    /// Writes an element that holds only text.
    pub(crate) fn text_element(&mut self, tag: &str, attributes: &[Attribute<'_>], text: &str) {
        self.open_element(tag, attributes);
        self.push_text(text);
        self.close_element(tag);
    }

    fn write_tag(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attributes {
            write!(self.text, " {name}=\"").expect("strings take all text");
            escape_into(&mut self.text, value);
            self.text.push('"');
        }
    }

    /// Returns the markup.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// Escapes for element content and for quoted attributes alike. Replaces invisible characters,
/// characters that are not allowed in a document, and those that turn the reading direction, so
/// that a name cannot disturb the page around it.
fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            // Scripts and pictures beyond ASCII need these between their characters.
            '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => out.push(character),
            hidden if is_hidden_char(hidden) => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        for (text, expected) in [
            ("plain", "plain"),
            ("</script><b>", "&lt;/script&gt;&lt;b&gt;"),
            ("a & \"b\" 'c'", "a &amp; &quot;b&quot; &#39;c&#39;"),
            ("\u{0}\u{1b}[31m\u{7f}", "\u{fffd}\u{fffd}[31m\u{fffd}"),
            ("\u{202e}txt.exe", "\u{fffd}txt.exe"),
            ("a\u{200b}b\u{e0041}\u{200f}", "a\u{fffd}b\u{fffd}\u{fffd}"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("ein Häuschen 家", "ein Häuschen 家"),
        ] {
            let mut html = HtmlWriter::default();
            html.text_element("i", &[("title", text)], text);
            assert_eq!(html.finish(), format!("<i title=\"{expected}\">{expected}</i>"));
        }
    }
}
