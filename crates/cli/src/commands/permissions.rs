//! `foveal permissions`: the rules and permanent grants for a folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_screen::quote_escaped;
use foveal_store::{Grant, GrantStore};
use foveal_tools::permission::{PermissionRule, Verdict};
use serde_json::json;

use crate::environment::Environment;
use crate::exit_code;
use crate::grants::{list_grants, roots_key};
use crate::notice;
use crate::output;
use crate::project_settings::with_project_and_notice;
use crate::toolbox::open_store_for_reading;

/// The command line of `foveal permissions`.
#[derive(Debug, clap::Args)]
pub(crate) struct PermissionsArguments {
    #[command(subcommand)]
    action: Option<PermissionAction>,
    /// A folder that the tools were given; may be given several times. If not given, the current
    /// folder.
    #[arg(long, value_name = "FOLDER", global = true)]
    root: Vec<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The action on permissions.
#[derive(Debug, clap::Subcommand)]
enum PermissionAction {
    /// Revokes permanent approvals.
    Revoke {
        /// The number in the list.
        #[arg(required_unless_present = "all")]
        number: Option<usize>,
        /// Revokes all in the list.
        #[arg(long, conflicts_with = "number")]
        all: bool,
    },
}

/// Lists rules and grants, or revokes grants.
///
/// # Errors
/// If the settings or the store cannot be read, or there is no grant with that number.
pub(crate) fn run(
    arguments: &PermissionsArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let roots = resolve_roots(&arguments.root)?;
    match &arguments.action {
        None => list_permissions(&roots, arguments.json, environment),
        Some(PermissionAction::Revoke { number, .. }) => {
            revoke_grants(&roots, *number, environment)
        }
    }
}

fn resolve_roots(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let canonical = |folder: &PathBuf| {
        folder.canonicalize().with_context(|| format!("there is no folder `{}`", folder.display()))
    };
    if named.is_empty() {
        let folder = std::env::current_dir().context("there is no current folder")?;
        return Ok(vec![canonical(&folder)?]);
    }
    named.iter().map(canonical).collect()
}

fn list_permissions(
    roots: &[PathBuf],
    is_json: bool,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let settings = environment.read_user_settings()?;
    let (settings, told) = with_project_and_notice(&settings, &roots[0], environment);
    told.into_iter().for_each(notice::print_notice);
    let rules = settings.permission_policy().rules;
    let grants = list_grants(roots, environment)?;
    if is_json {
        let always: Vec<_> =
            grants.iter().map(|it| json!({"tool": it.tool, "subject": it.subject})).collect();
        let all = json!({"roots": roots, "rules": rules, "always": always});
        output::print(format!("{all}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = environment.settings_path();
    let file = file.map_or_else(|| "your settings".to_owned(), |file| file.display().to_string());
    let mut text = String::new();
    if rules.is_empty() {
        text.push_str(&format!("no rules in {file}\n"));
    } else {
        text.push_str(&format!("rules in {file}; the last match wins:\n"));
        for (at, PermissionRule { tool, subject, verdict }) in rules.iter().enumerate() {
            let verdict = verdict_word(*verdict);
            text.push_str(&format!(
                "{:>4}  {verdict:<5}  {tool} {}\n",
                at + 1,
                quote_escaped(subject)
            ));
        }
    }
    let folders: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
    let folders = folders.join(", ");
    if grants.is_empty() {
        text.push_str(&format!("no permanent approvals in {folders}\n"));
    } else {
        text.push_str(&format!("always allowed in {folders}:\n"));
        for (at, Grant { tool, subject }) in grants.iter().enumerate() {
            text.push_str(&format!("{:>4}  {tool} {}\n", at + 1, quote_escaped(subject)));
        }
        text.push_str("`foveal permissions revoke NUMBER` revokes one\n");
    }
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

fn revoke_grants(
    roots: &[PathBuf],
    number: Option<usize>,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let grants = list_grants(roots, environment)?;
    let meant: Vec<&Grant> = match number {
        None => grants.iter().collect(),
        Some(number) => {
            let found = number.checked_sub(1).and_then(|at| grants.get(at));
            let Some(found) = found else {
                bail!("there is no approval {number}: `foveal permissions` lists {}", grants.len());
            };
            vec![found]
        }
    };
    let Some(store) = open_store_for_reading(environment)?.filter(|_| !meant.is_empty()) else {
        notice::print_notice("there are no permanent approvals here");
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    };
    for grant in meant {
        store.remove_grant(roots_key(roots), grant)?;
        notice::print_notice(format_args!(
            "revoked {} {}: new sessions ask again",
            grant.tool,
            quote_escaped(&grant.subject)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
