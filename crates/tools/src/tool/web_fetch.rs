//! The tool `web_fetch`: returns a page of the web as Markdown.

use std::sync::Arc;

use foveal_redaction as secrets;
use foveal_store::{CachedPage, ContentReceipt, PageKey};
use foveal_transcript::{CancelToken, Timestamp};
use foveal_web::{
    FetchError, FetchOutcome, FetchRequest, PageContent, RedirectFilter, UnixMs, Validators,
    WebPage as Fresh, normalize_address,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{FetchedPage, FindingContent, Findings, ReusedAnswer};
use crate::permission::{PermissionRequest, refusal};
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<WebFetchToolArguments>(
    "web_fetch",
    "Fetch a page",
    "Fetch a web page as Markdown. Private addresses are refused.",
    ToolHints { read_only: true, destructive: false, idempotent: true, open_world: true },
);

/// Arguments of `web_fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFetchToolArguments {
    url: String,
}

impl ToolArguments for WebFetchToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Address(&self.url)
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let now = work.toolbox.clock.now();
        // A repeated call, or one that wants no earlier answers, gets the current page.
        let kept = if work.bypass_cache { None } else { self.stored_page(work) };
        let may_follow: RedirectFilter =
            Arc::new(work.session.permissions.address_filter(TOOL.name));
        // The rules may be newer than the stored page, and another session may have had more
        // grants.
        let kept = kept.filter(|(kept, _)| {
            kept.final_url == self.url
                || normalize_address(&kept.final_url).is_some_and(|to| may_follow(&to))
        });
        if let Some((kept, body)) = &kept
            && kept.expires.is_some_and(|expires| now < expires)
        {
            let page = complete_page(kept.final_url.clone(), body.clone());
            return Ok(page_findings(page, Some(kept.checked), work));
        }
        let cached = kept.as_ref().map(|(kept, _)| Validators {
            url: kept.final_url.clone(),
            etag: kept.etag.clone(),
            last_modified: kept.last_modified.clone(),
        });
        let request = FetchRequest { url: self.url.clone(), cached };
        let progress = work.progress_reporter("fetching");
        let fetched = work.toolbox.fetcher.fetch(
            &request,
            &may_follow,
            &CancelToken::from_fn(&|| progress.is_cancelled()),
        );
        match (fetched.map_err(|error| self.describe_failure(error, work))?, kept) {
            (FetchOutcome::NotModified { freshness, final_url }, Some((kept, body))) => {
                let expires = freshness.expires_at.map(timestamp);
                let (url, at) = (self.url, final_url.clone());
                store_fetch(
                    work,
                    &CachedPage { url, expires, checked: now, final_url: at, ..kept },
                );
                Ok(page_findings(complete_page(final_url, body), Some(now), work))
            }
            (FetchOutcome::NotModified { final_url, .. }, None) => {
                let what = format!(
                    "{final_url} answered that it has not changed, though nothing was kept"
                );
                Err(ToolError::from_error(what))
            }
            (FetchOutcome::Page(page), _) => {
                let text = page_text(&page);
                if !self.store_page(work, &page, &text, now) {
                    self.expire_stored_page(work);
                }
                let is_plain = matches!(page.content, PageContent::Stripped(_));
                let (url, is_cut) = (page.final_url, page.truncated);
                let found_page = FetchedPage { url, text, is_cut, is_plain };
                Ok(page_findings(found_page, None, work))
            }
        }
    }
}

impl WebFetchToolArguments {
    /// Describes why the page cannot be fetched; for a private host, names the rule that would
    /// allow it.
    fn describe_failure(&self, error: FetchError, work: &CallContext<'_>) -> ToolError {
        let FetchError::Forbidden { host, .. } = &error else {
            return ToolError::from_error(error);
        };
        let name = host.split(' ').next().unwrap_or_default();
        let authority = self.url.trim().split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        let host = if authority.starts_with(name) { authority } else { name };
        if host.is_empty() {
            return ToolError::from_error(error);
        }
        let line = refusal::private_host_setting(host, work.toolbox.rules_file.as_deref());
        ToolError::from_error(format!("{error}, {line}"))
    }

    /// Returns the stored page, fetched for any session, and its text. `None` without a store.
    fn stored_page(&self, work: &CallContext<'_>) -> Option<(CachedPage, String)> {
        let kept = work.toolbox.store.page(PageKey::from_url(&self.url)).ok().flatten()?;
        let body = work.session.unredacted_content(kept.body)?;
        Some((kept, body))
    }

    /// Stores a page for all sessions, if its server allows that and the store can: pages with
    /// secrets would come back without them. Returns whether the page is stored.
    fn store_page(&self, work: &CallContext<'_>, page: &Fresh, text: &str, now: Timestamp) -> bool {
        let mut addresses = [&self.url, &page.final_url].into_iter();
        let is_secret = addresses.any(|url| !secrets::find_secrets(url.as_bytes()).is_empty());
        // A stored page does not record that it is plain text only.
        let is_plain = matches!(page.content, PageContent::Stripped(_));
        if page.freshness.no_store || page.truncated || is_plain || is_secret {
            return false;
        }
        let stored = work
            .session
            .recorder
            .store_content(text.as_bytes(), now)
            .filter(|stored| stored.secrets == 0);
        let Some(ContentReceipt { handle: body, .. }) = stored else { return false };
        let fetch = CachedPage {
            url: self.url.clone(),
            final_url: page.final_url.clone(),
            status: page.status,
            content_type: Some(page.content_type.clone()),
            etag: page.freshness.etag.clone(),
            last_modified: page.freshness.last_modified.clone(),
            expires: page.freshness.expires_at.map(timestamp),
            checked: now,
            body,
        };
        store_fetch(work, &fetch);
        true
    }

    /// Expires the stored page, because the current one differs from it.
    fn expire_stored_page(&self, work: &CallContext<'_>) {
        let Ok(Some(kept)) = work.toolbox.store.page(PageKey::from_url(&self.url)) else { return };
        let url = self.url.clone();
        let nothing = CachedPage { url, expires: None, etag: None, last_modified: None, ..kept };
        store_fetch(work, &nothing);
    }
}

/// Creates a complete page. Only complete pages are stored.
fn complete_page(url: String, text: String) -> FetchedPage {
    FetchedPage { url, text, is_cut: false, is_plain: false }
}

/// Stores a fetch. Errors are ignored: a page that cannot be stored is fetched again.
fn store_fetch(work: &CallContext<'_>, fetch: &CachedPage) {
    drop(work.toolbox.store.put_page(PageKey::from_url(&fetch.url), fetch));
}

fn timestamp(UnixMs(ms): UnixMs) -> Timestamp {
    Timestamp(ms)
}

/// Returns a page as text, with its title.
fn page_text(page: &Fresh) -> String {
    let title = page.title.as_ref().map(|title| format!("# {title}\n\n")).unwrap_or_default();
    let body = page.content.text();
    let has_title = matches!(page.content, PageContent::Markdown(_)) && !body.starts_with("# ");
    format!("{}{body}", if has_title { title } else { String::new() })
}

/// Returns the findings of a page; `from` is the time of its fetch if it was stored.
fn page_findings(page: FetchedPage, from: Option<Timestamp>, work: &CallContext<'_>) -> Findings {
    let time = from.map(|from| work.toolbox.clock.local_time(from));
    let earlier = time.map(|time| ReusedAnswer { time, is_write: false });
    Findings { reused: earlier, ..FindingContent::Page(page).into() }
}
