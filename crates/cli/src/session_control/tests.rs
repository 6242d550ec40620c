//! A session over real HTTP with a provider that bills: what the map says is what is billed.

use std::sync::Arc;

use foveal_agent::{
    Action, Agent, AgentTool, BlockKind, BlockPlace, BlockState, Event, Limits, MapChange,
    PromptBlock, PromptMap, Settings, ToolAnswer,
};
use foveal_code::views::CuratedViews;
use foveal_context::prices::PriceCard;
use foveal_live::Conversations;
use foveal_live::models::Model;
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Wait};
use foveal_live::rules::Rules;
use foveal_llm::{Client, Patience, ProxySettings, Server};
use foveal_tools::table::ToolSet;
use foveal_transcript::{Call, Timestamp};
use foveal_upstream::{Reply, Script, Upstream};
use foveal_wire::prompt::{Dialect, ToolSpec};
use serde_json::json;
use tokio::runtime::Runtime;

use super::{change, compact, map, said_by_person};

/// An agent that stays, a model that plays a script, and tools that answer by the call's name.
struct World {
    agent: Agent,
    shaper: Arc<Conversations>,
    kept: Arc<InMemory>,
    upstream: Upstream,
    client: Client,
    server: Server,
    runtime: Runtime,
    now: i64,
}

fn shaper(kept: &Arc<InMemory>) -> Arc<Conversations> {
    let mut rules = Rules::named("balanced").expect("a profile");
    rules.views = Some(Arc::new(CuratedViews::default()));
    Arc::new(Conversations::new(rules, Arc::clone(kept) as _))
}

fn reads(path: &str) -> Reply {
    let arguments = json!({"path": path});
    let call = foveal_upstream::Call { name: "read_file".to_owned(), arguments };
    Reply { calls: vec![call], ..Reply::text("I look at it, and say so in a few words.") }
}

fn runs(command: &str) -> Reply {
    let arguments = json!({"command": command});
    let call = foveal_upstream::Call { name: "bash".to_owned(), arguments };
    Reply { calls: vec![call], ..Reply::text("I try it.") }
}

/// What a call answers: lines that stand nowhere else.
fn answer(call: &Call) -> String {
    let name = call.arguments.to_string();
    let seed: usize = name.bytes().map(usize::from).sum();
    let line = |at: usize| format!("let item_{at}_{seed} = compute({at}, {});\n", at * seed % 997);
    (0..90).map(line).collect()
}

impl World {
    fn new(dialect: Dialect, turns: Vec<Reply>) -> Self {
        let model = match dialect {
            Dialect::Messages => "claude-sonnet-4-5",
            Dialect::Chat | Dialect::Responses => "gpt-5",
        };
        let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("a provider");
        upstream.play(Script::by_turn(turns));
        let kept = Arc::new(InMemory::default());
        let tools = ToolSet::Full.tools().map(|tool| AgentTool {
            spec: ToolSpec {
                name: tool.name.to_owned(),
                description: tool.description.to_owned(),
                schema: tool.schema(),
            },
            only_looks: tool.hints.read_only,
        });
        let settings = Settings {
            session: "run test".to_owned(),
            model: model.to_owned(),
            dialect,
            system: "You are an agent that works in a folder, and says what it does.".repeat(20),
            tools: tools.collect(),
            output_tokens_max: None,
            drops_bound_thinking: false,
            limits: Limits::default(),
            prices: Some(Model::named(model, dialect.protocol()).prices),
            directory: "/w".to_owned(),
            stays: true,
        };
        let server = Server {
            name: "test",
            dialect,
            base: upstream.url(),
            key: None,
            key_variable: "",
            model: model.to_owned(),
            drops_bound_thinking: false,
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        Self {
            agent: Agent::new(settings),
            shaper: shaper(&kept),
            kept,
            upstream,
            client: Client::new(Patience::default(), &ProxySettings::default()).expect("TLS"),
            server,
            runtime: runtime.enable_all().build().expect("a runtime"),
            now: 1_000_000,
        }
    }

    /// Does all that follows from an event.
    fn step(&mut self, event: Event) {
        let mut events = vec![event];
        while !events.is_empty() {
            self.now += 1_000;
            for action in self.agent.step(events.remove(0), Timestamp(self.now)) {
                match action {
                    Action::Ask { number, body } => events.push(self.asked(number, &body)),
                    Action::Call { number, call } => {
                        let text = answer(&call);
                        let answer = ToolAnswer { text, ..ToolAnswer::default() };
                        events.push(Event::Answered { number, answer });
                    }
                    _ => {}
                }
            }
        }
    }

    fn asked(&self, number: u64, body: &[u8]) -> Event {
        let wait = Wait::default();
        let shaped = self.shaper.shape(&Asked {
            protocol: self.server.dialect.protocol(),
            counts: false,
            model: None,
            upstream: "",
            body,
            now: Timestamp(self.now),
            wish: None,
            wait: &wait,
        });
        let body = shaped.body.unwrap_or_else(|| body.to_vec());
        let mut tell = |_| {};
        let asked = self.client.ask(&self.server, body, number, &mut tell);
        let said = self.runtime.block_on(asked).expect("an answer");
        Event::Said { number, said }
    }

    fn map(&self) -> PromptMap {
        map(&self.shaper, &self.agent, Timestamp(self.now))
    }

    fn change(&self, wanted: MapChange) -> Result<(), String> {
        let changed = change(&self.shaper, &self.agent, wanted, Timestamp(self.now));
        changed.map_err(|error| error.to_string())
    }

    /// Tokens of the last prompt as it was billed, and what it cost.
    fn bill(&self) -> (f64, f64) {
        let seen = self.upstream.seen();
        let bill = seen.last().and_then(|seen| seen.bill).expect("it was billed");
        let prices = self.agent.settings().prices.as_ref().expect("prices");
        (bill.prompt() as f64, cost(prices, &bill))
    }

    fn body(&self) -> String {
        String::from_utf8(self.upstream.seen().last().expect("a request").body.clone())
            .expect("text")
    }
}

fn cost(prices: &PriceCard, bill: &foveal_upstream::Bill) -> f64 {
    let written = bill.written_5m + bill.written_1h;
    (bill.uncached as f64 * prices.input
        + bill.read as f64 * prices.cache_read
        + written as f64 * prices.cache_write)
        / 1e6
}

fn sent<'a>(blocks: impl IntoIterator<Item = &'a PromptBlock>) -> f64 {
    blocks.into_iter().map(|block| block.tokens_sent as f64).sum()
}

fn is_near(one: f64, other: f64, part: f64) -> bool {
    (one - other).abs() <= other.abs() * part
}

fn of_path<'a>(map: &'a PromptMap, path: &str) -> &'a PromptBlock {
    let is_it = |block: &&PromptBlock| block.path.as_deref() == Some(path);
    map.blocks.iter().find(is_it).expect("a block")
}

fn turns() -> Vec<Reply> {
    vec![
        reads("a.rs"),
        reads("b.rs"),
        runs("make all"),
        reads("c.rs"),
        Reply::text("That is what there is. I looked at all of it."),
        reads("d.rs"),
        Reply::text("Done with that as well."),
        Reply::text("And with that."),
        Reply::text("And with that too."),
    ]
}

#[test]
fn the_map_comes_to_what_is_billed() {
    for dialect in Dialect::ALL {
        let mut world = World::new(dialect, turns());
        world.step(Event::Task("look at all of it".to_owned()));
        for more in ["and the rest", "and now"] {
            let map = world.map();
            let (billed, _) = world.bill();
            assert_eq!(map.tokens_billed, Some(billed as u64), "{dialect:?}");
            let last = world.agent.conversation().entries().len() - 1;
            let is_in = |block: &&PromptBlock| match block.place {
                BlockPlace::Message { entry, .. } => entry < last,
                BlockPlace::Tools => true,
            };
            let sum = sent(map.blocks.iter().filter(is_in));
            assert!(is_near(sum, billed, 0.01), "{dialect:?}: {sum} of {billed}");
            // What is billed next is what the map says goes.
            let says = sent(&map.blocks);
            let asked = world.upstream.seen().len();
            world.step(Event::Task(more.to_owned()));
            let bill = world.upstream.seen()[asked].bill.expect("it was billed");
            let next = bill.prompt() as f64;
            assert!(is_near(says, next, 0.01), "{dialect:?}: {says} of {next}");
        }
        // And what it came to is what was paid.
        let prices = world.agent.settings().prices.clone().expect("prices");
        let seen = world.upstream.seen();
        let paid: f64 = seen.iter().map(|seen| cost(&prices, &seen.bill.expect("a bill"))).sum();
        let map = world.map();
        let says: f64 = map.blocks.iter().map(|block| block.cost).sum();
        assert!(is_near(says, paid, 0.01), "{dialect:?}: {says} of {paid} dollars");
        let kinds: Vec<BlockKind> = map.blocks.iter().map(|block| block.kind).collect();
        for kind in [BlockKind::Tools, BlockKind::System, BlockKind::User, BlockKind::Assistant] {
            assert!(kinds.contains(&kind), "{dialect:?}: {kind:?}");
        }
        assert_eq!(of_path(&map, "a.rs").kind, BlockKind::Read);
        assert!(kinds.contains(&BlockKind::Run) && kinds.contains(&BlockKind::Call));
    }
}

#[test]
fn a_person_changes_what_is_sent() {
    for dialect in Dialect::ALL {
        let mut world = World::new(dialect, turns());
        world.step(Event::Task("look at all of it".to_owned()));
        let before = world.map();
        let place = of_path(&before, "a.rs").place;
        assert!(matches!(of_path(&before, "a.rs").state, BlockState::Whole | BlockState::Reduced));
        world.change(MapChange::Drop(place)).expect("it can go");
        let dropped = world.map();
        assert_eq!(of_path(&dropped, "a.rs").state, BlockState::Dropped);
        assert_eq!(of_path(&dropped, "a.rs").why, "you dropped it");
        assert!(sent(&dropped.blocks) < sent(&before.blocks));
        world.step(Event::Task("and the rest".to_owned()));
        let line = "let item_7_";
        let count = world.body().matches(line).count();
        // Another process sends the same.
        world.shaper = shaper(&world.kept);
        assert_eq!(of_path(&world.map(), "a.rs").state, BlockState::Dropped);
        world.change(MapChange::Pin(place)).expect("it comes back");
        world.step(Event::Task("and now".to_owned()));
        assert_eq!(world.body().matches(line).count(), count + 1, "{dialect:?}");
        assert_eq!(of_path(&world.map(), "a.rs").state, BlockState::Pinned);
        world.change(MapChange::Undo).expect("it can be taken back");
        assert_eq!(of_path(&world.map(), "a.rs").state, BlockState::Dropped);
        let user = BlockPlace::Message { entry: 1, block: 0 };
        let refused = world.change(MapChange::Drop(user)).expect_err("it is no result");
        assert!(refused.contains("only what a tool answered"), "{refused}");
    }
}

/// What the map says that a change costs is what the next request costs more by it.
#[test]
fn a_change_costs_what_the_map_says() {
    for dialect in [Dialect::Chat, Dialect::Responses] {
        let mut worlds = [turns(), turns()].map(|turns| World::new(dialect, turns));
        for world in &mut worlds {
            world.step(Event::Task("look at all of it".to_owned()));
        }
        let map = worlds[0].map();
        let block = of_path(&map, "a.rs");
        let says = block.drop_cost.expect("it can be dropped");
        worlds[0].change(MapChange::Drop(block.place)).expect("it can go");
        let [changed, plain] = worlds.each_mut().map(|world| {
            let asked = world.upstream.seen().len();
            world.step(Event::Task("and the rest".to_owned()));
            let bill = world.upstream.seen()[asked].bill.expect("it was billed");
            cost(world.agent.settings().prices.as_ref().expect("prices"), &bill)
        });
        let costs = changed - plain;
        assert!(is_near(says, costs, 0.15), "{dialect:?}: {says}, and {costs} was paid");
    }
}

#[test]
fn old_results_go_when_the_person_wants_a_shorter_prompt() {
    let mut world = World::new(Dialect::Chat, turns());
    world.step(Event::Task("look at all of it".to_owned()));
    world.step(Event::Task("and the rest".to_owned()));
    world.step(Event::Task("and now".to_owned()));
    let before = sent(&world.map().blocks);
    let compaction = compact(&world.shaper, &world.agent, Timestamp(world.now)).expect("known");
    assert!(compaction.after < compaction.before && compaction.results > 0, "{compaction:?}");
    world.step(Event::Task("go on".to_owned()));
    let map = world.map();
    assert!(sent(&map.blocks) < before * 0.9, "{} of {before}", sent(&map.blocks));
    let reduced = map.blocks.iter().find(|block| block.why == "the person wanted a shorter prompt");
    assert!(reduced.is_some_and(|block| block.restore_cost.is_some_and(|cost| cost > 0.0)));
}

#[test]
fn what_a_person_said_is_what_it_can_go_back_to() {
    let mut world = World::new(Dialect::Chat, turns());
    world.step(Event::Task("look at all of it".to_owned()));
    world.step(Event::Task("and the\nrest".to_owned()));
    let said = said_by_person(world.agent.conversation().entries());
    let words: Vec<&str> = said.iter().map(|said| said.words.as_str()).collect();
    assert_eq!(words, ["look at all of it", "and the"]);
    let place = said[1].place;
    let before = world.agent.conversation().entries()[..place].to_vec();
    world.step(Event::Rewind { to: place });
    assert_eq!(world.agent.conversation().entries(), before);
    world.step(Event::Task("something else".to_owned()));
    assert!(!world.body().contains("and the") && world.body().contains("something else"));
    assert!(world.body().contains("look at all of it"));
}
