//! Opens the agent: model, tools, session, and what decides about its requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use anyhow::Context;
use foveal_agent::{Agent, AgentTool, Event, Limits, Past};
use foveal_context::placement::base_files::BaseFile;
use foveal_context::tokens::Tokens;
use foveal_live::Conversations;
use foveal_live::models::{Model, names_binding_model};
use foveal_live::prices::OwnPrices;
use foveal_live::rules::Rules;
use foveal_llm::{Client, ModelSpec, Patience};
use foveal_processes::Confinement;
use foveal_store::SessionId;
use foveal_tools::Toolbox;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::Role;
use tokio::runtime::Runtime;

use super::approval::{Approvals, Person};
use super::asking::Asking;
use super::base_files::base_files;
use super::calling::Calling;
use super::earlier::Earlier;
use super::in_use::InUse;
use super::means::{EVENTS_MAX, Means};
use super::opening::{self, Company};
use super::sub_agents::SubAgents;
use crate::environment::Environment;
use crate::gateway::own_prices;
use crate::models::{Chosen, choose};
use crate::notice;
use crate::runs::{Lock, Run, RunLog, keep_agents};
use crate::sessions::kind_and_name;
use crate::side_agents::SideBill;
use crate::toolbox::Opener;
use crate::user_settings::{AgentSettings, UserSettings};

/// The provider whose own API is known to leave out thinking whose prefix changed.
const ANTHROPIC: &str = "anthropic";

/// What is wanted of an agent.
pub(crate) struct Wanted<'a> {
    /// The folder that it works in, a canonical path.
    pub(crate) folder: &'a Path,
    /// The model, where one is named.
    pub(crate) model: Option<&'a ModelSpec>,
    /// By which rules its requests are decided about, where that is said.
    pub(crate) profile: Option<&'a str>,
    /// How far it goes.
    pub(crate) limits: Limits,
    /// The session that it goes on with.
    pub(crate) earlier: Option<Earlier>,
    /// Files of the folder that stand in the system prompt, besides those that do anyway.
    pub(crate) pinned: &'a [String],
    /// Whether somebody is there while it works; then it stays when a task is done.
    pub(crate) company: Company,
    /// Whether all is allowed beforehand.
    pub(crate) yes: bool,
    /// Who can be asked.
    pub(crate) person: Option<Box<Person>>,
}

/// An agent that is ready to work.
pub(crate) struct Opened {
    pub(crate) agent: Agent,
    pub(crate) asking: Asking,
    pub(crate) calling: Calling,
    pub(crate) log: RunLog,
    /// What happens to it.
    pub(crate) sender: SyncSender<Event>,
    pub(crate) events: Receiver<Event>,
    pub(crate) toolbox: Arc<Toolbox>,
    /// What decides about its requests.
    pub(crate) shaper: Arc<Conversations>,
    /// The model, as users name it.
    pub(crate) model: String,
    /// What the session is called, where it is kept.
    pub(crate) session: Option<String>,
    /// Nobody else works on the session while this is there.
    pub(crate) lock: Option<Lock>,
}

/// What asks models.
///
/// # Errors
/// If there can be none.
pub(crate) fn runtime(environment: &Environment) -> anyhow::Result<(Runtime, Client)> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.context("no model can be asked")?;
    let client = Client::new(Patience::default(), &environment.proxies());
    let client = client.context("cannot speak TLS")?;
    Ok((runtime, client))
}

/// Opens an agent.
///
/// # Errors
/// If there is no model, or the folder cannot be used.
pub(crate) fn open(
    wanted: Wanted<'_>,
    (runtime, client): (&Runtime, Client),
    environment: &Environment,
) -> anyhow::Result<Opened> {
    let Wanted { folder, model, profile, limits, earlier, pinned, company, yes, person } = wanted;
    let chosen = chosen((runtime, &client), model, earlier.as_ref(), environment)?;
    let opener = opener(chosen.server.key_variable, environment)?;
    let (own, bill) = bill(limits, opener.settings())?;
    let opener = opener.billed_to(&bill);
    let toolbox = opener.open(&[PathBuf::from(folder)])?;
    let user = opener.settings();
    let profile = profile.map(str::to_owned).or_else(|| earlier.as_ref()?.profile());
    let window = listed_window((runtime, &client), &chosen);
    let (rules, run) = rules_and_run(&chosen, window, profile, &user.agent)?;
    let is_decided_anew = earlier.as_ref().is_some_and(|earlier| earlier.is_decided_anew(&run));
    let (session, past, lock) = match earlier {
        Some(earlier) => taken_up(earlier, &run, &toolbox),
        None => new_session(environment),
    };
    let files = base_files(folder, &user.agent.base_files, pinned)?;
    let about = (folder, company, files.as_slice());
    let mut settings = opening::settings(&chosen, limits, about, (&session, &own));
    let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_MAX);
    let files = files_at_first(&past, files);
    let has_agents = user.agent.sub_agents;
    let keeps = opener.keeps_sessions();
    let means = Means {
        runtime: runtime.handle().clone(),
        client,
        server: chosen.server,
        window,
        rules,
        base: Arc::new(InUse::new(folder, files.clone())),
        prices: own,
        bill,
        opener,
        toolbox: Arc::clone(&toolbox),
        debug: environment.debug()?,
    };
    let (shaper, asking) = means.asking(&session, &sender);
    let asking = asking.deciding_anew(is_decided_anew).paying();
    let approvals = Approvals::new(yes, person, Some((&toolbox.store, folder)));
    let mut calling = Calling::new(&toolbox, &session, approvals.clone(), sender.clone());
    if has_agents {
        let own = (settings.clone(), opening::system(folder, Company::Agent, &files));
        let agents = SubAgents::new(means, own, (&session, &run), approvals);
        calling = calling.with_sub_agents(Arc::new(move |task, start, tell, cancel| {
            agents.work(task, start, tell, cancel)
        }));
        settings.tools.push(AgentTool::start_agent());
    }
    let log = RunLog::new(&toolbox.store, &session, vec![settings.directory.clone()], run);
    let session = keeps.then(|| kind_and_name(&session.0).1.to_owned());
    let agent = Agent::resumed(settings, past);
    Ok(Opened {
        agent,
        asking,
        calling,
        log,
        sender,
        events,
        toolbox,
        shaper,
        model: chosen.spec.to_string(),
        session,
        lock,
    })
}

/// What the user says of prices, and by that what models cost that are asked beside the main one.
///
/// # Errors
/// If the prices cannot be used.
fn bill(limits: Limits, user: &UserSettings) -> anyhow::Result<(Arc<OwnPrices>, Arc<SideBill>)> {
    let own = Arc::new(own_prices(&user.gateway.prices)?);
    let said = Arc::clone(&own);
    let bill = SideBill::new(limits, Box::new(move |model| opening::card(model, &said)));
    Ok((own, bill))
}

/// The model that is asked: the one that is named, that of the session, or the usual one.
///
/// # Errors
/// If it cannot be asked, or there is none.
fn chosen(
    (runtime, client): (&Runtime, &Client),
    named: Option<&ModelSpec>,
    earlier: Option<&Earlier>,
    environment: &Environment,
) -> anyhow::Result<Chosen> {
    let named = match (named, earlier) {
        (None, Some(earlier)) => Some(earlier.model()?),
        (named, _) => named.cloned(),
    };
    let mut chosen = runtime.block_on(choose(client, named.as_ref(), environment))?;
    // Without that there would be no rewrites. Other servers of the same models may not know it.
    let is_anthropic = chosen.server.name == ANTHROPIC;
    chosen.server.drops_bound_thinking = is_anthropic && names_binding_model(&chosen.server.model);
    if chosen.is_guessed {
        notice::say(format_args!("asks {}; --model names another", chosen.spec));
    }
    Ok(chosen)
}

/// Tokens of the longest prompt of a model whose name does not tell that, where its server does.
fn listed_window((runtime, client): (&Runtime, &Client), chosen: &Chosen) -> Option<Tokens> {
    let server = &chosen.server;
    if Model::named(&server.model, server.dialect.protocol()).has_known_window {
        return None;
    }
    runtime.block_on(client.window(server)).map(Tokens)
}

/// By which rules requests to this model are decided about, and how a session goes on with it.
///
/// # Errors
/// If the user's limits cannot be kept to.
fn rules_and_run(
    chosen: &Chosen,
    window: Option<Tokens>,
    profile: Option<String>,
    user: &AgentSettings,
) -> anyhow::Result<(Rules, Run)> {
    let (server, model) = (&chosen.server, chosen.spec.to_string());
    let profile = profile.unwrap_or_else(|| user.profile.clone());
    let by_name = || Model::named(&server.model, server.dialect.protocol()).window;
    let window = window.unwrap_or_else(by_name);
    let rules = opening::rules(&profile, &user.history, window)?;
    let (protocol, decided_by) = (server.dialect.name().to_owned(), rules.decided_by());
    let run = Run { model, protocol, profile, rules: Some(decided_by.into_owned()), of: None };
    Ok((rules, run))
}

/// The session that is gone on with, what was said in it, and what holds it.
fn taken_up(earlier: Earlier, run: &Run, toolbox: &Toolbox) -> (SessionId, Past, Option<Lock>) {
    let taken_up = earlier.taken_up(run);
    // Where that cannot be done they are kept as long as other sessions.
    drop(keep_agents(&*toolbox.store, &taken_up.0, SystemClock.now()));
    taken_up
}

/// A session that nobody else works on. Where it cannot be held, nobody else can either.
fn new_session(environment: &Environment) -> (SessionId, Past, Option<Lock>) {
    let session = SessionId(opening::session_name());
    let lock = Lock::take(&session, environment).ok();
    (session, Past::default(), lock)
}

/// Opens the tools. Commands do not see the key that the model is asked with.
fn opener(key_variable: &str, environment: &Environment) -> anyhow::Result<Opener> {
    match Confinement::available() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::say(loose),
        Err(error) => notice::say(error),
    }
    Ok(Opener::new(environment)?.hiding(key_variable).for_commands(&[]))
}

/// The files that stand in the system prompt of a session: in one that is gone on with those that it
/// began with, whatever today's are.
fn files_at_first(past: &Past, today: Vec<BaseFile>) -> Vec<BaseFile> {
    let begun = past.entries().iter().find(|entry| entry.role == Role::System);
    begun.map_or(today, |system| opening::files_of(&system.text()))
}
