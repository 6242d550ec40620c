//! Errors of a fetch, worded so that model and user know what to do next.

/// Why a page could not be fetched. Messages are lower-case and show addresses without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum FetchError {
    /// The text is no URL of a page.
    #[error("`{url}` cannot be fetched: {reason}")]
    InvalidUrl {
        /// The requested URL, shortened.
        url: String,
        reason: String,
    },
    /// A host that pages may not be fetched from.
    #[error(
        "{host} is refused: {reason}; to allow it, a person can add it to the allowed private hosts"
    )]
    Forbidden {
        /// The host, with its address if a name resolved to it.
        host: String,
        reason: String,
    },
    /// A redirect from an encrypted page to an unencrypted one.
    #[error(
        "{from} redirects to the unencrypted {to}, which is not followed; fetch that address \
         if you need it"
    )]
    Downgrade { from: String, to: String },
    /// A redirect to a page that a permission rule is about.
    #[error("{from} redirects to {to}, which a permission rule covers; fetch {to} if you need it")]
    RestrictedRedirect { from: String, to: String },
    /// Too many redirects, or a circle.
    #[error("{url} still redirects after {count} redirects; fetch the final page instead")]
    TooManyRedirects { url: String, count: u32 },
    #[error("host {host} not found; check the address")]
    UnknownHost { host: String },
    #[error("{url} cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("{url} took too long (more than {seconds} s); try again later or another page")]
    TimedOut {
        url: String,
        /// The time limit in seconds, at least 1.
        seconds: u64,
    },
    #[error("the certificate of {url} is not trusted: {reason}")]
    Certificate { url: String, reason: String },
    #[error(
        "{url} cannot be trusted: this system has no root certificates; install them \
         (the package `ca-certificates`)"
    )]
    NoCertificates { url: String },
    #[error("{url} answered {status}{said}")]
    Status {
        url: String,
        /// The status, outside of 200–299.
        status: u16,
        /// `: ` and the beginning of the server's message, or nothing.
        said: String,
    },
    /// The response violates HTTP or ends too early.
    #[error("the response of {url} is invalid: {reason}")]
    Broken { url: String, reason: String },
    #[error("stopped")]
    Cancelled,
}

/// Characters of a URL in a message.
const URL_CHARS_MAX: usize = 200;

/// Shortens a URL to one line for messages.
pub(crate) fn shorten_url(url: &str) -> String {
    let mut text: String =
        url.chars().filter(|c| !c.is_control()).take(URL_CHARS_MAX + 1).collect();
    if text.chars().count() > URL_CHARS_MAX {
        text.pop();
        text.push('…');
    }
    text
}
