//! What a person has to allow before it is done: whatever changes or runs something, or reaches
//! beyond this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_agent::{START_AGENT, SubTask, ToolAnswer};
use foveal_screen::{in_one_line, quoted};
use foveal_store::{Grant, RootsKey, SessionId, Store};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::control::{Approval, Question};
use foveal_tools::session::CommandApproval;
use foveal_tools::table;
use foveal_transcript::Call;
use serde_json::Value;

use crate::notice;

/// Characters of a call that a person is shown in passing.
const SHOWN_CHARS_MAX: usize = 300;

/// Characters that a person who is asked can be expected to read. What is longer is not asked about,
/// and not done: nobody allows what they did not see.
const ASKED_CHARS_MAX: usize = 4_000;

/// What a person is asked.
pub(crate) struct Asked<'a> {
    /// The tool.
    pub(crate) tool: &'a str,
    /// What it is about, all of it.
    pub(crate) subject: String,
    /// Why it is asked, where a rule or the subject is the reason.
    pub(crate) reason: Option<&'a str>,
    /// What it changes, as a unified diff.
    pub(crate) change: Option<String>,
    /// What is granted if it is allowed for good, in a sentence; `None`: it cannot be.
    pub(crate) always: Option<String>,
    /// The sub-agent that makes it, as the person knows it; `None`: the agent itself does.
    pub(crate) agent: Option<&'a str>,
}

/// A call about which a person may be asked.
pub(crate) struct ApprovalRequest<'a> {
    /// The call, its arguments [spelled](spelled) as the schemas name them.
    pub(crate) call: &'a Call,
    /// Returns what it changes, as a unified diff.
    pub(crate) change: &'a (dyn Fn() -> Option<String> + Sync),
    /// Whether the command that it runs needs an approval, if it runs one.
    pub(crate) command: Option<&'a CommandApproval>,
}

/// Returns the call with its arguments as the schema of its tool names them: models know tools of
/// other agents, whose names are taken as well.
pub(crate) fn spelled(call: &Call) -> Call {
    match table::named(&call.name) {
        Some(tool) => Call { arguments: tool.spelled(&call.arguments), ..call.clone() },
        None => call.clone(),
    }
}

/// Asks a person, unless it is over before there is an answer: then it is no.
pub(crate) type Person = dyn Fn(&Asked<'_>, &dyn Fn() -> bool) -> Approval + Send + Sync;

/// What a person allows an agent, or one of its sub-agents: what they allow one of them for more than
/// once, all of them may do.
#[derive(Clone)]
pub(crate) struct Approvals {
    shared: Arc<Shared>,
    agent: Option<SubAgent>,
}

/// The sub-agent that asks.
#[derive(Clone)]
struct SubAgent {
    /// What the person knows it by.
    label: String,
    session: SessionId,
}

/// What a person allows an agent and its sub-agents.
struct Shared {
    /// Whether all was allowed beforehand.
    yes: bool,
    /// Who can be asked, one question at a time.
    person: Option<Box<Person>>,
    asking: Mutex<()>,
    /// What was allowed for more than once, and to which sub-agent alone.
    granted: Mutex<HashSet<(Option<SessionId>, Grant)>>,
    /// Where is kept what is allowed for good, and for which folder.
    kept: Option<(Arc<dyn Store>, PathBuf)>,
}

impl Approvals {
    /// What a person allows who can be asked, if there is one; with what was allowed for good, where
    /// that is kept for a folder.
    pub(crate) fn new(
        yes: bool,
        person: Option<Box<Person>>,
        kept: Option<(&Arc<dyn Store>, &Path)>,
    ) -> Self {
        let kept = kept.map(|(store, folder)| (Arc::clone(store), folder.to_owned()));
        // What cannot be read is asked about again.
        let granted = kept.as_ref();
        let granted =
            granted.and_then(|(store, folder)| store.grants(RootsKey::of([&**folder])).ok());
        let granted = granted.into_iter().flatten().filter(|it| !is_of_terminal(&it.tool));
        let granted = Mutex::new(granted.map(|grant| (None, grant)).collect());
        let asking = Mutex::default();
        Self { shared: Arc::new(Shared { yes, person, asking, granted, kept }), agent: None }
    }

    /// The same for the sub-agent with this session: who is asked is told that it asks.
    pub(crate) fn of_agent(&self, label: &str, session: &SessionId) -> Self {
        let agent = SubAgent { label: label.to_owned(), session: session.clone() };
        Self { shared: Arc::clone(&self.shared), agent: Some(agent) }
    }

    fn label(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| agent.label.as_str())
    }

    /// Whether all was allowed beforehand.
    pub(crate) fn allow_all(&self) -> bool {
        self.shared.yes
    }

    /// Whether there is somebody who can be asked.
    pub(crate) fn asks(&self) -> bool {
        self.shared.person.is_some()
    }

    /// The answer to a call that is not allowed; `None` to go on. A tool that is not known says so
    /// itself. Nobody is asked any longer when the run is over.
    pub(crate) fn of(
        &self,
        request: &ApprovalRequest<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> Option<ToolAnswer> {
        let call = request.call;
        let hints = table::named(&call.name)?.hints;
        let needs_none = !hints.destructive && !hints.open_world;
        let reason = match request.command {
            Some(CommandApproval::NotNeeded) => return None,
            Some(CommandApproval::Needed(reason)) => Some(reason.as_str()),
            None => None,
        };
        if needs_none || self.shared.yes {
            return None;
        }
        let subject = readable(about(call));
        let why = match (&self.shared.person, subject) {
            (Some(person), Some(subject)) => {
                let always = self.always(&call.name, &subject);
                let (tool, agent) = (&*call.name, self.label());
                let change = (request.change)();
                let asked = Asked { tool, subject, reason, change, always, agent };
                match self.is_allowed(person, &asked, is_over) {
                    true => return None,
                    false if is_over() => "the run is ended",
                    false => "the person said no",
                }
            }
            (Some(_), None) => "it is too long to be shown to the person; do it in smaller steps",
            (None, _) => "nobody can be asked here, and --yes was not given",
        };
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let text = format!(
            "not done: {} needs an approval{reason}, and {why}. Do what can be done without it, and \
             say what is left",
            call.name
        );
        Some(ToolAnswer { text, is_error: true, cached: false })
    }

    /// What the person says to what the tools themselves ask about a call. What that grants, the
    /// tools remember.
    pub(crate) fn ask(
        &self,
        request: &ApprovalRequest<'_>,
        question: &Question,
        is_over: &dyn Fn() -> bool,
    ) -> Approval {
        let Some(person) = &self.shared.person else { return Approval::No };
        let _turn = self.shared.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let Question { tool, subject, reason } = question;
        let (subject, reason, agent) = (subject.clone(), Some(&**reason), self.label());
        let (change, always) = ((request.change)(), self.always(tool, &subject));
        let asked = Asked { tool, subject, reason, change, always, agent };
        if is_over() { Approval::No } else { person(&asked, is_over) }
    }

    /// What is granted where a call is allowed for good; `None`: it cannot be.
    fn always(&self, tool: &str, subject: &str) -> Option<String> {
        let (_, folder) = self.shared.kept.as_ref()?;
        let what = match tool {
            _ if is_of_terminal(tool) => return None,
            "write_file" | "edit_file" | "multi_edit" => {
                format!("change {}, whatever it writes there,", quoted(subject))
            }
            _ if subject.is_empty() => "be called".to_owned(),
            "bash" | "exec" => format!("run {}", quoted(subject)),
            _ => format!("be called about {}", quoted(subject)),
        };
        let folder = folder.display();
        Some(format!(
            "always: {tool} may {what} in {folder} without asking, in this and all later sessions; \
             `foveal permissions revoke` takes it back"
        ))
    }

    fn is_allowed(&self, person: &Person, asked: &Asked<'_>, is_over: &dyn Fn() -> bool) -> bool {
        let Shared { asking, granted, kept, .. } = &*self.shared;
        let _turn = asking.lock().unwrap_or_else(PoisonError::into_inner);
        let (tool, subject) = (asked.tool.to_owned(), asked.subject.clone());
        let grant = Grant { tool, subject };
        let is_of_terminal = is_of_terminal(asked.tool);
        let agent = self.agent.as_ref().filter(|_| is_of_terminal);
        let key = (agent.map(|agent| agent.session.clone()), grant);
        let mut granted = granted.lock().unwrap_or_else(PoisonError::into_inner);
        if is_over() {
            return false;
        }
        if granted.contains(&key) {
            return true;
        }
        match person(asked, is_over) {
            Approval::Once => {}
            Approval::Session => drop(granted.insert(key)),
            Approval::Always => {
                if let Some((store, folder)) = kept.as_ref().filter(|_| !is_of_terminal) {
                    // What cannot be kept holds as long as the process runs.
                    drop(store.put_grant(RootsKey::of([&**folder]), &key.1, SystemClock.now()));
                }
                granted.insert(key);
            }
            Approval::No | Approval::Unclear => return false,
        }
        true
    }
}

/// Whether calls of a tool are about a terminal by its number. In another session, and with another
/// agent, that is the number of another one.
fn is_of_terminal(tool: &str) -> bool {
    matches!(tool, "write_stdin" | "close")
}

/// Lines of a change that are shown at the terminal.
const CHANGE_LINES_MAX: usize = 1_000;

/// Asks the person at the terminal, in a line below what would change.
pub(crate) fn at_terminal(asked: &Asked<'_>, is_over: &dyn Fn() -> bool) -> Approval {
    if let Some(change) = &asked.change {
        let lines: Vec<&str> = change.lines().take(CHANGE_LINES_MAX).collect();
        let more = change.lines().count() - lines.len();
        notice::say(lines.join("\n"));
        if more > 0 {
            notice::say(format_args!("{more} more lines of the change are not shown"));
        }
    }
    let yes = notice::confirm_unless(&question(asked), is_over);
    if yes { Approval::Once } else { Approval::No }
}

/// The question in one line.
fn question(asked: &Asked<'_>) -> String {
    let Asked { tool, subject, reason, agent, .. } = asked;
    let about = if subject.is_empty() { String::new() } else { format!(" {}", quoted(subject)) };
    let who = agent.map_or_else(String::new, |agent| format!("sub-agent {}: ", quoted(agent)));
    match reason {
        Some(reason) => format!("{who}{tool}{about}: {}. Go on?", in_one_line(reason)),
        None => format!("{who}{tool}{about}. Go on?"),
    }
}

/// What a call is about, unless that is more than a person reads.
fn readable(about: String) -> Option<String> {
    let is_read = quoted(&about).chars().nth(ASKED_CHARS_MAX).is_none();
    is_read.then_some(about)
}

/// What a call is about: the command, file or address; of edits of several files these; of other
/// calls all that they say.
fn about(call: &Call) -> String {
    const NAMES: [&str; 7] = ["command", "path", "pattern", "query", "url", "symbol", "handle"];
    let text = |name: &&str| call.arguments.get(name).and_then(Value::as_str);
    if let Some(named) = NAMES.iter().find_map(text) {
        return named.to_owned();
    }
    let path = |edit: &Value| edit.get("path").and_then(Value::as_str).map(str::to_owned);
    let edits = call.arguments.get("edits").and_then(Value::as_array);
    let paths: Option<Vec<String>> = edits.and_then(|edits| edits.iter().map(path).collect());
    let Some(mut paths) = paths else { return call.arguments.to_string() };
    paths.dedup();
    paths.join(", ")
}

/// What a call is about, in one line that may be cut.
pub(crate) fn subject(call: &Call) -> String {
    // What it is to do in full would fill the screen.
    let label = (call.name == START_AGENT).then(|| SubTask::of(&call.arguments).ok()).flatten();
    let about = label.map_or_else(|| about(call), |task| task.label);
    let line = in_one_line(&about).into_owned();
    match line.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use foveal_store::SqliteStore;
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Value) -> Call {
        Call { id: "a".to_owned(), name: name.to_owned(), arguments }
    }

    #[test]
    fn what_changes_or_runs_something_needs_an_approval() {
        let nobody = Approvals::new(false, None, None);
        for name in ["bash", "exec", "write_file", "edit_file", "multi_edit", "web_fetch"] {
            let refused = refusal(&nobody, &call(name, json!({})));
            let refused = refused.unwrap_or_else(|| panic!("{name}"));
            assert!(refused.is_error && refused.text.contains("--yes"), "{}", refused.text);
            let all = Approvals::new(true, None, None);
            assert_eq!(refusal(&all, &call(name, json!({}))), None);
        }
        for name in ["read_file", "grep", "expand", "focus", "search_code", "no_such_tool"] {
            assert_eq!(refusal(&nobody, &call(name, json!({}))), None, "{name}");
        }
    }

    #[test]
    fn a_call_is_told_by_what_it_is_about() {
        assert_eq!(subject(&call("bash", json!({"command": "make\nall"}))), "make\\nall");
        assert_eq!(subject(&call("x", json!({"n": 1}))), r#"{"n":1}"#);
        assert!(subject(&call("x", json!({"path": "a".repeat(999)}))).chars().count() < 310);
    }

    /// Whether a call may be made, where it changes nothing.
    fn refusal(approvals: &Approvals, call: &Call) -> Option<ToolAnswer> {
        approvals.of(&ApprovalRequest { call, change: &|| None, command: None }, &|| false)
    }

    fn asked(call: &Call) -> Option<String> {
        let subject = readable(about(call))?;
        let (tool, reason, change, always, agent) = (&*call.name, None, None, None, None);
        Some(question(&Asked { tool, subject, reason, change, always, agent }))
    }

    #[test]
    fn what_is_allowed_for_the_session_is_not_asked_again() {
        for (answer, times) in [(Approval::Once, 3), (Approval::Session, 2), (Approval::No, 3)] {
            let asked = Arc::new(Mutex::new(0));
            let count = Arc::clone(&asked);
            let person = move |_: &Asked<'_>, _: &dyn Fn() -> bool| {
                *count.lock().expect("a count") += 1;
                answer
            };
            let approvals = Approvals::new(false, Some(Box::new(person)), None);
            for command in ["make", "make", "make all"] {
                let refused = refusal(&approvals, &call("bash", json!({ "command": command })));
                assert_eq!(refused.is_some(), answer == Approval::No);
            }
            assert_eq!(*asked.lock().expect("a count"), times, "{answer:?}");
        }
    }

    #[test]
    fn who_is_asked_is_told_that_a_sub_agent_asks() {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let questions = Arc::clone(&asked);
        let person = move |asked: &Asked<'_>, _: &dyn Fn() -> bool| {
            questions.lock().expect("questions").push(question(asked));
            Approval::Session
        };
        let approvals = Approvals::new(false, Some(Box::new(person)), None);
        let agent = approvals.of_agent("fix `it`", &SessionId("run a/1".to_owned()));
        let make = call("bash", json!({"command": "make"}));
        assert_eq!(refusal(&agent, &make), None);
        // What the one may, the other may.
        assert_eq!(refusal(&approvals, &make), None);
        let (subject, reason) = ("make".to_owned(), "a rule asks".to_owned());
        let question = Question { tool: "bash", subject, reason };
        agent.ask(
            &ApprovalRequest { call: &make, change: &|| None, command: None },
            &question,
            &|| false,
        );
        let asked = asked.lock().expect("questions");
        let expected = [
            r#"sub-agent "fix `it`": bash `make`. Go on?"#,
            r#"sub-agent "fix `it`": bash `make`: a rule asks. Go on?"#,
        ];
        assert_eq!(*asked, expected);
    }

    /// What is typed into terminal 1 goes to whatever runs in it: in that of a sub-agent, or of a later
    /// session, that is something else.
    #[test]
    fn what_is_allowed_of_a_terminal_holds_where_it_is() {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let asked = Arc::new(Mutex::new(0));
        let opened = || {
            let count = Arc::clone(&asked);
            let person = move |_: &Asked<'_>, _: &dyn Fn() -> bool| {
                *count.lock().expect("a count") += 1;
                Approval::Always
            };
            Approvals::new(false, Some(Box::new(person)), Some((&store, Path::new("/w"))))
        };
        let (typed, make) = (
            call("write_stdin", json!({"id": 1, "text": "y\n"})),
            call("bash", json!({"command": "make"})),
        );
        let asks = |approvals: &Approvals, call: &Call| {
            let before = *asked.lock().expect("a count");
            assert_eq!(refusal(approvals, call), None);
            *asked.lock().expect("a count") > before
        };
        let first = opened();
        let [one, other] =
            ["run a/1", "run a/2"].map(|it| first.of_agent("it", &SessionId(it.to_owned())));
        for approvals in [&first, &one, &other] {
            assert!(asks(approvals, &typed) && !asks(approvals, &typed));
        }
        assert!(asks(&one, &make) && !asks(&first, &make) && !asks(&other, &make));
        let later = opened();
        assert!(asks(&later, &typed) && !asks(&later, &make));
    }

    #[test]
    fn a_question_shows_all_of_a_call_or_is_not_asked() {
        let command = format!("echo {}; rm -rf /", "a".repeat(900));
        let asked = asked(&call("bash", json!({"command": command, "timeout": 9})));
        assert_eq!(asked, Some(format!("bash `{command}`. Go on?")));
        let asked = self::asked(&call("bash", json!({"command": "a\nb\u{202e}`"})));
        assert_eq!(asked.as_deref(), Some(r#"bash "a\nb\u202e`". Go on?"#));
        let edit = |path: &str| json!({"path": path, "old_str": "a", "new_str": "b"});
        let edits = json!({"edits": [edit("a.rs"), edit("a.rs"), edit(".bashrc")]});
        let asked = self::asked(&call("multi_edit", edits));
        assert_eq!(asked.as_deref(), Some("multi_edit `a.rs, .bashrc`. Go on?"));
        let long = call("bash", json!({"command": "a".repeat(5_000)}));
        assert_eq!(self::asked(&long), None);
        let approvals = Approvals::new(false, Some(Box::new(|_, _| Approval::Once)), None);
        let refused = refusal(&approvals, &long).expect("it is not done");
        assert!(refused.text.contains("smaller steps"), "{}", refused.text);
    }
}
