//! Construction of an agent from its model, tools and session.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use foveal_agent::{Agent, AgentInput, AgentTool, ResumeState, RunLimits};
use foveal_engine::placement::base_files::BaseFile;
use foveal_pricing::tokens::Tokens;
use foveal_providers::{LlmClient, ModelServer};
use foveal_proxy::RequestShaper;
use foveal_proxy::models::{ModelTraits, is_known_to_bind_thinking};
use foveal_proxy::rules::ShapingRules;
use foveal_settings::AgentSection;
use foveal_store::SessionId;
use foveal_tools::Toolbox;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::MessageRole;
use tokio::runtime::Handle;

use super::agent_config::{self, InteractionMode, ProfileError};
use super::agent_resources::{AgentHost, AgentResources, EVENTS_MAX};
use super::approval::{Approvals, UserPrompter};
use super::base_file_source::BaseFileSource;
use super::base_files::{BaseFileError, collect_base_files};
use super::model_client::{ModelRequester, session_requester};
use super::resumable_session::ResumableSession;
use super::sub_agents::SubAgentFactory;
use super::tool_executor::ToolExecutor;
use crate::chosen_model::ChosenModel;
use crate::runs::{RunLock, RunLog, RunSettings, retain_sub_agents};

/// The provider whose own API is known to drop thinking whose prefix changed.
const ANTHROPIC: &str = "anthropic";

/// The specification of an agent.
pub struct AgentSpec<'a> {
    /// The folder that it works in, as a canonical path.
    pub folder: &'a Path,
    /// The model.
    pub model: ChosenModel,
    /// The profile of its requests, if the user names one.
    pub profile: Option<&'a str>,
    /// The limits of its requests, tokens, costs and time.
    pub limits: RunLimits,
    /// The session that it continues.
    pub earlier: Option<ResumableSession>,
    /// Files of the folder that stand in the system prompt beside the default ones.
    pub pinned: &'a [String],
    /// The addressee of its answers. An interactive agent waits for the next message when a task is
    /// done.
    pub interaction: InteractionMode,
    /// Whether `--yes` approves calls without a question.
    pub auto_approves: bool,
    /// Asks the user for approvals; `None` if there is no user to ask.
    pub prompter: Option<Box<UserPrompter>>,
}

/// An agent that is ready to work, with everything that its event loop needs.
pub struct ReadyAgent {
    /// The agent.
    pub agent: Agent,
    /// Sends its requests.
    pub requester: ModelRequester,
    /// Executes its tool calls.
    pub executor: ToolExecutor,
    /// Stores its run.
    pub log: RunLog,
    /// The sending side of `events`.
    pub sender: SyncSender<AgentInput>,
    /// Its inputs.
    pub events: Receiver<AgentInput>,
    /// The tools in its folder.
    pub toolbox: Arc<Toolbox>,
    /// The shaper of its requests.
    pub shaper: Arc<RequestShaper>,
    /// The model, in the form that users name it.
    pub model: String,
    /// The name of the session, if it is stored.
    pub session: Option<String>,
    /// Keeps other processes from continuing the session.
    pub lock: Option<RunLock>,
}

/// The reason why an agent cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum AgentBuildError {
    /// The profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A pinned file cannot be used.
    #[error(transparent)]
    BaseFile(#[from] BaseFileError),
}

/// Builds an agent.
///
/// # Errors
/// If the profile, the user's limits or a pinned file cannot be used.
pub fn build_agent(wanted: AgentSpec<'_>, host: AgentHost) -> Result<ReadyAgent, AgentBuildError> {
    let AgentSpec { folder, limits, earlier, model: mut chosen, .. } = wanted;
    chosen.server.drops_bound_thinking = drops_bound_thinking(&chosen.server);
    let (toolbox, user) = (Arc::clone(&host.toolbox), &host.settings);
    let notifier = &toolbox.user_notifier;
    let profile = wanted.profile.map(str::to_owned).or_else(|| earlier.as_ref()?.last_profile());
    let window = server_window(&host.runtime, &host.client, &chosen);
    let settings_key = session_settings_key(earlier.as_ref(), &host);
    let (rules, run) = rules_and_run(&chosen, window, profile, user, settings_key)?;
    let is_decided_anew = earlier.as_ref().is_some_and(|earlier| earlier.needs_new_decisions(&run));
    let (session, past, lock) = match earlier {
        Some(earlier) => resume_session(earlier, &run, &toolbox),
        None => new_session(host.data_folder.as_deref()),
    };
    let files = collect_base_files(folder, &user.base_files, wanted.pinned, notifier)?;
    let mut settings = agent_config::agent_settings(
        &chosen,
        limits,
        folder,
        wanted.interaction,
        &files,
        &session,
        &host.prices,
    );
    let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_MAX);
    let files = initial_base_files(&past, files);
    let has_agents = user.sub_agents;
    let name = host.persists_sessions.then(|| session.kind_and_name().1.to_owned());
    let base_folder = Arc::new(BaseFileSource::new(folder, files.clone()));
    let means = AgentResources { host, server: chosen.server, window, rules, base_folder };
    let approvals =
        Approvals::new(wanted.auto_approves, wanted.prompter, Some((&toolbox.store, folder)));
    let mut calling = ToolExecutor::new(&toolbox, &session, approvals.clone(), sender.clone());
    let (shaper, asking) = session_requester(&means, &session, &calling.tool_session(), &sender);
    if has_agents {
        let system = agent_config::system_prompt(folder, InteractionMode::SubAgent, &files);
        let agents =
            SubAgentFactory::new(means, settings.clone(), system, &session, &run, approvals);
        calling = calling.with_sub_agents(Arc::new(move |task, start, tell, cancel| {
            agents.run_sub_agent(task, start, tell, cancel)
        }));
        settings.tools.push(AgentTool::new_sub_agent_tool());
    }
    let roots = vec![settings.directory.clone()];
    Ok(ReadyAgent {
        log: RunLog::new(&toolbox.store, &session, roots, run, notifier.clone()),
        agent: Agent::from_resume_state(settings, past),
        requester: asking.with_new_decisions(is_decided_anew).with_side_costs(),
        executor: calling.with_base_files(&files),
        sender,
        events,
        toolbox,
        shaper,
        model: chosen.spec.to_string(),
        session: name,
        lock,
    })
}

/// Returns whether a server is known to drop thinking whose prefix changed. Without this there would
/// be no rewrites. Other servers of the same models may not support it.
fn drops_bound_thinking(server: &ModelServer) -> bool {
    server.name == ANTHROPIC && is_known_to_bind_thinking(&server.model)
}

/// Returns the window in tokens that the server reports, for a model whose name does not tell it.
fn server_window(runtime: &Handle, client: &LlmClient, chosen: &ChosenModel) -> Option<Tokens> {
    let server = &chosen.server;
    if ModelTraits::from_name(&server.model, server.dialect.protocol()).has_known_window {
        return None;
    }
    runtime.block_on(client.context_window(server)).map(Tokens)
}

/// Returns the key of the settings by which decisions are found. A continued session keeps its key:
/// other decisions would rewrite its prompt.
fn session_settings_key(earlier: Option<&ResumableSession>, host: &AgentHost) -> Option<String> {
    match earlier {
        Some(earlier) => earlier.settings_key(),
        None => {
            let curator = host.curator_choice.clone();
            agent_config::view_settings_key(&host.toolbox.settings, curator)
        }
    }
}

/// Returns the rules for requests to the chosen model, and the record of this run for the log.
///
/// # Errors
/// If the user's limits cannot be met.
fn rules_and_run(
    chosen: &ChosenModel,
    window: Option<Tokens>,
    profile: Option<String>,
    user: &AgentSection,
    settings_key: Option<String>,
) -> Result<(ShapingRules, RunSettings), ProfileError> {
    let (server, model) = (&chosen.server, chosen.spec.to_string());
    let profile = profile.unwrap_or_else(|| user.profile.clone());
    let by_name = || ModelTraits::from_name(&server.model, server.dialect.protocol()).window;
    let window = window.unwrap_or_else(by_name);
    let rules = agent_config::profile_rules(&profile, user, window)?;
    let rules = ShapingRules { settings_key: settings_key.clone(), ..rules };
    let (protocol, decided_by) = (server.dialect.name().to_owned(), rules.rules_key());
    let decided_by = Some(decided_by.into_owned());
    let run = RunSettings { model, protocol, profile, rules: decided_by, settings_key, of: None };
    Ok((rules, run))
}

/// Returns the id, messages and lock of a continued session.
fn resume_session(
    earlier: ResumableSession,
    run: &RunSettings,
    toolbox: &Toolbox,
) -> (SessionId, ResumeState, Option<RunLock>) {
    let taken_up = earlier.into_resume_state(run, &toolbox.user_notifier);
    // On an error the sub-agents' sessions are stored as long as other sessions.
    drop(retain_sub_agents(&*toolbox.store, &taken_up.0, SystemClock.now()));
    taken_up
}

/// Returns the id and lock of a new session. If it cannot be locked here, no other process can lock
/// it either.
fn new_session(data_folder: Option<&Path>) -> (SessionId, ResumeState, Option<RunLock>) {
    let session = SessionId(agent_config::new_session_name());
    let lock = RunLock::acquire(&session, data_folder).ok();
    (session, ResumeState::default(), lock)
}

/// Returns the base files of the system prompt: those that a continued session began with, else the
/// current ones.
fn initial_base_files(past: &ResumeState, today: Vec<BaseFile>) -> Vec<BaseFile> {
    let begun = past.entries().iter().find(|entry| entry.role == MessageRole::System);
    begun.map_or(today, |system| agent_config::parse_prompt_base_files(&system.text()))
}
