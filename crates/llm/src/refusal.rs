//! What an error of a model API means.

use std::time::Duration;

use foveal_asking::Said;
use foveal_wire::response::{AnswerError, ContextOverflow};

use crate::error::AskError;
use crate::server::Server;

/// What an answer says that is an error: its status, and what it says in it. In the middle of a
/// stream the status is that of its head, 200.
pub(crate) fn refusal(
    server: &Server,
    status: u16,
    error: &AnswerError,
    wait: Option<Duration>,
) -> AskError {
    let kind = error.kind.as_deref().unwrap_or_default();
    let secret = server.key.as_ref().map(|key| key.text());
    let said = Said::words(&error.message, secret);
    let (url, model, variable) = (server.url(), server.model.clone(), server.key_variable);
    if let Some(overflow) = ContextOverflow::parse(status, error) {
        return AskError::TooLong { model, status, said, overflow };
    }
    match status {
        300..=399 => AskError::Redirect { url, status },
        401 | 403 if server.key.is_none() => AskError::NoKey { url, variable },
        401 | 403 => AskError::Key { url, variable, status, said },
        404 => AskError::Unknown { url, said, hint: hint(server), model },
        429 => AskError::Busy { url, status, wait, said },
        408 | 409 | 425 | 500.. => AskError::Failing { url, status, wait, said },
        // Errors in mid-stream are told by their names alone.
        200..=299 => match kind {
            "rate_limit_error" | "rate_limit_exceeded" | "429" => {
                AskError::Busy { url, status, wait, said }
            }
            "invalid_request_error"
            | "authentication_error"
            | "permission_error"
            | "invalid_prompt"
            | "400"
            | "401"
            | "403" => AskError::Refused { url, status, said },
            _ => AskError::Failing { url, status, wait, said },
        },
        _ => AskError::Refused { url, status, said },
    }
}

fn hint(server: &Server) -> String {
    match server.name {
        "ollama" => format!(", or run `ollama pull {}`", server.model),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use foveal_wire::prompt::Dialect;

    use super::*;

    fn refused(status: u16, kind: &str, message: &str) -> AskError {
        let server = Server {
            name: "ollama",
            dialect: Dialect::Chat,
            base: "http://127.0.0.1:1/v1".to_owned(),
            key: foveal_asking::ApiKey::new("secret"),
            key_variable: "SOME_KEY",
            model: "m".to_owned(),
            drops_bound_thinking: false,
        };
        let kind = (!kind.is_empty()).then(|| kind.to_owned());
        refusal(&server, status, &AnswerError { kind, message: message.to_owned() }, None)
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
            assert!(matches!(error, AskError::TooLong { .. }), "{message}: {error}");
            assert!(error.may_pass().is_none());
        }
        assert!(matches!(refused(400, "", "bad"), AskError::Refused { .. }));
        let busy = refused(429, "", "too many tokens per minute in your context window");
        assert!(matches!(busy, AskError::Busy { .. }));
    }

    #[test]
    fn what_may_pass_is_asked_again_and_nothing_else() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(refused(status, "", "x").may_pass().is_some(), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 422] {
            assert!(refused(status, "", "x").may_pass().is_none(), "{status}");
        }
        for (kind, passes) in [
            ("overloaded_error", true),
            ("rate_limit_error", true),
            ("invalid_request_error", false),
        ] {
            assert_eq!(refused(200, kind, "x").may_pass().is_some(), passes, "{kind}");
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
