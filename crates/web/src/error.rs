//! Why a page could not be had, said so that a model and a person know what to do next.

/// Why a page could not be had. Texts are lower-case and name the address without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The text is no address of a page.
    #[error("`{url}` cannot be fetched: {reason}")]
    Url {
        /// What was asked, shortened.
        url: String,
        /// What is wrong with it.
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
        /// Why it is refused.
        reason: String,
    },
    /// Redirects from an encrypted page to an unencrypted one.
    #[error("{from} redirects to the unencrypted {to}, which is not followed; fetch it if meant")]
    Downgrade {
        /// The page that redirects.
        from: String,
        /// Where to.
        to: String,
    },
    /// More redirects than are followed, or a circle of them.
    #[error("{url} still redirects after {count} redirects; fetch the page that is meant")]
    Redirects {
        /// The last address.
        url: String,
        /// How many were followed.
        count: u32,
    },
    /// The name has no address.
    #[error("there is no host {host}; check the address")]
    NoHost {
        /// The name.
        host: String,
    },
    /// No connection.
    #[error("{url} cannot be reached: {reason}")]
    Away {
        /// The address.
        url: String,
        /// What the system or the connection says.
        reason: String,
    },
    /// A time ran out.
    #[error("{url} took too long (more than {seconds} s); try again later or another page")]
    Slow {
        /// The address.
        url: String,
        /// Seconds that were granted, at least 1.
        seconds: u64,
    },
    /// A certificate is not trusted.
    #[error("the certificate of {url} is not trusted: {reason}")]
    Certificate {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system has no certificates to trust.
    #[error(
        "{url} cannot be trusted: this system has no root certificates; install them \
         (the package `ca-certificates`)"
    )]
    NoCertificates {
        /// The address.
        url: String,
    },
    /// The server answers with an error.
    #[error("{url} answered {status}{said}")]
    Status {
        /// The address.
        url: String,
        /// The status, outside 200–299.
        status: u16,
        /// `: ` and the beginning of what the server says, or nothing.
        said: String,
    },
    /// The answer is not what HTTP allows, or ends too early.
    #[error("the answer of {url} is broken: {reason}")]
    Broken {
        /// The address.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The caller asked to stop.
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
