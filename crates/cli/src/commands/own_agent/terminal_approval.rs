//! Approval questions at the terminal.

use foveal_agent_runtime::ApprovalPrompt;
use foveal_tools::call_control::Approval;

use crate::notice;
use crate::numbers::format_plural;

/// Lines of a diff that are shown at the terminal.
const DIFF_LINES_MAX: usize = 1_000;

/// Asks the user at the terminal, with the diff above the question.
pub(crate) fn ask_at_terminal(asked: &ApprovalPrompt<'_>, is_over: &dyn Fn() -> bool) -> Approval {
    if let Some(change) = &asked.diff {
        let lines: Vec<&str> = change.lines().take(DIFF_LINES_MAX).collect();
        let more = change.lines().count() - lines.len();
        notice::print_notice(lines.join("\n"));
        if more > 0 {
            let are = if more == 1 { "is" } else { "are" };
            let more = format_plural(more as u64, "more line");
            notice::print_notice(format_args!("{more} of the change {are} not shown"));
        }
    }
    let yes = notice::confirm_until(&asked.question_line(), is_over);
    if yes { Approval::Once } else { Approval::No }
}
