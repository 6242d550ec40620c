//! The settings that a project may set: the limits of what is shown of its files, and rules that
//! deny. It can name no server, key, command or folder, and allow nothing beyond the user's
//! settings.

use foveal_tools::permission::Verdict;
use toml::de::DeTable;

use crate::parse_error::SettingsParseError;
use crate::settings_source::SettingsSource;
use crate::user_settings::{CuratorChoice, ReadSection, UserSettings};

/// The tables and settings that a project may not set, with the reason. A name covers all names
/// below it.
const FORBIDDEN_SETTINGS: [(&str, &str); 9] = [
    ("keep_contents", "only you decide what is stored on your disk"),
    ("curator_model", "files are sent to that model, and only you choose servers"),
    ("indexer_model", "files are sent to that model, and only you choose servers"),
    ("agent", "only you decide which files are in prompts"),
    ("chat", "only you decide what your terminal shows"),
    ("gateway", "it sets servers, prices and addresses"),
    ("run", "only you decide how long commands run, and how many at once"),
    ("web", "it allows access to addresses of your network"),
    ("indexer_tokens_max", "only you decide what a model may cost"),
];

/// The reason why a project may not set a setting.
#[derive(Debug, thiserror::Error)]
enum ProjectSettingError {
    #[error("a project may not set `{name}`: {reason}")]
    Forbidden { name: &'static str, reason: &'static str },
    #[error(
        "a project may only set `curator` to \"extractive\": only you decide whether files are \
         sent to a model"
    )]
    Curator,
    #[error("a project may only deny: its rule about `{subject}` of `{tool}` would override yours")]
    Permission { tool: String, subject: String },
}

/// Returns the user's settings with those of a project's file over them.
///
/// # Errors
/// For settings that cannot be parsed or that a project may not set, with the line.
pub fn apply_project_settings(
    user: &UserSettings,
    source: SettingsSource<'_>,
) -> Result<UserSettings, SettingsParseError> {
    let table = source.parse_table()?;
    let refuse = |offset, error: ProjectSettingError| {
        SettingsParseError::at_line(source.line_number(offset), error.to_string())
    };
    refuse_names(table.get_ref()).map_err(|(offset, error)| refuse(offset, error))?;
    let project = source.parse_settings(&table)?;
    refuse_values(table.get_ref(), &project).map_err(|(offset, error)| refuse(offset, error))?;
    project.check().map_err(|conflict| source.conflict_error(&table, &conflict))?;
    Ok(user.with_project(project))
}

impl UserSettings {
    /// Returns these settings with those of a project over them.
    fn with_project(&self, project: Self) -> Self {
        let mut all = self.clone();
        // The first match counts.
        let for_files = project.limits_by_glob().chain(self.limits_by_glob()).collect();
        let small_lines = project.small_lines().or(self.small_lines());
        all.read = ReadSection { small_lines, for_files };
        all.file_read_small_threshold = None;
        all.file_read_thresholds.clear();
        all.answers.tokens = project.answers.tokens.or(self.answers.tokens);
        all.answers.bytes = project.answers.bytes.or(self.answers.bytes);
        all.detect_duplicates = project.detect_duplicates.or(self.detect_duplicates);
        let (own, duplicates) = (&mut all.duplicates, project.duplicates);
        own.calls_max = duplicates.calls_max.or(own.calls_max);
        own.age_ms_max = duplicates.age_ms_max.or(own.age_ms_max);
        own.tools.extend(duplicates.tools);
        if project.curator == CuratorChoice::Extractive {
            all.curator = CuratorChoice::Extractive;
        }
        // The last match counts, and a project's rules only deny.
        all.permissions.extend(project.permissions);
        all
    }
}

/// Refuses settings that a project may not set, whatever their values are; the error comes with its
/// offset.
fn refuse_names(table: &DeTable<'_>) -> Result<(), (usize, ProjectSettingError)> {
    for (name, reason) in FORBIDDEN_SETTINGS {
        if let Some((key, _)) = table.get_key_value(name) {
            let error = ProjectSettingError::Forbidden { name, reason };
            return Err((key.span().start, error));
        }
    }
    Ok(())
}

/// Refuses values that a project may not set; the error comes with its offset.
fn refuse_values(
    table: &DeTable<'_>,
    project: &UserSettings,
) -> Result<(), (usize, ProjectSettingError)> {
    if let Some((key, _)) = table.get_key_value("curator")
        && project.curator != CuratorChoice::Extractive
    {
        return Err((key.span().start, ProjectSettingError::Curator));
    }
    let mut rules = project.permissions.iter().enumerate();
    if let Some((at, rule)) = rules.find(|(_, rule)| rule.verdict != Verdict::Deny) {
        let element = table.get("permissions").and_then(|rules| rules.get_ref().get(at));
        let offset = element.map_or(0, |element| element.span().start);
        let (tool, subject) = (rule.tool.clone(), rule.subject.clone());
        return Err((offset, ProjectSettingError::Permission { tool, subject }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings_source::Syntax;
    use crate::user_settings::tests::parse_toml;

    fn over(user: &UserSettings, text: &str) -> Result<UserSettings, SettingsParseError> {
        super::apply_project_settings(user, SettingsSource { text, syntax: Syntax::Toml })
    }

    fn user() -> UserSettings {
        parse_toml("permissions = [{ tool = \"bash\", subject = \"git *\", verdict = \"deny\" }]")
            .expect("a rule")
    }

    #[test]
    fn what_a_project_may_set_stands_over_the_users() {
        let text = "detect_duplicates = false\n[read]\nsmall_lines = 40\n\
                    [[permissions]]\ntool = \"*\"\nsubject = \"secrets/*\"\nverdict = \"deny\"\n";
        let all = over(&user(), text).expect("it is understood");
        let tools = all.tool_settings();
        assert_eq!((tools.read_small_lines, tools.calls.detect), (40, false));
        let rules = all.permission_policy().rules;
        assert_eq!(rules.len(), 2);
        assert_eq!(rules[0], user().permission_policy().rules[0]);
        assert_eq!(over(&user(), "").expect("nothing is set"), user());
    }

    #[test]
    fn what_opens_something_is_refused_with_its_line() {
        for (text, why) in [
            ("\ncurator_model = \"chat:m@http://evil/v1\"\n", "line 2: a project may not set"),
            ("[gateway]\nupstream = \"https://evil\"\n", "line 1: a project may not set `gateway`"),
            ("gateway.upstreams.x = \"https://evil\"\n", "a project may not set `gateway`"),
            ("[web]\nprivate_hosts = [\"localhost\"]\n", "line 1: a project may not set `web`"),
            ("[run]\ntime_out_ms = 1\n", "a project may not set `run`"),
            ("keep_contents = true\n", "a project may not set `keep_contents`"),
            ("curator = \"model\"\n", "a project may only set `curator` to \"extractive\""),
            (
                "[[permissions]]\ntool = \"bash\"\nsubject = \"*\"\nverdict = \"allow\"\n",
                "may only deny",
            ),
            (
                "[[permissions]]\ntool = \"bash\"\nsubject = \"git *\"\nverdict = \"ask\"\n",
                "may only deny",
            ),
            ("[read]\nsmal_lines = 4\n", "did you mean `small_lines`?"),
            ("[read\n", "line 1"),
        ] {
            let error = over(&user(), text).expect_err("it opens something");
            let told = format!("{error:#}");
            assert!(told.contains(why), "{text}: {told}");
        }
    }
    #[test]
    fn the_same_holds_for_json() {
        let over = |text| {
            super::apply_project_settings(&user(), SettingsSource { text, syntax: Syntax::Json })
        };
        let all = over("{\"file_read_small_threshold\": 40}").expect("it is understood");
        assert_eq!(all.tool_settings().read_small_lines, 40);
        for (text, why) in [
            ("{\n\"gateway\": {\"upstream\": \"https://evil\"}}", "line 2: a project may not set"),
            ("{\"curator\": \"model\"}", "a project may only set `curator` to \"extractive\""),
            (
                "{\"permissions\": [{\"tool\": \"bash\", \"subject\": \"*\", \"verdict\": \"allow\"}]}",
                "may only deny",
            ),
            ("{\n\"read\": {\n\"smal_lines\": 4}}", "did you mean `small_lines`?"),
        ] {
            let told = format!("{:#}", over(text).expect_err("it opens something"));
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
