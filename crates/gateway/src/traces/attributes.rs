//! What a span says of a request: OpenTelemetry's names for generative AI where there are any
//! (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans, "Inference"), and foveal's own.

use foveal_wire::Protocol;

use super::ids::Ids;
use super::span::{Span, Value};
use crate::exchange::{End, Exchange, Purpose};

/// Bytes of a name that a client or a provider chose.
const NAME_BYTES_MAX: usize = 128;

/// What is known of a request beside its exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Beside<'a> {
    /// The profile of requests of which nobody says by which they were decided.
    pub profile: &'a str,
    /// US dollars that it cost, and that it would have cost without foveal.
    pub dollars: Option<(f64, f64)>,
}

/// The span of a request; `None` where it asks no model for an answer, or where its client does
/// not record the trace that it belongs to.
pub(super) fn span(exchange: &Exchange, beside: Beside<'_>, ids: &Ids) -> Option<Span> {
    let protocol = exchange.protocol.filter(|_| exchange.purpose == Purpose::Answer)?;
    let parent = exchange.parent;
    if parent.is_some_and(|parent| !parent.is_sampled) {
        return None;
    }
    let operation = operation(protocol);
    let model = exchange.about.model.as_deref().and_then(name);
    let start_ns = u64::try_from(exchange.time.0).unwrap_or(0).saturating_mul(1_000_000);
    let whole_ns = u64::try_from(exchange.whole.as_nanos()).unwrap_or(u64::MAX);
    let error = error(exchange);
    Some(Span {
        trace: parent.map_or_else(|| ids.trace(), |parent| parent.trace),
        id: ids.span(),
        parent: parent.map(|parent| parent.span),
        name: model.as_ref().map_or_else(|| operation.to_owned(), |it| format!("{operation} {it}")),
        start_ns,
        end_ns: start_ns.saturating_add(whole_ns),
        has_failed: error.is_some(),
        attributes: attributes(exchange, beside, (operation, protocol), model, error),
    })
}

fn attributes(
    exchange: &Exchange,
    beside: Beside<'_>,
    (operation, protocol): (&'static str, Protocol),
    model: Option<String>,
    error: Option<String>,
) -> Vec<(&'static str, Value)> {
    let answered = exchange.answered.as_ref();
    let billed = answered.map(|answered| answered.billed).unwrap_or_default();
    let finish = answered.and_then(|answered| word(answered.stop_reason.as_deref()?));
    let status = Some(u64::from(exchange.status)).filter(|status| *status > 0);
    let port = Some(u64::from(exchange.port)).filter(|port| *port > 0);
    let text = |text: Option<String>| text.map(Value::Text);
    let count = |count: Option<u64>| count.map(Value::Count);
    let all = [
        ("gen_ai.operation.name", Some(Value::from(operation))),
        ("gen_ai.provider.name", Some(Value::from(provider(&exchange.server, protocol)))),
        ("gen_ai.request.model", text(model)),
        ("gen_ai.response.model", text(answered.and_then(|it| name(it.model.as_deref()?)))),
        ("gen_ai.response.finish_reasons", finish.map(|finish| Value::Texts(vec![finish]))),
        ("gen_ai.conversation.id", text(exchange.about.conversation.clone())),
        ("gen_ai.usage.input_tokens", count(billed.prompt())),
        ("gen_ai.usage.output_tokens", count(billed.output)),
        ("gen_ai.usage.cache_read.input_tokens", count(billed.cache_read)),
        ("gen_ai.usage.cache_creation.input_tokens", count(billed.cache_write())),
        ("gen_ai.usage.reasoning.output_tokens", count(billed.reasoning)),
        ("server.address", Some(Value::from(&*exchange.server))),
        ("server.port", count(port)),
        ("http.response.status_code", count(status)),
        ("error.type", text(error)),
    ];
    let mut all: Vec<_> =
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    own(exchange, beside, &mut all);
    all
}

/// What foveal did, and what that came to.
fn own(exchange: &Exchange, beside: Beside<'_>, all: &mut Vec<(&'static str, Value)>) {
    let about = &exchange.about;
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    all.push(("foveal.profile", about.profile.as_deref().unwrap_or(beside.profile).into()));
    all.push(("foveal.upstream", (&*exchange.upstream).into()));
    all.push(("foveal.messages", about.messages.into()));
    all.push(("foveal.end", exchange.end.name().into()));
    all.push(("foveal.added_ms", ms(exchange.added).into()));
    all.push(("foveal.head_ms", ms(exchange.head).into()));
    if about.marks > 0 {
        all.push(("foveal.marks", about.marks.into()));
    }
    // Nothing is counted where nothing is decided.
    if about.tokens_asked > 0 {
        let saved = about.tokens_asked.saturating_sub(about.tokens_sent);
        all.push(("foveal.tokens_asked", about.tokens_asked.into()));
        all.push(("foveal.tokens_sent", about.tokens_sent.into()));
        all.push(("foveal.tokens_saved", saved.into()));
    }
    if let Some((cost, without)) = beside.dollars {
        all.push(("foveal.cost_usd", cost.into()));
        all.push(("foveal.saved_usd", (without - cost).into()));
    }
    let reasons = [
        ("foveal.inactive", about.inactive_kind),
        ("foveal.failed_open", exchange.failed_open.map(|failed| failed.name())),
        ("foveal.rewrite", about.rewrite),
        ("foveal.client_changed", about.departed.as_ref().map(|it| it.changed.words())),
    ];
    all.extend(reasons.into_iter().filter_map(|(name, reason)| Some((name, reason?.into()))));
}

fn operation(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Messages | Protocol::Chat | Protocol::Responses => "chat",
        Protocol::Gemini => "generate_content",
    }
}

/// Hosts and what the conventions call who stands behind them; `openrouter` is no name of theirs.
const PROVIDERS: [(&str, &str); 13] = [
    ("api.anthropic.com", "anthropic"),
    ("api.openai.com", "openai"),
    ("chatgpt.com", "openai"),
    ("generativelanguage.googleapis.com", "gcp.gemini"),
    ("aiplatform.googleapis.com", "gcp.vertex_ai"),
    ("amazonaws.com", "aws.bedrock"),
    ("openai.azure.com", "azure.ai.openai"),
    ("services.ai.azure.com", "azure.ai.inference"),
    ("openrouter.ai", "openrouter"),
    ("api.x.ai", "x_ai"),
    ("api.deepseek.com", "deepseek"),
    ("api.mistral.ai", "mistral_ai"),
    ("api.groq.com", "groq"),
];

/// Who answers: by the host, and else by whose API is spoken.
fn provider(host: &str, protocol: Protocol) -> &'static str {
    let is_of = |known: &str| {
        let before = host.strip_suffix(known);
        before.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '-']))
    };
    let known = PROVIDERS.iter().find(|(known, _)| is_of(known));
    known.map_or(
        match protocol {
            Protocol::Messages => "anthropic",
            Protocol::Chat | Protocol::Responses => "openai",
            Protocol::Gemini => "gcp.gemini",
        },
        |(_, name)| *name,
    )
}

/// What went wrong, in one word: the provider's own, or the status. A client that left is no
/// failure.
fn error(exchange: &Exchange) -> Option<String> {
    let told = exchange.answered.as_ref().and_then(|answered| answered.error.as_deref());
    let is_failure = exchange.status >= 400;
    match exchange.end {
        _ if told.is_some() || (is_failure && exchange.end == End::Whole) => {
            let status = || if is_failure { exchange.status.to_string() } else { OTHER.to_owned() };
            Some(told.and_then(word).unwrap_or_else(status))
        }
        End::UpstreamBroke | End::Unreached => Some(exchange.end.name().to_owned()),
        End::Own if is_failure => Some(exchange.status.to_string()),
        End::Whole | End::ClientLeft | End::Own => None,
    }
}

/// What the conventions have for a failure without a name.
const OTHER: &str = "_OTHER";

/// A word of the kind that APIs use for reasons; `None` for anything else.
fn word(text: &str) -> Option<String> {
    let is_of_word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.');
    (!text.is_empty() && text.len() <= 64 && text.chars().all(is_of_word)).then(|| text.to_owned())
}

/// The name of a model, in bounds; `None` for what can be none.
fn name(text: &str) -> Option<String> {
    let is_of_name = |sign: char| {
        sign.is_ascii_alphanumeric()
            || matches!(sign, '_' | '-' | '.' | ':' | '/' | '@' | '[' | ']')
    };
    let fits = !text.is_empty() && text.len() <= NAME_BYTES_MAX;
    (fits && text.chars().all(is_of_name)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
