//! One request to a server, and what its answer means.

use std::io::ErrorKind;
use std::sync::Arc;

use foveal_asking::{ApiKey, Said, retry_after};
use foveal_code::embed::Vector;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderName, HeaderValue, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body};

use crate::answer;
use crate::error::ServerError;
use crate::patience::Patience;
use crate::spec::{Protocol, ServerSpec};

/// Bytes of an answer that are read: 32 of the largest vectors, spelled at length.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// Bytes of an answer that is an error that are read.
const SAID_BYTES_MAX: u64 = 16 << 10;

/// Where a model's server is, and how it is asked.
pub(crate) struct Connection {
    pub(crate) spec: ServerSpec,
    pub(crate) url: String,
    pub(crate) patience: Patience,
    key: Option<ApiKey>,
    agent: Agent,
}

impl Connection {
    /// To the server of `spec`. Nothing is sent before it is asked.
    pub(crate) fn new(spec: ServerSpec, key: Option<ApiKey>, patience: Patience) -> Self {
        let url = spec.url();
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A key and a user's code are for the one server that was named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("foveal/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(patience.connect_time))
            .timeout_global(Some(patience.request_time));
        if url.starts_with("https:") {
            config = config.https_only(true).tls_config(tls());
        }
        let agent = config.build().new_agent();
        Self { spec, url, patience, key, agent }
    }

    /// The vectors of `count` texts, which `body` asks for.
    pub(crate) fn send(&self, body: &[u8], count: usize) -> Result<Vec<Vector>, ServerError> {
        let mut request = self.agent.post(&self.url).header(CONTENT_TYPE, "application/json");
        if let Some(key) = self.key.as_ref().map(ApiKey::text)
            && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {key}"))
        {
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let mut response = request.send(body).map_err(|error| self.away(&error))?;
        if !response.status().is_success() {
            return Err(self.refusal(&mut response));
        }
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let wrong = |reason: String| ServerError::Answer {
            url: self.url.clone(),
            reason,
            protocol: self.protocol(),
        };
        let body = body.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                wrong(format!("more than {} MiB", ANSWER_BYTES_MAX >> 20))
            }
            error => self.away(&error),
        })?;
        answer::vectors(self.spec.protocol(), &body, count)
            .map_err(|error| wrong(error.to_string()))
    }

    /// What an answer says that is not a success.
    fn refusal(&self, response: &mut Response<Body>) -> ServerError {
        let (url, status) = (self.url.clone(), response.status().as_u16());
        let header =
            |name: HeaderName| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (to, wait) = (header(LOCATION), retry_after(header(RETRY_AFTER).as_deref()));
        let body = response.body_mut().with_config().limit(SAID_BYTES_MAX).read_to_vec();
        let secret = self.key.as_ref().map(ApiKey::text);
        let said = Said::of(&body.unwrap_or_default(), secret);
        let model = self.spec.model().to_owned();
        match status {
            300..=399 => {
                let to = Said::of(to.unwrap_or_default().as_bytes(), secret).to_string();
                ServerError::Redirect { url, to: to.trim_start_matches(": ").to_owned() }
            }
            401 | 403 if self.key.is_none() => ServerError::NoKey { url },
            401 | 403 => ServerError::Key { url, status, said },
            404 => {
                let hint = match self.spec.protocol() {
                    Protocol::Ollama => format!(", or run `ollama pull {model}`"),
                    Protocol::OpenAi => String::new(),
                };
                ServerError::Unknown { url, model, said, hint }
            }
            429 => ServerError::Busy { url, wait, said },
            408 | 500.. => ServerError::Failing { url, status, said },
            _ => ServerError::Refused { url, model, status, said },
        }
    }

    /// What a request says that got no answer.
    fn away(&self, error: &ureq::Error) -> ServerError {
        let url = self.url.clone();
        let refused = match error {
            ureq::Error::Rustls(error) => Some(error),
            ureq::Error::Io(error) => error.get_ref().and_then(|error| error.downcast_ref()),
            _ => None,
        };
        if let Some(rustls::Error::InvalidCertificate(reason)) = refused {
            return ServerError::Certificate { url, reason: format!("{reason:?}") };
        }
        let slow = match error {
            ureq::Error::Timeout(timeout) => !matches!(timeout, ureq::Timeout::Connect),
            ureq::Error::Io(error) => error.kind() == ErrorKind::TimedOut,
            _ => false,
        };
        if slow {
            return ServerError::Slow { url, seconds: self.patience.request_time.as_secs().max(1) };
        }
        let reason = match error {
            ureq::Error::HostNotFound => "there is no such host".to_owned(),
            // Without the words `io: `.
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        ServerError::Away { url, reason }
    }

    fn protocol(&self) -> &'static str {
        match self.spec.protocol() {
            Protocol::OpenAi => "OpenAI's embeddings API",
            Protocol::Ollama => "Ollama's API",
        }
    }
}

/// Certificates are those that the system trusts, so that a company's own are among them.
fn tls() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build()
}
