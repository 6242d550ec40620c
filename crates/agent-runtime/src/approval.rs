//! Approvals of tool calls that change or run something, or reach beyond this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_agent::{START_AGENT, SubAgentTask, ToolAnswer};
use foveal_screen::{escape_one_line, quote_escaped};
use foveal_store::{Grant, GrantStore, RootsKey, SessionId, Store};
use foveal_tools::call_control::{Approval, ApprovalQuestion};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::session::CommandApproval;
use foveal_tools::tool_table;
use foveal_transcript::ToolCall;
use serde_json::Value;

/// Characters of a call's subject in a line of output.
const SUBJECT_LINE_CHARS_MAX: usize = 300;

/// Characters that a user can be expected to read before an approval. A call with a longer subject
/// is refused without a question: an approval must not cover text that was not shown.
const PROMPT_CHARS_MAX: usize = 4_000;

/// A question to the user whether a tool call may run.
pub struct ApprovalPrompt<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The whole subject of the call: its command, path, address or arguments.
    pub subject: String,
    /// The reason for the question, where it is a rule or the subject.
    pub reason: Option<&'a str>,
    /// The change to files, as a unified diff.
    pub diff: Option<String>,
    /// A sentence that states the permission which "always" grants; `None` if there is no such
    /// choice.
    pub permanent_grant: Option<String>,
    /// The label of the sub-agent that makes the call; `None` for the agent itself.
    pub sub_agent: Option<&'a str>,
}

impl ApprovalPrompt<'_> {
    /// Returns the question in one line.
    pub fn question_line(&self) -> String {
        let ApprovalPrompt { tool, subject, reason, sub_agent: agent, .. } = self;
        let about =
            if subject.is_empty() { String::new() } else { format!(" {}", quote_escaped(subject)) };
        let who =
            agent.map_or_else(String::new, |agent| format!("sub-agent {}: ", quote_escaped(agent)));
        match reason {
            Some(reason) => format!("{who}{tool}{about}: {}. Continue?", escape_one_line(reason)),
            None => format!("{who}{tool}{about}. Continue?"),
        }
    }
}

/// A call that may need an approval.
pub(crate) struct ApprovalRequest<'a> {
    /// The call, with [argument names](normalize_argument_names) as in the tool's schema.
    pub(crate) call: &'a ToolCall,
    /// Returns the change to files, as a unified diff.
    pub(crate) diff: &'a (dyn Fn() -> Option<String> + Sync),
    /// Whether the command needs an approval; `None` if the call runs no command.
    pub(crate) command: Option<&'a CommandApproval>,
}

/// Returns the call with its arguments named as in the schema of its tool. Models also use the
/// argument names of other agents' tools, which the tools accept.
pub fn normalize_argument_names(call: &ToolCall) -> ToolCall {
    match tool_table::find_tool(&call.name) {
        Some(tool) => {
            ToolCall { arguments: tool.normalize_arguments(&call.arguments), ..call.clone() }
        }
        None => call.clone(),
    }
}

/// A function that asks the user. It returns [`Approval::No`] if `is_over`, its second argument,
/// becomes true before there is an answer.
pub type UserPrompter = dyn Fn(&ApprovalPrompt<'_>, &dyn Fn() -> bool) -> Approval + Send + Sync;

/// The approvals of an agent and its sub-agents, from the view of one of them. Grants for more than
/// one call apply to all of them.
#[derive(Clone)]
pub(crate) struct Approvals {
    shared: Arc<SharedApprovals>,
    agent: Option<RequestingSubAgent>,
}

/// The sub-agent whose calls are checked.
#[derive(Clone)]
struct RequestingSubAgent {
    /// The label that the user sees.
    label: String,
    session: SessionId,
}

/// The state that an agent shares with its sub-agents.
struct SharedApprovals {
    /// Whether `--yes` approves calls without a question. Questions that the tools raise are still
    /// asked.
    auto_approves: bool,
    /// Asks the user; `None` if there is no user to ask.
    prompter: Option<Box<UserPrompter>>,
    /// Held during a question: there is one at a time.
    prompt_lock: Mutex<()>,
    /// Grants for more than one call, each for all agents or for one sub-agent's session.
    grants: Mutex<HashSet<(Option<SessionId>, Grant)>>,
    /// The store and folder of permanent grants.
    grant_store: Option<(Arc<dyn GrantStore>, PathBuf)>,
}

impl Approvals {
    /// Returns the approvals of an agent, with the permanent grants that the store has for the
    /// folder of `kept`. With `yes` calls are approved without a question; `person` asks the user.
    pub(crate) fn new(
        yes: bool,
        person: Option<Box<UserPrompter>>,
        kept: Option<(&Arc<dyn Store>, &Path)>,
    ) -> Self {
        let kept =
            kept.map(|(store, folder)| (store.clone() as Arc<dyn GrantStore>, folder.to_owned()));
        // If the grants cannot be read, the user is asked again.
        let granted = kept.as_ref();
        let granted = granted
            .and_then(|(store, folder)| store.grants(RootsKey::from_roots([&**folder])).ok());
        let granted = granted.into_iter().flatten().filter(|it| !targets_terminal(&it.tool));
        let granted = Mutex::new(granted.map(|grant| (None, grant)).collect());
        let asking = Mutex::default();
        Self {
            shared: Arc::new(SharedApprovals {
                auto_approves: yes,
                prompter: person,
                prompt_lock: asking,
                grants: granted,
                grant_store: kept,
            }),
            agent: None,
        }
    }

    /// Returns the approvals of a sub-agent. Questions show its label.
    pub(crate) fn for_sub_agent(&self, label: &str, session: &SessionId) -> Self {
        let agent = RequestingSubAgent { label: label.to_owned(), session: session.clone() };
        Self { shared: Arc::clone(&self.shared), agent: Some(agent) }
    }

    fn sub_agent_label(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| agent.label.as_str())
    }

    /// Returns whether `--yes` approves calls without a question.
    pub(crate) fn auto_approves(&self) -> bool {
        self.shared.auto_approves
    }

    /// Returns whether there is a user to ask.
    pub(crate) fn has_prompter(&self) -> bool {
        self.shared.prompter.is_some()
    }

    /// Asks the user for an approval if the call needs one. Returns the answer to a call that may
    /// not run, or `None` if it may. Calls of unknown tools pass: the tool session answers them.
    /// There is no question once `is_over` returns true.
    pub(crate) fn request_approval(
        &self,
        request: &ApprovalRequest<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> Option<ToolAnswer> {
        let call = request.call;
        let hints = tool_table::find_tool(&call.name)?.hints;
        let needs_none = !hints.destructive && !hints.open_world;
        let reason = match request.command {
            Some(CommandApproval::NotNeeded) => return None,
            Some(CommandApproval::Needed(reason)) => Some(reason.as_str()),
            None => None,
        };
        if needs_none || self.shared.auto_approves {
            return None;
        }
        let subject = readable_subject(call_subject(call));
        let why = match (&self.shared.prompter, subject) {
            (Some(person), Some(subject)) => {
                let always = self.permanent_grant_text(&call.name, &subject);
                let (tool, agent) = (&*call.name, self.sub_agent_label());
                let change = (request.diff)();
                let asked = ApprovalPrompt {
                    tool,
                    subject,
                    reason,
                    diff: change,
                    permanent_grant: always,
                    sub_agent: agent,
                };
                match self.ask_unless_granted(person, &asked, is_over) {
                    true => return None,
                    false if is_over() => "the run is ended",
                    false => "the user did not approve it",
                }
            }
            (Some(_), None) => "it is too long to be shown to the user; do it in smaller steps",
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

    /// Asks the user a question that a tool raised during a call. The tool session itself remembers
    /// what the answer grants.
    pub(crate) fn ask_tool_question(
        &self,
        request: &ApprovalRequest<'_>,
        question: &ApprovalQuestion,
        is_over: &dyn Fn() -> bool,
    ) -> Approval {
        let Some(person) = &self.shared.prompter else { return Approval::No };
        let _turn = self.shared.prompt_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let ApprovalQuestion { tool, subject, reason } = question;
        let (subject, reason, agent) = (subject.clone(), Some(&**reason), self.sub_agent_label());
        let (change, always) = ((request.diff)(), self.permanent_grant_text(tool, &subject));
        let asked = ApprovalPrompt {
            tool,
            subject,
            reason,
            diff: change,
            permanent_grant: always,
            sub_agent: agent,
        };
        if is_over() { Approval::No } else { person(&asked, is_over) }
    }

    /// Returns a sentence that states the permission which "always" grants, or `None` if the call
    /// allows no permanent grant.
    fn permanent_grant_text(&self, tool: &str, subject: &str) -> Option<String> {
        let (_, folder) = self.shared.grant_store.as_ref()?;
        let what = match tool {
            _ if targets_terminal(tool) => return None,
            "write_file" | "edit_file" | "multi_edit" => {
                format!("change {}, with any content,", quote_escaped(subject))
            }
            _ if subject.is_empty() => "be called".to_owned(),
            "bash" | "exec" => format!("run {}", quote_escaped(subject)),
            _ => format!("be called for {}", quote_escaped(subject)),
        };
        let folder = folder.display();
        Some(format!(
            "always: {tool} may {what} in {folder} without asking, in this and all later sessions; \
             `foveal permissions revoke` revokes it"
        ))
    }

    /// Returns whether a call is granted already, or the user approves it now. Records the new
    /// grant.
    fn ask_unless_granted(
        &self,
        person: &UserPrompter,
        asked: &ApprovalPrompt<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> bool {
        let SharedApprovals { prompt_lock: asking, grants: granted, grant_store: kept, .. } =
            &*self.shared;
        let _turn = asking.lock().unwrap_or_else(PoisonError::into_inner);
        let (tool, subject) = (asked.tool.to_owned(), asked.subject.clone());
        let grant = Grant { tool, subject };
        let is_of_terminal = targets_terminal(asked.tool);
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
                    // A grant that cannot be stored holds until the process ends.
                    drop(store.put_grant(
                        RootsKey::from_roots([&**folder]),
                        &key.1,
                        SystemClock.now(),
                    ));
                }
                granted.insert(key);
            }
            Approval::No | Approval::Unclear => return false,
        }
        true
    }
}

/// Returns whether calls of a tool address a terminal by its number. The same number means another
/// terminal in another session or another agent, so such grants are not shared.
fn targets_terminal(tool: &str) -> bool {
    matches!(tool, "write_stdin" | "close")
}

/// Returns the subject, or `None` if it is longer than [`PROMPT_CHARS_MAX`].
fn readable_subject(about: String) -> Option<String> {
    let is_read = quote_escaped(&about).chars().nth(PROMPT_CHARS_MAX).is_none();
    is_read.then_some(about)
}

/// Returns the subject of a call: its command, file or address, the paths of a multi-file edit,
/// else all arguments as JSON.
fn call_subject(call: &ToolCall) -> String {
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

/// Returns the subject of a call in one line of bounded length.
pub fn call_subject_line(call: &ToolCall) -> String {
    // The full task of a sub-agent would fill the screen.
    let label = (call.name == START_AGENT)
        .then(|| SubAgentTask::from_arguments(&call.arguments).ok())
        .flatten();
    let about = label.map_or_else(|| call_subject(call), |task| task.label);
    let line = escape_one_line(&about).into_owned();
    match line.char_indices().nth(SUBJECT_LINE_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use foveal_store::SqliteStore;
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: "a".to_owned(), name: name.to_owned(), arguments }
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
        assert_eq!(call_subject_line(&call("bash", json!({"command": "make\nall"}))), "make\\nall");
        assert_eq!(call_subject_line(&call("x", json!({"n": 1}))), r#"{"n":1}"#);
        assert!(
            call_subject_line(&call("x", json!({"path": "a".repeat(999)}))).chars().count() < 310
        );
    }

    /// Returns the refusal of a call that changes no file.
    fn refusal(approvals: &Approvals, call: &ToolCall) -> Option<ToolAnswer> {
        approvals
            .request_approval(&ApprovalRequest { call, diff: &|| None, command: None }, &|| false)
    }

    fn asked(call: &ToolCall) -> Option<String> {
        let subject = readable_subject(call_subject(call))?;
        let (tool, reason, change, always, agent) = (&*call.name, None, None, None, None);
        let prompt = ApprovalPrompt {
            tool,
            subject,
            reason,
            diff: change,
            permanent_grant: always,
            sub_agent: agent,
        };
        Some(prompt.question_line())
    }

    #[test]
    fn what_is_allowed_for_the_session_is_not_asked_again() {
        for (answer, times) in [(Approval::Once, 3), (Approval::Session, 2), (Approval::No, 3)] {
            let asked = Arc::new(Mutex::new(0));
            let count = Arc::clone(&asked);
            let person = move |_: &ApprovalPrompt<'_>, _: &dyn Fn() -> bool| {
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
        let person = move |asked: &ApprovalPrompt<'_>, _: &dyn Fn() -> bool| {
            questions.lock().expect("questions").push(asked.question_line());
            Approval::Session
        };
        let approvals = Approvals::new(false, Some(Box::new(person)), None);
        let agent = approvals.for_sub_agent("fix `it`", &SessionId("run a/1".to_owned()));
        let make = call("bash", json!({"command": "make"}));
        assert_eq!(refusal(&agent, &make), None);
        // Grants are shared between the agents.
        assert_eq!(refusal(&approvals, &make), None);
        let (subject, reason) = ("make".to_owned(), "a rule asks".to_owned());
        let question = ApprovalQuestion { tool: "bash", subject, reason };
        agent.ask_tool_question(
            &ApprovalRequest { call: &make, diff: &|| None, command: None },
            &question,
            &|| false,
        );
        let asked = asked.lock().expect("questions");
        let expected = [
            r#"sub-agent "fix `it`": bash `make`. Continue?"#,
            r#"sub-agent "fix `it`": bash `make`: a rule asks. Continue?"#,
        ];
        assert_eq!(*asked, expected);
    }

    /// Input for terminal 1 goes to the program that runs in it. A sub-agent's or a later session's
    /// terminal 1 is another terminal.
    #[test]
    fn what_is_allowed_of_a_terminal_holds_where_it_is() {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let asked = Arc::new(Mutex::new(0));
        let opened = || {
            let count = Arc::clone(&asked);
            let person = move |_: &ApprovalPrompt<'_>, _: &dyn Fn() -> bool| {
                *count.lock().expect("a count") += 1;
                Approval::Always
            };
            Approvals::new(false, Some(Box::new(person)), Some((&store, Path::new("/w"))))
        };
        let (typed, make) = (
            call("write_stdin", json!({"id": 1, "text": "y\n"})),
            call("bash", json!({"command": "make"})),
        );
        let asks = |approvals: &Approvals, call: &ToolCall| {
            let before = *asked.lock().expect("a count");
            assert_eq!(refusal(approvals, call), None);
            *asked.lock().expect("a count") > before
        };
        let first = opened();
        let [one, other] =
            ["run a/1", "run a/2"].map(|it| first.for_sub_agent("it", &SessionId(it.to_owned())));
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
        assert_eq!(asked, Some(format!("bash `{command}`. Continue?")));
        let asked = self::asked(&call("bash", json!({"command": "a\nb\u{202e}`"})));
        assert_eq!(asked.as_deref(), Some(r#"bash "a\nb\u202e`". Continue?"#));
        let edit = |path: &str| json!({"path": path, "old_str": "a", "new_str": "b"});
        let edits = json!({"edits": [edit("a.rs"), edit("a.rs"), edit(".bashrc")]});
        let asked = self::asked(&call("multi_edit", edits));
        assert_eq!(asked.as_deref(), Some("multi_edit `a.rs, .bashrc`. Continue?"));
        let long = call("bash", json!({"command": "a".repeat(5_000)}));
        assert_eq!(self::asked(&long), None);
        let approvals = Approvals::new(false, Some(Box::new(|_, _| Approval::Once)), None);
        let refused = refusal(&approvals, &long).expect("it is not done");
        assert!(refused.text.contains("smaller steps"), "{}", refused.text);
    }
}
