//! A provider, a client with little patience, and one question.

use std::time::{Duration, Instant};

use foveal_llm::{AskError, AskEvent, Client, ModelSpec, Patience, Server};
use foveal_transcript::{Block, Entry, Mark, Role, Source};
use foveal_upstream::{Script, Settings, Upstream};
use foveal_wire::prompt::{Dialect, Prompt, encode};
use foveal_wire::response::{Said, SaidEvent};

pub(crate) const PATIENCE: Patience = Patience {
    connect_time: Duration::from_secs(5),
    head_time: Duration::from_millis(600),
    silence_time: Duration::from_millis(300),
    answer_time: Duration::from_millis(1_500),
    answer_bytes_max: 32 << 20,
    retries: 1,
    wait_max: Duration::from_millis(20),
};

pub(crate) struct World {
    pub(crate) upstream: Upstream,
    pub(crate) client: Client,
}

/// What came of a question.
pub(crate) struct Came {
    pub(crate) said: Result<Said, AskError>,
    pub(crate) text: String,
    pub(crate) again: Vec<AskError>,
}

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(1).enable_all().build().expect("a runtime").block_on(work)
}

pub(crate) fn say(role: Role, text: &str) -> Entry {
    let source = Source { step: 0, result: None };
    let blocks = vec![Block::Text(text.to_owned())];
    Entry { source, role, time: None, mark: Mark::None, model: None, usage: None, blocks }
}

impl World {
    pub(crate) fn new(script: Script) -> Self {
        Self::patient(script, PATIENCE)
    }

    pub(crate) fn patient(script: Script, patience: Patience) -> Self {
        let upstream = Upstream::start(Settings::default()).expect("a provider");
        upstream.play(script);
        Self {
            upstream,
            client: Client::new(patience, &foveal_llm::ProxySettings::default()).expect("a client"),
        }
    }

    pub(crate) fn server(&self, dialect: Dialect) -> Server {
        let spec = format!("{}:some-model@{}", dialect.name(), self.upstream.url());
        let spec: ModelSpec = spec.parse().expect("a model");
        spec.server(foveal_asking::ApiKey::new("the-key"))
    }

    pub(crate) async fn ask(&self, dialect: Dialect) -> Came {
        let entries = [say(Role::System, "Be brief."), say(Role::User, "go")];
        let prompt = Prompt {
            model: "some-model",
            entries: &entries,
            tools: &[],
            output_tokens_max: None,
            drops_bound_thinking: false,
        };
        let (mut text, mut again) = (String::new(), Vec::new());
        let mut on_event = |event| match event {
            AskEvent::Said(SaidEvent::Text(piece)) => text.push_str(&piece),
            AskEvent::Said(_) => {}
            AskEvent::Again { why, .. } => {
                text.clear();
                again.push(why);
            }
        };
        let body = encode(dialect, &prompt);
        let said = self.client.ask(&self.server(dialect), body, 0, &mut on_event).await;
        Came { said, text, again }
    }

    pub(crate) fn timed(&self, dialect: Dialect) -> (Came, Duration) {
        let start = Instant::now();
        let came = run(self.ask(dialect));
        (came, start.elapsed())
    }
}
