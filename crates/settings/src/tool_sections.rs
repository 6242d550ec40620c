//! The settings of tools and side models that follow from the user's settings.

use foveal_providers::ModelSpec;
use foveal_tools::duplicate_calls::{CallLimits, CallSettings, ToolLimits};
use foveal_tools::permission::{PermissionPolicy, PermissionRule};
use foveal_tools::settings::ToolSettings;

use crate::setting_values::FileReadLimits;
use crate::user_settings::{CuratorChoice, UserSettings};

/// The model that curates files.
#[derive(Debug, Clone, PartialEq)]
pub struct CuratorModel {
    /// The model.
    pub model: ModelSpec,
    /// The length above which files are curated by the model, in lines.
    pub longer_than: u32,
}

/// The model that reads files into the index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexerModel {
    /// The model.
    pub model: ModelSpec,
    /// The token limit for all requests and answers of one process.
    pub tokens_max: u64,
}

/// The default token limit of the indexer model.
const INDEXER_TOKENS_MAX: u32 = 200_000;

/// The length up to which `curator = "auto"` uses the built-in curator, in lines: there is little
/// to omit, and a request takes seconds.
const AUTO_CURATOR_LINES: u32 = 200;

impl UserSettings {
    /// Returns whether contents of files, pages and outputs may be written to disk.
    pub fn keeps_contents(&self) -> bool {
        self.keep_contents != Some(false)
    }

    /// Returns the model that curates files; `None` for the built-in curator.
    pub fn curator(&self) -> Option<CuratorModel> {
        let longer_than = match self.curator {
            CuratorChoice::Extractive => return None,
            CuratorChoice::Model => 0,
            CuratorChoice::Auto => AUTO_CURATOR_LINES,
        };
        Some(CuratorModel { model: self.curator_model.clone()?, longer_than })
    }

    /// Returns the model that reads files into the index; `None` if no model does.
    pub fn indexer(&self) -> Option<IndexerModel> {
        let tokens_max = self.indexer_tokens_max.unwrap_or(INDEXER_TOKENS_MAX).into();
        Some(IndexerModel { model: self.indexer_model.clone()?, tokens_max })
    }

    /// Returns the permission rules.
    pub fn permission_policy(&self) -> PermissionPolicy {
        let rules = self.permissions.iter().cloned().map(PermissionRule::from).collect();
        PermissionPolicy { rules }
    }

    /// Returns the settings of duplicate calls.
    pub fn call_settings(&self) -> CallSettings {
        let usual = CallSettings::default();
        let duplicates = &self.duplicates;
        let limits = CallLimits {
            calls_max: duplicates.calls_max.unwrap_or(usual.limits.calls_max),
            age_ms_max: duplicates.age_ms_max.map_or(usual.limits.age_ms_max, i64::from),
        };
        let tools = duplicates.tools.iter().map(|(name, own)| {
            let limits = ToolLimits {
                detect: own.detect,
                calls_max: own.calls_max,
                age_ms_max: own.age_ms_max.map(i64::from),
            };
            (name.0.clone(), limits)
        });
        let detect = self.detect_duplicates.unwrap_or(usual.detect);
        CallSettings { detect, limits, tools: tools.collect(), ..usual }
    }

    /// Returns the settings of the tools.
    pub fn tool_settings(&self) -> ToolSettings {
        let usual = ToolSettings::default();
        let limits = self.limits_by_glob();
        // If only the largest time-out is set, it bounds the default.
        let time_out = usual.run_time_out_ms.min(self.run.time_out_max_ms);
        ToolSettings {
            read_small_lines: self.small_lines().unwrap_or(usual.read_small_lines),
            line_limits_by_glob: limits.map(|own| (own.glob.0, own.limits)).collect(),
            answer_tokens: self.answers.tokens.unwrap_or(usual.answer_tokens),
            answer_bytes: self.answers.bytes.map(|count| count as usize),
            run_time_out_ms: self.run.time_out_ms.unwrap_or(time_out),
            run_time_out_max_ms: self.run.time_out_max_ms,
            terminals_max: self.run.terminals_max as usize,
            calls: self.call_settings(),
            private_hosts: self.web.private_hosts.iter().map(|host| host.0.clone()).collect(),
            ..usual
        }
    }

    /// Returns the length up to which files are shown in full, in lines, from either of its names.
    pub(crate) fn small_lines(&self) -> Option<u32> {
        self.file_read_small_threshold.or(self.read.small_lines)
    }

    /// Returns the limits for some files in the order of precedence, from either of their forms.
    pub(crate) fn limits_by_glob(&self) -> impl Iterator<Item = FileReadLimits> {
        let thresholds = self.file_read_thresholds.iter();
        let thresholds = thresholds
            .map(|(glob, limits)| FileReadLimits { glob: glob.clone(), limits: limits.0 });
        self.read.for_files.iter().cloned().chain(thresholds)
    }
}
