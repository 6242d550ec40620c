//! Rules about commands: what a line may run is asked about piece by piece.

use foveal_effects::{CommandLine, SimpleCommand};

use super::access::{Access, CommandKind, Verdict};
use super::decided::Decided;
use super::rule::{Rule, matches};

/// The tool whose rules hold for all commands.
const BASH: &str = "bash";
/// Keys that end what runs in a terminal (Control-C).
const INTERRUPT: &str = "\u{3}";

/// What the rules say of a command line: the strictest of what they say of each of its commands,
/// redirections to files among them.
///
/// A rule that allows speaks of commands as they are written, one that asks or forbids of the
/// whole line and of other spellings too. Of a line that cannot be taken apart, rules allow what
/// they name word for word, or everything; else it is asked about if any rule might forbid it.
pub(super) fn decide(rules: &[Rule], access: &Access<'_>) -> Decided {
    let nothing = Decided::without_rule(Verdict::Allow);
    let numbered = rules.iter().enumerate();
    let rules: Vec<(usize, &Rule)> = numbered.filter(|(_, rule)| is_for(rule, access)).collect();
    if rules.is_empty() {
        return nothing;
    }
    let last = |says: &dyn Fn(&Rule) -> bool| rules.iter().rposition(|(_, rule)| says(rule));
    let said = |at: Option<usize>| {
        at.map_or(nothing, |at| Decided { verdict: rules[at].1.verdict, rule: Some(rules[at].0) })
    };
    let whole = last(&|rule| is_of_line(rule, access.subject));
    let line = CommandLine::of(access.subject);
    let of_command = |command| last(&|rule| is_of_command(rule, command)).max(whole);
    let pieces: Vec<Option<usize>> = line.commands.iter().map(of_command).collect();
    let strictest = pieces.iter().map(|at| said(*at)).reduce(Decided::stricter);
    // How commands are joined may be what a rule is about; rules for each that come later count.
    let joined = last(&|rule| is_of_joined(rule, access.subject));
    let joined = joined.filter(|_| pieces.is_empty() || pieces.iter().any(|at| *at < joined));
    if line.is_clear && !is_unfinished(access) {
        return strictest.unwrap_or(said(whole)).stricter(said(joined));
    }
    let refused = last(&|rule| rule.verdict != Verdict::Allow);
    let unseen = match refused > whole && access.subject != INTERRUPT {
        true => Decided { verdict: Verdict::Ask, ..said(refused) },
        false => nothing,
    };
    let found = strictest.filter(|said| said.verdict == Verdict::Deny);
    said(whole).stricter(unseen).stricter(found.unwrap_or(nothing)).stricter(said(joined))
}

/// Whether a rule is about what the tool is given. Those for `bash` hold for all command lines;
/// of what is typed into a terminal they allow nothing, since that need not be a shell.
fn is_for(rule: &Rule, access: &Access<'_>) -> bool {
    let is_shared = access.command == Some(CommandKind::Line)
        || (rule.verdict != Verdict::Allow && !access.subject.is_empty());
    matches(&rule.tool, access.tool) || (is_shared && matches(&rule.tool, BASH))
}

/// Whether what is typed into a terminal is part of a line that is finished later, or by a key.
fn is_unfinished(access: &Access<'_>) -> bool {
    let text = access.subject;
    let is_ended = text.ends_with('\n') && !text.ends_with("\\\n");
    access.command == Some(CommandKind::Typed)
        && !text.is_empty()
        && (!is_ended || text.contains('\t'))
}

fn is_of_line(rule: &Rule, line: &str) -> bool {
    let is_everything = !rule.subject.is_empty() && rule.subject.bytes().all(|byte| byte == b'*');
    is_everything || rule.subject == line
}

fn is_of_joined(rule: &Rule, line: &str) -> bool {
    rule.verdict != Verdict::Allow && !is_of_line(rule, line) && matches(&rule.subject, line)
}

fn is_of_command(rule: &Rule, command: &SimpleCommand) -> bool {
    let is_strict = rule.verdict != Verdict::Allow;
    matches(&rule.subject, &command.text)
        || (is_strict && command.spellings.iter().any(|said| matches(&rule.subject, said)))
}

#[cfg(test)]
mod tests;
