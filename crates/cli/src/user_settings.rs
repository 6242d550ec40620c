//! The user's own settings of the tools: `foveal/config.toml` among the user's settings.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_tools::permission::{Policy, Rule};
use foveal_tools::settings::ToolSettings;
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
    read: WrittenRead,
    run: WrittenRun,
    web: WrittenWeb,
    permissions: Vec<Rule>,
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
    let Written { detect_duplicates, read, run, web, permissions } = toml::from_str(text)?;
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
        detect_duplicates: detect_duplicates.unwrap_or(usual.detect_duplicates),
        private_hosts: web.private_hosts,
        ..usual
    };
    Ok(UserSettings { tools, policy: Policy { rules: permissions } })
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
        let tools = ToolSettings {
            read_small_lines: 50,
            read_small_lines_by_glob: vec![("**/*.md".to_owned(), 400)],
            run_time_out_ms: 1,
            run_time_out_max_ms: 2,
            terminals_max: 3,
            detect_duplicates: false,
            private_hosts: vec!["localhost:3000".to_owned()],
            ..ToolSettings::default()
        };
        let (tool, subject) = ("bash".to_owned(), "git push*".to_owned());
        let policy = Policy { rules: vec![Rule { tool, subject, verdict: Verdict::Deny }] };
        assert_eq!(set, UserSettings { tools, policy });
        assert_eq!(of("").expect("settings"), UserSettings::default());
    }

    #[test]
    fn what_is_not_understood_is_told_with_its_line() {
        for (text, told) in [
            ("[read]\nsmal_lines = 1\n", "line 2"),
            ("\n\n[red]\n", "line 3"),
            ("[read]\nsmall_lines = -1\n", "line 2"),
            ("[[permissions]]\ntool = \"a\"\nsubject = \"b\"\nverdict = \"no\"\n", "line 4"),
            ("[[permissions]]\ntool = \"a\"\nsubject = \"b[\"\nverdict = \"deny\"\n", "`b[`"),
            ("read\n", "line 1"),
        ] {
            let error = format!("{:#}", of(text).expect_err(text));
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
