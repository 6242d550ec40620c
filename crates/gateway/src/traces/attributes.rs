//! The attributes of a span: OpenTelemetry's for generative AI
//! (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans, "Inference"), and foveal's own.

use foveal_protocols::Protocol;

use super::ids::IdGenerator;
use super::span::{AttributeValue, TraceSpan};
use crate::exchange::{Exchange, ExchangeEnd, Purpose};

/// The size limit for a name that a client or a provider chose, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// Facts about a request that its exchange does not contain.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpanDetails<'a> {
    /// The profile of requests whose report names none.
    pub profile: &'a str,
    /// The cost in US dollars, and the cost without foveal.
    pub costs: Option<(f64, f64)>,
}

/// Builds the span of a request; `None` if it asks no model for an answer, or if its client does
/// not record the trace that it belongs to.
pub(super) fn build_span(
    exchange: &Exchange,
    beside: SpanDetails<'_>,
    ids: &IdGenerator,
) -> Option<TraceSpan> {
    let protocol = exchange.protocol.filter(|_| exchange.purpose == Purpose::Answer)?;
    let parent = exchange.parent;
    if parent.is_some_and(|parent| !parent.is_sampled) {
        return None;
    }
    let operation = operation(protocol);
    let model = exchange.report.model.as_deref().and_then(model_name);
    let start_ns = u64::try_from(exchange.time.0).unwrap_or(0).saturating_mul(1_000_000);
    let whole_ns = u64::try_from(exchange.duration.as_nanos()).unwrap_or(u64::MAX);
    let error = error_type(exchange);
    Some(TraceSpan {
        trace: parent.map_or_else(|| ids.next_trace_id(), |parent| parent.trace),
        id: ids.next_span_id(),
        parent: parent.map(|parent| parent.span),
        name: model.as_ref().map_or_else(|| operation.to_owned(), |it| format!("{operation} {it}")),
        start_ns,
        end_ns: start_ns.saturating_add(whole_ns),
        has_failed: error.is_some(),
        attributes: attributes(exchange, beside, operation, protocol, model, error),
    })
}

fn attributes(
    exchange: &Exchange,
    beside: SpanDetails<'_>,
    operation: &'static str,
    protocol: Protocol,
    model: Option<String>,
    error: Option<String>,
) -> Vec<(&'static str, AttributeValue)> {
    let answered = exchange.response.as_ref();
    let billed = answered.map(|answered| answered.billed).unwrap_or_default();
    let finish = answered.and_then(|answered| reason_token(answered.stop_reason.as_deref()?));
    let status = Some(u64::from(exchange.status)).filter(|status| *status > 0);
    let port = Some(u64::from(exchange.port)).filter(|port| *port > 0);
    let text = |text: Option<String>| text.map(AttributeValue::Text);
    let count = |count: Option<u64>| count.map(AttributeValue::Count);
    let all = [
        ("gen_ai.operation.name", Some(AttributeValue::from(operation))),
        (
            "gen_ai.provider.name",
            Some(AttributeValue::from(provider_name(&exchange.server, protocol))),
        ),
        ("gen_ai.request.model", text(model)),
        ("gen_ai.response.model", text(answered.and_then(|it| model_name(it.model.as_deref()?)))),
        (
            "gen_ai.response.finish_reasons",
            finish.map(|finish| AttributeValue::Texts(vec![finish])),
        ),
        ("gen_ai.conversation.id", text(exchange.report.conversation.clone())),
        ("gen_ai.usage.input_tokens", count(billed.prompt_tokens())),
        ("gen_ai.usage.output_tokens", count(billed.output)),
        ("gen_ai.usage.cache_read.input_tokens", count(billed.cache_read)),
        ("gen_ai.usage.cache_creation.input_tokens", count(billed.cache_write_tokens())),
        ("gen_ai.usage.reasoning.output_tokens", count(billed.reasoning)),
        ("server.address", Some(AttributeValue::from(&*exchange.server))),
        ("server.port", count(port)),
        ("http.response.status_code", count(status)),
        ("error.type", text(error)),
    ];
    let mut all: Vec<_> =
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    push_foveal_attributes(exchange, beside, &mut all);
    all
}

/// Adds foveal's own attributes.
fn push_foveal_attributes(
    exchange: &Exchange,
    beside: SpanDetails<'_>,
    all: &mut Vec<(&'static str, AttributeValue)>,
) {
    let about = &exchange.report;
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    all.push(("foveal.profile", about.profile.as_deref().unwrap_or(beside.profile).into()));
    all.push(("foveal.upstream", (&*exchange.upstream).into()));
    all.push(("foveal.messages", about.messages.into()));
    all.push(("foveal.end", exchange.end.name().into()));
    all.push(("foveal.added_ms", ms(exchange.added_latency).into()));
    all.push(("foveal.head_ms", ms(exchange.time_to_head).into()));
    if about.breakpoints > 0 {
        all.push(("foveal.marks", about.breakpoints.into()));
    }
    // Tokens are not counted for requests that are not shaped.
    if about.tokens_received > 0 {
        let saved = about.tokens_received.saturating_sub(about.tokens_sent);
        all.push(("foveal.tokens_asked", about.tokens_received.into()));
        all.push(("foveal.tokens_sent", about.tokens_sent.into()));
        all.push(("foveal.tokens_saved", saved.into()));
    }
    if let Some((cost, without)) = beside.costs {
        all.push(("foveal.cost_usd", cost.into()));
        all.push(("foveal.saved_usd", (without - cost).into()));
    }
    let reasons = [
        ("foveal.inactive", about.inactive_kind),
        ("foveal.failed_open", exchange.failed_open.map(|failed| failed.name())),
        ("foveal.rewrite", about.rewrite),
        ("foveal.client_changed", about.divergence.as_ref().map(|it| it.changed.label())),
    ];
    all.extend(reasons.into_iter().filter_map(|(name, reason)| Some((name, reason?.into()))));
}

fn operation(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Messages | Protocol::Chat | Protocol::Responses => "chat",
        Protocol::Gemini => "generate_content",
    }
}

/// Hosts with the provider names of the conventions; `openrouter` is not one of these names.
const PROVIDER_HOSTS: [(&str, &str); 13] = [
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

/// Returns the provider by its host, or else by the protocol.
fn provider_name(host: &str, protocol: Protocol) -> &'static str {
    let is_of = |known: &str| {
        let before = host.strip_suffix(known);
        before.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '-']))
    };
    let known = PROVIDER_HOSTS.iter().find(|(known, _)| is_of(known));
    known.map_or(
        match protocol {
            Protocol::Messages => "anthropic",
            Protocol::Chat | Protocol::Responses => "openai",
            Protocol::Gemini => "gcp.gemini",
        },
        |(_, name)| *name,
    )
}

/// Returns the error in one word: the provider's name for it, or the status. A client that
/// disconnects is no error.
fn error_type(exchange: &Exchange) -> Option<String> {
    let told = exchange.response.as_ref().and_then(|answered| answered.error.as_deref());
    let is_failure = exchange.status >= 400;
    match exchange.end {
        _ if told.is_some() || (is_failure && exchange.end == ExchangeEnd::Complete) => {
            let status =
                || if is_failure { exchange.status.to_string() } else { OTHER_ERROR.to_owned() };
            Some(told.and_then(reason_token).unwrap_or_else(status))
        }
        ExchangeEnd::UpstreamAborted | ExchangeEnd::UpstreamUnreachable => {
            Some(exchange.end.name().to_owned())
        }
        ExchangeEnd::AnsweredLocally if is_failure => Some(exchange.status.to_string()),
        ExchangeEnd::Complete | ExchangeEnd::ClientDisconnected | ExchangeEnd::AnsweredLocally => {
            None
        }
    }
}

/// The value of the conventions for an error without a name.
const OTHER_ERROR: &str = "_OTHER";

/// Returns the text if it is one word as APIs use them for reasons.
fn reason_token(text: &str) -> Option<String> {
    let is_of_word = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.');
    (!text.is_empty() && text.len() <= 64 && text.chars().all(is_of_word)).then(|| text.to_owned())
}

/// Returns the text if it can be the name of a model.
fn model_name(text: &str) -> Option<String> {
    let is_of_name = |sign: char| {
        sign.is_ascii_alphanumeric()
            || matches!(sign, '_' | '-' | '.' | ':' | '/' | '@' | '[' | ']')
    };
    let fits = !text.is_empty() && text.len() <= NAME_BYTES_MAX;
    (fits && text.chars().all(is_of_name)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
