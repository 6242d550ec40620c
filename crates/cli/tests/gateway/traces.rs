//! Traces, to a collector on loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, Settings};
use serde_json::{Value, json};

use super::served::{Served, ask, log};
use crate::world::World;

/// What a collector does with what it gets.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Takes,
    /// Answers nothing.
    Hangs,
    /// Answers with this status.
    Refuses(u16),
}

/// A request as it came: its head in lower case, and its body.
type Got = (String, Vec<u8>);

struct Collector {
    url: String,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Collector {
    fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let got = Arc::<Mutex<Vec<Got>>>::default();
        let noted = Arc::clone(&got);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || {
                    let mut answers = stream.try_clone().expect("a stream");
                    let mut reader = BufReader::new(stream);
                    while let Some(request) = read(&mut reader) {
                        noted.lock().expect("a lock").push(request);
                        let status = match does {
                            Does::Takes => 200,
                            Does::Refuses(status) => status,
                            Does::Hangs => continue,
                        };
                        let answer =
                            format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\n{{}}");
                        drop(answers.write_all(answer.as_bytes()));
                    }
                });
            }
        });
        Self { url, got }
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("a lock").clone()
    }

    /// All spans, once there are so many.
    fn spans(&self, count: usize) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let spans: Vec<Value> = self.got().iter().flat_map(|(_, body)| spans(body)).collect();
            if spans.len() >= count {
                return spans;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{} spans came", spans.len());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn read(reader: &mut BufReader<std::net::TcpStream>) -> Option<Got> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line.to_lowercase());
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length?.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn spans(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans").clone()
}

/// What an attribute of a span says.
fn said(span: &Value, name: &str) -> Value {
    let all = span["attributes"].as_array().expect("attributes");
    let found = all.iter().find(|one| one["key"] == name);
    found.map_or(Value::Null, |one| {
        one["value"].as_object().and_then(|it| it.values().next()).cloned().expect("a value")
    })
}

const KEY: &str = "sk-ant-api03-Kx7Qm2Vn9Wb4Tc6Rf8Lp3Hs5Jd1Gz0Ay";
const COLLECTORS_KEY: &str = "hny-7Qm2Vn9Wb4Tc6Rf8Lp3Hs5";
const WORDS: &str = "the quick marmot of /home/me/secret.rs";
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn upstream() -> MockProvider {
    MockProvider::start(Settings { refuses_violations: false, ..Settings::default() })
        .expect("loopback")
}

fn question(model: &str) -> Vec<u8> {
    let output = format!("{WORDS}\n").repeat(2_000);
    let body = json!({"model": model, "max_tokens": 9, "messages": [
        {"role": "user", "content": WORDS},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": WORDS}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": output}]}]});
    body.to_string().into_bytes()
}

fn asked(served: &Served, path: &str, lines: &[String]) -> u16 {
    let body = question("claude-opus-4-5");
    ask(served.address, path, lines, &body, Duration::ZERO).expect("an answer").status
}

fn complaints(world: &World) -> String {
    std::fs::read_to_string(log(world, "complaints.txt")).expect("complaints")
}

#[test]
fn each_question_to_a_model_is_a_span_without_what_was_said() {
    let world = World::new("traces");
    let (upstream, collector) = (upstream(), Collector::start(Does::Takes));
    let headers = format!("x-team={COLLECTORS_KEY}");
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url),
        ("OTEL_EXPORTER_OTLP_HEADERS", &headers),
        ("OTEL_SERVICE_NAME", "my gateway"),
        ("OTEL_BSP_SCHEDULE_DELAY", "20"),
    ];
    let served = Served::start_with(&world, &[upstream.url()], None, &variables);
    let lines = [
        format!("X-Api-Key: {KEY}"),
        format!("traceparent: {PARENT}"),
        "X-Foveal: lossless".to_owned(),
    ];
    assert_eq!(asked(&served, "/v1/messages", &lines), 200);
    assert_eq!(asked(&served, "/v1/messages/count_tokens", &lines), 200);
    assert_eq!(asked(&served, "/v1/messages", &[format!("Authorization: Bearer {KEY}")]), 200);
    let spans = collector.spans(2);
    assert_eq!(spans.len(), 2);
    // The client's own header goes on as it is.
    assert_eq!(upstream.received_requests()[0].header("traceparent"), Some(PARENT));
    assert_eq!(spans[0]["traceId"], PARENT[3..35]);
    assert_eq!(spans[0]["parentSpanId"], PARENT[36..52]);
    assert_eq!(spans[0]["name"], "chat claude-opus-4-5");
    assert_eq!(spans[1].get("parentSpanId"), None);
    for (span, profile) in spans.iter().zip(["lossless", "balanced"]) {
        assert_eq!(said(span, "foveal.profile"), profile);
        assert_eq!(said(span, "gen_ai.operation.name"), "chat");
        assert_eq!(said(span, "http.response.status_code"), "200");
        assert_eq!(said(span, "server.address"), "127.0.0.1");
        for there in ["gen_ai.usage.input_tokens", "foveal.tokens_saved", "foveal.added_ms"] {
            assert!(!said(span, there).is_null(), "{there}: {span}");
        }
    }
    for (head, body) in collector.got() {
        assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
        assert!(head.contains("content-type: application/json"), "{head}");
        assert!(head.contains(&format!("x-team: {}", COLLECTORS_KEY.to_lowercase())), "{head}");
        let body = String::from_utf8(body).expect("text");
        assert!(body.contains(r#"{"key":"service.name","value":{"stringValue":"my gateway"}}"#));
        for absent in [KEY, COLLECTORS_KEY, "marmot", "/home/me", "secret.rs"] {
            assert!(!body.contains(absent) && !head.contains(absent), "{absent}: {body}");
        }
    }
    assert!(
        complaints(&world).contains(&format!("sending traces to {}/v1/traces\n", collector.url))
    );
    for file in ["complaints.txt", "requests.jsonl"] {
        assert!(!world.read(file).contains(COLLECTORS_KEY), "{file}");
    }
}

#[test]
fn what_waits_at_the_end_is_sent() {
    let world = World::new("traces_end");
    let (upstream, collector) = (upstream(), Collector::start(Does::Takes));
    world.write(
        "home/.config/foveal/config.toml",
        format!("[gateway]\notel = \"{}\"\n", collector.url),
    );
    let served = Served::start(&world, &[upstream.url()], None);
    assert_eq!(asked(&served, "/v1/messages", &[]), 200);
    assert!(collector.got().is_empty(), "spans are sent by the batch");
    served.stop();
    assert_eq!(collector.spans(1).len(), 1);
}

#[test]
fn a_collector_that_is_gone_costs_nothing_but_one_line() {
    for (name, does) in [
        ("traces_gone", None),
        ("traces_hang", Some(Does::Hangs)),
        ("traces_busy", Some(Does::Refuses(503))),
        ("traces_refused", Some(Does::Refuses(401))),
    ] {
        let world = World::new(name);
        let upstream = upstream();
        let url = match does {
            Some(does) => Collector::start(does).url,
            // Nobody listens there any more.
            None => {
                let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
                format!("http://{}", listener.local_addr().expect("an address"))
            }
        };
        let variables = [
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &*url),
            ("OTEL_BSP_SCHEDULE_DELAY", "5"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "100"),
        ];
        let served = Served::start_with(&world, &[upstream.url()], None, &variables);
        for _ in 0..3 {
            assert_eq!(asked(&served, "/v1/messages", &[]), 200, "{name}");
            std::thread::sleep(Duration::from_millis(150));
        }
        let began = Instant::now();
        served.stop();
        assert!(began.elapsed() < Duration::from_secs(10), "{name}: {:?}", began.elapsed());
        let complaints = complaints(&world);
        assert_eq!(complaints.matches("cannot send traces").count(), 1, "{complaints}");
        assert!(
            complaints.contains("the collector rejected 3 of 3 traces"),
            "{name}: {complaints}"
        );
    }
}

#[test]
fn nothing_is_sent_where_nobody_wants_it() {
    let collector = Collector::start(Does::Takes);
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url);
    for (name, variables, told) in [
        ("traces_none", vec![("OTEL_SERVICE_NAME", "x")], None),
        ("traces_disabled", vec![endpoint, ("OTEL_SDK_DISABLED", "true")], None),
        (
            "traces_grpc",
            vec![endpoint, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
            Some("no traces are sent: foveal supports http/json, not grpc"),
        ),
    ] {
        let world = World::new(name);
        let upstream = upstream();
        let served = Served::start_with(&world, &[upstream.url()], None, &variables);
        assert_eq!(asked(&served, "/v1/messages", &[]), 200);
        served.stop();
        let complaints = complaints(&world);
        match told {
            Some(told) => assert!(complaints.contains(told), "{name}: {complaints}"),
            None => assert!(!complaints.contains("traces"), "{name}: {complaints}"),
        }
    }
    assert!(collector.got().is_empty());
}
