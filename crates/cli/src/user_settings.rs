//! The user's own settings of the tools: `foveal/config.toml` among the user's settings.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_context::calls::{CallLimits, CallSettings, ToolLimits};
use foveal_tools::permission::{Policy, Rule};
use foveal_tools::settings::ToolSettings;
use foveal_tools::table::{self, TOOLS};
use globset::Glob;
use serde::Deserialize;

use crate::environment::Environment;

/// Bytes of settings that are read.
const BYTES_MAX: u64 = 1 << 20;

/// What a user may set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UserSettings {
    /// How far the tools go.
    pub(crate) tools: ToolSettings,
    /// Who may do what.
    pub(crate) policy: Policy,
}

/// The file as it is written. What is not named stays as it is by default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    detect_duplicates: Option<bool>,
    duplicates: WrittenDuplicates,
    read: WrittenRead,
    run: WrittenRun,
    web: WrittenWeb,
    permissions: Vec<Rule>,
}

/// How calls like earlier ones are known, of all tools and of some.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenDuplicates {
    calls_max: Option<usize>,
    age_ms_max: Option<u32>,
    threshold: Option<f64>,
    tools: BTreeMap<String, WrittenTool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenTool {
    detect: Option<bool>,
    calls_max: Option<usize>,
    age_ms_max: Option<u32>,
    threshold: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenRead {
    /// Files of at most so many lines are read in full.
    small_lines: Option<u32>,
    /// The same for some files; the first that matches counts.
    for_files: Vec<WrittenFiles>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFiles {
    glob: String,
    small_lines: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenRun {
    time_out_ms: Option<u64>,
    time_out_max_ms: Option<u64>,
    terminals_max: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenWeb {
    private_hosts: Vec<String>,
}

/// Where the settings are; `None` if there is no place for them.
pub(crate) fn path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.config_folder()?.join("foveal").join("config.toml"))
}

/// What the user set, or what holds without that.
///
/// # Errors
/// If there is a file that cannot be read, or says what is not understood; with the line.
pub(crate) fn read(environment: &Environment) -> anyhow::Result<UserSettings> {
    let Some(path) = path(environment) else { return Ok(UserSettings::default()) };
    let shown = path.display();
    let size = match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(UserSettings::default()),
        other => other.with_context(|| format!("`{shown}` cannot be read"))?.len(),
    };
    if size > BYTES_MAX {
        bail!("`{shown}` has more than {BYTES_MAX} bytes: these are no settings");
    }
    let text = fs::read_to_string(&path).with_context(|| format!("`{shown}` cannot be read"))?;
    of(&text).with_context(|| format!("`{shown}` cannot be used: correct it, or remove it"))
}

fn of(text: &str) -> anyhow::Result<UserSettings> {
    let Written { detect_duplicates, duplicates, read, run, web, permissions } =
        toml::from_str(text)?;
    let globs = read.for_files.iter().map(|files| &files.glob);
    for glob in globs.chain(permissions.iter().flat_map(|rule| [&rule.tool, &rule.subject])) {
        // What is no glob would match nothing, and a rule that forbids would forbid nothing.
        Glob::new(glob).with_context(|| format!("`{glob}` is no glob"))?;
    }
    let usual = ToolSettings::default();
    let for_files = read.for_files.into_iter().map(|files| (files.glob, files.small_lines));
    let tools = ToolSettings {
        read_small_lines: read.small_lines.unwrap_or(usual.read_small_lines),
        read_small_lines_by_glob: for_files.collect(),
        run_time_out_ms: run.time_out_ms.unwrap_or(usual.run_time_out_ms),
        run_time_out_max_ms: run.time_out_max_ms.unwrap_or(usual.run_time_out_max_ms),
        terminals_max: run.terminals_max.unwrap_or(usual.terminals_max),
        calls: calls(detect_duplicates, duplicates)?,
        private_hosts: web.private_hosts,
        ..usual
    };
    Ok(UserSettings { tools, policy: Policy { rules: permissions } })
}

/// How calls like earlier ones are answered.
///
/// # Errors
/// If a tool is named that there is not, or a threshold is no share.
fn calls(detect: Option<bool>, written: WrittenDuplicates) -> anyhow::Result<CallSettings> {
    let usual = CallSettings::default();
    let WrittenDuplicates { calls_max, age_ms_max, threshold, tools: written } = written;
    let thresholds = written.values().map(|tool| tool.threshold);
    for threshold in thresholds.chain([threshold]).flatten() {
        if !(0.0..=1.0).contains(&threshold) {
            bail!("threshold {threshold}: give a share from 0 to 1");
        }
    }
    let mut tools = BTreeMap::new();
    for (name, WrittenTool { detect, calls_max, age_ms_max, threshold }) in written {
        if table::named(&name).is_none() {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            bail!("there is no tool `{name}`; there are: {}", known.join(", "));
        }
        let age_ms_max = age_ms_max.map(i64::from);
        tools.insert(name, ToolLimits { detect, calls_max, age_ms_max, threshold });
    }
    let limits = CallLimits {
        calls_max: calls_max.unwrap_or(usual.limits.calls_max),
        age_ms_max: age_ms_max.map_or(usual.limits.age_ms_max, i64::from),
        threshold: threshold.unwrap_or(usual.limits.threshold),
    };
    Ok(CallSettings { detect: detect.unwrap_or(usual.detect), limits, tools, ..usual })
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_tools::permission::Verdict;

    #[test]
    fn everything_can_be_set() {
        let set = of("detect_duplicates = false\n\
             [read]\nsmall_lines = 50\nfor_files = [{ glob = \"**/*.md\", small_lines = 400 }]\n\
             [run]\ntime_out_ms = 1\ntime_out_max_ms = 2\nterminals_max = 3\n\
             [web]\nprivate_hosts = [\"localhost:3000\"]\n\
             [[permissions]]\ntool = \"bash\"\nsubject = \"git push*\"\nverdict = \"deny\"\n")
        .expect("settings");
        let calls = CallSettings { detect: false, ..CallSettings::default() };
        let tools = ToolSettings {
            read_small_lines: 50,
            read_small_lines_by_glob: vec![("**/*.md".to_owned(), 400)],
            run_time_out_ms: 1,
            run_time_out_max_ms: 2,
            terminals_max: 3,
            calls,
            private_hosts: vec!["localhost:3000".to_owned()],
            ..ToolSettings::default()
        };
        let (tool, subject) = ("bash".to_owned(), "git push*".to_owned());
        let policy = Policy { rules: vec![Rule { tool, subject, verdict: Verdict::Deny }] };
        assert_eq!(set, UserSettings { tools, policy });
        assert_eq!(of("").expect("settings"), UserSettings::default());
    }

    #[test]
    fn how_duplicates_are_known_can_be_set_for_all_tools_and_for_one() {
        let set = of("[duplicates]\ncalls_max = 20\nage_ms_max = 60_000\nthreshold = 0.6\n\
             [duplicates.tools.grep]\ndetect = false\n\
             [duplicates.tools.glob]\ncalls_max = 2\nage_ms_max = 1_000\nthreshold = 0.9\n");
        let calls = set.expect("settings").tools.calls;
        let limits = CallLimits { calls_max: 20, age_ms_max: 60_000, threshold: 0.6 };
        let grep = ToolLimits { detect: Some(false), ..ToolLimits::default() };
        let glob = ToolLimits {
            detect: None,
            calls_max: Some(2),
            age_ms_max: Some(1_000),
            threshold: Some(0.9),
        };
        let tools = BTreeMap::from([("glob".to_owned(), glob), ("grep".to_owned(), grep)]);
        assert_eq!(calls, CallSettings { limits, tools, ..CallSettings::default() });
    }

    #[test]
    fn the_settings_that_are_documented_are_understood() {
        let page = include_str!("../../../docs/agents.md");
        let documented = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let set = of(documented.expect("an example")).expect("settings");
        let tools: Vec<&str> = set.tools.calls.tools.keys().map(String::as_str).collect();
        assert_eq!(tools, ["grep", "web_fetch"]);
    }

    #[test]
    fn what_is_not_understood_is_told_with_its_line() {
        for (text, told) in [
            ("[read]\nsmal_lines = 1\n", "line 2"),
            ("\n\n[red]\n", "line 3"),
            ("[read]\nsmall_lines = -1\n", "line 2"),
            ("[[permissions]]\ntool = \"a\"\nsubject = \"b\"\nverdict = \"no\"\n", "line 4"),
            ("[[permissions]]\ntool = \"a\"\nsubject = \"b[\"\nverdict = \"deny\"\n", "`b[`"),
            ("[duplicates]\ncals_max = 1\n", "line 2"),
            ("[duplicates]\nthreshold = 1.5\n", "threshold 1.5"),
            ("[duplicates.tools.grepp]\ncalls_max = 1\n", "no tool `grepp`; there are: read_file"),
            ("[duplicates.tools.grep]\nthreshold = -0.1\n", "threshold -0.1"),
            ("read\n", "line 1"),
        ] {
            let error = format!("{:#}", of(text).expect_err(text));
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
