//! What a run begins with: system prompt, tools, and by which rules its requests are decided.

use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use foveal_agent::{AgentTool, Event, Limits, Settings};
use foveal_context::facts::DETECT_ARGUMENT;
use foveal_context::placement::base_files::{
    BaseFile, BaseFolder, read_base_files, render_base_files,
};
use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokens;
use foveal_live::prices::OwnPrices;
use foveal_live::rules::Rules;
use foveal_live::{Conversations, Redactor};
use foveal_store::SessionId;
use foveal_tools::Toolbox;
use foveal_tools::control::Progress;
use foveal_tools::helping::Helping;
use foveal_tools::table::ToolSet;
use foveal_wire::prompt::{Dialect, ToolSpec};

use crate::commands::serve::{Kept, prices};
use crate::gateway::{Spread, weigh};
use crate::models::Chosen;
use crate::runs::KIND;
use crate::side_agents::{TellOfRead, Waiting, Watched};
use crate::toolbox::Opener;
use crate::user_settings::HistoryLimits;

/// Bytes of a read or of an output beyond which the engine shows its ends, whatever the profile:
/// more than that fits no prompt.
const RESULT_BYTES_MAX: usize = 120_000;

/// Tokens of an answer that newer Claude models may be asked for; older ones refuse so many.
const CLAUDE_OUTPUT_TOKENS: u64 = 32_000;

/// Hex digits of such a name.
const NAME_DIGITS: usize = 12;

/// A run asks a model's server itself, and none of the gateway's upstreams: prices that name one of
/// those are not for it.
pub(crate) const NO_UPSTREAM: &str = "";

/// The profile's name with which nothing is left out.
const OFF: &str = foveal_live::rules::OFF;

/// A name that no other session has.
pub(crate) fn session_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = blake3::hash(format!("{} {}", now.as_nanos(), std::process::id()).as_bytes());
    format!("{KIND} {}", &hash.to_hex()[..NAME_DIGITS])
}

/// What the agent is made of. What the user says of prices (`own`) counts before list prices, and
/// of a model on this machine too.
pub(crate) fn settings(
    chosen: &Chosen,
    limits: Limits,
    (directory, company, files): (&Path, Company, &[BaseFile]),
    (session, own): (&SessionId, &OwnPrices),
) -> Settings {
    let server = &chosen.server;
    let (model, dialect) = (server.model.clone(), server.dialect);
    let is_newer_claude = model.contains("claude") && !model.contains("claude-3");
    let asks_for_much = dialect == Dialect::Messages && is_newer_claude;
    let prices = card(chosen, own);
    Settings {
        session: session.0.clone(),
        system: system(directory, company, files),
        tools: ToolSet::Full.tools().map(tool).collect(),
        output_tokens_max: asks_for_much.then_some(CLAUDE_OUTPUT_TOKENS),
        drops_bound_thinking: server.drops_bound_thinking,
        limits,
        prices,
        directory: directory.display().to_string(),
        stays: company == Company::Person,
        model,
        dialect,
    }
}

/// What a model costs; `None`: nothing, as on this machine where the user says no price.
pub(crate) fn card(chosen: &Chosen, own: &OwnPrices) -> Option<PriceCard> {
    let (model, protocol) = (&*chosen.server.model, chosen.server.dialect.protocol());
    let is_free = chosen.is_free && own.said(model, NO_UPSTREAM).is_none();
    (!is_free).then(|| prices(own, (model, NO_UPSTREAM), protocol))
}

fn tool(tool: &'static foveal_tools::Tool) -> AgentTool {
    let spec = ToolSpec {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        schema: tool.schema(),
    };
    AgentTool { spec, only_looks: tool.hints.read_only }
}

/// Who is there while an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    /// Nobody.
    Alone,
    /// A person who sees what it does, and says what is next.
    Person,
    /// The agent that started it.
    Agent,
}

/// The system prompt: the same bytes for the whole run, so that the provider's cache holds them.
pub(super) fn system(directory: &Path, company: Company, files: &[BaseFile]) -> String {
    let folder = directory.display();
    let with = match company {
        Company::Alone => "alone: nobody answers questions until you are done",
        Company::Person => {
            "with a person who sees what you do and whom you answer: ask where it is not clear \
             what is wanted"
        }
        Company::Agent => {
            "for another agent: it gave you the task, answers no questions, and reads only what you \
             say last; terminals that you leave open end with you"
        }
    };
    let at_the_end = match company {
        Company::Alone | Company::Person => "say in a few words what you did, and what is left",
        Company::Agent => {
            "say what was asked for, with the paths and lines that matter, what you changed, and \
             what is left"
        }
    };
    let mut text = format!(
        "You are foveal's coding agent. You work in the folder {folder} on {os}, {with}.\n\
         - Look before you change anything: find code by what it does with search_code and by its \
         text with grep, read with read_file, and several files at once with several calls in one \
         answer.\n\
         - Change files with edit_file and multi_edit, and say in `intent` why.\n\
         - After a change, run what shows that it works.\n\
         - Notes in brackets stand for text that stands above or is left out; expand with their \
         handle gives it back.\n\
         - A call that repeats an earlier one may be answered from before; \"{DETECT_ARGUMENT}\": \
         false among its arguments has it carried out again.\n\
         - When the task is done, or cannot be done, answer without calling a tool: {at_the_end}.\n",
        os = std::env::consts::OS
    );
    with_files(&mut text, files);
    text
}

/// What stands in front of the files in the system prompt.
const FILES: &str = "\nWhat the project says of itself:\n";

/// The same where files in use moved there.
const FILES_IN_USE: &str = "\nWhat the project says of itself, and files in use, as they were when \
     they were placed here; what stands further down may be older or newer, so read again where it \
     matters:\n";

fn with_files(text: &mut String, files: &[BaseFile]) {
    if !files.is_empty() {
        text.push_str(FILES);
        text.push_str(&render_base_files(files));
    }
}

/// The files that stand in a system prompt of [`system`].
pub(super) fn files_of(system: &str) -> Vec<BaseFile> {
    system.split_once(FILES).map_or_else(Vec::new, |(_, files)| read_base_files(files))
}

/// A system prompt of [`system`] with other files.
pub(super) fn with_other_files(system: &str, files: &[BaseFile]) -> String {
    let (own, _) = system.split_once(FILES).unwrap_or((system, ""));
    format!("{own}{FILES_IN_USE}{}", render_base_files(files))
}

/// The rules of a profile with the user's limits, for a model that takes prompts of up to `window`.
///
/// # Errors
/// If they cannot be kept to.
pub(crate) fn rules(
    profile: &str,
    history: &HistoryLimits,
    window: Tokens,
) -> anyhow::Result<Rules> {
    let rules = if profile == OFF { Rules::off() } else { Rules::named(profile) };
    let mut rules = rules.context("the profile is not known")?;
    history.limit(&mut rules, window).context("the settings of the agent cannot be kept to")?;
    Ok(rules)
}

/// What decides about requests by these rules, with what it leaves out kept in the session.
pub(crate) fn shaper(
    mut rules: Rules,
    files: Arc<dyn BaseFolder>,
    (opener, toolbox): (&Opener, &Toolbox),
    session: &SessionId,
    own: Arc<OwnPrices>,
    (events, waiting): (SyncSender<Event>, &Arc<Waiting>),
) -> Conversations {
    rules.folder = Some(files);
    // The tools of a run shape nothing themselves.
    rules.settings.shapes_own = true;
    for most in [
        &mut rules.settings.read_bytes_max,
        &mut rules.settings.run_bytes_max,
        &mut rules.settings.search_bytes_max,
        &mut rules.settings.unknown_bytes_max,
        &mut rules.settings.other_bytes_max,
    ] {
        most.get_or_insert(RESULT_BYTES_MAX);
    }
    let folder = toolbox.roots.working_directory();
    let views = opener.curated(folder, Arc::new(Spread::start()));
    let tell = teller(events, Arc::clone(waiting));
    rules.views = Some(Arc::new(Watched::new(views, tell, Arc::clone(waiting))));
    let calls = &toolbox.settings.calls;
    rules.settings.pointers = calls.detect;
    rules.settings.tools_without_pointers = calls.tools_undetected();
    rules.weigh = weigh;
    rules.prices = own;
    // A session that is gone on with has its messages as they were kept.
    rules.redactor =
        Some(Redactor { text: foveal_secrets::without, arguments: foveal_secrets::without_in });
    let kept = Kept::of_session(Arc::clone(&toolbox.store), session.clone());
    Conversations::new(rules, Arc::new(kept))
}

/// Tells of a model that chooses what is shown of a read, while a request waits for it.
fn teller(events: SyncSender<Event>, waiting: Arc<Waiting>) -> Box<TellOfRead> {
    let latest: Mutex<Option<(String, Helping)>> = Mutex::default();
    Box::new(move |call, path, work| {
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_ref().is_none_or(|(about, _)| about != call) {
            *latest = Some((call.to_owned(), Helping::with(path)));
        }
        let Some((id, helping)) = &*latest else { return };
        let Progress { message, model: Some(model), .. } = helping.progress(work) else { return };
        let (number, id) = (waiting.request(), id.clone());
        // Where too much waits already, this is not missed.
        drop(events.try_send(Event::Helped { number, id, message, model }));
    })
}
