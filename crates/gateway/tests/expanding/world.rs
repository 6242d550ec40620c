//! A model that gets back what was left out, and a gateway that gives it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_gateway::Settings;
use foveal_live::Conversations;
use foveal_live::recorder::{InMemory, Recorder};
use foveal_live::rules::Rules;
use foveal_upstream::{Asked, Call, Play, Reply, Script, Seen, Upstream};
use serde_json::{Value, json};

use crate::support::World;

/// The tool.
pub(crate) const EXPAND: &str = "foveal_expand";

/// A gateway before a model.
pub(crate) struct Giving {
    pub(crate) upstream: Upstream,
    pub(crate) world: World,
    pub(crate) recorder: Arc<dyn Recorder>,
    decision: Duration,
}

/// The rules that decide: what has been seen stays, so that each request goes on with the last.
pub(crate) fn conversations(recorder: &Arc<dyn Recorder>, offers: bool) -> Conversations {
    let mut rules = Rules::named("balanced").expect("a profile");
    rules.settings.rewrite.iter_mut().for_each(|rewrite| rewrite.look_once = None);
    Conversations::new(rules, Arc::clone(recorder)).offering(offers)
}

impl Giving {
    /// A gateway before a model that plays `script`.
    pub(crate) async fn start(script: Script) -> Self {
        // A machine that is busy is no reason to wait no longer.
        Self::over(script, Arc::new(InMemory::default()), Duration::from_secs(20)).await
    }

    /// The same with this store, and so much time for decisions.
    pub(crate) async fn over(
        script: Script,
        recorder: Arc<dyn Recorder>,
        decision: Duration,
    ) -> Self {
        let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
        upstream.play(script);
        let world = Self::gateway(&upstream, &recorder, decision).await;
        Self { upstream, world, recorder, decision }
    }

    async fn gateway(
        upstream: &Upstream,
        recorder: &Arc<dyn Recorder>,
        decision: Duration,
    ) -> World {
        let shaper = conversations(recorder, true);
        let change = |settings: &mut Settings| {
            settings.shaper = Arc::new(shaper);
            settings.limits.decision = decision;
        };
        World::start(upstream.address(), change).await
    }

    /// The same as after a restart.
    pub(crate) async fn again(self) -> Self {
        let Self { upstream, recorder, world, decision } = self;
        drop(world);
        let world = Self::gateway(&upstream, &recorder, decision).await;
        Self { upstream, recorder, world, decision }
    }

    /// What the upstream was asked, decoded.
    pub(crate) fn asked(&self) -> Vec<Value> {
        let parse = |seen: &Arc<Seen>| serde_json::from_slice(&seen.body).expect("JSON");
        self.upstream.seen().iter().map(parse).collect()
    }

    /// Each request but the first went on with the one before it, and none broke a rule.
    pub(crate) fn check(&self) {
        for (at, seen) in self.upstream.seen().iter().enumerate() {
            let body = String::from_utf8_lossy(&seen.body);
            assert!(seen.broken.is_empty(), "{at}: {:?} in {body}", seen.broken);
            let common = seen.common.expect("it was judged");
            assert!(at == 0 || common.is_append(), "{at}: {common:?} in {body}");
        }
    }
}

/// Lines that nobody needs to see whole.
pub(crate) fn long() -> String {
    (1..=4_000)
        .map(|line| format!("{line}: checked module_{} in {} ms\n", line * 7, line % 90))
        .collect()
}

/// The handles that notes in a prompt name.
pub(crate) fn handles(body: &Value) -> Vec<String> {
    let text = body.to_string();
    let name = format!("{EXPAND} ");
    let after = text.split(&name).skip(1);
    let mut handles: Vec<String> = after
        .filter_map(|rest| rest.get(..12))
        .filter(|handle| handle.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map(str::to_owned)
        .collect();
    handles.dedup();
    handles
}

/// A call of the tool.
pub(crate) fn expand(handle: &str, start: Option<u64>) -> Call {
    let mut arguments = json!({ "handle": handle });
    if let Some(start) = start {
        arguments["start"] = json!(start);
    }
    Call { name: EXPAND.to_owned(), arguments }
}

/// A call of the client's tool.
pub(crate) fn bash(command: &str) -> Call {
    Call { name: "bash".to_owned(), arguments: json!({ "command": command }) }
}

/// What the model says: a text and calls, with some thinking in front.
pub(crate) fn says(text: &str, calls: Vec<Call>) -> Play {
    let thinking = format!("Think of: {text}");
    Play::from(Reply { thinking, text: text.to_owned(), calls })
}

/// A script whose steps are told how many requests came before, and what was asked.
pub(crate) fn script(play: impl Fn(usize, &Value) -> Play + Send + Sync + 'static) -> Script {
    let count = Mutex::new(0);
    Script::new(move |asked: &Asked<'_>| {
        let mut count = count.lock().expect("a lock");
        *count += 1;
        play(*count - 1, asked.body)
    })
}
