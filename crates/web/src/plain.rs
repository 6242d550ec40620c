//! The text of a page without its markup, in one pass and without a tree: for pages that no
//! parser of ours should be given, and for the little that an error shows.

use std::collections::HashMap;

/// Elements whose content no reader sees.
const UNSEEN: [&str; 5] = ["script", "style", "template", "title", "svg"];

/// Elements that end a line.
const BREAKS: [&str; 22] = [
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

/// Elements that stay open until another one closes them, and those that hold nothing.
const NOT_NESTING: [&str; 29] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "option", "p", "rp", "rt", "source", "tbody", "td", "th",
    "thead", "tr", "track", "wbr",
];

/// A tag, in lower case.
struct Tag {
    name: String,
    opens: bool,
}

/// The text before the next tag, the tag, and what follows it. Comments and the content of
/// elements that no reader sees are left out; `None` for the tag if there is none any more.
fn next_tag(html: &str) -> (&str, Option<Tag>, &str) {
    let mut from = 0;
    while let Some(at) = html[from..].find('<').map(|at| from + at) {
        let rest = &html[at..];
        let empty = Tag { name: String::new(), opens: false };
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
        if opens && UNSEEN.contains(&name.as_str()) {
            rest = after_end(rest, &name);
            return (&html[..at], Some(empty), rest);
        }
        return (&html[..at], Some(Tag { name, opens }), rest);
    }
    (html, None, "")
}

/// How many elements are within each other at most, guessed from above for what nests in
/// earnest: a parser's work grows with its square.
pub(crate) fn nesting(html: &str) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = html;
    while let (_, Some(tag), after) = next_tag(rest) {
        rest = after;
        if tag.name.is_empty() || NOT_NESTING.contains(&tag.name.as_str()) {
            continue;
        }
        let count = open.entry(tag.name).or_default();
        if tag.opens {
            *count += 1;
            depth += 1;
            deepest = deepest.max(depth);
        } else if *count > 0 {
            // The end of what was never begun closes nothing.
            *count -= 1;
            depth -= 1;
        }
    }
    deepest
}

/// The text of `html` without its markup: lines of words, without empty ones. One pass, whatever
/// it holds.
pub fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    loop {
        let (before, tag, after) = next_tag(rest);
        append(&mut out, before);
        rest = after;
        let Some(Tag { name, .. }) = tag else { break };
        if BREAKS.contains(&name.as_str()) && !out.is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        } else if matches!(name.as_str(), "td" | "th") {
            append(&mut out, " ");
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

/// What follows `</name …>`.
fn after_end<'html>(html: &'html str, name: &str) -> &'html str {
    let mut rest = html;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// Words with one space between them, entities that are frequent resolved.
fn append(out: &mut String, text: &str) {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            if !out.is_empty() && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
            continue;
        }
        let entity = (c == '&').then(|| entity(&text[at..])).flatten();
        match entity {
            Some((replacement, length)) => {
                out.push(replacement);
                // All entities are ASCII: as many characters as bytes.
                chars.by_ref().take(length - 1).for_each(drop);
            }
            None => out.push(c),
        }
    }
}

fn entity(text: &str) -> Option<(char, usize)> {
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
