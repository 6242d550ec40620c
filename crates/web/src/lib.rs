//! Fetches web pages as Markdown: checks addresses, bounds what is read, and computes how long a
//! response stays fresh.
//!
//! The entry point is [`Fetcher::fetch`]. Cookies, credentials and page scripts are deliberately
//! not supported.

mod address;
mod charset;
mod content_kind;
mod conversion;
mod error;
mod exchange;
mod fetcher;
mod freshness;
mod html_text;
mod limits;
mod markdown;
mod normalization;

pub use address::{AddressPolicy, non_public_reason};
pub use conversion::{convert_page, convert_page_locally};
pub use error::FetchError;
pub use fetcher::{FetchOutcome, FetchRequest, Fetcher, PageContent, WebPage};
pub use freshness::{ExchangeTimes, Freshness, UnixMs, Validators};
pub use html_text::html_to_text;
pub use limits::{FetchLimits, NameLookup, ProxyChoice};
pub use markdown::ConvertedPage;
pub use normalization::{RedirectFilter, normalize_address, normalize_glob};
