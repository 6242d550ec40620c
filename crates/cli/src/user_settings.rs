//! The user's settings: `foveal/config.toml` or `config.json` in the user's settings folder.

mod agent;
mod chat;
mod config_file;
mod gateway_section;
mod glob;
mod json_settings;
mod parse_error;
mod prices;
pub(crate) mod project_layer;
mod prompt_budget;
pub(crate) mod removed_settings;
pub(crate) mod schema;
pub(crate) mod setting_edit;
pub(crate) mod setting_keys;
pub(crate) mod settings_file;
pub(crate) mod settings_source;
mod unknown_names;

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use foveal_providers::ModelSpec;
use foveal_tools::duplicate_calls::{CallLimits, CallSettings, ToolLimits};
use foveal_tools::permission::{PermissionPolicy, PermissionRule};
use foveal_tools::settings::ToolSettings;
use toml::Spanned;

use crate::environment::Environment;
use crate::gateway::GatewaySettings;

pub(crate) use self::agent::{AgentSettings, HistoryLimits, PROFILES};
use self::chat::ChatSettings;
use self::config_file::{
    ConfigFile, CuratorSetting, DuplicatesSection, PositiveCount, ReadSection, RunSection,
    ToolDuplicatesSection, limits_by_glob,
};
pub(crate) use self::parse_error::SettingsParseError;
use self::parse_error::line_number;
use self::settings_file::SettingsFile;
use self::settings_source::{ParsedSettings, SettingsSource};

/// The user's settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UserSettings {
    /// The settings of the tools.
    pub(crate) tools: ToolSettings,
    /// The permission rules.
    pub(crate) policy: PermissionPolicy,
    /// Whether the contents of files, pages and outputs must not be written to disk.
    pub(crate) keeps_no_contents: bool,
    /// The model that curates files; `None` for the built-in curator.
    pub(crate) curator: Option<CuratorModelSettings>,
    /// The model that reads files into the index; `None` if no model does.
    pub(crate) indexer: Option<IndexerModelSettings>,
    /// The settings of foveal's own agent.
    pub(crate) agent: AgentSettings,
    /// The settings of `foveal chat`.
    pub(crate) chat: ChatSettings,
    /// The settings of `foveal serve` and `foveal wrap`.
    pub(crate) gateway: GatewaySettings,
}

/// The model that curates files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CuratorModelSettings {
    pub(crate) model: ModelSpec,
    /// The length above which files are curated by the model, in lines.
    pub(crate) longer_than: u32,
}

/// The model that reads files into the index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexerModelSettings {
    pub(crate) model: ModelSpec,
    /// The token limit for all requests and answers of one process.
    pub(crate) tokens_max: u64,
}

/// The default token limit of the indexer model.
const INDEXER_TOKENS_MAX: u64 = 200_000;

/// The length up to which `curator = "auto"` uses the built-in curator, in lines: there is little
/// to omit, and a request takes seconds.
const AUTO_CURATOR_LINES: u32 = 200;

/// Returns the user's settings, with defaults for all that is not set.
///
/// # Errors
/// If the file cannot be read or parsed, with the line, or if there are two files.
pub(crate) fn read_user_settings(environment: &Environment) -> anyhow::Result<UserSettings> {
    let Some(file) = SettingsFile::read(environment)? else { return Ok(UserSettings::default()) };
    parse_source(file.source()).with_context(|| {
        format!("`{}` cannot be used: correct it, or remove it", file.path.display())
    })
}

/// Checks a text of settings.
///
/// # Errors
/// If the text cannot be parsed, with the line.
pub(crate) fn check_source(source: SettingsSource<'_>) -> anyhow::Result<()> {
    parse_source(source).map(drop)
}

/// Returns whether contents may be written to disk. They may not if the settings cannot be read.
pub(crate) fn may_keep_contents(environment: &Environment) -> bool {
    read_user_settings(environment).is_ok_and(|settings| !settings.keeps_no_contents)
}

/// Parses settings in TOML.
#[cfg(test)]
fn parse_toml(bytes: &[u8]) -> anyhow::Result<UserSettings> {
    let text = settings_file::decode_text(bytes.to_vec())?;
    parse_source(SettingsSource { text: &text, syntax: settings_source::Syntax::Toml })
}

/// Parses settings.
///
/// # Errors
/// If the text cannot be parsed, with the line.
fn parse_source(source: SettingsSource<'_>) -> anyhow::Result<UserSettings> {
    let ParsedSettings { config: written, toml } = source.parse()?;
    let text = &*toml;
    let ConfigFile {
        keep_contents,
        curator,
        curator_model,
        indexer_model,
        indexer_tokens_max,
        detect_duplicates,
        duplicates,
        answers,
        read,
        file_read_small_threshold,
        file_read_thresholds,
        run,
        web,
        agent,
        chat,
        permissions,
        gateway,
    } = written;
    let usual = ToolSettings::default();
    let (run_time_out_ms, run_time_out_max_ms) = resolve_time_outs(&run, &usual, text)?;
    let small_lines = resolve_small_lines(&read, file_read_small_threshold, text)?;
    let tools = ToolSettings {
        read_small_lines: small_lines.unwrap_or(usual.read_small_lines),
        line_limits_by_glob: limits_by_glob(read.for_files, file_read_thresholds).collect(),
        answer_tokens: answers.tokens.map_or(usual.answer_tokens, |count| count.0),
        answer_bytes: answers.bytes.map(|count| count.0 as usize),
        run_time_out_ms,
        run_time_out_max_ms,
        terminals_max: run.terminals_max.map_or(usual.terminals_max, |count| count.0 as usize),
        calls: resolve_call_settings(detect_duplicates, duplicates),
        private_hosts: web.private_hosts.into_iter().map(|host| host.0).collect(),
        ..usual
    };
    let rules = permissions.into_iter().map(PermissionRule::from).collect();
    let keeps_no_contents = keep_contents == Some(false);
    let curator = self::resolve_curator(curator, curator_model, text)?;
    let indexer = self::resolve_indexer(indexer_model, indexer_tokens_max, text)?;
    let policy = PermissionPolicy { rules };
    let mut gateway = GatewaySettings::from(gateway);
    gateway.without_pointers = !tools.calls.detect;
    gateway.tools_without_pointers = tools.calls.undetected_tools();
    if let Some((line, error)) = agent.budget_error(text) {
        bail!("line {line}: {error}");
    }
    let agent = agent.into();
    let chat = ChatSettings { colours: chat.colours };
    Ok(UserSettings { tools, policy, keeps_no_contents, curator, indexer, agent, chat, gateway })
}

/// Parses the name of a model.
///
/// # Errors
/// If it names no model.
fn parse_model(named: &Spanned<String>, text: &str) -> anyhow::Result<ModelSpec> {
    let line = line_number(text.as_bytes(), named.span().start);
    named.get_ref().parse().with_context(|| format!("line {line}"))
}

/// Returns the model that curates files.
///
/// # Errors
/// If `wanted` needs a model and none is named, or if the name is invalid.
fn resolve_curator(
    wanted: CuratorSetting,
    named: Option<Spanned<String>>,
    text: &str,
) -> anyhow::Result<Option<CuratorModelSettings>> {
    let Some(named) = named else {
        if wanted == CuratorSetting::Model {
            bail!(
                "curator = \"model\" asks for a model: name one, such as \
                 curator_model = \"ollama:qwen3\""
            );
        }
        return Ok(None);
    };
    if named.get_ref() == removed_settings::CLIENT_MODEL {
        let line = line_number(text.as_bytes(), named.span().start);
        bail!("line {line}: {}", removed_settings::CLIENT_MODEL_ADVICE);
    }
    let model = parse_model(&named, text)?;
    let longer_than = match wanted {
        CuratorSetting::Extractive => return Ok(None),
        CuratorSetting::Model => 0,
        CuratorSetting::Auto => AUTO_CURATOR_LINES,
    };
    Ok(Some(CuratorModelSettings { model, longer_than }))
}

/// Returns the model that reads files into the index.
///
/// # Errors
/// If the name is invalid, or if there is a limit without a model.
fn resolve_indexer(
    named: Option<Spanned<String>>,
    most: Option<Spanned<PositiveCount>>,
    text: &str,
) -> anyhow::Result<Option<IndexerModelSettings>> {
    let line = |at: usize| line_number(text.as_bytes(), at);
    let Some(named) = named else {
        if let Some(most) = most {
            bail!(
                "line {}: indexer_tokens_max has no effect without a model: name one, such as \
                 indexer_model = \"ollama:qwen3\"",
                line(most.span().start)
            );
        }
        return Ok(None);
    };
    let model = parse_model(&named, text)?;
    let tokens_max = most.map_or(INDEXER_TOKENS_MAX, |most| most.get_ref().0.into());
    Ok(Some(IndexerModelSettings { model, tokens_max }))
}

/// Returns the length up to which files are shown in full, in lines, from either of its two names.
///
/// # Errors
/// If both names are set.
fn resolve_small_lines(
    read: &ReadSection,
    other_name: Option<Spanned<PositiveCount>>,
    text: &str,
) -> anyhow::Result<Option<u32>> {
    let Some(other) = other_name else { return Ok(read.small_lines.map(|count| count.0)) };
    if read.small_lines.is_some() {
        bail!(
            "line {}: file_read_small_threshold is another name of small_lines below [read], which \
             is set too: remove one",
            line_number(text.as_bytes(), other.span().start)
        );
    }
    Ok(Some(other.get_ref().0))
}

/// Returns the default and the largest time-out of commands, in milliseconds. If only the largest
/// is set, and it is below the usual default, it is also the default.
///
/// # Errors
/// If the default is above the largest.
fn resolve_time_outs(
    run: &RunSection,
    usual: &ToolSettings,
    text: &str,
) -> anyhow::Result<(u64, u64)> {
    let most = run.time_out_max_ms.map_or(usual.run_time_out_max_ms, |time| time.0);
    let Some(set) = &run.time_out_ms else { return Ok((usual.run_time_out_ms.min(most), most)) };
    let time = set.get_ref().0;
    if time > most {
        bail!(
            "line {}: time_out_ms, {time}, is above time_out_max_ms, {most}: raise that, or lower \
             this",
            line_number(text.as_bytes(), set.span().start)
        );
    }
    Ok((time, most))
}

/// Returns the settings of duplicate calls.
fn resolve_call_settings(detect: Option<bool>, written: DuplicatesSection) -> CallSettings {
    let usual = CallSettings::default();
    let DuplicatesSection { calls_max, age_ms_max, threshold, tools: written } = written;
    let mut tools = BTreeMap::new();
    for (name, ToolDuplicatesSection { detect, calls_max, age_ms_max, threshold }) in written {
        let age_ms_max = age_ms_max.map(i64::from);
        let threshold = threshold.map(|share| share.0);
        tools.insert(name.0, ToolLimits { detect, calls_max, age_ms_max, threshold });
    }
    let limits = CallLimits {
        calls_max: calls_max.unwrap_or(usual.limits.calls_max),
        age_ms_max: age_ms_max.map_or(usual.limits.age_ms_max, i64::from),
        threshold: threshold.map_or(usual.limits.threshold, |share| share.0),
    };
    CallSettings { detect: detect.unwrap_or(usual.detect), limits, tools, ..usual }
}

#[cfg(test)]
mod tests;
