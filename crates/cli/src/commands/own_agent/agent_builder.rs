//! Construction of an agent from its model, tools and session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use anyhow::Context;
use foveal_agent::{Agent, AgentInput, AgentTool, ResumeState, RunLimits};
use foveal_engine::placement::base_files::BaseFile;
use foveal_pricing::tokens::Tokens;
use foveal_providers::{LlmClient, ModelRequestLimits, ModelSpec};
use foveal_proxy::RequestShaper;
use foveal_proxy::models::{ModelTraits, is_known_to_bind_thinking};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::rules::ShapingRules;
use foveal_sandbox::Confinement;
use foveal_settings::{AgentSection, UserSettings, build_price_overrides};
use foveal_store::SessionId;
use foveal_tools::Toolbox;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::MessageRole;
use tokio::runtime::Runtime;

use super::agent_config::{self, InteractionMode};
use super::agent_runtime::{AgentRuntime, EVENTS_MAX};
use super::approval::{Approvals, UserPrompter};
use super::base_file_source::BaseFileSource;
use super::base_files::collect_base_files;
use super::model_client::{ModelRequester, session_requester};
use super::resumable_session::ResumableSession;
use super::sub_agents::SubAgentFactory;
use super::tool_executor::ToolExecutor;
use crate::environment::Environment;
use crate::models::{ChosenModel, choose_model};
use crate::notice;
use crate::runs::{RunLock, RunLog, RunSettings, retain_sub_agents};
use crate::sessions::split_session_id;
use crate::side_agents::SideBill;
use crate::toolbox::ToolboxFactory;

/// The provider whose own API is known to drop thinking whose prefix changed.
const ANTHROPIC: &str = "anthropic";

/// The specification of an agent.
pub(crate) struct AgentSpec<'a> {
    /// The folder that it works in, as a canonical path.
    pub(crate) folder: &'a Path,
    /// The model, if the user names one.
    pub(crate) model: Option<&'a ModelSpec>,
    /// The profile of its requests, if the user names one.
    pub(crate) profile: Option<&'a str>,
    /// The limits of its requests, tokens, costs and time.
    pub(crate) limits: RunLimits,
    /// The session that it continues.
    pub(crate) earlier: Option<ResumableSession>,
    /// Files of the folder that stand in the system prompt beside the default ones.
    pub(crate) pinned: &'a [String],
    /// The addressee of its answers. An interactive agent waits for the next message when a task is
    /// done.
    pub(crate) interaction: InteractionMode,
    /// Whether `--yes` approves calls without a question.
    pub(crate) auto_approves: bool,
    /// Asks the user for approvals; `None` if there is no user to ask.
    pub(crate) prompter: Option<Box<UserPrompter>>,
}

/// An agent that is ready to work, with everything that its event loop needs.
pub(crate) struct ReadyAgent {
    pub(crate) agent: Agent,
    pub(crate) requester: ModelRequester,
    pub(crate) executor: ToolExecutor,
    pub(crate) log: RunLog,
    /// The sending side of `events`.
    pub(crate) sender: SyncSender<AgentInput>,
    pub(crate) events: Receiver<AgentInput>,
    pub(crate) toolbox: Arc<Toolbox>,
    /// The shaper of its requests.
    pub(crate) shaper: Arc<RequestShaper>,
    /// The model, in the form that users name it.
    pub(crate) model: String,
    /// The name of the session, if it is stored.
    pub(crate) session: Option<String>,
    /// Keeps other processes from continuing the session.
    pub(crate) lock: Option<RunLock>,
}

/// Starts the runtime for requests to models, with a client.
///
/// # Errors
/// If the runtime cannot be started, or TLS is not available.
pub(crate) fn start_runtime_and_client(
    environment: &Environment,
) -> anyhow::Result<(Runtime, LlmClient)> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.context("cannot start the HTTP client")?;
    let client = LlmClient::new(ModelRequestLimits::default(), &environment.proxies());
    let client = client.context("cannot set up TLS")?;
    Ok((runtime, client))
}

/// Builds an agent.
///
/// # Errors
/// If there is no model, or the folder cannot be used.
pub(crate) fn build_agent(
    wanted: AgentSpec<'_>,
    runtime: &Runtime,
    client: LlmClient,
    environment: &Environment,
) -> anyhow::Result<ReadyAgent> {
    let AgentSpec { folder, limits, earlier, .. } = wanted;
    let chosen =
        choose_session_model(runtime, &client, wanted.model, earlier.as_ref(), environment)?;
    let opener = toolbox_opener(chosen.server.key_variable, environment)?;
    let (own, bill) = prices_and_side_bill(limits, opener.settings())?;
    let opener = opener.with_side_bill(&bill);
    let toolbox = opener.open(&[PathBuf::from(folder)])?;
    let user = opener.settings();
    let profile = wanted.profile.map(str::to_owned).or_else(|| earlier.as_ref()?.last_profile());
    let window = server_window(runtime, &client, &chosen);
    let settings_key = session_settings_key(earlier.as_ref(), &opener, &toolbox);
    let (rules, run) = rules_and_run(&chosen, window, profile, &user.agent, settings_key)?;
    let is_decided_anew = earlier.as_ref().is_some_and(|earlier| earlier.needs_new_decisions(&run));
    let (session, past, lock) = match earlier {
        Some(earlier) => resume_session(earlier, &run, &toolbox),
        None => new_session(environment),
    };
    let files = collect_base_files(folder, &user.agent.base_files, wanted.pinned)?;
    let mut settings = agent_config::agent_settings(
        &chosen,
        limits,
        folder,
        wanted.interaction,
        &files,
        &session,
        &own,
    );
    let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_MAX);
    let files = initial_base_files(&past, files);
    let has_agents = user.agent.sub_agents;
    let name = opener.persists_sessions().then(|| split_session_id(&session.0).1.to_owned());
    let means = AgentRuntime {
        runtime: runtime.handle().clone(),
        client,
        server: chosen.server,
        window,
        rules,
        base_folder: Arc::new(BaseFileSource::new(folder, files.clone())),
        prices: own,
        side_bill: bill,
        opener,
        toolbox: Arc::clone(&toolbox),
        debug: environment.debug_topics()?,
    };
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
    Ok(ReadyAgent {
        log: RunLog::new(&toolbox.store, &session, vec![settings.directory.clone()], run),
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

/// Returns the user's own prices, and a bill for side models that uses them.
///
/// # Errors
/// If the prices are invalid.
fn prices_and_side_bill(
    limits: RunLimits,
    user: &UserSettings,
) -> anyhow::Result<(Arc<PriceOverrides>, Arc<SideBill>)> {
    let own = Arc::new(build_price_overrides(&user.gateway.prices)?);
    let said = Arc::clone(&own);
    let bill = SideBill::new(
        limits,
        Box::new(move |model| agent_config::chosen_model_price(model, &said)),
    );
    Ok((own, bill))
}

/// Returns the model to use: the named one, that of the continued session, or the default.
///
/// # Errors
/// If the model cannot be used, or there is none.
fn choose_session_model(
    runtime: &Runtime,
    client: &LlmClient,
    named: Option<&ModelSpec>,
    earlier: Option<&ResumableSession>,
    environment: &Environment,
) -> anyhow::Result<ChosenModel> {
    let named = match (named, earlier) {
        (None, Some(earlier)) => Some(earlier.last_model()?),
        (named, _) => named.cloned(),
    };
    let mut chosen = runtime.block_on(choose_model(client, named.as_ref(), environment))?;
    // Without this there would be no rewrites. Other servers of the same models may not support it.
    let is_anthropic = chosen.server.name == ANTHROPIC;
    chosen.server.drops_bound_thinking =
        is_anthropic && is_known_to_bind_thinking(&chosen.server.model);
    if chosen.is_ambiguous {
        notice::print_notice(format_args!(
            "using the model {}; choose another one with --model",
            chosen.spec
        ));
    }
    Ok(chosen)
}

/// Returns the window in tokens that the server reports, for a model whose name does not tell it.
fn server_window(runtime: &Runtime, client: &LlmClient, chosen: &ChosenModel) -> Option<Tokens> {
    let server = &chosen.server;
    if ModelTraits::from_name(&server.model, server.dialect.protocol()).has_known_window {
        return None;
    }
    runtime.block_on(client.context_window(server)).map(Tokens)
}

/// Returns the key of the settings by which decisions are found. A continued session keeps its key:
/// other decisions would rewrite its prompt.
fn session_settings_key(
    earlier: Option<&ResumableSession>,
    opener: &ToolboxFactory,
    toolbox: &Toolbox,
) -> Option<String> {
    match earlier {
        Some(earlier) => earlier.settings_key(),
        None => {
            let user = opener.settings_for_folder(toolbox.roots.working_directory());
            agent_config::view_settings_key(&toolbox.settings, user.curator())
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
) -> anyhow::Result<(ShapingRules, RunSettings)> {
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
    let taken_up = earlier.into_resume_state(run);
    // On an error the sub-agents' sessions are stored as long as other sessions.
    drop(retain_sub_agents(&*toolbox.store, &taken_up.0, SystemClock.now()));
    taken_up
}

/// Returns the id and lock of a new session. If it cannot be locked here, no other process can lock
/// it either.
fn new_session(environment: &Environment) -> (SessionId, ResumeState, Option<RunLock>) {
    let session = SessionId(agent_config::new_session_name());
    let lock = RunLock::acquire(&session, environment).ok();
    (session, ResumeState::default(), lock)
}

/// Returns the opener of the tools. Commands do not inherit `key_variable`, which holds the key of
/// the model's API.
fn toolbox_opener(key_variable: &str, environment: &Environment) -> anyhow::Result<ToolboxFactory> {
    match Confinement::detect() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::print_notice(loose),
        Err(error) => notice::print_notice(error),
    }
    Ok(ToolboxFactory::new(environment)?.without_variable(key_variable).with_writable_roots(&[]))
}

/// Returns the base files of the system prompt: those that a continued session began with, else the
/// current ones.
fn initial_base_files(past: &ResumeState, today: Vec<BaseFile>) -> Vec<BaseFile> {
    let begun = past.entries().iter().find(|entry| entry.role == MessageRole::System);
    begun.map_or(today, |system| agent_config::parse_prompt_base_files(&system.text()))
}
