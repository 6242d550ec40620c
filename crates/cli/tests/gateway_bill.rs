//! What requests through `foveal serve` cost, as `stats`, `sessions`, `show` and `/metrics` tell
//! it, against a provider that caches and bills.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_mock_provider::{MockProvider, Settings};
use foveal_pricing::tokens::Tokenizer;
use foveal_session_readers::SessionFormat;
use foveal_testkit::client_requests;
use foveal_testkit::request_bodies::{self, ModelApi};
use foveal_transcript::{ContentBlock, EntryMark, MessageRole, RecordingPosition, TranscriptEntry};
use serde_json::Value;

use crate::world::World;

const MODEL: &str = "claude-opus-4-5";

/// A gateway that runs in a world, until this is dropped.
pub(crate) struct Gateway {
    process: Child,
    address: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Gateway {
    pub(crate) fn start(world: &World, upstream: &MockProvider, profile: &str) -> Self {
        let arguments =
            format!("serve --listen 0 --profile {profile} --decision-time 20000 --upstream");
        let mut command = world.command(&arguments);
        command.arg(upstream.url()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the program starts");
        let errors = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(errors).lines();
        let listening = lines.next().expect("it says where it listens").expect("text");
        let address = listening.rsplit_once("http://").expect("an address").1.to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address }
    }

    /// What it answers to a request, with its head.
    fn answer(&self, head: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        let rest = format!(
            "host: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}\r\n{rest}").as_bytes()).expect("it reads");
        stream.write_all(body).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn ask(&self, body: &[u8]) {
        let answer = self.answer(
            "POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\nx-api-key: none",
            body,
        );
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

/// A system prompt as long as an agent's: below that, providers cache nothing.
fn system() -> TranscriptEntry {
    let rules = |at: usize| format!("Rule {at}: read a file before you change it, and say why.\n");
    TranscriptEntry {
        source: RecordingPosition { step: 0, result: None },
        role: MessageRole::System,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![ContentBlock::Text((0..400).map(rules).collect())],
    }
}

/// The requests of a recorded session, as its agent would have sent them.
pub(crate) fn bodies() -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/sessions/short-token-counts.json");
    let file = BufReader::new(File::open(path).expect("a session"));
    let (sessions, _) =
        foveal_session_readers::read_all_sessions(SessionFormat::Atif, "session", file)
            .expect("it is read");
    let mut conversation = sessions[0].conversations[0].clone();
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::Bytes);
    let answers: Vec<_> = record.conversation().response_indices().collect();
    let all = std::mem::replace(&mut conversation, record.conversation().without_entries());
    let mut bodies = Vec::new();
    let mut entries = all.entries().iter();
    for answer in answers {
        while conversation.entries().len() < answer.as_usize() {
            conversation.push(entries.next().expect("an entry before the answer").clone());
        }
        let mut sent = client_requests::client_messages(&conversation);
        sent.retain(|entry| entry.role != MessageRole::System);
        sent.iter_mut()
            .for_each(|entry| entry.blocks.retain(|it| !matches!(it, ContentBlock::Reasoning(_))));
        sent.insert(0, system());
        bodies.push(request_bodies::build_request_body(ModelApi::Messages, MODEL, &sent));
    }
    bodies
}

/// What `foveal stats` says once so many requests are kept.
pub(crate) fn stats(world: &World, requests: usize) -> Value {
    let began = Instant::now();
    loop {
        let stats: Value = serde_json::from_str(&world.output("stats --json")).expect("it is JSON");
        if stats["requests"] == requests || began.elapsed() > Duration::from_secs(30) {
            return stats;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn dollars(bill: &Value) -> f64 {
    bill["input"]["dollars"].as_f64().expect("dollars")
}

#[test]
fn what_it_would_have_cost_is_what_it_costs_without_foveal() {
    let bodies = bodies();
    assert!(bodies.len() > 10);
    let billed = |profile: &str| {
        let world = World::new(&format!("gateway_bill_{profile}"));
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let gateway = Gateway::start(&world, &upstream, profile);
        bodies.iter().for_each(|body| gateway.ask(body));
        let stats = stats(&world, bodies.len());
        assert_eq!(stats["requests_billed"], bodies.len(), "{stats:#}");
        let seen: u64 = upstream
            .received_requests()
            .iter()
            .filter_map(|it| Some(it.bill?.prompt_tokens()))
            .sum();
        assert_eq!(stats["bill"]["input"]["tokens"], seen, "{stats:#}");
        stats
    };
    let (raw, shaped) = (billed("off"), billed("max"));
    let [costs, cost, without] = [&raw["bill"], &shaped["bill"], &shaped["without"]].map(dollars);
    assert!(cost < costs * 0.97, "{cost} {costs}");
    // This provider counts texts as JSON spells them, which is more tokens than the texts have: what
    // is saved is told as a little less than it is, and never as more.
    let told = (without - cost) / (costs - cost);
    assert!((0.8..1.005).contains(&told), "{told}: {without} for {costs}, {shaped:#}");
}

/// The same body of a client that sets no marks.
fn without_marks(body: &[u8]) -> Vec<u8> {
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    String::from_utf8_lossy(body).replace(mark, "").into_bytes()
}

#[test]
fn who_sets_no_marks_reads_from_the_cache_all_the_same() {
    let bodies: Vec<_> = bodies().iter().map(|body| without_marks(body)).collect();
    let run = |profile: &str| {
        let world = World::new(&format!("gateway_bill_marks_{profile}"));
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let gateway = Gateway::start(&world, &upstream, profile);
        bodies.iter().for_each(|body| gateway.ask(body));
        let stats = stats(&world, bodies.len());
        let seen = upstream.received_requests();
        let sum = |part: fn(foveal_mock_provider::TokenBill) -> u64| -> u64 {
            seen.iter().filter_map(|seen| seen.bill).map(part).sum()
        };
        let broken: Vec<_> = seen.iter().flat_map(|seen| &seen.violations).collect();
        assert!(broken.is_empty(), "{broken:?}");
        (stats, sum(|bill| bill.read), sum(|bill| bill.prompt_tokens()))
    };
    let (raw, read, _) = run("off");
    assert_eq!(read, 0);
    let (marked, read, prompt) = run("lossless");
    assert!(read * 10 > prompt * 7, "{read} of {prompt} are read");
    assert_eq!(marked["bill"]["read"]["tokens"], read, "{marked:#}");
    // Without foveal nothing would have been cached, and that is what is told.
    let [costs, cost, without] = [&raw["bill"], &marked["bill"], &marked["without"]].map(dollars);
    assert!(cost < costs * 0.4, "{cost} {costs}");
    assert!((0.98..1.001).contains(&(without / costs)), "{without} for {costs}");
    assert_eq!(marked["without"]["read"]["tokens"], 0, "{marked:#}");
}

#[test]
fn a_restart_moves_no_mark() {
    let bodies: Vec<_> = bodies().iter().take(6).map(|body| without_marks(body)).collect();
    let run = |restarts: bool| {
        let world = World::new(&format!("gateway_bill_restarts_{restarts}"));
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let mut gateway = Gateway::start(&world, &upstream, "balanced");
        for body in &bodies {
            if restarts {
                drop(gateway);
                gateway = Gateway::start(&world, &upstream, "balanced");
            }
            gateway.ask(body);
        }
        upstream.received_requests().iter().map(|seen| seen.body.clone()).collect::<Vec<_>>()
    };
    let (once, restarted) = (run(false), run(true));
    let marks = |body: &[u8]| String::from_utf8_lossy(body).matches("cache_control").count();
    assert!(once.iter().skip(1).all(|body| marks(body) > 0));
    assert_eq!(once, restarted);
}

#[test]
fn what_passed_is_listed_and_shown() {
    let world = World::new("gateway_bill_listed");
    assert_eq!(world.output("stats"), "no requests passed a gateway: see `foveal serve --help`\n");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "balanced");
    let bodies = bodies();
    bodies.iter().take(6).for_each(|body| gateway.ask(body));
    // The client changes what it had sent: the first call is another.
    let changed = String::from_utf8_lossy(&bodies[5]).replacen(
        "\"input\":{",
        "\"input\":{\"why\":\"so\",",
        1,
    );
    gateway.ask(changed.as_bytes());
    let stats = stats(&world, 7);
    assert_eq!(stats["conversations"], 1, "{stats:#}");
    assert_eq!(stats["client_changes"]["message"], 1, "{stats:#}");
    assert_eq!(stats["models"][0]["model"], MODEL);
    assert!(world.output("stats --since 1h").contains("billed for"));
    assert_eq!(
        world.output("stats --since 2999-01-01"),
        "no requests passed a gateway since then: see `foveal serve --help`\n"
    );
    let wrong = world.run("stats --since yesterday");
    assert!(wrong.err.contains("expected a duration such as 90m"), "{}", wrong.err);

    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let name = listed[0]["session"].as_str().expect("a session").to_owned();
    let about = listed[0]["about"].as_str().expect("what it came to");
    assert!(about.starts_with("claude-opus-4-5, 7 requests, $"), "{about}");
    let short = name.strip_prefix("gateway ").expect("a session of the gateway");
    let shown = world.output(&format!("show {short}"));
    assert!(shown.starts_with(&format!("{name}: 7 requests, $")), "{shown}");
    assert!(shown.contains("the client changed: message 2 (bytes "), "{shown}");
    let one = world.output(&format!("show {short} --request 7"));
    assert!(one.starts_with(&format!("request 7 of 7 of {name}\n")), "{one}");
    assert!(one.contains("again: the client changed it"), "{one}");
    let one: Value =
        serde_json::from_str(&world.output(&format!("show {short} --request 7 --json")))
            .expect("JSON");
    assert_eq!(one["changed"]["what"], "message");
    for (arguments, expected) in [
        ("--request 8", "there is no request 8"),
        ("--request 0", "there is no request 0"),
        ("--turn 1", "use --request"),
    ] {
        let ran = world.run(&format!("show {short} {arguments}"));
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    let ran = world.run("show nothing --request 1");
    assert!(ran.err.contains("there is no gateway conversation"), "{}", ran.err);
    assert!(
        ran.err.replace("\n  ", " ").contains("--request and --json work only with"),
        "{}",
        ran.err
    );

    let page = gateway.answer("GET /metrics HTTP/1.1", b"");
    let page = page.to_ascii_lowercase();
    assert!(page.contains("content-type: text/plain; version=0.0.4"), "{page}");
    let count = "foveal_requests_total{protocol=\"messages\",outcome=\"whole\",status=\"2xx\"} 7";
    assert!(page.contains(count), "{page}");
    for foreign in [short, "opus", "compute", "127.0.0.1"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let elsewhere = gateway.answer("GET /metrics HTTP/1.1\r\nhost: evil.example", b"");
    assert!(!elsewhere.contains("foveal_requests_total"), "{elsewhere}");
}

#[test]
fn what_asks_no_model_is_told_apart() {
    let world = World::new("gateway_bill_beside");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "balanced");
    let bodies = bodies();
    gateway.ask(&bodies[0]);
    let head = "POST /v1/messages/count_tokens HTTP/1.1\r\nx-api-key: none";
    let counted = gateway.answer(head, &bodies[0]);
    assert!(counted.starts_with("HTTP/1.1 200"), "{counted}");
    let head = "GET /v1/responses HTTP/1.1\r\nupgrade: websocket\r\nauthorization: Bearer sk-none";
    let refused = gateway.answer(head, b"");
    assert!(refused.starts_with("HTTP/1.1 426"), "{refused}");
    gateway.ask(&bodies[1]);
    let stats = stats(&world, 2);
    assert_eq!((&stats["requests"], &stats["requests_billed"]), (&2.into(), &2.into()));
    assert_eq!(stats["conversations"], 1, "{stats:#}");
    let beside = serde_json::json!({"token_counts": 1, "refused_websockets": 1});
    assert_eq!(stats["beside"], beside, "{stats:#}");
    let text = world.output("stats");
    let told = "plus 1 token-count request and 1 refused WebSocket, which are free\n";
    assert!(text.starts_with("2 requests in 1 conversation\n") && text.contains(told), "{text}");
    // The number of a request is the same in the line, in a list, and where one is asked for.
    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let about: Vec<&str> =
        listed.as_array().expect("sessions").iter().filter_map(|it| it["about"].as_str()).collect();
    assert!(about.iter().any(|about| about.contains(", 2 requests, $")), "{about:?}");
    let named = listed
        .as_array()
        .expect("sessions")
        .iter()
        .find(|it| it["about"].as_str().is_some_and(|about| about.contains(", 2 requests")));
    let name = named.and_then(|it| it["session"].as_str()).expect("a session");
    let name = name.strip_prefix("gateway ").expect("a session of the gateway");
    let all: Value =
        serde_json::from_str(&world.output(&format!("show {name} --json"))).expect("JSON");
    let numbers: Vec<u64> = all
        .as_array()
        .expect("requests")
        .iter()
        .filter_map(|it| it["of_conversation"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let last = world.output(&format!("show {name} --request {}", numbers.len()));
    assert!(last.contains("billed for"), "{last}");
    let shown = world.output(&format!("show {name}"));
    let counts = numbers.len() - 2;
    assert_eq!(shown.matches("counts tokens").count(), counts, "{shown}");
    assert!(shown.contains(": 2 requests"), "{shown}");
}

/// A name that tells no maker has no price, though it is asked for through Anthropic's API.
#[test]
fn an_unknown_model_costs_an_unknown_sum() {
    let world = World::new("gateway_unpriced");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "balanced");
    for body in &bodies()[..2] {
        let body = String::from_utf8_lossy(body).replace(MODEL, "mystery-model-1");
        gateway.ask(body.as_bytes());
    }
    let told = stats(&world, 2);
    assert_eq!((&told["requests_billed"], &told["bill"]["dollars"]), (&0.into(), &0.0.into()));
    let text = world.output("stats");
    assert!(text.contains("unknown") && !text.contains('$'), "{text}");
    assert!(text.contains("no bill for 2 requests"), "{text}");
    let listed = world.output("sessions");
    assert!(listed.contains("mystery-model-1, 2 requests, cost unknown"), "{listed}");
}

#[test]
fn failed_requests_are_not_counted_as_sent() {
    let world = World::new("gateway_failed");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "balanced");
    let bodies = bodies();
    gateway.ask(&bodies[0]);
    let before = stats(&world, 1);
    drop(upstream);
    let head = "POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\nx-api-key: none";
    let answer = gateway.answer(head, &bodies[1]);
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    let told = stats(&world, 2);
    assert_eq!((&told["requests_billed"], &told["requests_failed"]), (&1.into(), &1.into()));
    assert_eq!(told["tokens_sent"], before["tokens_sent"], "{told:#}");
    let text = world.output("stats");
    assert!(text.contains("1 request failed: their tokens are not counted"), "{text}");
    assert!(!text.contains("no bill for"), "{text}");
}
