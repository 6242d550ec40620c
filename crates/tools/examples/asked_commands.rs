//! How often a person is asked about recorded commands.
//!
//! ```text
//! cargo run -p foveal-tools --example asked_commands -- [--show] ../shared/sessions/atif
//! ```
//!
//! Takes the shell commands of recorded sessions (ATIF), each once, into an empty folder: the folder to
//! which a session's commands go most often is that one, and folders below are made. Prints the share
//! that is asked about in foveal's own agent without rules, and with rules for the 90 programs
//! that most commands run. `--show`
//! prints those commands, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use foveal_index::Index;
use foveal_sandbox::{CommandEnvironment, Sandbox, ShellProgram};
use foveal_store::SqliteStore;
use foveal_tool_effects::{CommandLinePart, SimpleCommandLine};
use foveal_tools::permission::{PermissionPolicy, PermissionRule, Verdict};
use foveal_tools::session::CommandApproval;
use foveal_tools::settings::ToolSettings;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::{ToolSession, Toolbox};
use foveal_workspace::WorkspaceRoots;
use serde_json::Value;

/// Programs that a person has allowed: those that most commands run.
const LISTED: usize = 90;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let shows = words.iter().any(|word| word == "--show");
    let folder = words.iter().find(|word| *word != "--show").ok_or("which folder?")?;
    let work = tempfile::tempdir()?;
    let work = work.path().canonicalize()?;
    let commands = recorded_commands(Path::new(folder), &work)?;
    let listed = frequent_programs(&commands);
    let listed = listed.iter().flat_map(|program| [program.clone(), format!("{program} *")]);
    let rule =
        |subject| PermissionRule { tool: "bash".to_owned(), subject, verdict: Verdict::Allow };
    let listed: Vec<PermissionRule> = listed.map(rule).collect();
    for (name, rules) in [("without rules", Vec::new()), ("with rules for 90 programs", listed)] {
        let session = session(&work, rules)?;
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for command in &commands {
            if let CommandApproval::Needed(reason) = session.command_approval("bash", command) {
                if shows {
                    println!("--- {reason}\n{command}");
                }
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let (asked, all): (usize, usize) = (reasons.values().sum(), commands.len());
        let percent = asked as f64 * 100.0 / all as f64;
        println!("{name}: {asked} of {all} commands are asked about ({percent:.1} %)");
        let mut reasons: Vec<(usize, String)> =
            reasons.into_iter().map(|(reason, count)| (count, reason)).collect();
        reasons.sort_by(|one, other| other.cmp(one));
        for (count, reason) in reasons.iter().take(30) {
            println!("  {count:4}  {reason}");
        }
    }
    Ok(())
}

/// The programs that occur in most commands.
fn frequent_programs(commands: &BTreeSet<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in commands.iter().filter_map(|command| SimpleCommandLine::parse(command)) {
        let program = |part: CommandLinePart| match part {
            CommandLinePart::Command(words) => Some(words[0].source.clone()),
            CommandLinePart::Redirection { .. } => None,
        };
        let programs: BTreeSet<String> = line.parts.into_iter().filter_map(program).collect();
        programs.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    }
    let mut programs: Vec<(usize, String)> =
        counts.into_iter().map(|(name, count)| (count, name)).collect();
    programs.sort_by(|one, other| other.cmp(one));
    programs.into_iter().take(LISTED).map(|(_, name)| name).collect()
}

fn session(
    work: &Path,
    rules: Vec<PermissionRule>,
) -> Result<ToolSession, Box<dyn std::error::Error>> {
    let roots = WorkspaceRoots::open(&[work])?;
    let path = std::env::var_os("PATH");
    let environment =
        CommandEnvironment::from_inherited(path.clone().map(|path| ("PATH".into(), path)));
    let shell = ShellProgram::find(path.as_deref()).ok_or("no shell")?;
    let host =
        CommandRuntime { environment, shell, sandbox: Some(Sandbox::default()), guard: None };
    let (store, folder) = (Arc::new(SqliteStore::in_memory()?), work.to_owned());
    let open = Box::new(move || Index::in_memory(&folder, None));
    let mut toolbox = Toolbox::new(roots, store, open, host, ToolSettings::default());
    toolbox.policy = PermissionPolicy { rules };
    Ok(ToolSession::new(&Arc::new(toolbox), "measured"))
}

/// The commands of all sessions, each once, as if all had worked in `work`.
fn recorded_commands(folder: &Path, work: &Path) -> std::io::Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for source in fs::read_dir(folder)? {
        for file in fs::read_dir(source?.path())? {
            let session = serde_json::from_str(&fs::read_to_string(file?.path())?)?;
            let mut commands = Vec::new();
            gather(&session, &mut commands);
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            let targets = || commands.iter().flat_map(|command| folders_of(command));
            targets()
                .filter(|to| to.starts_with('/'))
                .for_each(|to| *counts.entry(to).or_default() += 1);
            let most = counts.into_iter().max_by_key(|(_, count)| *count);
            let home = most.map(|(to, _)| to.to_owned()).filter(|home| home.len() > 1);
            let moved = |text: &str| match &home {
                Some(home) => text.replace(home.as_str(), &work.display().to_string()),
                None => text.to_owned(),
            };
            for to in targets() {
                let path = work.join(moved(to));
                let is_inside = path.starts_with(work) && !to.contains("..");
                if is_inside
                    && to
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
                {
                    fs::create_dir_all(path)?;
                }
            }
            all.extend(commands.iter().map(|command| moved(command)));
        }
    }
    Ok(all)
}

/// The folders that a command goes to.
fn folders_of(command: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> =
        command.split([' ', '\n', ';', '&']).filter(|it| !it.is_empty()).collect();
    let pairs: Vec<&str> =
        words.windows(2).filter(|pair| pair[0] == "cd").map(|pair| pair[1]).collect();
    pairs.into_iter()
}

fn gather(value: &Value, commands: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let name = object.get("function_name").and_then(Value::as_str);
            let command = object.get("arguments").and_then(|it| it.get("command")?.as_str());
            if let (Some("bash" | "Bash" | "execute_bash"), Some(command)) = (name, command) {
                commands.push(command.to_owned());
            }
            object.values().for_each(|it| gather(it, commands));
        }
        Value::Array(values) => values.iter().for_each(|it| gather(it, commands)),
        _ => {}
    }
}
