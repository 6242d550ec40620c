//! Changes as text for people.

use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::setup::{SetupChange, SetupOutcome};

use crate::colour::OutputStyle;
use crate::coloured_text::ColouredText;
use crate::diff_view;
use crate::environment::Environment;
use crate::numbers::format_plural;

/// Renders the files that would be changed, by agent.
pub(super) fn render_summary(
    pending: &[&SetupChange],
    removes: bool,
    environment: &Environment,
) -> ColouredText {
    let painter = environment.painter();
    let mut agents: Vec<&str> = pending.iter().map(|change| change.client.title).collect();
    agents.dedup();
    let agents = format_plural(agents.len() as u64, "agent");
    let mut text: ColouredText = match removes {
        true => format!("This removes foveal from the settings of {agents}:\n"),
        false => format!("This adds foveal to the settings of {agents}:\n"),
    }
    .into();
    let mut title = "";
    for change in pending {
        if title != change.client.title {
            title = change.client.title;
            text = text.append("  ").append(painter.paint(OutputStyle::Name, title)).append("\n");
        }
        let Some(target) = &change.target else { continue };
        let path = painter.paint(OutputStyle::Location, &target.path.display().to_string());
        text = text.append("    ").append(path).append(format!(": {}\n", target.purpose));
    }
    text.append(match removes {
        true => "Entries that are not foveal's stay.\n\n",
        false => {
            "Entries that are not foveal's stay. NAME.foveal-backup keeps what a file \
             held before.\n\n"
        }
    })
}

/// Returns the question about all pending changes.
pub(super) fn question(pending: &[&SetupChange], removes: bool) -> String {
    let mut paths: Vec<_> =
        pending.iter().filter_map(|change| Some(&change.target.as_ref()?.path)).collect();
    paths.dedup();
    let files = match paths.len() {
        1 => "this file".to_owned(),
        count => format!("these {count} files"),
    };
    let verb = if removes { "Remove foveal from" } else { "Write" };
    format!("{verb} {files}? (d shows each line)")
}

/// Renders the file of a change and its diff.
pub(super) fn render_change(
    change: &SetupChange,
    removes: bool,
    environment: &Environment,
) -> ColouredText {
    let mut text = render_file(change, environment);
    if !change.is_pending() {
        return text;
    }
    if removes && change.diff().lines().all(|line| !line.starts_with(['+', ' '])) {
        text.push_str("  removes the file, because nothing else is in it\n");
    }
    text.append(diff_view::paint_diff(&change.diff(), environment.painter()))
}

/// Renders the agent, the file of a change and its purpose.
pub(super) fn render_file(change: &SetupChange, environment: &Environment) -> ColouredText {
    let painter = environment.painter();
    let title = painter.paint(OutputStyle::Name, change.client.title);
    let Some(target) = &change.target else { return title.append("\n") };
    let path = painter.paint(OutputStyle::Location, &target.path.display().to_string());
    title.append(": ").append(path).append(format!(" ({})\n", target.purpose))
}

/// Renders the outcome of a change and its remarks.
pub(super) fn render_outcome(change: &SetupChange, removes: bool) -> String {
    let told = match (&change.outcome, removes) {
        (SetupOutcome::UpToDate, false) if change.is_switched_off() => {
            "already set up, but disabled there: enable it to use it".to_owned()
        }
        (SetupOutcome::UpToDate, false) => "already set up".to_owned(),
        (SetupOutcome::UpToDate, true) => "not set up there".to_owned(),
        (SetupOutcome::Pending | SetupOutcome::WouldChange, false) => "would be written".to_owned(),
        (SetupOutcome::Pending | SetupOutcome::WouldChange, true) => "would be removed".to_owned(),
        (SetupOutcome::Declined, _) => "not changed".to_owned(),
        (SetupOutcome::Blocked(why), _) => format!("not applied: {why}"),
        (SetupOutcome::Failed(why), _) => format!("not changed: {why}"),
        (SetupOutcome::Applied, true) => "removed".to_owned(),
        (SetupOutcome::Applied, false) => {
            let kept =
                change.backup_path().map(|kept| format!("; the previous content is in {kept}"));
            format!("set up{}", kept.unwrap_or_default())
        }
    };
    let remarks = change.remarks.iter().map(|remark| format!("  note: {remark}\n"));
    format!("  {told}\n{}", remarks.collect::<String>())
}

/// The advice after a restart.
pub(super) const CHECK_ADVICE: &str =
    "let the model read some files, then run `foveal stats` to see what was saved";

/// Returns the advice after a setup.
pub(super) fn restart_advice(titles: &[&str]) -> String {
    format!("restart {}, so that the new settings take effect", join_titles(titles))
}

/// Returns the advice after a removal.
pub(super) fn removal_advice(titles: &[&str]) -> String {
    format!("\nNext: restart {}, which may still use foveal.\n", join_titles(titles))
}

/// Returns the advice for an agent that asks about each call of the tools.
pub(super) fn rules_advice(client: &ClientAgent) -> String {
    let ClientAgent { title, name, .. } = client;
    format!(
        "if {title} asks you about each call: `foveal init {name} --allow-read-only` allows the \
         tools that only read"
    )
}

/// Returns the advice after a run that only showed changes; empty if there were none.
pub(super) fn dry_run_advice(changes: &[SetupChange], removes: bool) -> String {
    let verb = if removes { "remove" } else { "write" };
    match changes.iter().any(|change| change.outcome == SetupOutcome::WouldChange) {
        true => format!("\nNext: run this again without `--dry-run` to {verb} it.\n"),
        false => String::new(),
    }
}

/// Renders the next steps.
pub(super) fn render_steps(steps: &[String]) -> String {
    let steps = steps.iter().enumerate().map(|(at, step)| format!("  {}. {step}\n", at + 1));
    format!(
        "\nNext:\n{}`foveal doctor` checks the setup; `foveal init --remove` undoes it.\n",
        steps.collect::<String>()
    )
}

fn join_titles(titles: &[&str]) -> String {
    match titles {
        [] => String::new(),
        [title] => (*title).to_owned(),
        [titles @ .., last] => format!("{} and {last}", titles.join(", ")),
    }
}
