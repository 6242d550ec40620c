//! One run of an agent: set up, started, ended in time, and what came of it.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use crate::agents::{Agent, Place};
use crate::gateway::{Gateway, told};
use crate::model::{Arrival, Event, Model, Plan};
use crate::proxy::{Proxy, Sent};
use crate::tap::{Exchange, Hooked, Tap};

/// The folder with the agents.
const FOLDER: &str = "FOVEAL_TEST_CLIENTS";

/// What the model is called at a gateway that is told of by name.
const UPSTREAM: &str = "scripted";

/// Every process of a run has it in its environment.
const MARK: &str = "FOVEAL_TEST_RUN";

/// How long an agent may take for its whole plan.
const RUN_TIME: Duration = Duration::from_secs(300);

/// How often it is looked whether it has ended.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// What is to be done in a run.
pub(crate) struct Task {
    /// What it is about; with the agent's name a folder's name.
    pub(crate) name: &'static str,
    /// What the user asks for.
    pub(crate) prompt: &'static str,
    /// What the model does.
    pub(crate) plans: Vec<Plan>,
    /// The project: paths and contents.
    pub(crate) files: Vec<(String, String)>,
    /// Arguments of `foveal init` beside the agent's name.
    pub(crate) init: &'static str,
    /// Whether foveal is gone from where the settings say that it is.
    pub(crate) is_gone: bool,
    /// What foveal is in this run.
    pub(crate) way: Way,
}

/// What foveal is in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The agent's server of tools, and its hooks.
    Tools,
    /// It stands between the agent and the model, whose address the agent is told.
    Served,
    /// It starts the agent, which is told nothing.
    Wrapped,
    /// It stands between the two, and was told to the agent by `foveal init --gateway`.
    Set,
    /// Gateway, tools and hooks at once, over one store.
    All,
}

impl Way {
    /// What runs of this kind are called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Served => "between",
            Self::Wrapped => "wrapped",
            Self::Set => "set",
            Self::All => "all",
        }
    }
}

/// What came of a run.
pub(crate) struct Run {
    pub(crate) agent: &'static Agent,
    pub(crate) plans: Vec<Plan>,
    /// What the model was sent.
    pub(crate) arrivals: Vec<Arrival>,
    /// What the server was asked and answered.
    pub(crate) exchanges: Vec<Exchange>,
    /// What the agent sent to the gateway, where that is kept.
    pub(crate) sent: Sent,
    /// Events of the plans that did not happen.
    pub(crate) events_left: Vec<Event>,
    /// What the hook was told and answered.
    pub(crate) hooked: Vec<Hooked>,
    /// What was told of each request, where foveal stood between the agent and the model.
    pub(crate) told: Vec<Value>,
    /// The exit code; `None`: it did not end in time, or was killed.
    pub(crate) code: Option<i32>,
    /// The last that it printed.
    pub(crate) printed: String,
    /// By which variable, and where, foveal found the folder for what it keeps.
    kept_by: (&'static str, PathBuf),
}

impl Run {
    /// What foveal gives back for a handle.
    pub(crate) fn expand(&self, handle: &str) -> String {
        let (name, folder) = &self.kept_by;
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveal"));
        let command = command.args(["expand", handle]).env_clear().env(name, folder);
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}

/// The folder with the agents; says once how to get them where there is none.
fn installation() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let folder = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty());
    if folder.is_none() {
        say(
            &SAID,
            &format!(
                "skipped: no coding agents (copy crates/cli/tests/clients/package.json to a new \
                 folder, run `npm install` there, and set {FOLDER} to its path)"
            ),
        );
    }
    folder.map(PathBuf::from)
}

/// Says something once, past what keeps the output of tests.
fn say(said: &Once, text: &str) {
    said.call_once(|| {
        // Nobody may be listening.
        let _ = writeln!(std::io::stderr(), "{text}");
    });
}

/// Has an agent do a task; `None` where it is not installed.
pub(crate) fn run(agent: &'static Agent, task: Task) -> Option<Run> {
    let installed = installation()?;
    let Some(program) = agent.program_in(&installed) else {
        say(&Once::new(), &format!("skipped: {} is not in {}", agent.runs, installed.display()));
        return None;
    };
    let name = format!("{}-{}", agent.runs, task.name);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("a folder of this run alone");
    }
    let (home, project) = (folder.join("home"), folder.join("project"));
    fs::create_dir_all(&home).expect("a new folder");
    make_project(&project, &task.files);
    let tap = Tap::new(&folder.join("tap"), env!("CARGO_BIN_EXE_foveal")).expect("a new program");
    let model = Arc::new(Model::start(task.plans.clone(), &project).expect("a free port"));
    let between = Between::start(task.way, &model, &folder, &home);
    let address = between.address(task.way).unwrap_or_else(|| model.address.clone());
    let place = Place { home: &home, model: &address, prompt: task.prompt };
    let start = (agent.set_up)(&place);
    let environment = |command: &mut Command| {
        command.current_dir(&project).env_clear().envs(variables(agent, &installed, &program));
        command.env("HOME", &home).env(MARK, &name);
    };
    if agent.has_init && matches!(task.way, Way::Tools | Way::All) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveal"));
        environment(&mut command);
        init(command.args(["init", "--yes", agent.name]).args(task.init.split_whitespace()));
        replace_program(&home, &tap.program());
    }
    if let Some(gateway) = between.gateway.as_ref().filter(|_| task.way == Way::Set) {
        tell_settings(&home, &gateway.lock().expect("it is ours alone"), &model.address);
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveal"));
        environment(&mut command);
        init(command.args(["init", "--gateway", "--yes", agent.name]));
    }
    if task.is_gone {
        fs::remove_file(tap.program()).expect("a program of this run");
    }
    let log = folder.join("wrapped.jsonl");
    let is_wrapped = task.way == Way::Wrapped;
    let mut command = if is_wrapped { wrapped(agent, &log) } else { Command::new(&program) };
    environment(&mut command);
    command.args(start.arguments).envs(start.variables);
    let output = |name: &str| File::create(folder.join(name)).expect("a new file");
    command.stdin(Stdio::null()).stdout(output("out")).stderr(output("err"));
    let code = ended(&mut command, &name);
    if task.way == Way::All {
        keep_prompts(&model.arrivals(), &folder.join("read"));
    }
    let read = |name: &str| tail(&fs::read_to_string(folder.join(name)).unwrap_or_default());
    Some(Run {
        agent,
        plans: task.plans,
        arrivals: model.arrivals(),
        exchanges: tap.exchanges(),
        events_left: model.events_left(),
        hooked: tap.hooked(),
        told: between.told(&log),
        sent: between.proxy.map(|proxy| proxy.sent()).unwrap_or_default(),
        code,
        printed: format!("{}\n{}", read("out"), read("err")),
        kept_by: match task.way {
            Way::Served | Way::Set => ("XDG_DATA_HOME", folder.join("gateway")),
            Way::Tools | Way::Wrapped | Way::All => ("HOME", home),
        },
    })
}

/// Keeps what the model read, for a look at a run that fails.
fn keep_prompts(arrivals: &[Arrival], folder: &Path) {
    fs::create_dir_all(folder).expect("a new folder");
    for (at, arrival) in arrivals.iter().enumerate() {
        fs::write(folder.join(format!("{at:03}.json")), &arrival.text).expect("a new file");
    }
}

/// What stands between the agent and the model, and runs by itself.
struct Between {
    gateway: Option<Arc<Mutex<Gateway>>>,
    proxy: Option<Proxy>,
}

impl Between {
    fn start(way: Way, model: &Arc<Model>, folder: &Path, home: &Path) -> Self {
        let sent = folder.join("sent");
        let folder = folder.join("gateway");
        let own = ("XDG_DATA_HOME", folder.clone());
        let address = &model.address;
        let gateway = match way {
            Way::Tools | Way::Wrapped => None,
            Way::Served => Some(Gateway::start(address, &folder, own)),
            Way::Set => Some(Gateway::start(&format!("{UPSTREAM}={address}"), &folder, own)),
            Way::All => Some(Gateway::start(address, &folder, ("HOME", home.to_owned()))),
        };
        let gateway = gateway.map(|gateway| Arc::new(Mutex::new(gateway)));
        let proxied = gateway.clone().filter(|_| way == Way::All);
        let proxy = proxied.map(|gateway| Proxy::start(gateway, Arc::clone(model), &sent));
        Self { gateway, proxy: proxy.map(|proxy| proxy.expect("a free port")) }
    }

    /// The address that the agent is told in place of the model's.
    fn address(&self, way: Way) -> Option<String> {
        if let Some(proxy) = &self.proxy {
            return Some(proxy.address.clone());
        }
        let gateway = self.gateway.as_ref().filter(|_| way == Way::Served)?;
        Some(gateway.lock().expect("no thread panics with the lock").address.clone())
    }

    /// What was told of each request, by the gateway or in the log of `foveal wrap`.
    fn told(&self, log: &Path) -> Vec<Value> {
        match &self.gateway {
            Some(gateway) => gateway.lock().expect("no thread panics with the lock").told(),
            None => told(log),
        }
    }
}

/// The user's settings of foveal, by which the model has a name at the gateway.
fn tell_settings(home: &Path, gateway: &Gateway, model: &str) {
    let listen = gateway.address.trim_start_matches("http://");
    let settings =
        format!("[gateway]\nlisten = \"{listen}\"\nupstreams = {{ {UPSTREAM} = \"{model}\" }}\n");
    let folder = home.join(".config").join("foveal");
    fs::create_dir_all(&folder).expect("a new folder");
    fs::write(folder.join("config.toml"), settings).expect("a new file");
}

/// The agent, started by foveal.
fn wrapped(agent: &Agent, log: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foveal"));
    // A machine that runs many tests is no reason to decide nothing.
    command.args(["wrap", "--decision-time", "20000", "--log"]).arg(log).arg(agent.name);
    command
}

/// The environment of every run: nothing of the caller's, no way to another machine.
/// The agent's own program is found before others of its name.
fn variables(agent: &Agent, installed: &Path, program: &Path) -> Vec<(&'static str, String)> {
    let modules = installed.join("node_modules");
    let path = std::env::var("PATH").unwrap_or_default();
    let own = program.parent().expect("a program is in a folder").to_owned();
    let folders = [own, modules.join("node").join("bin"), modules.join(".bin")];
    let folders = folders.map(|folder| folder.display().to_string()).join(":");
    let mut variables = vec![("PATH", format!("{folders}:{path}")), ("TERM", "dumb".to_owned())];
    let closed = "http://127.0.0.1:9";
    for name in ["HTTPS_PROXY", "https_proxy"].into_iter().filter(|_| !agent.proxies_all) {
        variables.push((name, closed.to_owned()));
    }
    for name in ["NO_PROXY", "no_proxy"] {
        variables.push((name, "127.0.0.1,localhost".to_owned()));
    }
    variables.extend(["DO_NOT_TRACK", "NO_UPDATE_NOTIFIER"].map(|name| (name, "1".to_owned())));
    variables
}

/// A project of its own: the target folder may lie inside a checkout.
fn make_project(project: &Path, files: &[(String, String)]) {
    for (path, text) in files {
        let path = project.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
        fs::write(path, text).expect("a new file");
    }
    let line = "git init --quiet && git add . && \
        git -c user.name=Test -c user.email=test@localhost commit --quiet -m Start";
    let git = Command::new("sh").args(["-c", line]).current_dir(project).output();
    if !git.is_ok_and(|git| git.status.success()) {
        fs::create_dir_all(project.join(".git")).expect("a new folder");
    }
}

fn init(command: &mut Command) {
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// Puts the program that keeps copies in the place of the real one in all settings.
fn replace_program(folder: &Path, program: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            replace_program(&path, program);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let program = program.display().to_string();
            let changed = text.replace(env!("CARGO_BIN_EXE_foveal"), &program);
            if changed != text {
                fs::write(&path, changed).expect("a file of this run");
            }
        }
    }
}

/// Runs an agent in a process group of its own, and ends what is left of it.
fn ended(command: &mut Command, mark: &str) -> Option<i32> {
    let mut child = command.process_group(0).spawn().expect("the agent starts");
    let started = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status.code();
        }
        if started.elapsed() > RUN_TIME {
            break None;
        }
        thread::sleep(LOOK_UP_TIME);
    };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // All of it may have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
    for left in left_behind(mark) {
        let _ = kill_process(left, Signal::KILL);
    }
    let _ = child.wait();
    code
}

/// Processes of this run that left its group: some agents leave a server behind.
fn left_behind(mark: &str) -> Vec<Pid> {
    let entry = format!("{MARK}={mark}\0");
    let is_ours = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.windows(entry.len()).any(|part| part == entry.as_bytes())
    };
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = folders.filter(|folder| is_ours(&folder.path()));
    let ids = processes.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    ids.filter_map(Pid::from_raw).collect()
}

/// The last lines of a text, each cut.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(12)..];
    let cut = |line: &&str| line.chars().take(200).collect::<String>();
    last.iter().map(cut).collect::<Vec<_>>().join("\n")
}
