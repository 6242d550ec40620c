//! The classification of errors of model APIs.

use std::time::Duration;

use foveal_protocols::response::{AnswerError, ContextOverflow};

use crate::ServerMessage;

use crate::model::error::LlmError;
use crate::model::server::ModelServer;

/// Classifies an error response by its status and message. For an error within a stream, the status
/// is that of the head, 200.
pub(crate) fn classify_error(
    server: &ModelServer,
    status: u16,
    error: &AnswerError,
    wait: Option<Duration>,
) -> LlmError {
    let kind = error.kind.as_deref().unwrap_or_default();
    let secret = server.key.as_ref().map(|key| key.text());
    let said = ServerMessage::from_message(&error.message, secret);
    let (url, model, variable) = (server.url(), server.model.clone(), server.key_variable);
    if let Some(overflow) = ContextOverflow::parse(status, error) {
        return LlmError::PromptTooLong { model, status, said, overflow };
    }
    match status {
        300..=399 => LlmError::Redirect { url, status },
        401 | 403 if server.key.is_none() => LlmError::KeyMissing { url, variable },
        401 | 403 => LlmError::KeyRejected { url, variable, status, said },
        404 => LlmError::UnknownModel { url, said, hint: download_hint(server), model },
        429 => LlmError::RateLimited { url, status, wait, said },
        408 | 409 | 425 | 500.. => LlmError::ServerFailed { url, status, wait, said },
        // Errors within a stream are known only by their names.
        200..=299 => match kind {
            "rate_limit_error" | "rate_limit_exceeded" | "429" => {
                LlmError::RateLimited { url, status, wait, said }
            }
            "invalid_request_error"
            | "authentication_error"
            | "permission_error"
            | "invalid_prompt"
            | "400"
            | "401"
            | "403" => LlmError::RequestRejected { url, status, said },
            _ => LlmError::ServerFailed { url, status, wait, said },
        },
        _ => LlmError::RequestRejected { url, status, said },
    }
}

fn download_hint(server: &ModelServer) -> String {
    match server.name {
        "ollama" => format!(", or run `ollama pull {}`", server.model),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use foveal_protocols::prompt::ApiDialect;

    use super::*;

    fn refused(status: u16, kind: &str, message: &str) -> LlmError {
        let server = ModelServer {
            name: "ollama",
            dialect: ApiDialect::Chat,
            base: "http://127.0.0.1:1/v1".to_owned(),
            key: crate::ApiKey::new("secret"),
            key_variable: "SOME_KEY",
            model: "m".to_owned(),
            drops_bound_thinking: false,
        };
        let kind = (!kind.is_empty()).then(|| kind.to_owned());
        classify_error(&server, status, &AnswerError { kind, message: message.to_owned() }, None)
    }

    #[test]
    fn prompts_that_are_too_long_are_told_apart() {
        for (status, kind, message) in [
            (400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
            (400, "context_length_exceeded", "too many"),
            (400, "invalid_request_error", "This model's maximum context length is 8192 tokens."),
            (400, "exceed_context_size_error", "the request exceeds the available context size"),
            (400, "", "input length and `max_tokens` exceed context limit: 1 + 2 > 3"),
            (413, "request_too_large", "Request exceeds the maximum size"),
            (200, "context_length_exceeded", "Your input exceeds the context window"),
            (500, "", "the input is too long for this context window"),
        ] {
            let error = refused(status, kind, message);
            assert!(matches!(error, LlmError::PromptTooLong { .. }), "{message}: {error}");
            assert!(error.retry_hint().is_none());
        }
        assert!(matches!(refused(400, "", "bad"), LlmError::RequestRejected { .. }));
        let busy = refused(429, "", "too many tokens per minute in your context window");
        assert!(matches!(busy, LlmError::RateLimited { .. }));
    }

    #[test]
    fn what_may_pass_is_asked_again_and_nothing_else() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(refused(status, "", "x").retry_hint().is_some(), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 422] {
            assert!(refused(status, "", "x").retry_hint().is_none(), "{status}");
        }
        for (kind, passes) in [
            ("overloaded_error", true),
            ("rate_limit_error", true),
            ("invalid_request_error", false),
        ] {
            assert_eq!(refused(200, kind, "x").retry_hint().is_some(), passes, "{kind}");
        }
    }

    #[test]
    fn no_message_repeats_a_key() {
        let error = refused(401, "", "wrong key: secret\u{1b}[2J").to_string();
        assert!(!error.contains("secret") && !error.contains('\u{1b}'), "{error}");
        assert!(error.contains("SOME_KEY"), "{error}");
        assert!(refused(404, "", "x").to_string().contains("ollama pull m"));
    }
}
