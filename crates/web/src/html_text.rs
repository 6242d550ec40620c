//! Strips the markup of a page in one pass without a tree: for pages that no parser should be
//! given, and for excerpts of error responses.

use std::collections::HashMap;

/// Elements whose content is not visible.
const HIDDEN_ELEMENTS: [&str; 5] = ["script", "style", "template", "title", "svg"];

/// Elements that end a line.
const LINE_BREAK_ELEMENTS: [&str; 22] = [
    "address",
    "article",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "header",
    "hr",
    "li",
    "p",
    "pre",
    "section",
    "table",
    "tr",
];

/// Elements without an end tag: void ones, and those that another element closes.
const NON_NESTING_ELEMENTS: [&str; 29] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "option", "p", "rp", "rt", "source", "tbody", "td", "th",
    "thead", "tr", "track", "wbr",
];

/// A tag, in lower case.
struct HtmlTag {
    name: String,
    opens: bool,
}

/// Returns the text before the next tag, the tag, and the rest; `None` for the tag at the end. A
/// comment or a hidden element counts as a tag without a name.
fn next_tag(html: &str) -> (&str, Option<HtmlTag>, &str) {
    let mut from = 0;
    while let Some(at) = html[from..].find('<').map(|at| from + at) {
        let rest = &html[at..];
        let empty = HtmlTag { name: String::new(), opens: false };
        if let Some(comment) = rest.strip_prefix("<!--") {
            let rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            return (&html[..at], Some(empty), rest);
        }
        let opens = !rest.starts_with("</");
        let inner = if opens { &rest[1..] } else { &rest[2..] };
        let name_end =
            inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(inner.len());
        let name = inner[..name_end].to_ascii_lowercase();
        if name.is_empty() && !rest.starts_with("<!") {
            from = at + 1;
            continue;
        }
        let mut rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
        if opens && HIDDEN_ELEMENTS.contains(&name.as_str()) {
            rest = skip_element(rest, &name);
            return (&html[..at], Some(empty), rest);
        }
        return (&html[..at], Some(HtmlTag { name, opens }), rest);
    }
    (html, None, "")
}

/// Returns an upper estimate of the nesting depth of elements: a parser's work grows with its
/// square.
pub(crate) fn nesting_depth(html: &str) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = html;
    while let (_, Some(tag), after) = next_tag(rest) {
        rest = after;
        if tag.name.is_empty() || NON_NESTING_ELEMENTS.contains(&tag.name.as_str()) {
            continue;
        }
        let count = open.entry(tag.name).or_default();
        if tag.opens {
            *count += 1;
            depth += 1;
            deepest = deepest.max(depth);
        } else if *count > 0 {
            // An end tag without a start tag closes nothing.
            *count -= 1;
            depth -= 1;
        }
    }
    deepest
}

/// Returns the text of `html` without markup, as lines without empty ones. One pass, whatever it
/// holds.
pub fn html_to_text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    loop {
        let (before, tag, after) = next_tag(rest);
        append_text(&mut out, before);
        rest = after;
        let Some(HtmlTag { name, .. }) = tag else { break };
        if LINE_BREAK_ELEMENTS.contains(&name.as_str()) && !out.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        } else if matches!(name.as_str(), "td" | "th") {
            append_text(&mut out, " ");
        }
    }
    let mut lines = String::with_capacity(out.len());
    for line in out.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(line);
    }
    lines
}

/// Returns the rest after `</name …>`.
fn skip_element<'html>(html: &'html str, name: &str) -> &'html str {
    let mut rest = html;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// Appends text with single spaces and the most frequent entities decoded.
fn append_text(out: &mut String, text: &str) {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            if !out.is_empty() && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
            continue;
        }
        let entity = (c == '&').then(|| parse_entity(&text[at..])).flatten();
        match entity {
            Some((replacement, length)) => {
                out.push(replacement);
                // Entities are ASCII, so that their characters equal their bytes.
                chars.by_ref().take(length - 1).for_each(drop);
            }
            None => out.push(c),
        }
    }
}

fn parse_entity(text: &str) -> Option<(char, usize)> {
    let named = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&nbsp;", ' ')];
    if let Some((name, c)) = named.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*c, name.len()));
    }
    let digits = text.strip_prefix("&#")?;
    let end = digits.bytes().take(8).position(|byte| byte == b';')?;
    let number = match digits[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits[..end].parse().ok()?,
    };
    char::from_u32(number).filter(|c| !c.is_control()).map(|c| (c, end + 3))
}

#[cfg(test)]
mod tests;
