use std::path::Path;

use foveal_agent_setup::UserEnvironment;
use foveal_settings::settings_file::SettingsFile;

use super::*;

/// An environment whose file of settings is in this folder.
fn environment(folder: &Path) -> Environment {
    let user =
        UserEnvironment { config_home: Some(folder.to_owned()), ..UserEnvironment::default() };
    Environment { user, ..Environment::default() }
}

fn write_file(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder.join("foveal")).expect("a folder");
    std::fs::write(folder.join("foveal").join(name), text).expect("it is written");
}

fn setting(environment: &Environment, name: &str) -> EditableSetting {
    let settings = SettingsPanel::list_settings(environment).expect("they are understood");
    settings.settings.into_iter().find(|one| one.name == name).expect("it is there")
}

/// Enter, and Enter again: what stands in the editor is written as it is.
fn enter_twice(environment: &Environment, name: &str) -> Option<anyhow::Result<String>> {
    let EditableSetting { input: takes, value, .. } = setting(environment, name);
    let typed = value.unwrap_or_default();
    let is_typed = takes == SettingInput::Text;
    is_typed.then(|| SettingsPanel::default().set_value(name, Some(typed.trim()), environment))
}

#[test]
fn a_list_is_edited_whole_and_a_value_that_no_line_holds_is_not() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    let name = "agent.base_files";
    let list = "[\"a \\\"b\", \"c\"]";
    for (file, text) in [
        ("config.toml", "[agent]\nbase_files = [\n  'a \"b',\n  \"c\",\n]\n"),
        ("config.json", "{\"agent\": {\"base_files\": [\n  \"a \\\"b\",\n  \"c\"\n]}}\n"),
    ] {
        write_file(home.path(), file, text);
        let typed = setting(&environment, name).value.expect("it is set");
        assert_eq!(typed.lines().count(), 1, "{file}: {typed}");
        let set = enter_twice(&environment, name).expect("it is typed");
        assert!(set.is_ok(), "{file}: {set:?}");
        let file = SettingsFile::read(environment.user.config_folder().as_deref())
            .expect("it is there")
            .expect("a place");
        let again = file.source().read_value(name).expect("it is understood").expect("it is set");
        let [again, meant] = [&*again, list].map(|it| it.parse::<toml::Value>().expect("TOML"));
        assert_eq!(again, meant);
        std::fs::remove_file(&file.path).expect("it is there");
    }
    // A comment would be lost, and a text of two lines has no line.
    for (name, text) in [
        (name, "[agent]\nbase_files = [\n  \"a\", # first\n  \"b\",\n]\n"),
        (name, "[agent]\nbase_files = [\n  # first\n  \"a\",\n]\n"),
        (name, "[agent]\nbase_files = [\n  \"a\",\n  # none\n]\n"),
        ("gateway.hosts", "[gateway]\nhosts = [\n# none\n]\n"),
        (name, "[agent]\nbase_files = [\"a\\nb\"]\n"),
    ] {
        write_file(home.path(), "config.toml", text);
        let takes = setting(&environment, name).input;
        let is_told =
            matches!(&takes, SettingInput::Unavailable(how) if how.contains("config edit"));
        assert!(is_told, "{text}: {takes:?}");
    }
}

#[test]
fn what_is_no_list_is_not_written_as_one() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    for (file, text) in [
        ("config.toml", "[web]\nprivate_hosts = [\"a\"]\n"),
        ("config.json", "{\"web\": {\"private_hosts\": [\"a\"]}}\n"),
    ] {
        write_file(home.path(), file, text);
        let unset = enter_twice(&environment, "agent.base_files").expect("it is typed");
        assert!(unset.is_err(), "{unset:?}");
        for wrong in ["", " ", "[", "[ …", "[\"a\", \"b\"", "[a]", "[::1]:80, x", "[1]"] {
            let set =
                SettingsPanel::default().set_value("web.private_hosts", Some(wrong), &environment);
            assert!(set.is_err(), "{file}: {wrong}");
            let set =
                SettingsPanel::default().set_value("agent.base_files", Some(wrong), &environment);
            let told = refusal_message(&set.expect_err("it is no list"));
            assert!(told.contains("expected a list of strings"), "{file}: {wrong}: {told}");
        }
        let path = home.path().join("foveal").join(file);
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
        for host in ["[::1]:80", "[::1]", "[]", "[\"b\", \"::1\"]"] {
            let set =
                SettingsPanel::default().set_value("web.private_hosts", Some(host), &environment);
            assert!(set.is_ok(), "{file}: {host}: {set:?}");
        }
        std::fs::remove_file(path).expect("it is there");
    }
}

#[test]
fn what_is_written_and_does_not_hold_here_is_told_as_that() {
    let home = tempfile::tempdir().expect("a folder");
    let mut environment = environment(home.path());
    let address = |port: &str| format!("http://localhost:{port}");
    let set = |environment: &Environment, value: Option<&str>| {
        SettingsPanel::default().set_value("gateway.otel", value, environment).expect("it is set")
    };
    let told = set(&environment, Some(&address("1")));
    assert!(told.ends_with("config.toml: this applies to new runs and sessions"), "{told}");
    let variable = "OTEL_EXPORTER_OTLP_ENDPOINT";
    environment.trace_variables.insert(variable, address("2"));
    let shown = setting(&environment, "gateway.otel");
    assert_eq!(shown.value, Some(address("2")));
    assert_eq!(shown.origin, SettingOrigin::Environment(variable.to_owned()));
    for value in [Some(address("3")), None] {
        let told = set(&environment, value.as_deref());
        let end = format!(": but {variable} in the environment takes precedence");
        assert!(told.ends_with(&end), "{told}");
    }
    let told = SettingsPanel::default()
        .set_value("keep_contents", Some("no"), &environment)
        .expect("it is set");
    assert!(told.ends_with("this applies to new runs and sessions"), "{told}");
}
