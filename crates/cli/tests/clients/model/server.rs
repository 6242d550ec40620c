//! The server: which answer a request gets, and what is kept of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::http;
use super::plan::{Plan, Reply, call_id};
use super::protocol::{PROTOCOLS, Protocol, ToolResult};

/// How long the model thinks: some agents do something between an answer and the next call.
const THINKING_TIME: Duration = Duration::from_millis(400);

/// How long a connection may say nothing.
const SILENCE_TIME: Duration = Duration::from_secs(60);

/// How many requests an agent may send for each turn of the plan before it is told that all is
/// done: an agent that forgets its turns would never end.
const REPEATS_MAX: usize = 4;

/// What files hold, by their paths from the project's folder.
pub(crate) type Files = BTreeMap<String, String>;

/// A request of a conversation that is in the plan.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// Which plan's.
    pub(crate) plan: usize,
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
}

impl Model {
    /// Starts a model that plays `plans` for an agent that works in `project`.
    pub(crate) fn start(plans: Vec<Plan>, project: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = format!("http://{}", listener.local_addr()?);
        let arrivals = Mutex::default();
        let count = AtomicUsize::new(0);
        let shared = Arc::new(Shared { plans, project: project.to_owned(), arrivals, count });
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
        let answer = (protocol.answer)(&body, &self.reply(protocol, &body));
        thread::sleep(THINKING_TIME);
        if body["stream"] == true || request.path.contains("streamGenerateContent") {
            http::write(stream, 200, "text/event-stream", &answer.stream())
        } else {
            http::write(stream, 200, json, &answer.whole.to_string())
        }
    }

    /// The turn of the plan that this request asks for, which is read off its history: so a
    /// request that is sent again gets the same answer again. Requests beside the work, for a
    /// title or a summary, offer no tools.
    fn reply(&self, protocol: &Protocol, body: &Value) -> Reply {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let end = |text: &str| Reply {
            turn: format!("n{number}"),
            text: text.to_owned(),
            calls: Vec::new(),
        };
        let said = (protocol.user)(body);
        let tools = (protocol.tools)(body);
        let plan = self.plans.iter().position(|plan| said.contains(plan.marker));
        let Some(at) = plan.filter(|_| !tools.is_empty()) else { return end("Scripted.") };
        let results = (protocol.results)(body);
        let files = files_in(&self.project);
        let arrival = Arrival { plan: at, tools, results, files, text: body.to_string() };
        self.arrivals.lock().expect("no thread panics with the lock").push(arrival);
        let turn = (protocol.turns)(body);
        let all: usize = self.plans.iter().map(|plan| plan.steps.len()).sum();
        let step = self.plans[at].steps.get(turn).filter(|_| number < REPEATS_MAX * (all + 1));
        let Some(step) = step else { return end("All done.") };
        let calls = step.iter().enumerate();
        let calls = calls.map(|(n, call)| (call_id(at, turn, n), call.clone())).collect();
        Reply { turn: format!("n{number}"), text: String::new(), calls }
    }
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
