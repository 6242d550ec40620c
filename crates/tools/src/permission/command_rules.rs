//! Permission rules for commands. Each command of a plain line, and each redirection, is decided by
//! itself. For lines that are not plain, the user is asked if any rule limits commands.

use foveal_tool_effects::{CommandLinePart, SimpleCommandLine};
use globset::{Glob, GlobMatcher};

use super::access::{Access, CommandKind, Verdict};
use super::decision::PermissionDecision;
use super::refusal::quote;
use super::rule::{PermissionRule, glob_matches};

/// The tool whose rules apply to all command lines.
const BASH: &str = "bash";
/// Keys that end the program in a terminal (Control-C).
const INTERRUPT: &str = "\u{3}";
/// Most words of a command that are examined as the start of an inner command.
const INNER_MAX: usize = 16;
/// Programs whose first argument selects their action.
const SUBCOMMAND_PROGRAMS: &[&str] =
    &["cargo", "docker", "gh", "git", "go", "kubectl", "mise", "npm", "pip", "pnpm", "uv", "yarn"];

/// Returns the strictest decision of the rules about the parts of a command line.
pub(super) fn decide_command(rules: &[PermissionRule], access: &Access<'_>) -> PermissionDecision {
    CommandLineRules::new(rules, access).decide()
}

/// Returns the reason for a question to the user: in most cases the rule that would allow the
/// command line.
pub(super) fn ask_reason(rules: &[PermissionRule], access: &Access<'_>) -> String {
    CommandLineRules::new(rules, access).ask_reason()
}

/// Returns whether a rule may apply to a command line of any tool.
pub(super) fn may_match_commands(rule: &PermissionRule) -> bool {
    [BASH, "exec", "write_stdin"].iter().any(|tool| glob_matches(&rule.tool, tool))
}

/// The rules that may apply to one command line.
struct CommandLineRules<'a> {
    access: &'a Access<'a>,
    rules: Vec<CommandLineRule<'a>>,
    /// The last rule that applies to the whole line: a catch-all, or one with the line's exact
    /// text.
    whole_line_rule: Option<usize>,
}

/// A rule, with its index among all rules.
struct CommandLineRule<'a> {
    index: usize,
    rule: &'a PermissionRule,
    glob: Option<GlobMatcher>,
}

impl CommandLineRule<'_> {
    fn allows(&self) -> bool {
        self.rule.verdict == Verdict::Allow
    }

    fn matches(&self, text: &str) -> bool {
        self.rule.subject == text || self.glob.as_ref().is_some_and(|glob| glob.is_match(text))
    }

    fn is_catch_all(&self) -> bool {
        !self.rule.subject.is_empty() && self.rule.subject.bytes().all(|byte| byte == b'*')
    }

    /// Returns whether the rule applies to a command. An allow rule matches the command as written,
    /// other rules also other spellings of it. A program that runs other commands must be allowed
    /// by name.
    fn applies_to(&self, part: &CommandLinePart) -> bool {
        if !self.allows() {
            return command_spellings(part).iter().any(|text| self.matches(text));
        }
        let written = part.source_text();
        let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        self.matches(&written)
            && (!part.is_runner() || first(&self.rule.subject) == first(&written))
    }

    /// Returns whether a rule that asks or forbids may apply to a command, whatever its patterns
    /// expand to.
    fn may_apply_to(&self, part: &CommandLinePart) -> bool {
        let Some(before) = part.text_before_pattern() else { return false };
        let rule = self.rule.subject.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
        let is_near = |text: &str| text.starts_with(rule) || rule.starts_with(text);
        !self.allows() && (is_near(&before) || is_near(&strip_program_folder(&before)))
    }
}

impl<'a> CommandLineRules<'a> {
    fn new(rules: &'a [PermissionRule], access: &'a Access<'a>) -> Self {
        let line_rule = |(place, rule): (usize, &'a PermissionRule)| CommandLineRule {
            index: place,
            rule,
            glob: Glob::new(&rule.subject).ok().map(|glob| glob.compile_matcher()),
        };
        let meant = rules.iter().enumerate().filter(|(_, rule)| covers_access(rule, access));
        let rules: Vec<CommandLineRule<'_>> = meant.map(line_rule).collect();
        let is_whole =
            |it: &CommandLineRule<'_>| it.is_catch_all() || it.rule.subject == access.subject;
        let whole_line_rule = rules.iter().rposition(is_whole);
        Self { access, rules, whole_line_rule }
    }

    fn decide(&self) -> PermissionDecision {
        let Some(line) = self.plain_line() else { return self.decide_unclear() };
        if line.parts.is_empty() {
            return self.decision_at(self.whole_line_rule);
        }
        let parts = || line.parts.iter().enumerate().map(|(at, part)| self.decide_part(part, at));
        let strictest = parts().map(|(_, said)| said).reduce(PermissionDecision::stricter_of);
        // A rule may be about a combination of commands; later rules for each of them take
        // precedence.
        let joined = self.last_index(|it| !it.allows() && it.matches(self.access.subject));
        let joined =
            joined.filter(|_| parts().any(|(at, _)| at < joined && joined != self.whole_line_rule));
        let joined = joined
            .map_or(PermissionDecision::without_rule(Verdict::Allow), |_| self.decision_at(joined));
        strictest.unwrap_or(joined).stricter_of(joined)
    }

    /// Returns the index of the last rule about a part of the line, and the decision.
    fn decide_part(
        &self,
        part: &CommandLinePart,
        place: usize,
    ) -> (Option<usize>, PermissionDecision) {
        let at = self.last_index(|it| it.applies_to(part)).max(self.whole_line_rule);
        let harmless = self.access.harmless_parts.get(place).is_some_and(|it| *it);
        // A redirection passes with its command, unless a rule names or forbids it.
        let goes_with = |at: usize| {
            let it = &self.rules[at];
            it.rule.verdict == Verdict::Ask && it.is_catch_all()
        };
        if harmless && at.is_none_or(|at| part.is_redirection() && goes_with(at)) {
            return (at, PermissionDecision::without_rule(Verdict::Allow));
        }
        // A catch-all rule does not name a program that runs others.
        let is_named =
            at.is_some_and(|at| self.rules[at].allows() && Some(at) != self.whole_line_rule);
        let is_unclear = part.is_runner() && !is_named;
        let unclear = self.last_index(|it| it.may_apply_to(part) || is_unclear && !it.allows());
        (at, self.decision_at(at).stricter_of(self.ask_decision(unclear.filter(|_| unclear > at))))
    }

    /// Returns the decision on a line that may run anything.
    fn decide_unclear(&self) -> PermissionDecision {
        let refused =
            self.last_index(|it| !it.allows()).filter(|_| self.access.subject != INTERRUPT);
        let seen: Vec<String> = self
            .access
            .subject
            .split(|sign| "\n;|&(){}<>`$\"'".contains(sign))
            .flat_map(|piece| inner_commands(piece.split_whitespace()))
            .collect();
        let forbids = |it: &CommandLineRule<'_>| {
            it.rule.verdict == Verdict::Deny && seen.iter().any(|text| it.matches(text))
        };
        let forbidden =
            self.last_index(|it| forbids(it) || !it.allows() && it.matches(self.access.subject));
        let forbidden = forbidden.filter(|_| forbidden > self.whole_line_rule);
        let asked = self.ask_decision(refused.filter(|_| refused > self.whole_line_rule));
        let said = self.decision_at(self.whole_line_rule).stricter_of(asked);
        if forbidden.is_some() { said.stricter_of(self.decision_at(forbidden)) } else { said }
    }

    fn ask_reason(&self) -> String {
        let Some(line) = self.plain_line() else {
            return "it has shell syntax beyond plain commands, so only a rule for the whole line \
                    can allow it"
                .to_owned();
        };
        for (place, part) in line.parts.iter().enumerate() {
            let (_, decided) = self.decide_part(part, place);
            let rule = self.rules.iter().find(|it| Some(it.index) == decided.rule);
            match rule {
                _ if decided.verdict != Verdict::Ask => {}
                Some(it) if it.applies_to(part) && !it.is_catch_all() => {
                    let subject = quote(&it.rule.subject);
                    return format!("permission rule {} asks about {subject}", it.index + 1);
                }
                _ => return format!("no rule allows `{}`", suggested_subject(part)),
            }
        }
        "a permission rule wants it".to_owned()
    }

    /// Returns the parsed line, if it is plain and complete.
    fn plain_line(&self) -> Option<SimpleCommandLine> {
        let text = self.access.subject;
        // In a terminal, further keys may extend the line, complete names or repeat earlier lines.
        let is_ended = text.ends_with('\n') && !text.ends_with("\\\n");
        let is_open = !is_ended || text.contains(['\t', '!', '^', '#']);
        let is_typed = self.access.command == Some(CommandKind::Typed) && !text.is_empty();
        if is_typed && is_open { None } else { SimpleCommandLine::parse(text) }
    }

    fn last_index(&self, is_it: impl Fn(&CommandLineRule<'_>) -> bool) -> Option<usize> {
        self.rules.iter().rposition(is_it)
    }

    fn decision_at(&self, at: Option<usize>) -> PermissionDecision {
        let unnamed = if self.access.asks_unnamed { Verdict::Ask } else { Verdict::Allow };
        at.map_or(PermissionDecision::without_rule(unnamed), |at| {
            let CommandLineRule { rule, index: place, .. } = self.rules[at];
            PermissionDecision { verdict: rule.verdict, rule: Some(place) }
        })
    }

    fn ask_decision(&self, at: Option<usize>) -> PermissionDecision {
        let verdict = if at.is_some() { Verdict::Ask } else { Verdict::Allow };
        PermissionDecision { verdict, ..self.decision_at(at) }
    }
}

/// Returns whether a rule applies to the access's tool. Rules for `bash` apply to all command
/// lines, but they allow no keys typed into a terminal, since that may not run a shell.
fn covers_access(rule: &PermissionRule, access: &Access<'_>) -> bool {
    let is_shared = access.command == Some(CommandKind::Line)
        || (rule.verdict != Verdict::Allow && !access.subject.is_empty());
    glob_matches(&rule.tool, access.tool) || (is_shared && glob_matches(&rule.tool, BASH))
}

/// Returns the texts that rules which ask or forbid may match: the part as written, without quotes,
/// without the folder of its program, and the inner commands of a program that runs others.
fn command_spellings(part: &CommandLinePart) -> Vec<String> {
    let mut all = vec![part.source_text(), part.text(), strip_program_folder(&part.text())];
    if let CommandLinePart::Command(words) = part
        && part.is_runner()
    {
        all.extend(inner_commands(words.iter().map(|word| word.text.as_str())));
    }
    all
}

/// Returns the possible commands inside a command: the texts that begin at each of its words.
fn inner_commands<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let words: Vec<&str> = words.collect();
    let ends = (0..words.len().min(INNER_MAX)).map(|at| words[at..].join(" "));
    ends.flat_map(|text| [strip_program_folder(&text), text]).collect()
}

/// Returns a command without the folder of its program.
fn strip_program_folder(command: &str) -> String {
    let end = command.find(' ').unwrap_or(command.len());
    let start = command[..end].rfind('/').map_or(0, |at| at + 1);
    command[start..].to_owned()
}

/// Returns the subject of a rule that would allow a part: its program, with the subcommand for
/// programs that have many (`git push*`).
fn suggested_subject(part: &CommandLinePart) -> String {
    let written = part.source_text();
    let mut words = written.split(' ');
    match (part, words.next().unwrap_or_default(), words.next()) {
        (CommandLinePart::Redirection { .. }, ..) | (_, _, None) => written,
        (_, program, Some(next))
            if SUBCOMMAND_PROGRAMS.contains(&program) && !next.starts_with('-') =>
        {
            format!("{program} {next}*")
        }
        (_, program, _) => format!("{program} *"),
    }
}

#[cfg(test)]
mod tests;
