use foveal_tools::settings::ReadLineLimits;

use super::*;
use crate::settings_source::{SettingsSource, Syntax};
use crate::user_settings::UserSettings;
use crate::user_settings::tests::parse_toml;
use crate::{schema, setting_edit, settings_template};

#[test]
fn the_schema_tells_the_types_of_settings() {
    let type_of = |name: &str| find_setting(name).map(|key| key.value_type.clone()).expect(name);
    for (name, value_type) in [
        ("keep_contents", SettingType::Boolean),
        ("answers.tokens", SettingType::Integer),
        ("duplicates.tools.grep.detect", SettingType::Boolean),
        ("curator_model", SettingType::Text),
        ("gateway.listen", SettingType::IntegerOrText),
        ("gateway.upstreams.work", SettingType::Text),
        ("web.private_hosts", SettingType::TextList),
        ("file_read_thresholds", SettingType::Tables),
        ("gateway.rules", SettingType::Tables),
    ] {
        assert_eq!(type_of(name), value_type, "{name}");
    }
    for (name, choices) in [
        ("curator", "extractive, model, auto"),
        ("chat.colours", "auto, 256, 16, none"),
        ("gateway.profile", "off, lossless, balanced, curated, max"),
    ] {
        assert_eq!(find_setting(name).expect(name).expected_value(), choices, "{name}");
    }
    for key in setting_keys() {
        assert!(key.description.ends_with('.'), "{}: {}", key.name, key.description);
    }
}

/// Returns the values that follow from settings.
fn effects(settings: &UserSettings) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        settings.tool_settings(),
        settings.keeps_contents(),
        settings.curator(),
        settings.agent.clone(),
        settings.chat.clone(),
    )
}

#[test]
fn what_holds_without_a_setting_can_be_set() {
    for key in setting_keys() {
        let Some(usual) = &key.default_value else { continue };
        let (table, last) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        let header = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        let set = parse_toml(&format!("{header}{last} = {usual}\n")).expect(&key.name);
        assert_eq!(effects(&set), effects(&UserSettings::default()), "{}", key.name);
        assert_eq!(set.gateway, UserSettings::default().gateway, "{}", key.name);
    }
}

#[test]
fn a_name_is_found_and_a_wrong_one_is_guessed() {
    assert_eq!(find_setting("answers.tokens").map(|key| &*key.name), Some("answers.tokens"));
    let one = find_setting("duplicates.tools.grep.calls_max").map(|key| &*key.name);
    assert_eq!(one, Some("duplicates.tools.TOOL.calls_max"));
    assert!(find_setting("answers").is_none() && find_setting("answers.tokens.x").is_none());
    assert!(find_setting("duplicates.tools..calls_max").is_none());
    let all = || setting_keys().iter().map(|key| &*key.name);
    assert_eq!(nearest_name("answer.token", all()), Some("answers.tokens"));
    assert_eq!(nearest_name("xyz", all()), None);
}

#[test]
fn each_value_goes_in_and_comes_back() {
    let text = "# mine\n[answers] # here\ntokens = 9_000 # many\n\n[gateway]\nkeep_warm = true\n";
    let set = |text: &str, name: &str, value: &str| {
        setting_edit::set_value(text, find_setting(name).expect(name), name, value)
    };
    let changed = set(text, "answers.tokens", "5_000").expect("it is a number");
    assert_eq!(changed, text.replace("9_000", "5000"));
    let more = set(&changed, "duplicates.tools.grep.detect", "no").expect("it is a choice");
    assert!(
        more.starts_with(&changed) && more.ends_with("[duplicates.tools.grep]\ndetect = false\n")
    );
    parse_toml(&more).expect("it is understood");
    let value = |name: &str| setting_edit::read_value(&more, name).expect("TOML");
    assert_eq!(value("duplicates.tools.grep.detect").as_deref(), Some("false"));
    assert_eq!(value("gateway.keep_warm").as_deref(), Some("true"));
    assert_eq!(value("gateway.profile"), None);
    let names = SettingsSource { text: &more, syntax: Syntax::Toml }
        .matching_names(find_setting("duplicates.tools.x.detect").expect("any"))
        .expect("TOML");
    assert_eq!(names, ["duplicates.tools.grep.detect"]);
    let without = setting_edit::remove_value(&more, "duplicates.tools.grep.detect").expect("TOML");
    assert!(!without.expect("it was set").contains("detect"));
    assert_eq!(setting_edit::remove_value(text, "gateway.profile").expect("TOML"), None);
    for (name, wrong) in [
        ("answers.tokens", "many"),
        ("keep_contents", "maybe"),
        ("gateway.profile", "best"),
        ("web.private_hosts", "[1]"),
        ("permissions", "x"),
    ] {
        assert!(set(text, name, wrong).is_err(), "{name} = {wrong}");
    }
    let hosts = set("", "web.private_hosts", "localhost:3000").expect("a text is a list of one");
    assert_eq!(hosts, "[web]\nprivate_hosts = [\"localhost:3000\"]\n");
}

#[test]
fn the_template_sets_nothing_and_the_schema_has_all() {
    let template = settings_template();
    assert_eq!(parse_toml(&template).expect("it is understood"), UserSettings::default());
    // With its comment signs removed, the template sets the defaults.
    let set: String = template
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let set = parse_toml(&set).expect("every line is understood");
    assert_eq!(effects(&set), effects(&UserSettings::default()));
    assert_eq!(set.gateway, UserSettings::default().gateway);
    let schema = schema::json_schema();
    let answers = &schema["properties"]["answers"];
    assert_eq!(answers["properties"]["tokens"]["default"], 8_000);
    assert_eq!(answers["additionalProperties"], false);
    assert_eq!(schema["properties"]["file_read_thresholds"]["type"], "object");
    let tool = &schema["properties"]["duplicates"]["properties"]["tools"]["additionalProperties"];
    assert_eq!(tool["properties"]["detect"]["type"], "boolean");
}

#[test]
fn the_names_of_design_documents_are_understood() {
    let set = parse_toml(
        "file_read_small_threshold = 150\n[file_read_thresholds]\n\
          \"*.json\" = { small = 200, large = 1000 }\n\"*.md\" = { small = 400 }\n",
    );
    let tools = set.expect("settings").tool_settings();
    assert_eq!(tools.read_small_lines, 150);
    let limits = |glob: &str, small, large| (glob.to_owned(), ReadLineLimits { small, large });
    let both = [limits("*.json", 200, Some(1_000)), limits("*.md", 400, None)];
    assert_eq!(tools.line_limits_by_glob, both);
    for (text, told) in [
        (
            "file_read_small_threshold = 1\n[read]\nsmall_lines = 2\n",
            "line 1: file_read_small_threshold",
        ),
        (
            "[file_read_thresholds]\n\"*.md\" = { small = 5, large = 5 }\n",
            "5 lines are too few for the limit of large files: give more than 5",
        ),
        ("[file_read_thresholds]\n\"*.md\" = { small = 5, lage = 7 }\n", "lage"),
        ("[read]\nsmal_lines = 1\n", "did you mean `small_lines`?"),
    ] {
        let error = parse_toml(text).expect_err(text);
        assert!(format!("{error:#}").contains(told), "{error:#}");
    }
}

#[test]
fn what_stands_around_a_setting_stays() {
    let text = "# header\n\n# why not\nkeep_contents = true # yes\n\n[answers]\n# many\n\"tokens\" = 9_000\n";
    let set = |text: &str, name: &str, value: &str| {
        setting_edit::set_value(text, find_setting(name).expect(name), name, value)
            .expect("it can be set")
    };
    let changed = set(text, "keep_contents", "no");
    assert_eq!(changed, text.replace("= true", "= false"));
    assert_eq!(set(&changed, "answers.tokens", "5000"), changed.replace("9_000", "5000"));
    let unset = |text: &str, name: &str| {
        setting_edit::remove_value(text, name).expect("TOML").expect("it was set")
    };
    // Comments about the setting are removed with it; others stay.
    let without =
        unset("# header\n\n# why not\nkeep_contents = true\ncurator = \"auto\"\n", "keep_contents");
    assert_eq!(without, "# header\n\ncurator = \"auto\"\n");
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(set(&windows, "keep_contents", "no"), windows.replace("= true", "= false"));
    let rules = "[[gateway.rules]]\nmodel = \"x\"\nprofile = \"max\"\n";
    let shown = setting_edit::read_value(rules, "gateway.rules").expect("TOML").expect("it is set");
    assert_eq!(shown, rules.trim_end());
    let hosts = set("", "web.private_hosts", "[::1]:80");
    assert_eq!(hosts, "[web]\nprivate_hosts = [\"[::1]:80\"]\n");
}
