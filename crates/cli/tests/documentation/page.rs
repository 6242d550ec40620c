//! A Markdown page of the repository and its parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

/// A Markdown page of the repository.
pub(super) struct Page {
    /// Relative to the repository.
    pub(super) path: String,
    text: String,
}

/// A code block and the line of the page that opens it.
pub(super) struct CodeBlock {
    pub(super) line: usize,
    pub(super) language: String,
    pub(super) text: String,
}

/// Returns the folder of the repository.
pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders with pages.
const FOLDERS: [&str; 8] = [
    "",
    ".ci",
    "benchmarks",
    "crates/index/examples/questions",
    "docs",
    "docs/decisions",
    "examples",
    "models",
];

/// Returns all pages of the repository.
pub(super) fn all_pages() -> Vec<Page> {
    let mut pages: Vec<Page> = FOLDERS.into_iter().flat_map(pages_in).collect();
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}

fn pages_in(folder: &str) -> impl Iterator<Item = Page> {
    let entries = fs::read_dir(repository().join(folder)).expect("a folder of the repository");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("a name in UTF-8"));
    names
        .filter(|name| name.ends_with(".md"))
        .map(move |name| Page::read(format!("{folder}/{name}").trim_start_matches('/')))
}

impl Page {
    pub(super) fn read(path: &str) -> Self {
        let text = fs::read_to_string(repository().join(path)).expect("a page in UTF-8");
        Self { path: path.to_owned(), text }
    }

    /// Returns the destinations of the links and images, each with its line.
    pub(super) fn links(&self) -> Vec<(usize, String)> {
        let links = self.events().filter_map(|(line, event)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((line, dest_url.into_string()))
            }
            _ => None,
        });
        links.collect()
    }

    /// Returns the names that a link may have behind `#`: of headings, as GitHub and mdBook make
    /// them, and of elements with an `id`.
    pub(super) fn anchors(&self) -> BTreeSet<String> {
        let id = Regex::new(r#" id="([^"]+)""#).expect("an expression");
        let mut anchors = BTreeSet::new();
        let mut heading: Option<String> = None;
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (_, event) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) if heading.is_some() => {
                    heading.get_or_insert_default().push_str(&text);
                }
                Event::End(TagEnd::Heading(_)) => {
                    let slug = heading_slug(&heading.take().unwrap_or_default());
                    let count = seen.entry(slug.clone()).or_default();
                    anchors.insert(match *count {
                        0 => slug,
                        count => format!("{slug}-{count}"),
                    });
                    *count += 1;
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    anchors.extend(id.captures_iter(&html).map(|found| found[1].to_owned()));
                }
                _ => {}
            }
        }
        anchors
    }

    pub(super) fn code_blocks(&self) -> Vec<CodeBlock> {
        let mut blocks = Vec::new();
        let mut block: Option<CodeBlock> = None;
        for (line, event) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some(CodeBlock { line, language, text: String::new() });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut block {
                        block.text.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(block.take()),
                _ => {}
            }
        }
        blocks
    }

    /// Returns the code within sentences, each with its line.
    pub(super) fn inline_codes(&self) -> Vec<(usize, String)> {
        let codes = self.events().filter_map(|(line, event)| match event {
            Event::Code(text) => Some((line, text.into_string())),
            _ => None,
        });
        codes.collect()
    }

    fn events(&self) -> impl Iterator<Item = (usize, Event<'_>)> {
        let parser = Parser::new_ext(&self.text, Options::ENABLE_TABLES);
        parser
            .into_offset_iter()
            .map(|(event, range)| (self.text[..range.start].matches('\n').count() + 1, event))
    }
}

fn heading_slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|sign| match sign {
        ' ' => Some('-'),
        '-' | '_' => Some(sign),
        _ => sign.is_alphanumeric().then_some(sign),
    });
    kept.flat_map(char::to_lowercase).collect()
}
