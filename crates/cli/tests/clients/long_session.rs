//! A long session with everything at once: the agent's own tools and foveal's, its hooks and the
//! gateway; changes from outside, failures of the provider, a killed gateway, a compaction.

use serde_json::json;

use crate::agents::Agent;
use crate::model::{Call, Event, Fault, Step};
use crate::projects::{LARGE, SHORT, task};
use crate::run::{Task, Way};

const OTHER: &str = "src/other.py";
const MIDDLE: &str = "src/middle.py";

/// How an agent takes part.
pub(crate) struct LongSession {
    /// Its own tool that reads a file, or lines of it from the first to the last.
    pub(crate) read: fn(&str, Option<(u32, u32)>) -> Call,
    /// Its own tool that runs a command.
    pub(crate) run: fn(&str) -> Call,
    /// Its own tool that replaces a text in a file by another.
    pub(crate) edit: fn(&str, &str, &str) -> Call,
    /// Its own tool that searches a folder for a pattern.
    pub(crate) search: fn(&str, &str) -> Call,
    /// Whether it can have foveal's tools.
    pub(crate) has_tools: bool,
    /// The failures of a provider after which it goes on.
    pub(crate) faults: &'static [Fault],
    /// A prompt of so many tokens makes it compact; `None`: nothing does here.
    pub(crate) full_window: Option<u32>,
}

/// A step of the session, with the event before it.
struct Part(Step, Option<Event>);

impl LongSession {
    /// The session in an agent.
    pub(crate) fn task(&self, agent: &Agent) -> Task {
        let mut task = task(agent, "all", Vec::new());
        let plan = &mut task.plans[0];
        for Part(step, event) in self.parts(agent) {
            let at = plan.steps.len();
            plan.events.extend(event.map(|event| (at, event)));
            plan.steps.push(step);
        }
        plan.events.retain(|(_, event)| self.is_possible(event));
        task.way = Way::All;
        task
    }

    fn is_possible(&self, event: &Event) -> bool {
        match event {
            Event::Fault(fault) => self.faults.contains(fault),
            Event::FullWindow(tokens) => self.full_window == Some(*tokens),
            Event::Change(_) | Event::GatewayKill => true,
        }
    }

    #[allow(clippy::too_many_lines)] // A flat table.
    fn parts(&self, agent: &Agent) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut then = |step: Step, event: Option<Event>| parts.push(Part(step, event));
        let read = |path: &str| (self.read)(path, None);
        let lines = |path: &str, first, last| (self.read)(path, Some((first, last)));
        let run = |line: &str| (self.run)(line);
        let edit = |path: &str, old: &str, new: &str| (self.edit)(path, old, new);
        let ours = Ours { agent, session: self };
        let fault = |fault| Some(Event::Fault(fault));
        let change = |line: &str| Some(Event::Change(line.to_owned()));
        let tests = "seq 1 900 | sed 's/.*/test case_number_& ... ok/'";

        then(vec![read(SHORT)], None);
        then(vec![read(SHORT)], fault(Fault::Status(429)));
        then(vec![read(OTHER), run("cat src/middle.py")], None);
        then(vec![lines(MIDDLE, 40, 120)], None);
        then(vec![run("sed -n '20,60p' src/middle.py")], fault(Fault::Status(500)));
        then(vec![ours.read(SHORT)], None);
        then(vec![ours.lines(MIDDLE, 30, 90)], None);
        then(vec![edit(SHORT, "    return amount + 5\n", "    return amount + 5_000\n")], None);
        then(vec![read(SHORT)], None);
        // The edit goes.
        then(vec![read(SHORT)], change("git checkout --quiet -- src/short.py"));
        then(vec![run("cat src/short.py")], None);
        then(vec![ours.read(SHORT), run("git status --short")], Some(Event::GatewayKill));
        then(vec![(self.search)("return amount . 7", "src")], None);
        then(vec![run("grep -rn 'return amount . 7' src")], None);
        then(vec![run("grep -n 'return amount . 1' src/middle.py")], fault(Fault::SlowStream));
        then(vec![run("grep -n -A1 'return amount . 1' src/middle.py")], None);
        then(vec![run(tests)], None);
        then(vec![run(tests)], None);
        then(vec![run("cat src/large.py")], None);
        then(vec![run("sed -n '300,400p' src/large.py")], fault(Fault::Status(529)));
        then(vec![run("sed -n '350,450p' src/large.py")], None);
        then(vec![lines(LARGE, 380, 480)], None);
        then(vec![ours.lines(LARGE, 300, 420)], fault(Fault::CutStream));
        let parallel =
            vec![run("sed -n '100,150p' src/large.py"), read(MIDDLE), lines(LARGE, 400, 520)];
        then(parallel, None);
        then(
            vec![ours.edit(MIDDLE, "    return amount + 9\n", "    return amount + 9_000\n")],
            None,
        );
        then(vec![read(MIDDLE)], None);
        then(vec![run("git diff --no-ext-diff")], None);
        then(vec![run("git checkout --quiet -- src/middle.py")], None);
        then(vec![read(MIDDLE)], self.full_window.map(Event::FullWindow));
        then(vec![ours.read(MIDDLE), read(SHORT)], None);
        then(vec![run("sed -n '1,60p' src/middle.py")], None);
        then(vec![read(MIDDLE)], None);
        let parallel = vec![
            run("cat src/short.py"),
            run("cat src/other.py"),
            run("sed -n '150,199p' src/middle.py"),
        ];
        then(parallel, None);
        then(vec![run("nl -ba src/other.py")], None);
        then(vec![read(OTHER)], change("printf '\\nTOTAL = 36\\n' >> src/other.py"));
        then(vec![ours.read(OTHER)], None);
        then(vec![ours.bash("cat src/other.py")], None);
        then(vec![run("cat src/other.py; exit 3")], None);
        then(vec![run("sed -n '300,400p' src/large.py")], None);
        then(vec![run("head -n 50 src/large.py; tail -n 40 src/large.py")], None);
        then(vec![read(SHORT), read(OTHER)], None);
        parts
    }
}

/// The tools of foveal, or the agent's own where it can have no others.
struct Ours<'a> {
    agent: &'a Agent,
    session: &'a LongSession,
}

impl Ours<'_> {
    fn read(&self, path: &str) -> Call {
        match self.session.has_tools {
            true => self.agent.call("read_file", json!({ "path": path })),
            false => (self.session.read)(path, None),
        }
    }

    fn lines(&self, path: &str, first: u32, last: u32) -> Call {
        let arguments = json!({"path": path, "start": first, "end": last});
        match self.session.has_tools {
            true => self.agent.call("read_lines", arguments),
            false => (self.session.read)(path, Some((first, last))),
        }
    }

    fn bash(&self, line: &str) -> Call {
        match self.session.has_tools {
            true => self.agent.call("bash", json!({ "command": line })),
            false => (self.session.run)(line),
        }
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Call {
        let arguments =
            json!({"path": path, "old_str": old, "new_str": new, "intent": "change an amount"});
        match self.session.has_tools {
            true => self.agent.call("edit_file", arguments),
            false => (self.session.edit)(path, old, new),
        }
    }
}
