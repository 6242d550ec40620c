//! The user's own settings of the tools: `foveal/config.toml` among the user's settings, or
//! `config.json`.

mod agent;
mod budget;
pub(crate) mod change;
mod chat;
pub(crate) mod file;
mod gateway;
mod glob;
mod json;
pub(crate) mod keys;
mod names;
mod prices;
pub(crate) mod project;
pub(crate) mod removed;
pub(crate) mod schema;
pub(crate) mod source;
mod told;
mod written;

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use foveal_calls::{CallLimits, CallSettings, ToolLimits};
use foveal_llm::ModelSpec;
use foveal_tools::permission::{Policy, Rule};
use foveal_tools::settings::ToolSettings;
use toml::Spanned;

use crate::environment::Environment;
use crate::gateway::GatewaySettings;

pub(crate) use self::agent::{AgentSettings, HistoryLimits, PROFILES};
use self::chat::ChatSettings;
use self::file::SettingsFile;
use self::source::{Read, Source};
pub(crate) use self::told::NotUnderstood;
use self::told::line_at;
use self::written::{
    Count, Written, WrittenCurator, WrittenDuplicates, WrittenRead, WrittenRun, WrittenTool,
    limits_by_glob,
};

/// What a user may set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UserSettings {
    /// How far the tools go.
    pub(crate) tools: ToolSettings,
    /// Who may do what.
    pub(crate) policy: Policy,
    /// Whether nothing that files, pages and outputs hold is written to disk.
    pub(crate) keeps_no_contents: bool,
    /// The model that chooses what is shown of files; `None`: none does.
    pub(crate) curator: Option<CuratorWish>,
    /// The model that reads files into the index; `None`: none does.
    pub(crate) indexer: Option<IndexerWish>,
    /// How foveal's own agent works.
    pub(crate) agent: AgentSettings,
    /// How `foveal chat` looks.
    pub(crate) chat: ChatSettings,
    /// How `foveal serve` and `foveal wrap` serve.
    pub(crate) gateway: GatewaySettings,
}

/// A model that chooses what is shown of files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CuratorWish {
    pub(crate) model: ModelSpec,
    /// It is asked about files of more lines than this.
    pub(crate) longer_than: u32,
}

/// A model that reads files into the index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexerWish {
    pub(crate) model: ModelSpec,
    /// Tokens of all questions and answers of one process.
    pub(crate) tokens_max: u64,
}

/// Tokens that a model may take to read files into the index, where nothing is said of it.
const INDEXER_TOKENS_MAX: u64 = 200_000;

/// Lines up to which `curator = "auto"` leaves a file to the built-in curator: there is little to
/// leave out, and asking takes seconds.
const AUTO_LINES: u32 = 200;

/// What the user set, or what holds without that.
///
/// # Errors
/// If there is a file that cannot be read, or says what is not understood, with the line; and if
/// there are two.
pub(crate) fn read(environment: &Environment) -> anyhow::Result<UserSettings> {
    let Some(file) = SettingsFile::read(environment)? else { return Ok(UserSettings::default()) };
    of_source(file.source()).with_context(|| {
        format!("`{}` cannot be used: correct it, or remove it", file.path.display())
    })
}

/// Whether a text of settings is understood.
///
/// # Errors
/// What is not, with the line.
pub(crate) fn check(source: Source<'_>) -> anyhow::Result<()> {
    of_source(source).map(drop)
}

/// Whether contents may be written to disk. If the settings cannot be read, they may not.
pub(crate) fn keep_contents(environment: &Environment) -> bool {
    read(environment).is_ok_and(|settings| !settings.keeps_no_contents)
}

/// The settings that a text has, in TOML.
#[cfg(test)]
fn of(bytes: &[u8]) -> anyhow::Result<UserSettings> {
    let text = file::of_bytes(bytes.to_vec())?;
    of_source(Source { text: &text, syntax: source::Syntax::Toml })
}

/// The settings that a text has.
///
/// # Errors
/// What is not understood, with the line.
fn of_source(source: Source<'_>) -> anyhow::Result<UserSettings> {
    let Read { written, toml } = source.read()?;
    let text = &*toml;
    let Written {
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
    let (run_time_out_ms, run_time_out_max_ms) = time_outs(&run, &usual, text)?;
    let small_lines = small_lines(&read, file_read_small_threshold, text)?;
    let tools = ToolSettings {
        read_small_lines: small_lines.unwrap_or(usual.read_small_lines),
        line_limits_by_glob: limits_by_glob(read.for_files, file_read_thresholds).collect(),
        answer_tokens: answers.tokens.map_or(usual.answer_tokens, |count| count.0),
        answer_bytes: answers.bytes.map(|count| count.0 as usize),
        run_time_out_ms,
        run_time_out_max_ms,
        terminals_max: run.terminals_max.map_or(usual.terminals_max, |count| count.0 as usize),
        calls: calls(detect_duplicates, duplicates),
        private_hosts: web.private_hosts.into_iter().map(|host| host.0).collect(),
        ..usual
    };
    let rules = permissions.into_iter().map(Rule::from).collect();
    let keeps_no_contents = keep_contents == Some(false);
    let curator = self::curator(curator, curator_model, text)?;
    let indexer = self::indexer(indexer_model, indexer_tokens_max, text)?;
    let policy = Policy { rules };
    let mut gateway = GatewaySettings::from(gateway);
    gateway.without_pointers = !tools.calls.detect;
    gateway.tools_without_pointers = tools.calls.tools_undetected();
    if let Some((line, error)) = agent.wrong_budget(text) {
        bail!("line {line}: {error}");
    }
    let agent = agent.into();
    let chat = ChatSettings { colours: chat.colours };
    Ok(UserSettings { tools, policy, keeps_no_contents, curator, indexer, agent, chat, gateway })
}

/// The model that is named.
///
/// # Errors
/// If it is none.
fn model(named: &Spanned<String>, text: &str) -> anyhow::Result<ModelSpec> {
    let line = line_at(text.as_bytes(), named.span().start);
    named.get_ref().parse().with_context(|| format!("line {line}"))
}

/// The model that chooses what is shown of files.
///
/// # Errors
/// If one is wanted and none is named, or what is named is none.
fn curator(
    wanted: WrittenCurator,
    named: Option<Spanned<String>>,
    text: &str,
) -> anyhow::Result<Option<CuratorWish>> {
    let Some(named) = named else {
        if wanted == WrittenCurator::Model {
            bail!(
                "curator = \"model\" asks for a model: name one, such as \
                 curator_model = \"ollama:qwen3\""
            );
        }
        return Ok(None);
    };
    if named.get_ref() == removed::CLIENT_MODEL {
        let line = line_at(text.as_bytes(), named.span().start);
        bail!("line {line}: {}", removed::CLIENT_MODEL_ADVICE);
    }
    let model = model(&named, text)?;
    let longer_than = match wanted {
        WrittenCurator::Extractive => return Ok(None),
        WrittenCurator::Model => 0,
        WrittenCurator::Auto => AUTO_LINES,
    };
    Ok(Some(CuratorWish { model, longer_than }))
}

/// The model that reads files into the index.
///
/// # Errors
/// If what is named is none, or there is a limit without one.
fn indexer(
    named: Option<Spanned<String>>,
    most: Option<Spanned<Count>>,
    text: &str,
) -> anyhow::Result<Option<IndexerWish>> {
    let line = |at: usize| line_at(text.as_bytes(), at);
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
    let model = model(&named, text)?;
    let tokens_max = most.map_or(INDEXER_TOKENS_MAX, |most| most.get_ref().0.into());
    Ok(Some(IndexerWish { model, tokens_max }))
}

/// Up to how many lines files are shown in full, by either name.
///
/// # Errors
/// If both say it.
fn small_lines(
    read: &WrittenRead,
    other_name: Option<Spanned<Count>>,
    text: &str,
) -> anyhow::Result<Option<u32>> {
    let Some(other) = other_name else { return Ok(read.small_lines.map(|count| count.0)) };
    if read.small_lines.is_some() {
        bail!(
            "line {}: file_read_small_threshold is another name of small_lines below [read], which \
             is set too: remove one",
            line_at(text.as_bytes(), other.span().start)
        );
    }
    Ok(Some(other.get_ref().0))
}

/// How long commands may run, and how long at most. Where only the most is set, and it is less
/// than the usual time, it is both.
///
/// # Errors
/// If the first is above the second.
fn time_outs(run: &WrittenRun, usual: &ToolSettings, text: &str) -> anyhow::Result<(u64, u64)> {
    let most = run.time_out_max_ms.map_or(usual.run_time_out_max_ms, |time| time.0);
    let Some(set) = &run.time_out_ms else { return Ok((usual.run_time_out_ms.min(most), most)) };
    let time = set.get_ref().0;
    if time > most {
        bail!(
            "line {}: time_out_ms, {time}, is above time_out_max_ms, {most}: raise that, or lower \
             this",
            line_at(text.as_bytes(), set.span().start)
        );
    }
    Ok((time, most))
}

/// How calls like earlier ones are answered.
fn calls(detect: Option<bool>, written: WrittenDuplicates) -> CallSettings {
    let usual = CallSettings::default();
    let WrittenDuplicates { calls_max, age_ms_max, threshold, tools: written } = written;
    let mut tools = BTreeMap::new();
    for (name, WrittenTool { detect, calls_max, age_ms_max, threshold }) in written {
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
