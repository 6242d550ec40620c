//! A provider, a client with short time-outs, and one request.

use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, ReplyScript, Settings};
use foveal_protocols::prompt::{ApiDialect, Prompt, encode_prompt};
use foveal_protocols::response::{DecodedAnswer, DecodedEvent};
use foveal_providers::{
    LlmClient, LlmError, ModelRequestEvent, ModelRequestLimits, ModelServer, ModelSpec,
};
use foveal_transcript::{ContentBlock, EntryMark, MessageRole, RecordingPosition, TranscriptEntry};

pub(crate) const PATIENCE: ModelRequestLimits = ModelRequestLimits {
    connect_time: Duration::from_secs(5),
    head_time: Duration::from_millis(600),
    silence_time: Duration::from_millis(300),
    answer_time: Duration::from_millis(1_500),
    answer_bytes_max: 32 << 20,
    retries: 1,
    wait_max: Duration::from_millis(20),
};

pub(crate) struct World {
    pub(crate) upstream: MockProvider,
    pub(crate) client: LlmClient,
}

/// The result of a request.
pub(crate) struct Came {
    pub(crate) said: Result<DecodedAnswer, LlmError>,
    pub(crate) text: String,
    pub(crate) again: Vec<LlmError>,
}

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(1).enable_all().build().expect("a runtime").block_on(work)
}

pub(crate) fn say(role: MessageRole, text: &str) -> TranscriptEntry {
    let source = RecordingPosition { step: 0, result: None };
    let blocks = vec![ContentBlock::Text(text.to_owned())];
    TranscriptEntry {
        source,
        role,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks,
    }
}

impl World {
    pub(crate) fn new(script: ReplyScript) -> Self {
        Self::patient(script, PATIENCE)
    }

    pub(crate) fn patient(script: ReplyScript, patience: ModelRequestLimits) -> Self {
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        upstream.set_script(script);
        Self {
            upstream,
            client: LlmClient::new(patience, &foveal_providers::ProxySettings::default())
                .expect("a client"),
        }
    }

    pub(crate) fn server(&self, dialect: ApiDialect) -> ModelServer {
        let spec = format!("{}:some-model@{}", dialect.name(), self.upstream.url());
        let spec: ModelSpec = spec.parse().expect("a model");
        spec.to_server(foveal_providers::ApiKey::new("the-key"))
    }

    pub(crate) async fn ask(&self, dialect: ApiDialect) -> Came {
        let entries = [say(MessageRole::System, "Be brief."), say(MessageRole::User, "go")];
        let prompt = Prompt {
            model: "some-model",
            entries: &entries,
            tools: &[],
            output_tokens_max: None,
            drops_bound_thinking: false,
        };
        let (mut text, mut again) = (String::new(), Vec::new());
        let mut on_event = |event| match event {
            ModelRequestEvent::Answer(DecodedEvent::Text(piece)) => text.push_str(&piece),
            ModelRequestEvent::Answer(_) => {}
            ModelRequestEvent::Retry { error: why, .. } => {
                text.clear();
                again.push(why);
            }
        };
        let body = encode_prompt(dialect, &prompt);
        let said = self.client.stream_answer(&self.server(dialect), body, 0, &mut on_event).await;
        Came { said, text, again }
    }

    pub(crate) fn timed(&self, dialect: ApiDialect) -> (Came, Duration) {
        let start = Instant::now();
        let came = run(self.ask(dialect));
        (came, start.elapsed())
    }
}
