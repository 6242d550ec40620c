//! Each row of the table is complete, and the documentation says the same.

use std::collections::HashSet;

use super::*;

#[test]
fn every_row_is_complete() {
    let (mut names, mut prefixes, mut ranks) = (HashSet::new(), HashSet::new(), HashSet::new());
    for client in &CLIENT_AGENTS {
        let name = client.name;
        assert!(!name.is_empty() && names.insert(name), "{name}");
        assert!(!client.title.is_empty() && !client.programs.is_empty(), "{name}");
        let environment =
            UserEnvironment { home: Some("/home/me".into()), ..UserEnvironment::default() };
        let installation = (client.installation_paths)(&environment);
        assert!(installation.iter().any(Option::is_some), "{name}");
        assert!(client.servers.is_some() || client.hook.is_some(), "{name} cannot be set up");
        match client.address {
            AddressPlace::Settings(file, _) => {
                let variable = file.address_variable();
                assert!(variable.is_none_or(|one| client.variables.contains(&one)), "{name}");
            }
            AddressPlace::Unsupported(why) => {
                assert!(!why.is_empty() && client.launch.is_none(), "{name}");
            }
        }
        if let Some(HookSetup { hook, .. }) = &client.hook {
            assert_eq!(hook.agent, name);
            let variable = hook.address_variable;
            assert!(variable.is_none_or(|one| client.variables.contains(&one)), "{name}");
            let format = hook.transcript_format;
            assert!(format.is_none() || format == client.session_format, "{name}");
        }
        assert_eq!(client.session_format.is_some(), !client.session_folders.is_empty());
        assert!(client.session_folders.iter().all(|folder| ranks.insert(folder.rank)), "{name}");
        if let Some(limit) = client.answer_limit {
            assert_eq!(limit.name_prefix, limit.name_prefix.to_lowercase());
            assert!(prefixes.insert(limit.name_prefix), "{name}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn documentation_names_what_the_rows_say() {
    let [readme, agents, replay] = [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/agents.md"),
        include_str!("../../../../docs/replay.md"),
    ];
    let home = "/home/me";
    let environment = UserEnvironment { home: Some(home.into()), ..UserEnvironment::default() };
    let in_home = |path: UserPath| {
        let path = path(&environment).expect("the home folder is known");
        format!("~{}", path.to_str().unwrap_or_default().strip_prefix(home).unwrap_or_default())
    };
    let line_with = |text: &'static str, part: &str| {
        text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no `{part}`"))
    };
    for client in &CLIENT_AGENTS {
        let (title, name) = (client.title, client.name);
        let row = line_with(agents, &format!("(`{name}`) |"));
        assert!(row.starts_with(&format!("| {title} ")), "{row}");
        let file = match &client.servers {
            Some(servers) => format!("| `{}` |", in_home(servers.user_file)),
            None => "| none".to_owned(),
        };
        assert!(row.contains(&file), "{file}: {row}");
        assert_eq!(row.ends_with("| none |"), client.hook.is_none(), "{row}");
        if let Some(HookSetup { hook, place, .. }) = &client.hook {
            assert!(line_with(readme, "a hook or plugin").contains(title), "{title}");
            if let (HookPlace::Plugin { .. }, HookResultForm::Text(results)) =
                (place, &hook.results)
            {
                assert!(row.contains(&results.tools.join(", ")), "{row}");
            }
        }
        if client.session_format.is_some() {
            assert!(line_with(readme, "finds the sessions of").contains(title), "{title}");
        }
        for folder in client.session_folders.iter().filter(|folder| folder.title == title) {
            let place = in_home(folder.folder);
            line_with(replay, &format!("| {title} | `{place}"));
        }
    }
}
