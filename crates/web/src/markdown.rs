//! A page's main part as Markdown, by dom_smoothie (which part) and htmd (which Markdown).
//!
//! Around them: trees too deep for functions that call themselves are not walked, languages of
//! code are found where sites write them, and addresses are made absolute.

use std::rc::Rc;

use dom_smoothie::{Config, Readability};
use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;
use url::Url;

use crate::plain;

/// Elements within each other beyond which a page's tree is not walked.
const DEPTH_MAX: usize = 400;

/// Tags within each other beyond which no tree is made.
const NESTING_MAX: usize = 5000;

/// A main part with fewer characters may be a mistake.
const MAIN_CHARS_MIN: usize = 250;

/// Stack of the thread that converts: some kilobytes for each level of [`DEPTH_MAX`].
pub(crate) const STACK_BYTES: usize = 128 << 20;

/// Elements around an element of code whose classes may name the language.
const LANGUAGE_LEVELS: usize = 4;

/// A page that was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// In one line.
    pub title: Option<String>,
    /// `None` for a page that is not walked.
    pub markdown: Option<String>,
}

/// The Markdown of the page `html`, which was found at `url`.
pub(crate) fn convert(html: &str, url: &Url) -> Converted {
    if plain::nesting(html) > NESTING_MAX {
        return Converted { title: None, markdown: None };
    }
    let Ok(tree) = HtmlToMarkdown::new().html_to_tree(html) else {
        return Converted { title: None, markdown: None };
    };
    let seen = Seen::of(&tree);
    if seen.depth > DEPTH_MAX {
        return Converted { title: seen.title, markdown: None };
    }
    let mut base = seen.base.and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
    base.set_fragment(None);
    let converter = converter(base);
    let main = main_part(html, url);
    let title = main.as_ref().map(|(title, _)| title.clone()).filter(|title| !title.is_empty());
    let title = title.or(seen.title);
    let mut markdown =
        main.and_then(|(_, content)| converter.convert(&content).ok()).unwrap_or_default();
    if markdown.chars().take(MAIN_CHARS_MIN).count() < MAIN_CHARS_MIN {
        let whole = converter.tree_to_markdown(&tree);
        // A short page may be its main part; a long one with a short main part is not.
        if whole.len() / 2 > markdown.len() {
            markdown = whole;
        }
    }
    Converted { title, markdown: Some(markdown.trim().to_owned()) }
}

/// Title and HTML of what a reader comes for.
fn main_part(html: &str, url: &Url) -> Option<(String, String)> {
    let config = Config { keep_classes: true, ..Config::default() };
    let mut page = Readability::new(html, Some(url.as_str()), Some(config)).ok()?;
    let article = page.parse().ok()?;
    let title: Vec<&str> = article.title.split_whitespace().collect();
    Some((title.join(" "), article.content.to_string()))
}

/// What is to be known of a tree before it is walked by others.
#[derive(Default)]
struct Seen {
    depth: usize,
    title: Option<String>,
    base: Option<String>,
}

impl Seen {
    fn of(tree: &Rc<Node>) -> Self {
        let mut seen = Self::default();
        let mut open = vec![(Rc::clone(tree), 0)];
        while let Some((node, depth)) = open.pop() {
            seen.depth = seen.depth.max(depth);
            match tag(&node) {
                "title" if seen.title.is_none() => {
                    let title = text_of(&node);
                    let words: Vec<&str> = title.split_whitespace().collect();
                    seen.title = Some(words.join(" ")).filter(|title| !title.is_empty());
                }
                "base" if seen.base.is_none() => seen.base = attribute(&node, "href"),
                _ => {}
            }
            open.extend(node.children.borrow().iter().rev().map(|c| (Rc::clone(c), depth + 1)));
        }
        seen
    }
}

fn converter(base: Url) -> HtmlToMarkdown {
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let unseen = vec![
        "head", "title", "script", "style", "template", "svg", "iframe", "object", "button",
        "select", "textarea", "input", "dialog",
    ];
    let other = base.clone();
    HtmlToMarkdown::builder()
        .options(options)
        .scripting_enabled(false)
        .skip_tags(unseen)
        .add_handler(vec!["a"], move |handlers: &dyn Handlers, element: Element<'_>| {
            link(&base, handlers, element)
        })
        .add_handler(vec!["img"], move |_: &dyn Handlers, element: Element<'_>| {
            image(&other, &element)
        })
        .add_handler(vec!["pre"], code)
        .build()
}

/// A link with its whole address; only its text where it leads nowhere else.
fn link(base: &Url, handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let href = attribute(element.node, "href").unwrap_or_default();
    let target = absolute(base, &href).filter(|_| !href.is_empty());
    let within = href.is_empty() || target.as_ref().is_some_and(|url| is_within(base, url));
    if within && matches!(text.trim(), "#" | "¶" | "§" | "🔗" | "\\#") {
        return None;
    }
    let Some(target) = target.filter(|_| !within && !text.trim().is_empty()) else {
        return Some(text.into());
    };
    let mut attributes = element.attrs.to_vec();
    for attribute in &mut attributes {
        if &*attribute.name.local == "href" {
            attribute.value = target.as_str().into();
        } else if &*attribute.name.local == "title" {
            // Said by the text already, as a rule.
            attribute.value = "".into();
        }
    }
    attributes.retain(|attribute| !attribute.value.is_empty());
    let mut element = element;
    element.attrs = &attributes;
    handlers.fallback(element)
}

/// An image by its description and address; nothing of one that is written into the page.
fn image(base: &Url, element: &Element<'_>) -> Option<HandlerResult> {
    let described = attribute(element.node, "alt").unwrap_or_default();
    let described: Vec<&str> = described.split_whitespace().collect();
    let described = described.join(" ").replace(['[', ']'], "");
    let source = attribute(element.node, "src").and_then(|source| absolute(base, &source));
    match source {
        Some(source) => {
            let source = source.as_str().replace('(', "%28").replace(')', "%29");
            Some(format!("![{described}]({source})").into())
        }
        None if described.is_empty() => None,
        None => Some(described.into()),
    }
}

/// Whether `target` is a place in the page at `base`.
fn is_within(base: &Url, target: &Url) -> bool {
    let mut page = target.clone();
    page.set_fragment(None);
    target.fragment().is_some() && page == *base
}

fn absolute(base: &Url, address: &str) -> Option<Url> {
    base.join(address.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "ftp"))
}

/// Code as it is, with its language, between fences that it does not hold.
#[expect(clippy::needless_pass_by_value, reason = "the shape of a handler")]
fn code(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let numbers = ["lineno", "linenos", "linenodiv", "gutter", "line-numbers-rows"];
    let classes = attribute(element.node, "class").unwrap_or_default();
    if classes.split_whitespace().any(|class| numbers.contains(&class)) {
        return None;
    }
    let text = text_of(element.node);
    let text = text.trim_end().trim_start_matches(['\r', '\n']);
    if text.is_empty() {
        return None;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let language = language(element.node).unwrap_or_default();
    Some(format!("\n\n{fence}{language}\n{text}\n{fence}\n\n").into())
}

/// The language that the code in `pre` is said to be in: by the element of code within, by
/// itself, or by those around.
fn language(pre: &Rc<Node>) -> Option<String> {
    let inner: Option<Rc<Node>> =
        pre.children.borrow().iter().find(|node| tag(node) == "code").map(Rc::clone);
    let own = inner.iter().chain([pre]).find_map(|node| {
        let stated = ["data-lang", "data-language", "lang"];
        let stated = stated.iter().find_map(|name| attribute(node, name));
        stated.and_then(|name| plausible(&name)).or_else(|| by_classes(node, true))
    });
    own.or_else(|| {
        let mut node = Rc::clone(pre);
        for _ in 0..LANGUAGE_LEVELS {
            node = parent(&node)?;
            if let Some(found) = by_classes(&node, false) {
                return Some(found);
            }
        }
        None
    })
}

/// By the ways in which highlighters write it: `language-x` (HTML's standard), `lang-x`,
/// `highlight-source-x` (GitHub), `highlight-x` (Sphinx), `brush: x`, `sourceCode x` (Pandoc),
/// `hljs x`.
fn by_classes(node: &Rc<Node>, is_code: bool) -> Option<String> {
    let classes = attribute(node, "class")?;
    let classes: Vec<&str> = classes.split_whitespace().collect();
    let starts = ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-"];
    let by_start = starts.iter().find_map(|start| {
        classes.iter().find_map(|class| class.strip_prefix(start)).and_then(plausible)
    });
    by_start.or_else(|| {
        let marks = ["brush:", "sourceCode", "hljs"];
        let after = |mark: &&str| {
            let at = classes.iter().position(|class| class == mark)?;
            plausible(classes.get(at + 1)?.trim_end_matches(';'))
        };
        marks.iter().filter(|_| is_code).find_map(after)
    })
}

fn plausible(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let fits = !name.is_empty()
        && name.len() <= 20
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte));
    let none = ["none", "default", "plain", "plaintext", "text", "notranslate", "nohighlight"];
    (fits && !none.contains(&name.as_str())).then_some(name)
}

/// All text within, with a line's end for `<br>`.
fn text_of(node: &Rc<Node>) -> String {
    let mut text = String::new();
    let mut open = vec![Rc::clone(node)];
    while let Some(node) = open.pop() {
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element { .. } if tag(&node) == "br" => text.push('\n'),
            _ => open.extend(node.children.borrow().iter().rev().map(Rc::clone)),
        }
    }
    text
}

fn tag(node: &Node) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

fn attribute(node: &Node, name: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let attributes = attrs.borrow();
    attributes.iter().find(|one| &*one.name.local == name).map(|one| one.value.to_string())
}

/// The element around `node`. The tree gives it only in exchange.
fn parent(node: &Node) -> Option<Rc<Node>> {
    let weak = node.parent.take();
    let found = weak.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(weak);
    found
}
