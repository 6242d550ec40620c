use std::net::SocketAddr;

use foveal_tools::duplicate_calls::ToolLimits;
use foveal_tools::permission::{PermissionPolicy, PermissionRule, Verdict};
use foveal_tools::settings::ReadLineLimits;

use super::*;
use crate::gateway_choices::{CacheChoice, GatewayProfile};
use crate::parse_error::SettingsParseError;
use crate::settings_source::{SettingsSource, Syntax};
use crate::{CuratorModel, IndexerModel};

/// Parses settings in TOML.
pub(crate) fn parse_toml(text: &str) -> Result<UserSettings, SettingsParseError> {
    SettingsSource { text, syntax: Syntax::Toml }.parse()
}

use parse_toml as of;

#[test]
fn everything_can_be_set() {
    let set = of("keep_contents = false\ndetect_duplicates = false\n\
         curator = \"auto\"\ncurator_model = \"ollama:qwen3\"\n\
         indexer_model = \"ollama:qwen3\"\nindexer_tokens_max = 9\n\
         [answers]\ntokens = 9_000\nbytes = 30_000\n\
         [read]\nsmall_lines = 50\nfor_files = [{ glob = \"**/*.md\", small_lines = 400, large_lines = 1_000 }]\n\
         [run]\ntime_out_ms = 1\ntime_out_max_ms = 2\nterminals_max = 3\n\
         [web]\nprivate_hosts = [\"localhost:3000\"]\n\
         [agent]\nbase_files = [\"docs/design.md\"]\nprofile = \"content-reset\"\nsub_agents = false\n\
         max_file_reads = 3\nkeep_all_edits = false\nbash_truncate = 5_000\n\
         budget = \"70%\"\nbudget_low = 60_000\n\
         [chat]\ncolours = 16\n\
         [[permissions]]\ntool = \"bash\"\nsubject = \"git push*\"\nverdict = \"deny\"\n")
    .expect("settings");
    let calls = CallSettings { detect: false, ..CallSettings::default() };
    let tools = ToolSettings {
        answer_tokens: 9_000,
        answer_bytes: Some(30_000),
        read_small_lines: 50,
        line_limits_by_glob: vec![(
            "**/*.md".to_owned(),
            ReadLineLimits { small: 400, large: Some(1_000) },
        )],
        run_time_out_ms: 1,
        run_time_out_max_ms: 2,
        terminals_max: 3,
        calls,
        private_hosts: vec!["localhost:3000".to_owned()],
        ..ToolSettings::default()
    };
    assert_eq!(set.tool_settings(), tools);
    let (tool, subject) = ("bash".to_owned(), "git push*".to_owned());
    let policy =
        PermissionPolicy { rules: vec![PermissionRule { tool, subject, verdict: Verdict::Deny }] };
    assert_eq!(set.permission_policy(), policy);
    assert!(!set.keeps_contents());
    let model: ModelSpec = "ollama:qwen3".parse().expect("a model");
    let indexer = IndexerModel { model: model.clone(), tokens_max: 9 };
    assert_eq!(set.indexer(), Some(indexer));
    assert_eq!(set.curator(), Some(CuratorModel { model, longer_than: 200 }));
    let agent: AgentSection = toml::from_str(
        "base_files = [\"docs/design.md\"]\nprofile = \"content-reset\"\nsub_agents = false\n\
         max_file_reads = 3\nkeep_all_edits = false\nbash_truncate = 5_000\n\
         budget = \"70%\"\nbudget_low = 60_000\n",
    )
    .expect("the section");
    assert_eq!(set.agent, agent);
    assert_eq!((&*agent.profile, agent.sub_agents), ("content-reset", false));
    assert_eq!(agent.base_files, ["docs/design.md"]);
    assert_eq!(set.chat.colours, ColourPalette::Basic);
    assert_eq!(set.gateway, GatewaySection::default());
    assert_eq!(of("").expect("settings"), UserSettings::default());
    assert!(UserSettings::default().keeps_contents());
    assert_eq!(UserSettings::default().tool_settings(), ToolSettings::default());
}

#[test]
fn how_duplicates_are_known_can_be_set_for_all_tools_and_for_one() {
    let set = of("[duplicates]\ncalls_max = 20\nage_ms_max = 60_000\n\
         [duplicates.tools.grep]\ndetect = false\n\
         [duplicates.tools.glob]\ncalls_max = 2\nage_ms_max = 1_000\n");
    let calls = set.expect("settings").call_settings();
    let limits = CallLimits { calls_max: 20, age_ms_max: 60_000 };
    let grep = ToolLimits { detect: Some(false), ..ToolLimits::default() };
    let glob = ToolLimits { detect: None, calls_max: Some(2), age_ms_max: Some(1_000) };
    let tools = BTreeMap::from([("glob".to_owned(), glob), ("grep".to_owned(), grep)]);
    assert_eq!(calls, CallSettings { limits, tools, ..CallSettings::default() });
}

#[test]
fn the_settings_that_are_documented_are_understood() {
    let page = include_str!("../../../../docs/settings.md");
    let documented = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let set = of(documented.expect("an example")).expect("settings");
    let calls = set.call_settings();
    let tools: Vec<&str> = calls.tools.keys().map(String::as_str).collect();
    assert_eq!(tools, ["grep", "web_fetch"]);
}

#[test]
fn what_is_not_understood_is_told_with_its_line() {
    for (text, line, told) in [
        ("[read]\nsmal_lines = 1\n", 2, "unknown field `smal_lines`"),
        ("\n\n[red]\n", 3, "unknown field `red`"),
        ("[read]\nsmall_lines = -1\n", 2, "-1"),
        ("[read]\nsmall_lines = 0\n", 2, "give at least 1"),
        ("[read]\nfor_files = [\n{ glob = \"\", small_lines = 1 }]\n", 3, "an empty glob"),
        ("[duplicates]\ncals_max = 1\n", 2, "unknown field `cals_max`"),
        ("[duplicates]\nthreshold = 0.5\n", 2, "unknown field `threshold`"),
        (
            "[duplicates.tools.grepp]\ncalls_max = 1\n",
            1,
            "unknown tool `grepp`: expected one of read_file",
        ),
        ("[answers]\ntokens = 20_001\n", 2, "are not allowed for an answer: use 1000 to 20000"),
        ("[answers]\ntokens = 999\n", 2, "are not allowed for an answer: use 1000 to 20000"),
        ("[answers]\nbytes = 100\n", 2, "at least 3000"),
        ("[run]\n\ntime_out_ms = 0\n", 3, "give at least 1"),
        ("[run]\ntime_out_max_ms = 0\n", 2, "give at least 1"),
        ("[run]\nterminals_max = 0\n", 2, "give at least 1"),
        ("[run]\ntime_out_max_ms = 9\ntime_out_ms = 10\n", 3, "10, is above time_out_max_ms, 9"),
        ("[run]\ntime_out_ms = 3_600_001\n", 2, "is above time_out_max_ms, 3600000"),
        ("read\n", 1, "expected"),
    ] {
        check_wrong(text, line, told);
    }
}

fn check_wrong(text: &str, line: usize, told: &str) {
    let error = format!("{:#}", of(text).expect_err(text));
    let is_told = error.contains(told) && error.contains(&format!("line {line}"));
    assert!(is_told, "{text:?}: {error}");
}

#[test]
fn rules_without_effect_are_told_with_their_line() {
    let check = |tool: &str, subject: &str, line, told: &str| {
        let text = format!(
            "[[permissions]]\ntool = \"{tool}\"\nsubject = \"{subject}\"\nverdict = \"deny\"\n"
        );
        check_wrong(&text, line, told);
    };
    check("bsh", "rm *", 2, "no tool matches `bsh`: the tools are read_file");
    check("Bash*", "rm *", 2, "no tool matches `Bash*`");
    check("", "rm *", 2, "write `*` for everything");
    check("b[", "rm *", 2, "`b[` is not a valid glob");
    check("bash", "", 3, "write `*` for everything");
    check("bash", " ", 3, "write `*` for everything");
    check("bash", "b[", 3, "`b[` is not a valid glob");
    let verdict = "[[permissions]]\ntool = \"*\"\nsubject = \"b\"\nverdict = \"no\"\n";
    check_wrong(verdict, 4, "unknown variant `no`");
    for tool in ["*", "bash", "{exec,bash}", "read_*", "*_stdin"] {
        let rule =
            format!("permissions = [{{ tool = \"{tool}\", subject = \"*\", verdict = \"ask\" }}]");
        assert_eq!(of(&rule).expect("a rule").permission_policy().rules.len(), 1);
    }
}

#[test]
fn hosts_that_are_none_are_told_with_their_line() {
    let of_hosts = |hosts: &[&str]| format!("[web]\nprivate_hosts = {hosts:?}\n");
    for host in [
        "",
        " ",
        "http://x/",
        "x/y",
        "localhost:99999",
        "localhost:0",
        "localhost:",
        ":80",
        "a b",
        "a..b",
        "*",
        "*.",
        "a:b:c",
        "[::1",
        "b\u{fc}cher.example",
    ] {
        check_wrong(&of_hosts(&[host]), 2, &format!("`{host}` is not a valid host"));
    }
    let hosts = [
        "localhost",
        "localhost:3000",
        "my_host.",
        "*.corp.example",
        "*.corp.example:8443",
        "10.0.0.7",
        "10.0.0.7:80",
        "::1",
        "[::1]",
        "[::1]:80",
    ];
    assert_eq!(of(&of_hosts(&hosts)).expect("hosts").tool_settings().private_hosts, hosts);
}

#[test]
fn the_most_time_bounds_the_usual_time() {
    let tools = of("[run]\ntime_out_max_ms = 1000\n").expect("settings").tool_settings();
    assert_eq!((tools.run_time_out_ms, tools.run_time_out_max_ms), (1000, 1000));
    let tools = of("[run]\ntime_out_max_ms = 200_000\n").expect("settings").tool_settings();
    assert_eq!((tools.run_time_out_ms, tools.run_time_out_max_ms), (120_000, 200_000));
}

#[test]
fn a_gateway_is_told_where_requests_go() {
    let text = "[gateway]\nlisten = 4200\nprofile = \"max\"\nwebsockets = \"pass\"\n\
                decision_time_ms = 20\nkeep_warm = true\nhosts = [\"box\"]\n\n[gateway.upstreams]\n\
                work = \"https://models.example/v1\"\n";
    let rules = "[gateway]\ncache = \"off\"\n[[gateway.rules]]\nmodel = \"claude-haiku-*\"\n\
                 profile = \"lossless\"\n[[gateway.rules]]\nagent = \"codex\"\nprofile = \"max\"\n";
    let set = of(rules).unwrap().gateway;
    assert_eq!(set.cache, CacheChoice::Off);
    let told: Vec<_> =
        set.rules.iter().map(|rule| (rule.model.as_deref(), rule.agent.as_deref())).collect();
    assert_eq!(told, [(Some("claude-haiku-*"), None), (None, Some("codex"))]);
    let profiles: Vec<_> = set.rules.iter().map(|rule| rule.profile).collect();
    assert_eq!(profiles, [GatewayProfile::Lossless, GatewayProfile::Max]);
    let gateway = of(text).unwrap().gateway;
    assert_eq!(gateway.listen, SocketAddr::from(([127, 0, 0, 1], 4200)));
    assert_eq!(gateway.decision_time_ms, 20);
    assert!(gateway.keep_warm && !of("").unwrap().gateway.keep_warm);
    let all: Vec<_> =
        gateway.upstream_config().to_upstreams().addressable().map(ToString::to_string).collect();
    assert!(all.contains(&"https://models.example/v1".to_owned()), "{all:?}");
    for (line, told) in [
        ("lisen = 1", "expected one of `listen`, `profile`"),
        ("listen = \"nowhere\"", "is not a valid listen address"),
        ("profile = \"most\"", "expected one of `off`, `lossless`"),
        ("decision_time_ms = 0", "a decision may take 1 to 60000"),
        ("cache = \"on\"", "expected `auto` or `off`"),
        ("rules = [{ model = \"a*\", profile = \"most\" }]", "expected one of `off`, `lossless`"),
        ("rules = [{ modl = \"a*\", profile = \"max\" }]", "unknown field `modl`"),
        ("rules = [{ model = \"a[\", profile = \"max\" }]", "`a[` is not a valid glob"),
        ("rules = [{ agent = \"\", profile = \"max\" }]", "an empty glob matches nothing"),
        ("rules = [{ agent = \"codex\" }]", "missing field `profile`"),
        ("prices = [{ input = 1, output = 2 }]", "prices without a target: set `model`"),
        ("prices = [{ model = \"a\", input = 1 }]", "missing field `output`"),
        ("prices = [{ model = \"a\", input = -1, output = 2 }]", "`input = -1`: give US dollars"),
        ("prices = [{ model = \"a\", input = 1, cached = 2, output = 2 }]", "costs more than"),
        (
            "prices = [{ model = \"a\", input = 1, written = 1, output = 2 }]",
            "`written` is set without `cached`",
        ),
        ("prices = [{ model = \"a\", inputs = 1, output = 2 }]", "unknown field `inputs`"),
        ("upstream = \"models.example\"", "does not begin with https:// or http://"),
        ("upstreams = { v1 = \"https://a.example\" }", "is not a valid upstream name"),
        ("upstreams = { a = \"https://k:p@a.example\" }", "send these in headers"),
    ] {
        let refused = format!("{:#}", of(&format!("[gateway]\n{line}\n")).unwrap_err());
        assert!(refused.contains(told) && refused.contains("line 2"), "{line}: {refused}");
    }
}

#[test]
fn colours_are_written_as_numbers_or_texts() {
    for (written, wish) in [
        ("256", ColourPalette::Indexed),
        ("\"256\"", ColourPalette::Indexed),
        ("\"16\"", ColourPalette::Basic),
        ("\"none\"", ColourPalette::None),
        ("\"auto\"", ColourPalette::Auto),
    ] {
        let set = of(&format!("chat.colours = {written}\n")).expect("settings");
        assert_eq!(set.chat.colours, wish, "{written}");
    }
    for wrong in ["8", "\"many\""] {
        let error = of(&format!("\n[chat]\ncolours = {wrong}\n")).expect_err("no colours");
        let told = format!("{error:#}");
        assert!(told.contains("unknown colours `"), "{told}");
        assert!(told.contains("`: expected one of auto, 256, 16, none"), "{told}");
        assert!(told.contains("line 3"), "{told}");
    }
}
