//! `foveal models`: the available models.

use std::process::ExitCode;

use anyhow::Context;
use foveal_providers::{LlmClient, ModelRequestLimits};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::exit_code;
use crate::models::{AvailableModel, ModelSource, NO_MODEL_MESSAGE, find_available_models};
use crate::notice;
use crate::output;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable};

/// The command line of `foveal models`.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelsArguments {
    /// Print JSON: for each model its name, its server, its address and how it was found.
    #[arg(long)]
    json: bool,
}

/// Lists the models; the first is the default of `foveal run`.
///
/// # Errors
/// If no model is available, or the output cannot be written.
pub(crate) fn run(
    arguments: &ModelsArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot query model servers")?;
    let client = LlmClient::new(ModelRequestLimits::default(), &environment.proxies())
        .context("cannot set up TLS")?;
    let known = runtime.block_on(find_available_models(&client, environment));
    if arguments.json {
        let all: Vec<Value> = known.iter().map(model_to_json).collect();
        output::print(format!("{}\n", json!({ "models": all })))?;
    } else if !known.is_empty() {
        output::print(models_table(&known).render(environment.stdout_columns, "--json shows all"))?;
    }
    if known.is_empty() {
        notice::print_notice(NO_MODEL_MESSAGE);
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    Ok(ExitCode::SUCCESS)
}

fn models_table(known: &[AvailableModel]) -> TextTable {
    let columns = ["model", "server", "found by", "address"];
    let table = TextTable::new(columns.into_iter().map(|name| (name, Alignment::Left)).collect());
    let mut table = table.with_narrowing(&["address"], ColumnNarrowing::Dropped(0));
    for known in known {
        let model = known.spec.to_string();
        let name = known.spec.provider().title.to_owned();
        table.push_row(vec![model, name, describe_source(known), known.server.base.clone()]);
    }
    table
}

fn describe_source(known: &AvailableModel) -> String {
    match known.source {
        ModelSource::Key(variable) => format!("{variable} is set"),
        ModelSource::LocalServer => "its server lists it".to_owned(),
    }
}

fn model_to_json(known: &AvailableModel) -> Value {
    let (found_by, variable) = match known.source {
        ModelSource::Key(variable) => ("key", Some(variable)),
        ModelSource::LocalServer => ("server", None),
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
