//! Properties that hold for any page. `fuzz/src/lib.rs` includes this file unchanged.

use foveal_web::{convert_page_locally, html_to_text};
use url::Url;

/// Checks the input of one target.
pub(crate) type Target = fn(&[u8]);

/// All targets by the name of their corpus.
pub(crate) const TARGETS: &[(&str, Target)] = &[("web_page", web_page)];

/// A page is always converted to the same Markdown, all of which is passed on, and its text without
/// markup is no longer than the page.
pub(crate) fn web_page(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    let url = Url::parse("https://a.example/b/c?d#e").expect("an address");
    let (converted, handed_over) =
        convert_page_locally(&html, &url).expect("every page is converted");
    assert_eq!(handed_over.as_ref(), Some(&converted), "{html:?}");
    let title = converted.title.as_deref();
    assert!(title.is_none_or(|title| !title.is_empty() && !title.contains('\n')), "{title:?}");
    let again = convert_page_locally(&html, &url).map(|(again, _)| again);
    assert_eq!(again, Some(converted), "{html:?}");
    let text = html_to_text(&html);
    assert!(text.len() <= html.len() + 1, "{html:?}: {text:?}");
    assert!(text.lines().all(|line| !line.trim().is_empty()), "{html:?}: {text:?}");
}
