//! Changes as text for people.

use foveal_agent_setup::setup::{SetupChange, SetupOutcome};

use crate::colour::OutputStyle;
use crate::coloured_text::ColouredText;
use crate::diff_view;
use crate::environment::Environment;

/// Renders the file of a change and its diff.
pub(super) fn render_change(
    change: &SetupChange,
    removes: bool,
    environment: &Environment,
) -> ColouredText {
    let painter = environment.painter();
    let title = painter.paint(OutputStyle::Name, change.client.title);
    let Some(target) = &change.target else { return title.append("\n") };
    let path = painter.paint(OutputStyle::Location, &target.path.display().to_string());
    let mut text = title.append(": ").append(path).append(format!(" ({})\n", target.purpose));
    if !change.is_pending() {
        return text;
    }
    if removes && change.diff().lines().all(|line| !line.starts_with(['+', ' '])) {
        text.push_str("  removes the file, because nothing else is in it\n");
    }
    text.append(diff_view::paint_diff(&change.diff(), painter))
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
