//! One request to an embedding server, and its response.

use std::io::ErrorKind;
use std::sync::Arc;

use foveal_relevance::embedding::Vector;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderName, HeaderValue, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body};

use crate::backoff::parse_retry_after;
use crate::{ApiKey, ServerMessage};

use crate::embedding::answer;
use crate::embedding::error::EmbeddingServerError;
use crate::embedding::request_limits::EmbeddingRequestLimits;
use crate::embedding::spec::{EmbeddingProtocol, EmbeddingServerSpec};

/// Bytes of a response that are read: room for 32 of the largest vectors with long numbers.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// Bytes of an error response that are read.
const ERROR_BYTES_MAX: u64 = 16 << 10;

/// The server of a model, with the HTTP client and the key.
pub(crate) struct EmbeddingConnection {
    pub(crate) spec: EmbeddingServerSpec,
    pub(crate) url: String,
    pub(crate) patience: EmbeddingRequestLimits,
    key: Option<ApiKey>,
    agent: Agent,
}

impl EmbeddingConnection {
    /// Prepares requests to the server of `spec`. Sends nothing.
    pub(crate) fn new(
        spec: EmbeddingServerSpec,
        key: Option<ApiKey>,
        patience: EmbeddingRequestLimits,
    ) -> Self {
        let url = spec.url();
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // The key and the user's code are meant for the one server that was named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("foveal/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(patience.connect_time))
            .timeout_global(Some(patience.request_time));
        if url.starts_with("https:") {
            config = config.https_only(true).tls_config(tls_config());
        }
        let agent = config.build().new_agent();
        Self { spec, url, patience, key, agent }
    }

    /// Sends `body`, a request for the vectors of `count` texts.
    pub(crate) fn send(
        &self,
        body: &[u8],
        count: usize,
    ) -> Result<Vec<Vector>, EmbeddingServerError> {
        let mut request = self.agent.post(&self.url).header(CONTENT_TYPE, "application/json");
        if let Some(key) = self.key.as_ref().map(ApiKey::text)
            && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {key}"))
        {
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let mut response = request.send(body).map_err(|error| self.transport_error(&error))?;
        if !response.status().is_success() {
            return Err(self.read_error_response(&mut response));
        }
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let wrong = |reason: String| EmbeddingServerError::InvalidAnswer {
            url: self.url.clone(),
            reason,
            protocol: self.protocol_title(),
        };
        let body = body.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                wrong(format!("more than {} MiB", ANSWER_BYTES_MAX >> 20))
            }
            error => self.transport_error(&error),
        })?;
        answer::parse_vectors(self.spec.protocol(), &body, count)
            .map_err(|error| wrong(error.to_string()))
    }

    /// Reads an error response.
    fn read_error_response(&self, response: &mut Response<Body>) -> EmbeddingServerError {
        let (url, status) = (self.url.clone(), response.status().as_u16());
        let header =
            |name: HeaderName| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (to, wait) = (header(LOCATION), parse_retry_after(header(RETRY_AFTER).as_deref()));
        let body = response.body_mut().with_config().limit(ERROR_BYTES_MAX).read_to_vec();
        let secret = self.key.as_ref().map(ApiKey::text);
        let said = ServerMessage::from_body(&body.unwrap_or_default(), secret);
        let model = self.spec.model().to_owned();
        match status {
            300..=399 => {
                let to =
                    ServerMessage::from_body(to.unwrap_or_default().as_bytes(), secret).to_string();
                EmbeddingServerError::Redirect { url, to: to.trim_start_matches(": ").to_owned() }
            }
            401 | 403 if self.key.is_none() => EmbeddingServerError::KeyMissing { url },
            401 | 403 => EmbeddingServerError::KeyRejected { url, status, said },
            404 => {
                let hint = match self.spec.protocol() {
                    EmbeddingProtocol::Ollama => format!(", or run `ollama pull {model}`"),
                    EmbeddingProtocol::OpenAi => String::new(),
                };
                EmbeddingServerError::UnknownModel { url, model, said, hint }
            }
            429 => EmbeddingServerError::RateLimited { url, wait, said },
            408 | 500.. => EmbeddingServerError::ServerFailed { url, status, said },
            _ => EmbeddingServerError::RequestRejected { url, model, status, said },
        }
    }

    /// Classifies the error of a request without a response.
    fn transport_error(&self, error: &ureq::Error) -> EmbeddingServerError {
        let url = self.url.clone();
        let refused = match error {
            ureq::Error::Rustls(error) => Some(error),
            ureq::Error::Io(error) => error.get_ref().and_then(|error| error.downcast_ref()),
            _ => None,
        };
        if let Some(rustls::Error::InvalidCertificate(reason)) = refused {
            return EmbeddingServerError::Certificate { url, reason: format!("{reason:?}") };
        }
        let slow = match error {
            ureq::Error::Timeout(timeout) => !matches!(timeout, ureq::Timeout::Connect),
            ureq::Error::Io(error) => error.kind() == ErrorKind::TimedOut,
            _ => false,
        };
        if slow {
            return EmbeddingServerError::RequestTimeout {
                url,
                seconds: self.patience.request_time.as_secs().max(1),
            };
        }
        let reason = match error {
            ureq::Error::HostNotFound => "host not found".to_owned(),
            // Without the words `io: `.
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        EmbeddingServerError::Unreachable { url, reason }
    }

    fn protocol_title(&self) -> &'static str {
        match self.spec.protocol() {
            EmbeddingProtocol::OpenAi => "OpenAI's embeddings API",
            EmbeddingProtocol::Ollama => "Ollama's API",
        }
    }
}

/// Configures TLS with the certificates that the system trusts, so that a company can add its own.
fn tls_config() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build()
}
