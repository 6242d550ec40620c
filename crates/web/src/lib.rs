//! Pages of the web as Markdown: which addresses may be asked, how much is read, and how long
//! an answer stays fresh.
//!
//! [`Fetcher::fetch`] is the entry. Cookies, credentials and scripts of pages are deliberately
//! absent.

mod address;
mod charset;
mod conversion;
mod error;
mod exchange;
mod fetcher;
mod freshness;
mod kind;
mod limits;
mod markdown;
mod normal;
mod plain;

pub use address::{Guard, not_public};
pub use conversion::{convert_here, convert_page};
pub use error::FetchError;
pub use fetcher::{Content, Fetched, Fetcher, Page, Request};
pub use freshness::{ExchangeTimes, Freshness, UnixMs, Validators};
pub use limits::{Limits, Names, ProxyChoice};
pub use markdown::Converted;
pub use normal::{MayFollow, normal_address, normal_glob};
pub use plain::text as plain_text;
