//! Configuration of an agent: its system prompt, tools, rules and shaper.

use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use foveal_agent::{AgentInput, AgentTool, RunLimits, Settings};
use foveal_engine::entry_facts::DUPLICATE_DETECTION_ARGUMENT;
use foveal_engine::placement::base_files::{BaseFile, parse_base_files, render_base_files};
use foveal_gateway::decision_recorder::StoreRecorder;
use foveal_gateway::parallel_views::{ParallelViews, measure_entries};
use foveal_pricing::tokens::Tokens;
use foveal_protocols::prompt::{ApiDialect, ToolSpec};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::rules::ShapingRules;
use foveal_proxy::{Redactor, RequestShaper};
use foveal_settings::{AgentSection, CuratorModel, PromptBudgetError};
use foveal_store::SessionId;
use foveal_tools::call_control::CallProgress;
use foveal_tools::model_progress::ModelProgress;
use foveal_tools::settings::ToolSettings;
use foveal_tools::tool_table::ToolSet;
use foveal_tools::{ReadLimitViews, ToolSession};
use foveal_transcript::ContentHash;

use super::agent_resources::AgentResources;
use super::session_base_files::SessionBaseFiles;
use crate::chosen_model::{ChosenModel, chosen_model_price};
use crate::runs::RUN_SESSION_KIND;
use crate::side_agents::{ObservedViews, ReadProgressCallback, WaitingRequest, curated_views};

/// Bytes of a result beyond which the engine shows an excerpt, under every profile: longer results
/// fit no prompt.
const RESULT_BYTES_MAX: usize = 120_000;

/// Tokens of an answer that newer Claude models accept as limit; older ones refuse this number.
const CLAUDE_OUTPUT_TOKENS: u64 = 32_000;

/// Hex digits of a new session's name.
const SESSION_NAME_DIGITS: usize = 12;

/// The name of the profile that omits nothing.
const OFF: &str = foveal_proxy::rules::OFF;

/// Returns a name that no other session has.
pub(crate) fn new_session_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = blake3::hash(format!("{} {}", now.as_nanos(), std::process::id()).as_bytes());
    format!("{RUN_SESSION_KIND} {}", &hash.to_hex()[..SESSION_NAME_DIGITS])
}

/// Returns the agent's settings. The user's own prices (`own`) take precedence over list prices,
/// and may set a price for a model on this machine.
pub(crate) fn agent_settings(
    chosen: &ChosenModel,
    limits: RunLimits,
    directory: &Path,
    company: InteractionMode,
    files: &[BaseFile],
    session: &SessionId,
    own: &PriceOverrides,
) -> Settings {
    let server = &chosen.server;
    let (model, dialect) = (server.model.clone(), server.dialect);
    let is_newer_claude = model.contains("claude") && !model.contains("claude-3");
    let asks_for_much = dialect == ApiDialect::Messages && is_newer_claude;
    let price = chosen_model_price(chosen, own);
    Settings {
        session: session.0.clone(),
        system_prompt: system_prompt(directory, company, files),
        tools: ToolSet::Full.tools().map(agent_tool).collect(),
        output_tokens_max: asks_for_much.then_some(CLAUDE_OUTPUT_TOKENS),
        drops_bound_thinking: server.drops_bound_thinking,
        limits,
        price,
        directory: directory.display().to_string(),
        waits_for_tasks: company == InteractionMode::Interactive,
        model,
        dialect,
    }
}

fn agent_tool(tool: &'static foveal_tools::Tool) -> AgentTool {
    let spec = ToolSpec {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        schema: tool.schema(),
    };
    AgentTool { spec, is_read_only: tool.hints.read_only }
}

/// The addressee of an agent's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionMode {
    /// No user is present while it works.
    Unattended,
    /// The user sees the work and says what is next.
    Interactive,
    /// Another agent has started it.
    SubAgent,
}

/// Returns the system prompt. Its bytes stay the same for the whole run, so that it stays in the
/// provider's cache.
pub(super) fn system_prompt(
    directory: &Path,
    company: InteractionMode,
    files: &[BaseFile],
) -> String {
    let folder = directory.display();
    let with = match company {
        InteractionMode::Unattended => "alone: nobody answers questions until you are done",
        InteractionMode::Interactive => {
            "with a person who sees what you do and whom you answer: ask where it is not clear \
             what is wanted"
        }
        InteractionMode::SubAgent => {
            "for another agent: it gave you the task, answers no questions, and reads only what you \
             say last; terminals that you leave open end with you"
        }
    };
    let at_the_end = match company {
        InteractionMode::Unattended | InteractionMode::Interactive => {
            "say in a few words what you did, and what is left"
        }
        InteractionMode::SubAgent => {
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
         - A call that repeats an earlier one may be answered from before; \"{DUPLICATE_DETECTION_ARGUMENT}\": \
         false among its arguments has it carried out again.\n\
         - When the task is done, or cannot be done, answer without calling a tool: {at_the_end}.\n",
        os = std::env::consts::OS
    );
    append_base_files(&mut text, files);
    text
}

/// The heading of the base files in the system prompt.
const BASE_FILES_HEADING: &str = "\nWhat the project says of itself:\n";

/// The heading after a content reset has added files in use.
const FILES_IN_USE_HEADING: &str = "\nWhat the project says of itself, and files in use, as they were when \
     they were placed here; what stands further down may be older or newer, so read again where it \
     matters:\n";

fn append_base_files(text: &mut String, files: &[BaseFile]) {
    if !files.is_empty() {
        text.push_str(BASE_FILES_HEADING);
        text.push_str(&render_base_files(files));
    }
}

/// Returns the base files in a text of [`system_prompt`].
pub(super) fn parse_prompt_base_files(system: &str) -> Vec<BaseFile> {
    system
        .split_once(BASE_FILES_HEADING)
        .map_or_else(Vec::new, |(_, files)| parse_base_files(files))
}

/// Returns a text of [`system_prompt`] with other base files.
pub(super) fn replace_base_files(system: &str, files: &[BaseFile]) -> String {
    let (own, _) = system.split_once(BASE_FILES_HEADING).unwrap_or((system, ""));
    format!("{own}{FILES_IN_USE_HEADING}{}", render_base_files(files))
}

/// The reason why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// There is no profile of this name.
    #[error("the profile is unknown")]
    Unknown,
    /// The user's limits cannot be met.
    #[error("the settings of the agent cannot be applied")]
    Limits(#[from] PromptBudgetError),
}

/// Returns the rules of a profile with the user's limits, for a model with this window.
///
/// # Errors
/// If the profile is unknown, or the limits cannot be met.
pub(crate) fn profile_rules(
    profile: &str,
    limits: &AgentSection,
    window: Tokens,
) -> Result<ShapingRules, ProfileError> {
    let rules = if profile == OFF {
        ShapingRules::passthrough()
    } else {
        ShapingRules::from_profile(profile)
    };
    let mut rules = rules.ok_or(ProfileError::Unknown)?;
    limits.apply_to_rules(&mut rules, window)?;
    Ok(rules)
}

/// Returns a key of the settings that decide what a session is shown, beside profile and limits;
/// `None` for the defaults. Decisions under other settings are not reused.
pub(crate) fn view_settings_key(
    tools: &ToolSettings,
    curator: Option<CuratorModel>,
) -> Option<String> {
    let describe = |tools: &ToolSettings, curator: Option<(String, u32)>| {
        let ToolSettings { read_small_lines, line_limits_by_glob, calls, .. } = tools;
        let detection = (calls.detect, calls.undetected_tools());
        format!("{read_small_lines} {line_limits_by_glob:?} {detection:?} {curator:?}")
    };
    let curator = curator.map(|wish| (wish.model.to_string(), wish.longer_than));
    let key = describe(tools, curator);
    let is_usual = key == describe(&ToolSettings::default(), None);
    (!is_usual).then(|| ContentHash::from_content(key.as_bytes()).handle().to_string())
}

/// Returns the shaper of a session's requests, which stores its decisions and omitted contents in
/// the session.
pub(super) fn session_shaper(
    agent: &AgentResources,
    session: &SessionId,
    tools: &Arc<ToolSession>,
    events: SyncSender<AgentInput>,
    waiting: &Arc<WaitingRequest>,
) -> RequestShaper {
    let toolbox = &agent.host.toolbox;
    let mut rules = agent.rules.clone();
    rules.base_folder = Some(Arc::new(SessionBaseFiles::new(&agent.base_folder, tools)));
    // The tool sessions of an agent do not shape their results.
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
    let views = curated_views(agent.host.curator.as_ref(), Arc::new(ParallelViews::start()));
    let curates_first_reads = rules.settings.curate.is_some();
    rules.settings.curate = ReadLimitViews::curate_settings();
    let views = Arc::new(ReadLimitViews::new(Arc::clone(toolbox), curates_first_reads, views));
    let tell = curation_reporter(events, Arc::clone(waiting));
    rules.views = Some(Arc::new(ObservedViews::new(views, tell, Arc::clone(waiting))));
    let calls = &toolbox.settings.calls;
    rules.settings.pointers = calls.detect;
    rules.settings.tools_without_pointers = calls.undetected_tools();
    rules.token_counter = measure_entries;
    rules.prices = Arc::clone(&agent.host.prices);
    // A continued session has its messages as they were stored, without secrets.
    rules.redactor = Some(Redactor {
        text: foveal_redaction::redact_text,
        arguments: foveal_redaction::redact_json,
    });
    let kept = StoreRecorder::with_session(Arc::clone(&toolbox.store), session.clone());
    RequestShaper::new(rules, Arc::new(kept))
}

/// Returns a callback that reports the progress of a curator model while a request waits for it.
fn curation_reporter(
    events: SyncSender<AgentInput>,
    waiting: Arc<WaitingRequest>,
) -> Box<ReadProgressCallback> {
    let latest: Mutex<Option<(String, ModelProgress)>> = Mutex::default();
    Box::new(move |call, path, work| {
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_ref().is_none_or(|(about, _)| about != call) {
            *latest = Some((call.to_owned(), ModelProgress::new(path)));
        }
        let Some((id, helping)) = &*latest else { return };
        let CallProgress { message, model: Some(model), .. } = helping.to_call_progress(work)
        else {
            return;
        };
        let (number, id) = (waiting.request(), id.clone());
        // Progress may be dropped when the queue is full.
        drop(events.try_send(AgentInput::CurationProgressed { number, id, message, model }));
    })
}
