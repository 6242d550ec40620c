//! Converts the main part of a page to Markdown: dom_smoothie extracts it, htmd converts it.
//!
//! In addition, trees too deep for recursive functions are not walked, the languages of code blocks
//! are detected as sites declare them, and URLs are made absolute.

use std::rc::Rc;

use dom_smoothie::{Config, Readability};
use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;
use url::Url;

use crate::html_text;

/// Nesting of elements above which a page's tree is not walked.
const DEPTH_MAX: usize = 400;

/// Nesting of tags above which no tree is built.
const NESTING_MAX: usize = 5000;

/// A main part with fewer characters may be an extraction error.
const MAIN_CHARS_MIN: usize = 250;

/// Stack of the converting thread: some kilobytes for each level of [`DEPTH_MAX`].
pub(crate) const STACK_BYTES: usize = 128 << 20;

/// Ancestors of a code block whose classes may name the language.
const LANGUAGE_ANCESTORS_MAX: usize = 4;

/// A converted page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedPage {
    /// The title in one line.
    pub title: Option<String>,
    /// `None` if the page is nested too deep.
    pub markdown: Option<String>,
}

/// Converts the page `html` of `url`.
pub(crate) fn convert_html(html: &str, url: &Url) -> ConvertedPage {
    if html_text::nesting_depth(html) > NESTING_MAX {
        return ConvertedPage { title: None, markdown: None };
    }
    let Ok(tree) = HtmlToMarkdown::new().html_to_tree(html) else {
        return ConvertedPage { title: None, markdown: None };
    };
    let seen = TreeSummary::from_tree(&tree);
    if seen.depth > DEPTH_MAX {
        return ConvertedPage { title: seen.title, markdown: None };
    }
    let mut base = seen.base.and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
    base.set_fragment(None);
    let converter = build_converter(base);
    let main = extract_main_part(html, url);
    let title = main.as_ref().map(|(title, _)| title.clone()).filter(|title| !title.is_empty());
    let title = title.or(seen.title);
    let mut markdown =
        main.and_then(|(_, content)| converter.convert(&content).ok()).unwrap_or_default();
    if markdown.chars().take(MAIN_CHARS_MIN).count() < MAIN_CHARS_MIN {
        let whole = converter.tree_to_markdown(&tree);
        // A short page may be all main part; a long page with a short main part is not.
        if whole.len() / 2 > markdown.len() {
            markdown = whole;
        }
    }
    ConvertedPage { title, markdown: Some(markdown.trim().to_owned()) }
}

/// Extracts the title and the HTML of the main part.
fn extract_main_part(html: &str, url: &Url) -> Option<(String, String)> {
    let config = Config { keep_classes: true, ..Config::default() };
    let mut page = Readability::new(html, Some(url.as_str()), Some(config)).ok()?;
    let article = page.parse().ok()?;
    let title: Vec<&str> = article.title.split_whitespace().collect();
    Some((title.join(" "), article.content.to_string()))
}

/// The depth, title and base URL of a tree, collected without recursion.
#[derive(Default)]
struct TreeSummary {
    depth: usize,
    title: Option<String>,
    base: Option<String>,
}

impl TreeSummary {
    fn from_tree(tree: &Rc<Node>) -> Self {
        let mut seen = Self::default();
        let mut open = vec![(Rc::clone(tree), 0)];
        while let Some((node, depth)) = open.pop() {
            seen.depth = seen.depth.max(depth);
            match tag_name(&node) {
                "title" if seen.title.is_none() => {
                    let title = text_content(&node);
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

fn build_converter(base: Url) -> HtmlToMarkdown {
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
            render_link(&base, handlers, element)
        })
        .add_handler(vec!["img"], move |_: &dyn Handlers, element: Element<'_>| {
            render_image(&other, &element)
        })
        .add_handler(vec!["pre"], render_code_block)
        .build()
}

/// Renders a link with an absolute URL, or only its text if it points into the same page.
fn render_link(base: &Url, handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let href = attribute(element.node, "href").unwrap_or_default();
    let target = resolve_url(base, &href).filter(|_| !href.is_empty());
    let within =
        href.is_empty() || target.as_ref().is_some_and(|url| is_same_page_fragment(base, url));
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
            // The title usually repeats the text.
            attribute.value = "".into();
        }
    }
    attributes.retain(|attribute| !attribute.value.is_empty());
    let mut element = element;
    element.attrs = &attributes;
    handlers.fallback(element)
}

/// Renders an image by its description and URL; embedded images are left out.
fn render_image(base: &Url, element: &Element<'_>) -> Option<HandlerResult> {
    let described = attribute(element.node, "alt").unwrap_or_default();
    let described: Vec<&str> = described.split_whitespace().collect();
    let described = described.join(" ").replace(['[', ']'], "");
    let source = attribute(element.node, "src").and_then(|source| resolve_url(base, &source));
    match source {
        Some(source) => {
            let source = source.as_str().replace('(', "%28").replace(')', "%29");
            Some(format!("![{described}]({source})").into())
        }
        None if described.is_empty() => None,
        None => Some(described.into()),
    }
}

/// Returns whether `target` is a fragment of the page at `base`.
fn is_same_page_fragment(base: &Url, target: &Url) -> bool {
    let mut page = target.clone();
    page.set_fragment(None);
    target.fragment().is_some() && page == *base
}

fn resolve_url(base: &Url, address: &str) -> Option<Url> {
    base.join(address.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "ftp"))
}

/// Renders a code block with its language, in a fence longer than any in the code.
#[expect(clippy::needless_pass_by_value, reason = "the shape of a handler")]
fn render_code_block(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let numbers = ["lineno", "linenos", "linenodiv", "gutter", "line-numbers-rows"];
    let classes = attribute(element.node, "class").unwrap_or_default();
    if classes.split_whitespace().any(|class| numbers.contains(&class)) {
        return None;
    }
    let text = text_content(element.node);
    let text = text.trim_end().trim_start_matches(['\r', '\n']);
    if text.is_empty() {
        return None;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let language = code_language(element.node).unwrap_or_default();
    Some(format!("\n\n{fence}{language}\n{text}\n{fence}\n\n").into())
}

/// Returns the declared language of the code in `pre`: from the inner code element, from `pre`
/// itself, or from its ancestors.
fn code_language(pre: &Rc<Node>) -> Option<String> {
    let inner: Option<Rc<Node>> =
        pre.children.borrow().iter().find(|node| tag_name(node) == "code").map(Rc::clone);
    let own = inner.iter().chain([pre]).find_map(|node| {
        let stated = ["data-lang", "data-language", "lang"];
        let stated = stated.iter().find_map(|name| attribute(node, name));
        stated
            .and_then(|name| parse_language_name(&name))
            .or_else(|| language_from_classes(node, true))
    });
    own.or_else(|| {
        let mut node = Rc::clone(pre);
        for _ in 0..LANGUAGE_ANCESTORS_MAX {
            node = parent(&node)?;
            if let Some(found) = language_from_classes(&node, false) {
                return Some(found);
            }
        }
        None
    })
}

/// Reads the language from the classes that highlighters use: `language-x` (the HTML standard),
/// `lang-x`, `highlight-source-x` (GitHub), `highlight-x` (Sphinx), `brush: x`, `sourceCode x`
/// (Pandoc), `hljs x`.
fn language_from_classes(node: &Rc<Node>, is_code: bool) -> Option<String> {
    let classes = attribute(node, "class")?;
    let classes: Vec<&str> = classes.split_whitespace().collect();
    let starts = ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-"];
    let by_start = starts.iter().find_map(|start| {
        classes.iter().find_map(|class| class.strip_prefix(start)).and_then(parse_language_name)
    });
    by_start.or_else(|| {
        let marks = ["brush:", "sourceCode", "hljs"];
        let after = |mark: &&str| {
            let at = classes.iter().position(|class| class == mark)?;
            parse_language_name(classes.get(at + 1)?.trim_end_matches(';'))
        };
        marks.iter().filter(|_| is_code).find_map(after)
    })
}

fn parse_language_name(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let fits = !name.is_empty()
        && name.len() <= 20
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte));
    let none = ["none", "default", "plain", "plaintext", "text", "notranslate", "nohighlight"];
    (fits && !none.contains(&name.as_str())).then_some(name)
}

/// Returns all text in a node, with a newline for `<br>`.
fn text_content(node: &Rc<Node>) -> String {
    let mut text = String::new();
    let mut open = vec![Rc::clone(node)];
    while let Some(node) = open.pop() {
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element { .. } if tag_name(&node) == "br" => text.push('\n'),
            _ => open.extend(node.children.borrow().iter().rev().map(Rc::clone)),
        }
    }
    text
}

fn tag_name(node: &Node) -> &str {
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

/// Returns the parent of `node`. The tree only yields it by exchange, so it is put back.
fn parent(node: &Node) -> Option<Rc<Node>> {
    let weak = node.parent.take();
    let found = weak.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(weak);
    found
}
