//! What holds for any page; `fuzz/src/lib.rs` takes this file as it is.

use foveal_web::{convert_here, plain_text};
use url::Url;

/// What is done with the bytes of one target.
pub(crate) type Target = fn(&[u8]);

/// All targets, by the name of their corpus.
pub(crate) const TARGETS: &[(&str, Target)] = &[("web_page", web_page)];

/// A page becomes the same Markdown each time, all of which is handed over, and its text without
/// markup is no longer than the page.
pub(crate) fn web_page(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    let url = Url::parse("https://a.example/b/c?d#e").expect("an address");
    let (converted, handed_over) = convert_here(&html, &url).expect("every page is converted");
    assert_eq!(handed_over.as_ref(), Some(&converted), "{html:?}");
    let title = converted.title.as_deref();
    assert!(title.is_none_or(|title| !title.is_empty() && !title.contains('\n')), "{title:?}");
    let again = convert_here(&html, &url).map(|(again, _)| again);
    assert_eq!(again, Some(converted), "{html:?}");
    let text = plain_text(&html);
    assert!(text.len() <= html.len() + 1, "{html:?}: {text:?}");
    assert!(text.lines().all(|line| !line.trim().is_empty()), "{html:?}: {text:?}");
}
