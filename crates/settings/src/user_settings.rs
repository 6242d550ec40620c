//! The type of the user's settings. The comments of its fields are the descriptions in the JSON
//! Schema, on the reference page and in `foveal config`.

use std::collections::BTreeMap;

use foveal_providers::ModelSpec;
use foveal_tools::duplicate_calls::{CallLimits, CallSettings};
use foveal_tools::settings::{ANSWER_TOKENS_MAX, ToolSettings};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent_section::AgentSection;
use crate::gateway_section::GatewaySection;
use crate::prompt_budget::PromptBudgetError;
use crate::setting_values::{
    ANSWER_BYTES_MIN, ANSWER_TOKENS_MIN, FileReadLimits, GlobText, HostPattern, NumberOrText,
    PermissionEntry, ReadThresholds, ToolName, deserialize_answer_bytes, deserialize_answer_tokens,
    deserialize_count, deserialize_curator_model, deserialize_milliseconds, deserialize_model,
};

/// The settings file of foveal. Every name is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "foveal's settings")]
pub struct UserSettings {
    /// Whether contents of files, pages and outputs are written to disk.
    #[schemars(extend("default" = true))]
    pub keep_contents: Option<bool>,
    /// How the shown lines of long files are chosen: by built-in rules, by the model, or by the
    /// model above 200 lines.
    #[schemars(extend("default" = "auto"))]
    pub(crate) curator: CuratorChoice,
    /// The model that chooses the shown lines, named as for `foveal run`.
    #[serde(deserialize_with = "deserialize_curator_model")]
    #[schemars(with = "Option<String>")]
    pub(crate) curator_model: Option<ModelSpec>,
    /// A model that reads files into the index, named as for `foveal run`.
    #[serde(deserialize_with = "deserialize_model")]
    #[schemars(with = "Option<String>")]
    pub(crate) indexer_model: Option<ModelSpec>,
    /// The most tokens that the indexer model may use while foveal runs; 200,000 if not set.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    pub(crate) indexer_tokens_max: Option<u32>,
    /// Whether repeated calls are answered from earlier ones.
    #[schemars(extend("default" = CallSettings::default().detect))]
    pub(crate) detect_duplicates: Option<bool>,
    /// Duplicate calls.
    pub(crate) duplicates: DuplicatesSection,
    /// The size of answers.
    pub(crate) answers: AnswersSection,
    /// The shown part of files.
    pub(crate) read: ReadSection,
    /// Another name of `read.small_lines`.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1), extend("x-alias-of" = "read.small_lines"))]
    pub(crate) file_read_small_threshold: Option<u32>,
    /// Another way to write `read.for_files`: `"*.md" = { small = 400, large = 1_000 }`.
    #[schemars(extend("x-alias-of" = "read.for_files"))]
    pub(crate) file_read_thresholds: BTreeMap<GlobText, ReadThresholds>,
    /// Commands and terminals.
    pub(crate) run: RunSection,
    /// Pages of the web.
    pub(crate) web: WebSection,
    /// The agent of `foveal run` and `foveal chat`.
    pub agent: AgentSection,
    /// The screen of `foveal chat`.
    pub chat: ChatSection,
    /// Permission rules, by `tool`, `subject` and `verdict`; the last match wins.
    pub(crate) permissions: Vec<PermissionEntry>,
    /// The gateway of `foveal serve` and `foveal wrap`.
    pub gateway: GatewaySection,
}

/// The curator of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CuratorChoice {
    /// The built-in curator.
    Extractive,
    /// The model.
    Model,
    /// The model for long files, if one is named.
    #[default]
    Auto,
}

/// Duplicate calls, for all tools and for single ones.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DuplicatesSection {
    /// The number of calls that are remembered for each session.
    #[schemars(extend("default" = CallLimits::default().calls_max))]
    pub(crate) calls_max: Option<usize>,
    /// The time for which calls are remembered, in milliseconds.
    #[schemars(extend("default" = CallLimits::default().age_ms_max))]
    pub(crate) age_ms_max: Option<u32>,
    /// Duplicate calls of single tools.
    #[schemars(extend("propertyNames" = { "title": "TOOL" }))]
    pub(crate) tools: BTreeMap<ToolName, ToolDuplicatesSection>,
}

/// Duplicate calls of one tool.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ToolDuplicatesSection {
    /// Whether calls of this tool are answered from earlier ones.
    pub(crate) detect: Option<bool>,
    /// The number of calls of this tool that are remembered for each session.
    pub(crate) calls_max: Option<usize>,
    /// The time for which calls of this tool are remembered, in milliseconds.
    pub(crate) age_ms_max: Option<u32>,
}

/// The size limits of an answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AnswersSection {
    /// The maximum size of an answer in tokens, approximately; 1,000 to 20,000.
    #[serde(deserialize_with = "deserialize_answer_tokens")]
    #[schemars(
        range(min = ANSWER_TOKENS_MIN, max = ANSWER_TOKENS_MAX),
        extend("default" = ToolSettings::default().answer_tokens)
    )]
    pub(crate) tokens: Option<u32>,
    /// The maximum size of an answer in bytes, for a client that cuts answers.
    #[serde(deserialize_with = "deserialize_answer_bytes")]
    #[schemars(range(min = ANSWER_BYTES_MIN))]
    pub(crate) bytes: Option<u32>,
}

/// The shown part of files.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReadSection {
    /// The length up to which `read_file` and `foveal read` show files in full, in lines. Not used
    /// by `foveal serve` and `foveal replay`. `foveal run` and `foveal chat` use it only with the
    /// profile `curated`.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1), extend("default" = ToolSettings::default().read_small_lines))]
    pub(crate) small_lines: Option<u32>,
    /// Other limits for files that match `glob`: a file of up to `small_lines` lines is shown in
    /// full; of a file with more than `large_lines` lines, at most a fifth is shown. The first
    /// match wins.
    pub(crate) for_files: Vec<FileReadLimits>,
}

/// Commands and terminals.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunSection {
    /// The time that a command may run, in milliseconds.
    #[serde(deserialize_with = "deserialize_milliseconds")]
    #[schemars(range(min = 1), extend("default" = ToolSettings::default().run_time_out_ms))]
    pub(crate) time_out_ms: Option<u64>,
    /// The longest time that a model may ask for, in milliseconds.
    #[serde(deserialize_with = "deserialize_milliseconds")]
    #[schemars(range(min = 1))]
    pub(crate) time_out_max_ms: u64,
    /// The number of terminals that may be open at once.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    pub(crate) terminals_max: u32,
}

impl Default for RunSection {
    fn default() -> Self {
        let ToolSettings { run_time_out_max_ms, terminals_max, .. } = ToolSettings::default();
        let terminals_max = u32::try_from(terminals_max).unwrap_or(u32::MAX);
        Self { time_out_ms: None, time_out_max_ms: run_time_out_max_ms, terminals_max }
    }
}

/// Pages of the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WebSection {
    /// Hosts that may be fetched although their addresses are private.
    pub(crate) private_hosts: Vec<HostPattern>,
}

/// The screen of `foveal chat`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChatSection {
    /// The colours of `foveal chat`: as many as the terminal supports, the 256-colour palette, the
    /// 16 of its own scheme, or none.
    #[schemars(extend("default" = COLOUR_NAMES[0], "enum" = COLOUR_NAMES))]
    pub colours: ColourPalette,
}

/// The colours of the user's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "NumberOrText")]
pub enum ColourPalette {
    /// As many as the terminal supports.
    #[default]
    Auto,
    /// The colours of the 256-colour palette.
    Indexed,
    /// The 16 colours of the terminal's own scheme.
    Basic,
    /// No colours.
    None,
}

/// The names of the palettes, in their order.
const COLOUR_NAMES: [&str; 4] = ["auto", "256", "16", "none"];

/// A value that names no palette.
#[derive(Debug, thiserror::Error)]
#[error("unknown colours `{0}`: expected one of {all}", all = COLOUR_NAMES.join(", "))]
pub(crate) struct UnknownColours(String);

impl TryFrom<NumberOrText> for ColourPalette {
    type Error = UnknownColours;

    fn try_from(written: NumberOrText) -> Result<Self, UnknownColours> {
        let name = written.into_text();
        let palettes = [Self::Auto, Self::Indexed, Self::Basic, Self::None];
        let found = COLOUR_NAMES.iter().zip(palettes).find(|(known, _)| **known == name);
        found.map(|(_, palette)| palette).ok_or(UnknownColours(name))
    }
}

/// Settings that contradict each other.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingConflict {
    #[error(
        "curator = \"model\" requires a model: name one, such as curator_model = \"ollama:qwen3\""
    )]
    CuratorWithoutModel,
    #[error(
        "indexer_tokens_max has no effect without a model: name one, such as indexer_model = \
         \"ollama:qwen3\""
    )]
    TokensWithoutIndexer,
    #[error(
        "file_read_small_threshold is another name of small_lines in [read], which is set too: \
         remove one"
    )]
    TwoSmallLines,
    #[error(
        "time_out_ms, {time_ms}, is above time_out_max_ms, {max_ms}: raise that, or lower this"
    )]
    TimeOut { time_ms: u64, max_ms: u64 },
    #[error(transparent)]
    Budget(#[from] PromptBudgetError),
}

impl SettingConflict {
    /// Returns the name of the setting that the user should look at.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::CuratorWithoutModel => "curator",
            Self::TokensWithoutIndexer => "indexer_tokens_max",
            Self::TwoSmallLines => "file_read_small_threshold",
            Self::TimeOut { .. } => "run.time_out_ms",
            Self::Budget(_) => "agent.budget_low",
        }
    }
}

impl UserSettings {
    /// Checks the settings that depend on each other.
    pub(crate) fn check(&self) -> Result<(), SettingConflict> {
        if self.curator == CuratorChoice::Model && self.curator_model.is_none() {
            return Err(SettingConflict::CuratorWithoutModel);
        }
        if self.indexer_tokens_max.is_some() && self.indexer_model.is_none() {
            return Err(SettingConflict::TokensWithoutIndexer);
        }
        if self.file_read_small_threshold.is_some() && self.read.small_lines.is_some() {
            return Err(SettingConflict::TwoSmallLines);
        }
        let max_ms = self.run.time_out_max_ms;
        if let Some(time_ms) = self.run.time_out_ms.filter(|time| *time > max_ms) {
            return Err(SettingConflict::TimeOut { time_ms, max_ms });
        }
        Ok(self.agent.budget().check()?)
    }
}

#[cfg(test)]
pub(crate) mod tests;
