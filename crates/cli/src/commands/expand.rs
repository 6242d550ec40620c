//! `foveal expand`: the content that an answer left out, by the handle in its note.

use std::process::ExitCode;

use anyhow::bail;
use foveal_store::ContentStore as _;
use foveal_transcript::Handle;
use serde_json::json;

use super::read::LineRangeArgument;
use crate::environment::Environment;
use crate::notice;
use crate::numbers::format_plural;
use crate::pager::PrintOptions;
use crate::permission_checker::PermissionChecker;
use crate::toolbox;

/// The command line of `foveal expand`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExpandArguments {
    /// The handle: twelve hex digits.
    handle: Handle,
    /// Only these lines, counted from 1.
    #[arg(long, value_name = "A-B")]
    lines: Option<LineRangeArgument>,
    #[command(flatten)]
    options: PrintOptions,
}

/// Prints the content that is stored under the handle.
///
/// # Errors
/// If there is no such content, or it has no such lines.
pub(crate) fn run(
    arguments: &ExpandArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let handle = arguments.handle;
    let current = std::env::current_dir().unwrap_or_else(|_| ".".into());
    PermissionChecker::for_file(&current, environment)?.permit("expand", &handle.to_string())?;
    let store = toolbox::open_store_for_reading(environment)?;
    let content = store.map(|store| store.content(handle)).transpose()?.flatten();
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
        Some(LineRangeArgument { first, .. }) if first as usize > count => {
            bail!(
                "`{handle}` has {}: line {first} does not exist",
                format_plural(count as u64, "line")
            );
        }
        Some(LineRangeArgument { first, last }) => {
            let (first, last) = (first as usize, last as usize);
            whole.split_inclusive('\n').skip(first - 1).take(last - first + 1).collect()
        }
    };
    if content.secrets > 0 {
        let secrets = format_plural(u64::from(content.secrets), "secret");
        notice::print_notice(format_args!("{secrets} not stored: a mark replaces each of them"));
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
