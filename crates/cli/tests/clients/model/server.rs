//! The server: which answer a request gets, and what is kept of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::fault;
use super::http::{self, HttpRequest};
use super::plan::{Call, Event, Fault, Plan, Reply, call_at, call_id};
use super::protocol::{PROTOCOLS, Protocol, ToolResult};

/// How long the model thinks: some agents do something between an answer and the next call.
const THINKING_TIME: Duration = Duration::from_millis(400);

/// The same in a session with events, which is long.
const SHORT_THINKING_TIME: Duration = Duration::from_millis(100);

/// How long a connection may say nothing.
const SILENCE_TIME: Duration = Duration::from_secs(60);

/// How many requests an agent may send for each turn of the plan before it is told that all is
/// done: an agent that forgets its turns would never end.
const REPEATS_MAX: usize = 4;

/// How many tokens of prompt are billed in a turn.
const PROMPT_TOKENS: u32 = 100;

/// The header by which a request is known again behind the gateway.
pub(crate) const NUMBER: &str = "x-suite-request";

/// What clients ask for a summary with, where they offer tools with it.
const SUMMARY_REQUESTS: [&str; 2] = ["create a detailed summary", "CONTEXT CHECKPOINT COMPACTION"];

/// Stands for the project's path in arguments of calls.
pub(crate) const PROJECT: &str = "{PROJECT}";

/// How a summary begins; the number of turns follows.
const SUMMARY: &str = "Scripted summary, turns so far: ";

/// What files hold, by their paths from the project's folder.
pub(crate) type Files = BTreeMap<String, String>;

/// A request of a conversation that is in the plan.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// Which plan's.
    pub(crate) plan: usize,
    /// Which turn of it is asked for.
    pub(crate) turn: usize,
    /// The number that it was given before the gateway.
    pub(crate) number: Option<usize>,
    /// The tools that the model may call.
    pub(crate) tools: Vec<String>,
    /// The answers of tools, in order.
    pub(crate) results: Vec<ToolResult>,
    /// What the files held at that time.
    pub(crate) files: Files,
    /// The whole request.
    pub(crate) text: String,
}

/// A scripted model. It listens until the tests end.
pub(crate) struct Model {
    shared: Arc<Shared>,
    /// Where it listens.
    pub(crate) address: String,
}

struct Shared {
    plans: Vec<Plan>,
    project: PathBuf,
    arrivals: Mutex<Vec<Arrival>>,
    count: AtomicUsize,
    /// Events that have not happened yet: plan, turn and event.
    events: Mutex<Vec<(usize, usize, Event)>>,
}

impl Model {
    /// Starts a model that plays `plans` for an agent that works in `project`.
    pub(crate) fn start(plans: Vec<Plan>, project: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = format!("http://{}", listener.local_addr()?);
        let arrivals = Mutex::default();
        let count = AtomicUsize::new(0);
        let events = plans.iter().enumerate().flat_map(|(at, plan)| {
            plan.events.iter().map(move |(turn, event)| (at, *turn, event.clone()))
        });
        let events = Mutex::new(events.collect());
        let project = project.to_owned();
        let shared = Arc::new(Shared { plans, project, arrivals, count, events });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_thread);
                // An agent that hangs up does not harm the others.
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Ok(Self { shared, address })
    }

    /// What came, in order.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        self.shared.arrivals.lock().expect("no thread panics with the lock").clone()
    }

    /// Events of the plan that have not happened.
    pub(crate) fn events_left(&self) -> Vec<Event> {
        let events = self.shared.events.lock().expect("no thread panics with the lock");
        let left = events.iter().filter(|(.., event)| !matches!(event, Event::FullWindow(_)));
        left.map(|(.., event)| event.clone()).collect()
    }

    /// Whether the gateway is to be killed now; says so once.
    pub(crate) fn take_gateway_kill(&self) -> bool {
        let last = self.shared.last_turn(0);
        let is_due = |event: &Event, turn| *event == Event::GatewayKill && last >= Some(turn);
        self.shared.take_event(0, is_due).is_some()
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(SILENCE_TIME))?;
        let request = http::read(stream)?;
        let json = "application/json";
        if request.method != "POST" {
            let model = json!({"id": "fake", "object": "model", "type": "model"});
            let models = json!({"object": "list", "data": [model], "has_more": false});
            return match request.path.contains("models") && request.method == "GET" {
                true => http::write(stream, 200, json, &models.to_string()),
                false => http::write(stream, 404, json, "{}"),
            };
        }
        if request.path.contains("count_tokens") || request.path.contains("countTokens") {
            let counted = json!({"input_tokens": 100, "totalTokens": 100});
            return http::write(stream, 200, json, &counted.to_string());
        }
        let protocol = PROTOCOLS.iter().find(|protocol| request.path.contains(protocol.path));
        let body = serde_json::from_slice::<Value>(&request.body).ok();
        let (Some(protocol), Some(body)) = (protocol, body) else {
            return http::write(stream, 404, json, "{}");
        };
        let (reply, fault) = self.reply(protocol, &body, &request);
        let answer = (protocol.answer)(&body, &reply);
        thread::sleep(self.thinking_time());
        if let Some(fault) = fault {
            fault::write(stream, fault, &answer.stream())
        } else if body["stream"] == true || request.path.contains("streamGenerateContent") {
            http::write(stream, 200, "text/event-stream", &answer.stream())
        } else {
            http::write(stream, 200, json, &answer.whole.to_string())
        }
    }

    /// The turn of the plan that this request asks for, which is read off its history: so a
    /// request that is sent again gets the same answer again. Requests beside the work, for a
    /// title or a summary, mostly offer no tools.
    fn reply(
        &self,
        protocol: &Protocol,
        body: &Value,
        request: &HttpRequest,
    ) -> (Reply, Option<Fault>) {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let turn_name = format!("n{number}");
        let end = |text: String| {
            let turn = turn_name.clone();
            (Reply { turn, text, prompt_tokens: PROMPT_TOKENS, calls: Vec::new() }, None)
        };
        let said = (protocol.user)(body);
        let whole = body.to_string();
        let is_of = |plan: &Plan| said.iter().any(|text| text.contains(plan.marker));
        // Some clients make a summary words of the model itself.
        let is_summed_up = |plan: &Plan| whole.contains(SUMMARY) && whole.contains(plan.marker);
        let plan = self.plans.iter().position(is_of);
        let Some(at) = plan.or_else(|| self.plans.iter().position(is_summed_up)) else {
            return end("Scripted.".into());
        };
        let (tools, results) = ((protocol.tools)(body), (protocol.results)(body));
        let turn = next_turn(at, &results, &whole);
        let is_summary = tools.is_empty() || is_summary_request(&said);
        if !tools.is_empty() || !results.is_empty() {
            let number = request.header(NUMBER).and_then(|number| number.parse().ok());
            let (files, text) = (files_in(&self.project), whole);
            let arrival = Arrival { plan: at, turn, number, tools, results, files, text };
            self.arrivals.lock().expect("no thread panics with the lock").push(arrival);
        }
        if is_summary {
            let turns = self.last_turn(at).map_or(0, |turn| turn + 1);
            return end(format!("{SUMMARY}{turns}. {}", self.plans[at].marker));
        }
        let fault = self.carry_out_events(at, turn);
        let all: usize = self.plans.iter().map(|plan| plan.steps.len()).sum();
        let step = self.plans[at].steps.get(turn).filter(|_| number < REPEATS_MAX * (all + 1));
        let Some(step) = step else { return end("All done.".into()) };
        let calls = step.iter().enumerate();
        let calls = calls.map(|(n, call)| (call_id(at, turn, n), self.spell_out(call))).collect();
        let prompt_tokens = self.prompt_tokens(at, turn);
        (Reply { turn: turn_name, text: String::new(), prompt_tokens, calls }, fault)
    }

    fn thinking_time(&self) -> Duration {
        let has_events = self.plans.iter().any(|plan| !plan.events.is_empty());
        if has_events { SHORT_THINKING_TIME } else { THINKING_TIME }
    }

    /// The call with the project's own path.
    fn spell_out(&self, call: &Call) -> Call {
        let project = self.project.display().to_string();
        let arguments = call.arguments.to_string().replace(PROJECT, &project);
        Call { arguments: serde_json::from_str(&arguments).expect("JSON"), ..call.clone() }
    }

    /// The last turn of a plan that was asked for with tools.
    fn last_turn(&self, plan: usize) -> Option<usize> {
        let arrivals = self.arrivals.lock().expect("no thread panics with the lock");
        let of_plan = arrivals.iter().filter(|arrival| arrival.plan == plan);
        of_plan.filter(|arrival| !arrival.tools.is_empty()).map(|arrival| arrival.turn).max()
    }

    /// Takes the first event of a plan that is due.
    fn take_event(&self, plan: usize, is_due: impl Fn(&Event, usize) -> bool) -> Option<Event> {
        let mut events = self.events.lock().expect("no thread panics with the lock");
        let at = events.iter().position(|(of, turn, event)| *of == plan && is_due(event, *turn));
        at.map(|at| events.remove(at).2)
    }

    /// Changes the project, and returns how the provider fails, where that is due.
    fn carry_out_events(&self, plan: usize, turn: usize) -> Option<Fault> {
        let is_change = |event: &Event, of| of == turn && matches!(event, Event::Change(_));
        while let Some(Event::Change(line)) = self.take_event(plan, is_change) {
            let status = Command::new("sh").args(["-c", &line]).current_dir(&self.project).status();
            assert!(status.is_ok_and(|status| status.success()), "{line}");
        }
        let is_fault = |event: &Event, of| of == turn && matches!(event, Event::Fault(_));
        match self.take_event(plan, is_fault) {
            Some(Event::Fault(fault)) => Some(fault),
            _ => None,
        }
    }

    fn prompt_tokens(&self, plan: usize, turn: usize) -> u32 {
        let full = |(of, event): &(usize, Event)| match event {
            Event::FullWindow(tokens) if *of == turn => Some(*tokens),
            _ => None,
        };
        self.plans[plan].events.iter().find_map(full).unwrap_or(PROMPT_TOKENS)
    }
}

/// The turn behind the last one whose calls are answered, or that a summary tells of.
fn next_turn(plan: usize, results: &[ToolResult], prompt: &str) -> usize {
    let answered = results.iter().filter_map(|result| call_at(&result.id));
    let answered = answered.filter(|(of, ..)| *of == plan).map(|(_, step, _)| step + 1);
    let told = prompt.split(SUMMARY).skip(1);
    let told = told.filter_map(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    });
    answered.chain(told).max().unwrap_or(0)
}

fn is_summary_request(said: &[String]) -> bool {
    let last = said.last().map(String::as_str).unwrap_or_default();
    SUMMARY_REQUESTS.iter().any(|words| last.contains(words))
}

/// The files of a project, hidden folders left out.
fn files_in(project: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = BTreeSet::from([project.to_owned()]);
    while let Some(folder) = folders.pop_first() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() && !is_hidden {
                folders.insert(path);
            } else if let (Ok(text), Ok(name)) =
                (fs::read_to_string(&path), path.strip_prefix(project))
            {
                files.insert(name.to_string_lossy().into_owned(), text);
            }
        }
    }
    files
}
