//! `web_fetch`: a page of the web as Markdown.

use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_secrets as secrets;
use foveal_store::{Fetch, FetchKey, Stored};
use foveal_transcript::Timestamp;
use foveal_web::{
    Content as PageContent, FetchError, Fetched, MayFollow, Page as Fresh, Request, UnixMs,
    Validators, normal_address,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Earlier, Findings, Page};
use crate::permission::{Asks, refusal};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<WebFetch>(
    "web_fetch",
    "Fetch a page",
    "Fetch a web page as Markdown. Private addresses are refused.",
    Hints { read_only: true, destructive: false, idempotent: true, open_world: true },
);

/// Arguments of `web_fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFetch {
    url: String,
}

impl ToolArguments for WebFetch {
    fn asks(&self) -> Asks<'_> {
        Asks::Address(&self.url)
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let now = work.toolbox.clock.now();
        // Who asks again, or wants no answers from before, gets the page as it is now.
        let kept = if work.anew { None } else { self.kept(work) };
        let may_follow: MayFollow = Arc::new(work.session.permissions.allowed_addresses(TOOL.name));
        // Rules are newer than what is kept, and another session may have been allowed more.
        let kept = kept.filter(|(kept, _)| {
            kept.final_url == self.url
                || normal_address(&kept.final_url).is_some_and(|to| may_follow(&to))
        });
        if let Some((kept, body)) = &kept
            && kept.expires.is_some_and(|expires| now < expires)
        {
            let page = whole(kept.final_url.clone(), body.clone());
            return Ok(found(page, Some(kept.checked), work));
        }
        let cached = kept.as_ref().map(|(kept, _)| Validators {
            url: kept.final_url.clone(),
            etag: kept.etag.clone(),
            last_modified: kept.last_modified.clone(),
        });
        let request = Request { url: self.url.clone(), cached };
        let progress = work.progress("fetching");
        let fetched = work.toolbox.fetcher.fetch(
            &request,
            &may_follow,
            &Cancel::when(&|| progress.is_cancelled()),
        );
        match (fetched.map_err(|error| self.refused(error, work))?, kept) {
            (Fetched::NotModified { freshness, final_url }, Some((kept, body))) => {
                let expires = freshness.expires_at.map(time);
                let (url, at) = (self.url, final_url.clone());
                keep(work, &Fetch { url, expires, checked: now, final_url: at, ..kept });
                Ok(found(whole(final_url, body), Some(now), work))
            }
            (Fetched::NotModified { final_url, .. }, None) => {
                let what = format!(
                    "{final_url} answered that it has not changed, though nothing was kept"
                );
                Err(ToolError::failed(what))
            }
            (Fetched::Page(page), _) => {
                let text = text_of(&page);
                if !self.remember(work, &page, &text, now) {
                    self.distrust(work);
                }
                let is_plain = matches!(page.content, PageContent::Stripped(_));
                let (url, is_cut) = (page.final_url, page.truncated);
                let found_page = Page { url, text, is_cut, is_plain };
                Ok(found(found_page, None, work))
            }
        }
    }
}

impl WebFetch {
    /// Why the page cannot be had; of a private host, also which line would allow it.
    fn refused(&self, error: FetchError, work: &Work<'_>) -> ToolError {
        let FetchError::Forbidden { host, .. } = &error else { return ToolError::failed(error) };
        let name = host.split(' ').next().unwrap_or_default();
        let authority = self.url.trim().split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        let host = if authority.starts_with(name) { authority } else { name };
        if host.is_empty() {
            return ToolError::failed(error);
        }
        let line = refusal::private_host(host, work.toolbox.rules_file.as_deref());
        ToolError::failed(format!("{error}, {line}"))
    }

    /// The page as it was fetched before, for any session, and its text. Without a store every
    /// page is asked for.
    fn kept(&self, work: &Work<'_>) -> Option<(Fetch, String)> {
        let kept = work.toolbox.store.fetch(FetchKey::of(&self.url)).ok().flatten()?;
        let body = work.session.whole_content(kept.body)?;
        Some((kept, body))
    }

    /// Keeps a page for all sessions, as far as its server allows and the store can: one with
    /// secrets would come back without them. False if it is not kept.
    fn remember(&self, work: &Work<'_>, page: &Fresh, text: &str, now: Timestamp) -> bool {
        let mut addresses = [&self.url, &page.final_url].into_iter();
        let is_secret = addresses.any(|url| !secrets::find(url.as_bytes()).is_empty());
        // Of a page that was kept nobody knows any more that it is its text alone.
        let is_plain = matches!(page.content, PageContent::Stripped(_));
        if page.freshness.no_store || page.truncated || is_plain || is_secret {
            return false;
        }
        let stored =
            work.session.journal.put(text.as_bytes(), now).filter(|stored| stored.secrets == 0);
        let Some(Stored { handle: body, .. }) = stored else { return false };
        let fetch = Fetch {
            url: self.url.clone(),
            final_url: page.final_url.clone(),
            status: page.status,
            content_type: Some(page.content_type.clone()),
            etag: page.freshness.etag.clone(),
            last_modified: page.freshness.last_modified.clone(),
            expires: page.freshness.expires_at.map(time),
            checked: now,
            body,
        };
        keep(work, &fetch);
        true
    }

    /// Has what was kept of the page before asked for anew: it is not what is there now.
    fn distrust(&self, work: &Work<'_>) {
        let Ok(Some(kept)) = work.toolbox.store.fetch(FetchKey::of(&self.url)) else { return };
        let url = self.url.clone();
        let nothing = Fetch { url, expires: None, etag: None, last_modified: None, ..kept };
        keep(work, &nothing);
    }
}

/// A page that was kept: none that goes on is.
fn whole(url: String, text: String) -> Page {
    Page { url, text, is_cut: false, is_plain: false }
}

/// Where pages cannot be kept, they are fetched again.
fn keep(work: &Work<'_>, fetch: &Fetch) {
    drop(work.toolbox.store.put_fetch(FetchKey::of(&fetch.url), fetch));
}

fn time(UnixMs(ms): UnixMs) -> Timestamp {
    Timestamp(ms)
}

/// A page as text: its title and what it says.
fn text_of(page: &Fresh) -> String {
    let title = page.title.as_ref().map(|title| format!("# {title}\n\n")).unwrap_or_default();
    let body = page.content.text();
    let has_title = matches!(page.content, PageContent::Markdown(_)) && !body.starts_with("# ");
    format!("{}{body}", if has_title { title } else { String::new() })
}

/// The page, and when it was fetched, if it was kept.
fn found(page: Page, from: Option<Timestamp>, work: &Work<'_>) -> Findings {
    let time = from.map(|from| work.toolbox.clock.local(from));
    let earlier = time.map(|time| Earlier { time, is_write: false });
    Findings { earlier, ..Content::Page(page).into() }
}
