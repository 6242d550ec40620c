//! Tests sessions over real HTTP with a provider that bills: the map agrees with the bill.

use std::sync::Arc;

use foveal_agent::{
    Agent, AgentAction, AgentInput, AgentTool, ModelPrice, PromptBlock, PromptBlockKind,
    PromptBlockPosition, PromptBlockState, PromptMap, PromptMapChange, RunLimits, Settings,
    ToolAnswer,
};
use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript};
use foveal_pricing::prices::PriceCard;
use foveal_protocols::prompt::{ApiDialect, ToolSpec};
use foveal_providers::{LlmClient, ModelRequestLimits, ModelServer, ProxySettings};
use foveal_proxy::RequestShaper;
use foveal_proxy::models::ModelTraits;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{DecisionSlot, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_tools::tool_table::ToolSet;
use foveal_transcript::{Timestamp, ToolCall};
use serde_json::json;
use tokio::runtime::Runtime;

use super::{build_prompt_map, change_prompt, request_compaction, rewind_points};

/// An agent, a model that plays a script, and tools whose answers follow from the call's arguments.
struct World {
    agent: Agent,
    shaper: Arc<RequestShaper>,
    kept: Arc<InMemoryRecorder>,
    upstream: MockProvider,
    client: LlmClient,
    server: ModelServer,
    runtime: Runtime,
    now: i64,
}

fn shaper(kept: &Arc<InMemoryRecorder>) -> Arc<RequestShaper> {
    let mut rules = ShapingRules::from_profile("balanced").expect("a profile");
    rules.views = Some(Arc::new(CuratedViewSource::default()));
    Arc::new(RequestShaper::new(rules, Arc::clone(kept) as _))
}

fn reads(path: &str) -> ModelReply {
    let arguments = json!({"path": path});
    let call = foveal_mock_provider::ReplyCall { name: "read_file".to_owned(), arguments };
    ModelReply {
        calls: vec![call],
        ..ModelReply::from_text("I look at it, and say so in a few words.")
    }
}

fn runs(command: &str) -> ModelReply {
    let arguments = json!({"command": command});
    let call = foveal_mock_provider::ReplyCall { name: "bash".to_owned(), arguments };
    ModelReply { calls: vec![call], ..ModelReply::from_text("I try it.") }
}

/// Returns the answer to a call, with lines that stand in no other answer.
fn answer(call: &ToolCall) -> String {
    let name = call.arguments.to_string();
    let seed: usize = name.bytes().map(usize::from).sum();
    let line = |at: usize| format!("let item_{at}_{seed} = compute({at}, {});\n", at * seed % 997);
    (0..90).map(line).collect()
}

impl World {
    fn new(dialect: ApiDialect, turns: Vec<ModelReply>) -> Self {
        let model = match dialect {
            ApiDialect::Messages => "claude-sonnet-4-5",
            ApiDialect::Chat | ApiDialect::Responses => "gpt-5",
        };
        let upstream =
            MockProvider::start(foveal_mock_provider::Settings::default()).expect("a provider");
        upstream.set_script(ReplyScript::by_turn(turns));
        let kept = Arc::new(InMemoryRecorder::default());
        let tools = ToolSet::Full.tools().map(|tool| AgentTool {
            spec: ToolSpec {
                name: tool.name.to_owned(),
                description: tool.description.to_owned(),
                schema: tool.schema(),
            },
            is_read_only: tool.hints.read_only,
        });
        let settings = Settings {
            session: "run test".to_owned(),
            model: model.to_owned(),
            dialect,
            system_prompt: "You are an agent that works in a folder, and says what it does."
                .repeat(20),
            tools: tools.collect(),
            output_tokens_max: None,
            drops_bound_thinking: false,
            limits: RunLimits::default(),
            price: ModelPrice::Known(ModelTraits::from_name(model, dialect.protocol()).prices),
            directory: "/w".to_owned(),
            waits_for_tasks: true,
        };
        let server = ModelServer {
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
            client: LlmClient::new(ModelRequestLimits::default(), &ProxySettings::default())
                .expect("TLS"),
            server,
            runtime: runtime.enable_all().build().expect("a runtime"),
            now: 1_000_000,
        }
    }

    /// Sends an event, and carries out all actions that follow.
    fn step(&mut self, event: AgentInput) {
        let mut events = vec![event];
        while !events.is_empty() {
            self.now += 1_000;
            for action in self.agent.step(events.remove(0), Timestamp(self.now)) {
                match action {
                    AgentAction::SendRequest { number, body } => {
                        events.push(self.asked(number, &body));
                    }
                    AgentAction::RunCall { number, call } => {
                        let text = answer(&call);
                        let answer = ToolAnswer { text, ..ToolAnswer::default() };
                        events.push(AgentInput::CallAnswered { number, answer });
                    }
                    _ => {}
                }
            }
        }
    }

    fn asked(&self, number: u64, body: &[u8]) -> AgentInput {
        let wait = DecisionSlot::default();
        let shaped = self.shaper.shape(&ShapeRequest {
            protocol: self.server.dialect.protocol(),
            counts_tokens: false,
            model: None,
            upstream: "",
            body,
            now: Timestamp(self.now),
            profile_override: None,
            agents: &[],
            decision: &wait,
        });
        let body = shaped.body.unwrap_or_else(|| body.to_vec());
        let mut tell = |_| {};
        let asked = self.client.stream_answer(&self.server, body, number, &mut tell);
        let said = self.runtime.block_on(asked).expect("an answer");
        AgentInput::AnswerCompleted { number, answer: said }
    }

    fn map(&self) -> PromptMap {
        build_prompt_map(&self.shaper, &self.agent, Timestamp(self.now))
    }

    fn change(&self, wanted: PromptMapChange) -> Result<(), String> {
        let changed = change_prompt(&self.shaper, &self.agent, wanted, Timestamp(self.now));
        changed.map_err(|error| error.to_string())
    }

    /// Returns the billed tokens of the last prompt, and its cost in dollars.
    fn bill(&self) -> (f64, f64) {
        let seen = self.upstream.received_requests();
        let bill = seen.last().and_then(|seen| seen.bill).expect("it was billed");
        let prices = self.agent.settings().price.card().expect("prices");
        (bill.prompt_tokens() as f64, cost(prices, &bill))
    }

    fn body(&self) -> String {
        String::from_utf8(self.upstream.received_requests().last().expect("a request").body.clone())
            .expect("text")
    }
}

fn cost(prices: &PriceCard, bill: &foveal_mock_provider::TokenBill) -> f64 {
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

fn turns() -> Vec<ModelReply> {
    vec![
        reads("a.rs"),
        reads("b.rs"),
        runs("make all"),
        reads("c.rs"),
        ModelReply::from_text("That is what there is. I looked at all of it."),
        reads("d.rs"),
        ModelReply::from_text("Done with that as well."),
        ModelReply::from_text("And with that."),
        ModelReply::from_text("And with that too."),
    ]
}

#[test]
fn the_map_comes_to_what_is_billed() {
    for dialect in ApiDialect::ALL {
        let mut world = World::new(dialect, turns());
        world.step(AgentInput::Task("look at all of it".to_owned()));
        for more in ["and the rest", "and now"] {
            let map = world.map();
            let (billed, _) = world.bill();
            assert_eq!(map.tokens_billed, Some(billed as u64), "{dialect:?}");
            let last = world.agent.conversation().entries().len() - 1;
            let is_in = |block: &&PromptBlock| match block.place {
                PromptBlockPosition::Message { entry, .. } => entry < last,
                PromptBlockPosition::Tools => true,
            };
            let sum = sent(map.blocks.iter().filter(is_in));
            assert!(is_near(sum, billed, 0.01), "{dialect:?}: {sum} of {billed}");
            // The next bill is the sum that the map shows as sent.
            let says = sent(&map.blocks);
            let asked = world.upstream.received_requests().len();
            world.step(AgentInput::Task(more.to_owned()));
            let bill = world.upstream.received_requests()[asked].bill.expect("it was billed");
            let next = bill.prompt_tokens() as f64;
            assert!(is_near(says, next, 0.01), "{dialect:?}: {says} of {next}");
        }
        // The costs in the map add up to the bills.
        let prices = world.agent.settings().price.card().cloned().expect("prices");
        let seen = world.upstream.received_requests();
        let paid: f64 = seen.iter().map(|seen| cost(&prices, &seen.bill.expect("a bill"))).sum();
        let map = world.map();
        let says: f64 = map.blocks.iter().map(|block| block.cost).sum();
        assert!(is_near(says, paid, 0.01), "{dialect:?}: {says} of {paid} dollars");
        let kinds: Vec<PromptBlockKind> = map.blocks.iter().map(|block| block.kind).collect();
        for kind in [
            PromptBlockKind::Tools,
            PromptBlockKind::System,
            PromptBlockKind::User,
            PromptBlockKind::Assistant,
        ] {
            assert!(kinds.contains(&kind), "{dialect:?}: {kind:?}");
        }
        assert_eq!(of_path(&map, "a.rs").kind, PromptBlockKind::Read);
        assert!(kinds.contains(&PromptBlockKind::Run) && kinds.contains(&PromptBlockKind::Call));
    }
}

#[test]
fn a_person_changes_what_is_sent() {
    for dialect in ApiDialect::ALL {
        let mut world = World::new(dialect, turns());
        world.step(AgentInput::Task("look at all of it".to_owned()));
        let before = world.map();
        let place = of_path(&before, "a.rs").place;
        assert!(matches!(
            of_path(&before, "a.rs").state,
            PromptBlockState::Whole | PromptBlockState::Reduced
        ));
        world.change(PromptMapChange::Drop(place)).expect("it can go");
        let dropped = world.map();
        assert_eq!(of_path(&dropped, "a.rs").state, PromptBlockState::Dropped);
        assert_eq!(of_path(&dropped, "a.rs").why, "you dropped it");
        assert!(sent(&dropped.blocks) < sent(&before.blocks));
        world.step(AgentInput::Task("and the rest".to_owned()));
        let line = "let item_7_";
        let count = world.body().matches(line).count();
        // Another process sends the same prompt.
        world.shaper = shaper(&world.kept);
        assert_eq!(of_path(&world.map(), "a.rs").state, PromptBlockState::Dropped);
        world.change(PromptMapChange::Pin(place)).expect("it comes back");
        world.step(AgentInput::Task("and now".to_owned()));
        assert_eq!(world.body().matches(line).count(), count + 1, "{dialect:?}");
        assert_eq!(of_path(&world.map(), "a.rs").state, PromptBlockState::Pinned);
        world.change(PromptMapChange::Undo).expect("it can be taken back");
        assert_eq!(of_path(&world.map(), "a.rs").state, PromptBlockState::Dropped);
        let user = PromptBlockPosition::Message { entry: 1, block: 0 };
        let refused = world.change(PromptMapChange::Drop(user)).expect_err("it is no result");
        assert!(refused.contains("only tool results can be changed"), "{refused}");
    }
}

/// The map predicts the cost of a change: the next request costs that much more.
#[test]
fn a_change_costs_what_the_map_says() {
    for dialect in [ApiDialect::Chat, ApiDialect::Responses] {
        let mut worlds = [turns(), turns()].map(|turns| World::new(dialect, turns));
        for world in &mut worlds {
            world.step(AgentInput::Task("look at all of it".to_owned()));
        }
        let map = worlds[0].map();
        let block = of_path(&map, "a.rs");
        let says = block.drop_cost.expect("it can be dropped");
        worlds[0].change(PromptMapChange::Drop(block.place)).expect("it can go");
        let [changed, plain] = worlds.each_mut().map(|world| {
            let asked = world.upstream.received_requests().len();
            world.step(AgentInput::Task("and the rest".to_owned()));
            let bill = world.upstream.received_requests()[asked].bill.expect("it was billed");
            cost(world.agent.settings().price.card().expect("prices"), &bill)
        });
        let costs = changed - plain;
        assert!(is_near(says, costs, 0.15), "{dialect:?}: {says}, and {costs} was paid");
    }
}

#[test]
fn old_results_go_when_the_person_wants_a_shorter_prompt() {
    let mut world = World::new(ApiDialect::Chat, turns());
    world.step(AgentInput::Task("look at all of it".to_owned()));
    world.step(AgentInput::Task("and the rest".to_owned()));
    world.step(AgentInput::Task("and now".to_owned()));
    let before = sent(&world.map().blocks);
    let compaction =
        request_compaction(&world.shaper, &world.agent, Timestamp(world.now)).expect("known");
    assert!(compaction.after < compaction.before && compaction.results > 0, "{compaction:?}");
    world.step(AgentInput::Task("go on".to_owned()));
    let map = world.map();
    assert!(sent(&map.blocks) < before * 0.9, "{} of {before}", sent(&map.blocks));
    let reduced =
        map.blocks.iter().find(|block| block.why == "the user asked for a shorter prompt");
    assert!(reduced.is_some_and(|block| block.restore_cost.is_some_and(|cost| cost > 0.0)));
}

#[test]
fn what_a_person_said_is_what_it_can_go_back_to() {
    let mut world = World::new(ApiDialect::Chat, turns());
    world.step(AgentInput::Task("look at all of it".to_owned()));
    world.step(AgentInput::Task("and the\nrest".to_owned()));
    let said = rewind_points(world.agent.conversation().entries());
    let words: Vec<&str> = said.iter().map(|said| said.first_words.as_str()).collect();
    assert_eq!(words, ["look at all of it", "and the"]);
    let place = said[1].entry_index;
    let before = world.agent.conversation().entries()[..place].to_vec();
    world.step(AgentInput::Rewind { to: place });
    assert_eq!(world.agent.conversation().entries(), before);
    world.step(AgentInput::Task("something else".to_owned()));
    assert!(!world.body().contains("and the") && world.body().contains("something else"));
    assert!(world.body().contains("look at all of it"));
}
