//! `foveal expand`: what was left out of an answer, by the handle in its note.

use std::process::ExitCode;

use anyhow::bail;
use foveal_store::Store as _;
use foveal_transcript::Handle;
use serde_json::json;

use super::read::Span;
use crate::environment::Environment;
use crate::notice;
use crate::numbers::plural;
use crate::pager::PrintOptions;
use crate::rules::Rules;
use crate::toolbox;

/// The command line of `foveal expand`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The handle: twelve hex digits.
    handle: Handle,
    /// Only these lines, counted from 1.
    #[arg(long, value_name = "A-B")]
    lines: Option<Span>,
    #[command(flatten)]
    options: PrintOptions,
}

/// Prints what is kept under the handle.
///
/// # Errors
/// If nothing is, or it has no such lines.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let handle = arguments.handle;
    let current = std::env::current_dir().unwrap_or_else(|_| ".".into());
    Rules::about(&current, environment)?.permit("expand", &handle.to_string())?;
    let store = toolbox::store_to_read(environment)?;
    let content = store.map(|store| store.get(handle)).transpose()?.flatten();
    let Some(content) = content else {
        bail!(
            "nothing is stored under `{handle}`: it may be too old, or from another machine; repeat the \
             call that gave it"
        );
    };
    let whole = String::from_utf8_lossy(&content.bytes);
    let count = whole.lines().count();
    let text: String = match arguments.lines {
        None => whole.into_owned(),
        Some(Span { first, .. }) if first as usize > count => {
            bail!("`{handle}` has {}, none from {first} on", plural(count as u64, "line"));
        }
        Some(Span { first, last }) => {
            let (first, last) = (first as usize, last as usize);
            whole.split_inclusive('\n').skip(first - 1).take(last - first + 1).collect()
        }
    };
    if content.secrets > 0 {
        let secrets = plural(u64::from(content.secrets), "secret");
        notice::say(format_args!(
            "{secrets} of it were not stored: a mark stands in the place of each"
        ));
    }
    let shown = if arguments.options.json {
        let all =
            json!({ "handle": handle, "lines": count, "secrets": content.secrets, "text": text });
        format!("{all}\n")
    } else {
        text
    };
    arguments.options.print(shown, environment)?;
    Ok(ExitCode::SUCCESS)
}
