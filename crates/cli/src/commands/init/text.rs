//! Changes as a person reads them.

use super::change::{Change, Outcome};
use crate::colour::Style;
use crate::diff;
use crate::environment::Environment;
use crate::shown::Shown;

/// Whose file it is, and what would change in it.
pub(super) fn change(change: &Change, removes: bool, environment: &Environment) -> Shown {
    let painter = environment.painter();
    let title = painter.paint(Style::Name, change.client.title);
    let Some(target) = &change.target else { return title.and("\n") };
    let path = painter.paint(Style::Place, &target.path.display().to_string());
    let mut text = title.and(": ").and(path).and(format!(" ({})\n", target.purpose));
    if !change.is_open() {
        return text;
    }
    if removes && change.diff().lines().all(|line| !line.starts_with(['+', ' '])) {
        text.push_str("  removes the file, because nothing else is in it\n");
    }
    text.and(diff::painted(&change.diff(), painter))
}

/// What came of it.
pub(super) fn outcome(change: &Change, removes: bool) -> String {
    let told = match (&change.outcome, removes) {
        (Outcome::Already, false) if change.is_off() => {
            "already set up, but switched off there: switch it on to use it".to_owned()
        }
        (Outcome::Already, false) => "already set up".to_owned(),
        (Outcome::Already, true) => "not set up there".to_owned(),
        (Outcome::Open | Outcome::Would, false) => "would be written".to_owned(),
        (Outcome::Open | Outcome::Would, true) => "would be taken out".to_owned(),
        (Outcome::LeftAlone, _) => "left alone".to_owned(),
        (Outcome::NotYet(why), _) => format!("not yet: {why}"),
        (Outcome::Failed(why), _) => format!("left alone: {why}"),
        (Outcome::Done, true) => "taken out".to_owned(),
        (Outcome::Done, false) => {
            let kept = change.backup().map(|kept| format!("; what it held is in {kept}"));
            format!("set up{}", kept.unwrap_or_default())
        }
    };
    let remarks = change.remarks.iter().map(|remark| format!("  note: {remark}\n"));
    format!("  {told}\n{}", remarks.collect::<String>())
}
