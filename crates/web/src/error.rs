//! Why a page could not be had, said so that a model and a person know what to do next.

/// Why a page could not be had. Texts are lower-case and name the address without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum FetchError {
    /// The text is no address of a page.
    #[error("`{url}` cannot be fetched: {reason}")]
    Url {
        /// What was asked, shortened.
        url: String,
        reason: String,
    },
    /// An address that pages may not be fetched from.
    #[error(
        "{host} is refused: {reason}; if it is meant, a person can add it to the private hosts \
         that are allowed"
    )]
    Forbidden {
        /// The host, with its address where a name led there.
        host: String,
        reason: String,
    },
    /// Redirects from an encrypted page to an unencrypted one.
    #[error("{from} redirects to the unencrypted {to}, which is not followed; fetch it if meant")]
    Downgrade { from: String, to: String },
    /// Redirects to a page that is not to be fetched without a word.
    #[error(
        "{from} redirects to {to}, which a permission rule is about; fetch {to} if it is meant"
    )]
    Elsewhere { from: String, to: String },
    /// More redirects than are followed, or a circle of them.
    #[error("{url} still redirects after {count} redirects; fetch the page that is meant")]
    Redirects { url: String, count: u32 },
    #[error("there is no host {host}; check the address")]
    NoHost { host: String },
    #[error("{url} cannot be reached: {reason}")]
    Away { url: String, reason: String },
    #[error("{url} took too long (more than {seconds} s); try again later or another page")]
    Slow {
        url: String,
        /// Seconds that were granted, at least 1.
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
        /// The status, outside 200–299.
        status: u16,
        /// `: ` and the beginning of what the server says, or nothing.
        said: String,
    },
    /// The answer is not what HTTP allows, or ends too early.
    #[error("the answer of {url} is broken: {reason}")]
    Broken { url: String, reason: String },
    #[error("stopped")]
    Cancelled,
}

/// Characters of an address that a message shows.
const URL_CHARS_MAX: usize = 200;

/// An address as messages show it: one line, shortened.
pub(crate) fn shown(url: &str) -> String {
    let mut text: String =
        url.chars().filter(|c| !c.is_control()).take(URL_CHARS_MAX + 1).collect();
    if text.chars().count() > URL_CHARS_MAX {
        text.pop();
        text.push('…');
    }
    text
}
