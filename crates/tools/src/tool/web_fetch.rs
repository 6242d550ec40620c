//! `web_fetch`: a page of the web as Markdown.

use foveal_cancel::Cancel;
use foveal_store::{Fetch, Stored, secrets};
use foveal_transcript::Timestamp;
use foveal_web::{Content, Fetched, Page, Request, UnixMs, Validators};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::progress::ProgressReporter;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<WebFetch>(
    "web_fetch",
    "Fetch a web page as Markdown. Private addresses are refused.",
    Hints { read_only: true, destructive: false, idempotent: true, open_world: true },
);

/// Arguments of `web_fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFetch {
    url: String,
}

impl Arguments for WebFetch {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.url.as_str().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let now = work.toolbox.clock.now();
        // Who asks again, or wants no answers from before, gets the page as it is now.
        let kept = if work.anew { None } else { self.kept(work) };
        if let Some((kept, body)) = &kept
            && kept.expires.is_some_and(|expires| now < expires)
        {
            return Ok(Found {
                cached: true,
                ..shown(&kept.final_url, body, Some(kept.checked), work)
            });
        }
        let cached = kept.as_ref().map(|(kept, _)| Validators {
            url: kept.final_url.clone(),
            etag: kept.etag.clone(),
            last_modified: kept.last_modified.clone(),
        });
        let request = Request { url: self.url.clone(), cached };
        let progress = ProgressReporter::of(work, "fetching");
        let fetched =
            work.toolbox.fetcher.fetch(&request, &Cancel::when(&|| progress.is_cancelled()));
        match (fetched.map_err(ToolError::failed)?, kept) {
            (Fetched::NotModified { freshness, final_url }, Some((kept, body))) => {
                let expires = freshness.expires_at.map(time);
                let (url, at) = (self.url, final_url.clone());
                keep(work, &Fetch { url, expires, checked: now, final_url: at, ..kept });
                Ok(Found { cached: true, ..shown(&final_url, &body, Some(now), work) })
            }
            (Fetched::NotModified { final_url, .. }, None) => {
                let what = format!(
                    "{final_url} answered that it has not changed, though nothing was kept"
                );
                Err(ToolError::failed(what))
            }
            (Fetched::Page(page), _) => {
                let text = told(&page);
                if !self.remember(work, &page, &text, now) {
                    self.distrust(work);
                }
                Ok(shown(&page.final_url, &text, None, work))
            }
        }
    }
}

impl WebFetch {
    /// The page as it was fetched before, for any session, and its text. Without a store every
    /// page is asked for.
    fn kept(&self, work: &Work<'_>) -> Option<(Fetch, String)> {
        let kept = work.toolbox.store.fetch(&self.url).ok().flatten()?;
        let body = work.session.whole_content(kept.body)?;
        Some((kept, body))
    }

    /// Keeps a page for all sessions, as far as its server allows and the store can: one with
    /// secrets would come back without them. False if it is not kept.
    fn remember(&self, work: &Work<'_>, page: &Page, text: &str, now: Timestamp) -> bool {
        let mut addresses = [&self.url, &page.final_url].into_iter();
        let is_secret = addresses.any(|url| !secrets::find(url.as_bytes()).is_empty());
        if page.freshness.no_store || page.truncated || is_secret {
            return false;
        }
        let stored = work.session.put(text.as_bytes(), now).filter(|stored| stored.secrets == 0);
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
        let Ok(Some(kept)) = work.toolbox.store.fetch(&self.url) else { return };
        let url = self.url.clone();
        let nothing = Fetch { url, expires: None, etag: None, last_modified: None, ..kept };
        keep(work, &nothing);
    }
}

/// Where pages cannot be kept, they are fetched again.
fn keep(work: &Work<'_>, fetch: &Fetch) {
    drop(work.toolbox.store.put_fetch(fetch));
}

fn time(UnixMs(ms): UnixMs) -> Timestamp {
    Timestamp(ms)
}

/// A page as text: its title and what it says.
fn told(page: &Page) -> String {
    let title = page.title.as_ref().map(|title| format!("# {title}\n\n")).unwrap_or_default();
    let cut = if page.truncated { "\n[the page is longer; this is its beginning]\n" } else { "" };
    let body = page.content.text();
    let has_title = matches!(page.content, Content::Markdown(_)) && !body.starts_with("# ");
    format!("{}{body}{cut}", if has_title { title } else { String::new() })
}

fn shown(url: &str, text: &str, from: Option<Timestamp>, work: &Work<'_>) -> Found {
    let note = from.map(|from| {
        let (hour, minute, second) = work.toolbox.clock.local(from);
        foveal_calls::cached_note(hour, minute, second)
    });
    let structured = json!({ "url": url, "cached": note.is_some() });
    Found { note, structured: Some(structured), ..Found::text(text) }
}
