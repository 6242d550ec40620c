//! Links within the repository, and the table of contents of the book.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use regex::Regex;

use super::page::{Page, all_pages, repository};

const SUMMARY: &str = "docs/SUMMARY.md";

#[test]
fn links_lead_to_a_file_and_a_heading() {
    let pages: BTreeMap<String, Page> =
        all_pages().into_iter().map(|page| (page.path.clone(), page)).collect();
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages.values() {
        for (line, link) in page.links() {
            if link.starts_with("https://") || link.starts_with("http://") {
                continue;
            }
            count += 1;
            if let Some(fault) = link_fault(page, &link, &pages) {
                broken.push(format!("{}:{line}: {fault}", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(count > 200, "only {count} links were found");
}

/// Says why a link leads nowhere.
fn link_fault(page: &Page, link: &str, pages: &BTreeMap<String, Page>) -> Option<String> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => page.path.clone(),
        path => resolve(&page.path, path),
    };
    // In the book, a folder has no page.
    if !repository().join(&target).is_file() {
        return Some(format!("there is no file `{target}`"));
    }
    if target.ends_with(".md") && !pages.contains_key(&target) {
        return Some(format!("`{target}` is in none of the folders with pages"));
    }
    let anchors = pages.get(&target).map(Page::anchors).unwrap_or_default();
    let is_known = anchor.is_empty() || anchors.contains(anchor);
    (!is_known).then(|| format!("`{target}` has no heading `#{anchor}`"))
}

/// Returns the path that `link` in the page `page` means.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_str().expect("UTF-8")),
            _ => {}
        }
    }
    parts.join("/")
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed: Vec<String> =
        Page::read(SUMMARY).links().iter().map(|(_, link)| resolve(SUMMARY, link)).collect();
    let pages = all_pages();
    let paths = pages.iter().map(|page| &page.path);
    let missing: Vec<&String> =
        paths.filter(|path| *path != SUMMARY && !listed.contains(path)).collect();
    assert!(missing.is_empty(), "add these pages to {SUMMARY}: {missing:?}");
}

/// Pages that name files by their paths below `crates`.
const PAGES_OF_CRATES: [&str; 4] =
    ["ARCHITECTURE.md", "docs/design-documents.md", "docs/extending.md", "docs/security.md"];

#[test]
fn files_that_pages_name_exist() {
    let from_root =
        Regex::new("^(crates|docs|examples|fuzz|goldens|models|xtask)/[a-zA-Z0-9_./-]+$");
    let from_crates = Regex::new("^[a-z-]+/(src|tests|data)/[a-z0-9_./-]+");
    let (from_root, from_crates) =
        (from_root.expect("an expression"), from_crates.expect("an expression"));
    let mut missing = Vec::new();
    for page in all_pages() {
        for (line, code) in page.inline_codes() {
            let path = if from_root.is_match(&code) {
                code
            } else if PAGES_OF_CRATES.contains(&page.path.as_str()) {
                let Some(path) = from_crates.find(&code) else { continue };
                format!("crates/{}", path.as_str())
            } else {
                continue;
            };
            // A module is a file or a folder.
            let exists = |path: &str| repository().join(path).exists();
            if !exists(&path) && !exists(&format!("{path}.rs")) {
                missing.push(format!("{}:{line}: {path}", page.path));
            }
        }
    }
    assert!(missing.is_empty(), "pages name files that are not there:\n{}", missing.join("\n"));
}
