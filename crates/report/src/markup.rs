//! Writing HTML in which text can never become markup.

use std::fmt::Write as _;

use foveal_screen::is_hidden;

/// HTML under construction. Everything but [`Html::raw`] escapes what it is given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Html {
    text: String,
}

/// An attribute's name and value.
pub(crate) type Attribute<'a> = (&'a str, &'a str);

impl Html {
    /// Adds markup of ours.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Adds the markup of another part.
    pub(crate) fn append(&mut self, part: &Html) {
        self.text.push_str(&part.text);
    }

    /// Adds text.
    pub(crate) fn text(&mut self, text: &str) {
        escape_into(&mut self.text, text);
    }

    /// Opens an element.
    pub(crate) fn open(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.tag(tag, attributes);
        self.text.push('>');
    }

    /// Closes an element.
    pub(crate) fn close(&mut self, tag: &str) {
        write!(self.text, "</{tag}>").expect("strings take all text");
    }

    /// An element without content.
    pub(crate) fn empty(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.tag(tag, attributes);
        self.text.push_str("/>");
    }

    /// An element that holds text only.
    pub(crate) fn leaf(&mut self, tag: &str, attributes: &[Attribute<'_>], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    fn tag(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attributes {
            write!(self.text, " {name}=\"").expect("strings take all text");
            escape_into(&mut self.text, value);
            self.text.push('"');
        }
    }

    /// The markup.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// Escapes for element content and for quoted attributes alike. Characters that are not
/// allowed in a document, those that turn the reading direction of what follows, and those that
/// show nothing are replaced, so that a name cannot disturb the page around it.
fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            // Scripts and pictures beyond ASCII need these between their signs.
            '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => out.push(character),
            hidden if is_hidden(hidden) => out.push('\u{fffd}'),
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
            let mut html = Html::default();
            html.leaf("i", &[("title", text)], text);
            assert_eq!(html.finish(), format!("<i title=\"{expected}\">{expected}</i>"));
        }
    }
}
