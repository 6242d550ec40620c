//! Rules about commands: what a line may run is asked about piece by piece.

use foveal_effects::{CommandLine, PlainLine, SimpleCommand};

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
/// whole line and of other spellings too. Of a line that is not plain, rules allow what
/// they name word for word, or everything; else it is asked about if any rule might forbid it. So is one that may meet an option among the
/// names of files that it takes. What
/// a command starts has to be allowed like a command of the line, unless the rule that allows the
/// one names the other.
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
    let mut pieces: Vec<Option<usize>> = Vec::new();
    let mut waiting: Vec<&SimpleCommand> = line.commands.iter().collect();
    while let Some(command) = waiting.pop() {
        let at = last(&|rule| is_of_command(rule, command)).max(whole);
        pieces.push(at);
        let allows = at.is_some_and(|at| rules[at].1.verdict == Verdict::Allow);
        if allows && at > whole && !at.is_some_and(|at| names_started(rules[at].1, command)) {
            waiting.extend(&command.starts);
        }
    }
    let strictest = pieces.iter().map(|at| said(*at)).reduce(Decided::stricter);
    // How commands are joined may be what a rule is about; rules for each that come later count.
    let joined = last(&|rule| is_of_joined(rule, access.subject));
    let joined = joined.filter(|_| pieces.is_empty() || pieces.iter().any(|at| *at < joined));
    let is_plain = PlainLine::parse(access.subject).is_some();
    let is_clear = is_plain && line.is_clear && !(line.takes_names && access.meets_option);
    if is_clear && !is_unfinished(access) {
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

/// Whether a rule may be about a command line, whichever tool runs it.
pub(super) fn may_be_for(rule: &Rule) -> bool {
    [BASH, "exec", "write_stdin"].iter().any(|tool| matches(&rule.tool, tool))
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
    if rule.verdict == Verdict::Allow {
        let is_meant = || !command.starts_more || names_started(rule, command);
        return matches(&rule.subject, &command.text) && is_meant();
    }
    let mut spellings = command.spellings.iter();
    matches(&rule.subject, &command.text) || spellings.any(|said| matches(&rule.subject, said))
}

/// Whether a rule that is about a command also names what that starts: the programs, or where it is
/// not told which these are, anything behind the command's own name.
fn names_started(rule: &Rule, command: &SimpleCommand) -> bool {
    if rule.subject == command.text {
        return true;
    }
    // What braces choose from names nothing for sure.
    let subject = without_braces(&rule.subject);
    let words = || subject.split_whitespace().skip(1);
    let is_name = |word: &str| {
        let is_written = !word.contains(['*', '?', '[', '{']);
        is_written && !word.starts_with('-') && word.contains(char::is_alphabetic)
    };
    if command.starts_more {
        return words().any(is_name);
    }
    command.starts.iter().all(|started| {
        let program = started.text.split_whitespace().next().unwrap_or_default();
        words().any(|word| word == program)
    })
}

/// A glob with a wildcard in place of each part in braces.
fn without_braces(glob: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(glob.len());
    for sign in glob.chars() {
        match sign {
            '{' => {
                depth += 1;
                plain.push('*');
            }
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(sign),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests;
