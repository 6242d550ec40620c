//! The settings that a project may set: the limits of what is shown of its files, and rules that
//! deny. It can name no server, key, command or folder, and allow nothing beyond the user's
//! settings.

use anyhow::bail;
use foveal_tools::permission::{PermissionRule, Verdict};
use toml_edit::{Item, TableLike};

use super::config_file::{ConfigFile, CuratorSetting, ToolDuplicatesSection, limits_by_glob};
use super::parse_error::line_number;
use super::settings_source::{ParsedSettings, SettingsSource, with_settings_table};
use super::{UserSettings, resolve_small_lines};
use foveal_tools::duplicate_calls::ToolLimits;

/// The tables and settings that a project may not set, with the reason. A name covers all names
/// below it.
const FORBIDDEN_SETTINGS: [(&str, &str); 9] = [
    ("keep_contents", "what is kept on your disk is yours to say"),
    ("curator_model", "files go to that model: only you name servers"),
    ("indexer_model", "files go to that model: only you name servers"),
    ("agent", "which files stand in prompts is yours to say"),
    ("chat", "what your terminal shows is yours to say"),
    ("gateway", "it names servers, prices and addresses"),
    ("run", "how long commands run, and how many at once, is yours to say"),
    ("web", "it opens addresses of your network"),
    ("indexer_tokens_max", "what a model costs is yours to say"),
];

/// Returns the user's settings with those of a project's file applied.
///
/// # Errors
/// For settings that cannot be parsed or that a project may not set, with the line.
pub(crate) fn apply_project_settings(
    user: &UserSettings,
    source: SettingsSource<'_>,
) -> anyhow::Result<UserSettings> {
    let ParsedSettings { config: written, toml } = source.parse()?;
    let text = &*toml;
    with_settings_table(text, source.syntax, |table| refuse_forbidden(table, text))?;
    let ConfigFile { curator, detect_duplicates, duplicates, answers, read, permissions, .. } =
        written;
    let mut all = user.clone();
    if let Some(lines) = resolve_small_lines(&read, written.file_read_small_threshold, text)? {
        all.tools.read_small_lines = lines;
    }
    // The first match counts.
    let users = std::mem::take(&mut all.tools.line_limits_by_glob);
    let own = limits_by_glob(read.for_files, written.file_read_thresholds);
    all.tools.line_limits_by_glob = own.chain(users).collect();
    if let Some(tokens) = answers.tokens {
        all.tools.answer_tokens = tokens.0;
    }
    if let Some(bytes) = answers.bytes {
        all.tools.answer_bytes = Some(bytes.0 as usize);
    }
    let calls = &mut all.tools.calls;
    calls.detect = detect_duplicates.unwrap_or(calls.detect);
    calls.limits.calls_max = duplicates.calls_max.unwrap_or(calls.limits.calls_max);
    calls.limits.age_ms_max = duplicates.age_ms_max.map_or(calls.limits.age_ms_max, i64::from);
    calls.limits.threshold = duplicates.threshold.map_or(calls.limits.threshold, |it| it.0);
    for (name, ToolDuplicatesSection { detect, calls_max, age_ms_max, threshold }) in
        duplicates.tools
    {
        let age_ms_max = age_ms_max.map(i64::from);
        let threshold = threshold.map(|share| share.0);
        calls.tools.insert(name.0, ToolLimits { detect, calls_max, age_ms_max, threshold });
    }
    if curator == CuratorSetting::Extractive {
        all.curator = None;
    }
    // The last match counts, and a project's rules only deny.
    let rules: Vec<PermissionRule> = permissions.into_iter().map(PermissionRule::from).collect();
    require_deny_rules(&rules)?;
    all.policy.rules.extend(rules);
    Ok(all)
}

/// Refuses settings that a project may not set, except for permission rules.
fn refuse_forbidden(table: &dyn TableLike, text: &str) -> anyhow::Result<()> {
    let line = |item: &Item, key: Option<usize>| {
        let at = key.or_else(|| Some(item.span()?.start)).unwrap_or_default();
        line_number(text.as_bytes(), at)
    };
    for (name, why) in FORBIDDEN_SETTINGS {
        if let Some((key, item)) = table.get_key_value(name) {
            let line = line(item, key.span().map(|span| span.start));
            bail!("line {line}: a project may not set `{name}`: {why}");
        }
    }
    if let Some(item) = table.get("curator")
        && item.as_str() != Some("extractive")
    {
        let line = line(item, None);
        bail!(
            "line {line}: of `curator` a project may only say \"extractive\": whether files go to a \
             model is yours to say"
        );
    }
    Ok(())
}

/// Refuses rules with another verdict than deny.
fn require_deny_rules(rules: &[PermissionRule]) -> anyhow::Result<()> {
    if let Some(rule) = rules.iter().find(|rule| rule.verdict != Verdict::Deny) {
        bail!(
            "a project may only deny: its rule about `{}` of `{}` would take the place of yours",
            rule.subject,
            rule.tool
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_settings::settings_source::Syntax;
    use foveal_tools::permission::PermissionPolicy;

    fn over(user: &UserSettings, text: &str) -> anyhow::Result<UserSettings> {
        super::apply_project_settings(user, SettingsSource { text, syntax: Syntax::Toml })
    }

    fn user() -> UserSettings {
        let rule = PermissionRule {
            tool: "bash".to_owned(),
            subject: "git *".to_owned(),
            verdict: Verdict::Deny,
        };
        UserSettings { policy: PermissionPolicy { rules: vec![rule] }, ..UserSettings::default() }
    }

    #[test]
    fn what_a_project_may_set_stands_over_the_users() {
        let text = "detect_duplicates = false\n[read]\nsmall_lines = 40\n\
                    [[permissions]]\ntool = \"*\"\nsubject = \"secrets/*\"\nverdict = \"deny\"\n";
        let all = over(&user(), text).expect("it is understood");
        assert_eq!((all.tools.read_small_lines, all.tools.calls.detect), (40, false));
        assert_eq!(all.policy.rules.len(), 2);
        assert_eq!(all.policy.rules[0], user().policy.rules[0]);
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
            ("curator = \"model\"\n", "a project may only say \"extractive\""),
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
        assert_eq!(all.tools.read_small_lines, 40);
        for (text, why) in [
            ("{\n\"gateway\": {\"upstream\": \"https://evil\"}}", "line 2: a project may not set"),
            ("{\"curator\": \"model\"}", "a project may only say \"extractive\""),
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
