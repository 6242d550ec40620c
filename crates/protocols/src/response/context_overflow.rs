//! Detection of errors that report a prompt beyond the model's context window.

use super::answer_metadata::AnswerError;

/// The providers' names for the error.
const ERROR_NAMES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/// Phrases in the messages of providers that have no name for it.
const ERROR_PHRASES: [&str; 10] = [
    "prompt is too long",
    "context length",
    "context window",
    "context_length_exceeded",
    "exceeds the available context size",
    "input is too long",
    "exceed context limit",
    "input length and `max_tokens` exceed",
    "maximum prompt length",
    "exceeds the maximum number of tokens",
];

/// Minimum of a number in a message that can be a prompt size.
const TOKENS_MIN: u64 = 1_000;

/// A prompt that exceeds the model's context window, with the sizes that the provider reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContextOverflow {
    /// Tokens of the model's window, by the provider's own count.
    pub window: Option<u64>,
    /// Tokens of the window that are reserved for the answer.
    pub answer: Option<u64>,
    /// Tokens of the rejected prompt.
    pub prompt: Option<u64>,
}

impl ContextOverflow {
    /// Parses an error with this status; `None` if it is not about the length of a prompt.
    pub fn parse(status: u16, error: &AnswerError) -> Option<Self> {
        if !matches!(status, 200..=299 | 400 | 413 | 422 | 500) {
            return None;
        }
        let message = error.message.to_lowercase();
        let is_named = ERROR_NAMES.contains(&error.kind.as_deref().unwrap_or_default());
        if !is_named && !ERROR_PHRASES.iter().any(|words| message.contains(words)) {
            return None;
        }
        Some(Self::from_numbers(&parse_numbers(&message), message.contains('+')))
    }

    /// Creates the sizes from the numbers in the order of the message.
    fn from_numbers(numbers: &[u64], is_sum: bool) -> Self {
        let sizes =
            |window, prompt| Self { window: Some(window), prompt: Some(prompt), answer: None };
        let with_answer =
            |answer, window, prompt| Self { answer: Some(answer), ..sizes(window, prompt) };
        match *numbers {
            // prompt + answer > window
            [prompt, answer, window, ..] if is_sum && window > answer => {
                with_answer(answer, window, prompt)
            }
            // The window, the requested total, and in it the prompt and the answer.
            [window, all, prompt, answer, ..] if all == prompt + answer && window > answer => {
                with_answer(answer, window, prompt)
            }
            // The answer, the window, the prompt.
            [answer, window, prompt]
                if !is_sum && answer < window && answer + prompt > window && prompt < window =>
            {
                with_answer(answer, window, prompt)
            }
            [one, other, ..] => sizes(one.min(other), one.max(other)),
            [window] => Self { window: Some(window), ..Self::default() },
            [] => Self::default(),
        }
    }
}

/// Returns the numbers of a text that are no parts of names.
fn parse_numbers(text: &str) -> Vec<u64> {
    let is_apart = |sign: char| sign.is_whitespace() || "()[]{}<>:;=\"'`+".contains(sign);
    let words = text.split(is_apart).map(|word| word.trim_end_matches(['.', ',']));
    let number = |word: &str| word.replace([',', '_'], "").parse::<u64>().ok();
    words.filter_map(number).filter(|number| *number >= TOKENS_MIN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(kind: &str, message: &str) -> Option<(Option<u64>, Option<u64>)> {
        let kind = (!kind.is_empty()).then(|| kind.to_owned());
        let error = AnswerError { kind, message: message.to_owned() };
        let room = |it: ContextOverflow| it.window.map(|window| window - it.answer.unwrap_or(0));
        ContextOverflow::parse(400, &error).map(|it| (room(it), it.prompt))
    }

    #[test]
    fn sizes_are_read_of_messages() {
        for (message, window, prompt) in [
            ("prompt is too long: 213462 tokens > 200000 maximum", 200_000, 213_462),
            (
                "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, \
                 decrease input length or `max_tokens` and try again",
                178_667,
                188_240,
            ),
            (
                "This model's maximum context length is 128000 tokens. However, your messages \
                 resulted in 130,112 tokens. Please reduce the length of the messages.",
                128_000,
                130_112,
            ),
            (
                "This model's maximum context length is 32768 tokens. However, you requested 40000 \
                 tokens (35904 in the messages, 4096 in the completion).",
                28_672,
                35_904,
            ),
            (
                "'max_tokens' is too large: 4096. This model's maximum context length is 8192 \
                 tokens and your request has 5000 input tokens",
                4_096,
                5_000,
            ),
            (
                "the request exceeds the available context size (35904 tokens > 32768 tokens)",
                32_768,
                35_904,
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed \
                 (1048576).",
                1_048_576,
                1_200_000,
            ),
            (
                "This model's maximum prompt length is 131072 but the request contains 140000 \
                 tokens.",
                131_072,
                140_000,
            ),
        ] {
            assert_eq!(parsed("", message), Some((Some(window), Some(prompt))), "{message}");
        }
    }

    #[test]
    fn what_is_not_said_is_not_known() {
        let code = "context_length_exceeded";
        assert_eq!(parsed(code, "Your input exceeds the context window."), Some((None, None)));
        let one = "This model's maximum context length is 8192 tokens.";
        assert_eq!(parsed("", one), Some((Some(8_192), None)));
        assert_eq!(parsed("", "input is too long for model-32768-fast (400)"), Some((None, None)));
        assert_eq!(parsed("", "bad request with 200000 words"), None);
    }
}
