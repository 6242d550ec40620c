//! `foveal models`: the models that can be asked.

use std::process::ExitCode;

use anyhow::Context;
use foveal_llm::{Client, Patience};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::exit_code;
use crate::models::{FoundBy, Known, NO_MODEL, all};
use crate::notice;
use crate::output;
use crate::table::{Narrow, Side, Table};

/// The command line of `foveal models`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print JSON: for each model its name, its server, its address and how it was found.
    #[arg(long)]
    json: bool,
}

/// Lists the models; the first is what `foveal run` asks where none is named.
///
/// # Errors
/// If nobody can be asked, or the output cannot be written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("no servers can be asked")?;
    let client =
        Client::new(Patience::default(), &environment.proxies()).context("cannot speak TLS")?;
    let known = runtime.block_on(all(&client, environment));
    if arguments.json {
        let all: Vec<Value> = known.iter().map(as_json).collect();
        output::print(format!("{}\n", json!({ "models": all })))?;
    } else if !known.is_empty() {
        output::print(table(&known).render_within(environment.width, "--json shows all"))?;
    }
    if known.is_empty() {
        notice::say(NO_MODEL);
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(known: &[Known]) -> Table {
    let columns = ["model", "server", "found by", "address"];
    let table = Table::new(columns.into_iter().map(|name| (name, Side::Left)).collect());
    let mut table = table.narrowing(&["address"], Narrow::Goes(0));
    for known in known {
        let model = known.spec.to_string();
        let name = known.spec.provider().title.to_owned();
        table.row(vec![model, name, found_by(known), known.server.base.clone()]);
    }
    table
}

fn found_by(known: &Known) -> String {
    match known.found_by {
        FoundBy::Key(variable) => format!("{variable} is set"),
        FoundBy::Server => "its server lists it".to_owned(),
    }
}

fn as_json(known: &Known) -> Value {
    let (found_by, variable) = match known.found_by {
        FoundBy::Key(variable) => ("key", Some(variable)),
        FoundBy::Server => ("server", None),
    };
    json!({
        "model": known.spec.to_string(),
        "server": known.spec.provider().title,
        "address": known.server.base,
        "protocol": known.server.dialect.name(),
        "found_by": found_by,
        "variable": variable,
    })
}
