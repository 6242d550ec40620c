//! Rules about commands: each command of a plain line, and each redirection, is looked at by itself.
//! What is no plain line is asked about where anything is limited.

use foveal_effects::{PlainLine, PlainPart};
use globset::{Glob, GlobMatcher};

use super::access::{Access, CommandKind, Verdict};
use super::decided::Decided;
use super::refusal::quoted;
use super::rule::{Rule, matches};

/// The tool whose rules hold for all commands.
const BASH: &str = "bash";
/// Keys that end what runs in a terminal (Control-C).
const INTERRUPT: &str = "\u{3}";
/// Words of a command at which another one may begin.
const INNER_MAX: usize = 16;
/// Programs whose first word says what they do.
const MANY_COMMANDS: &[&str] =
    &["cargo", "docker", "gh", "git", "go", "kubectl", "mise", "npm", "pip", "pnpm", "uv", "yarn"];

/// What the rules say of a command line: the strictest of what they say of its parts.
pub(super) fn decide(rules: &[Rule], access: &Access<'_>) -> Decided {
    LineRules::new(rules, access).decide()
}

/// Why a command line is asked about, for a person: most often, which rule would let it pass.
pub(super) fn ask_reason(rules: &[Rule], access: &Access<'_>) -> String {
    LineRules::new(rules, access).ask_reason()
}

/// Whether a rule may be about a command line, whichever tool runs it.
pub(super) fn may_be_for(rule: &Rule) -> bool {
    [BASH, "exec", "write_stdin"].iter().any(|tool| matches(&rule.tool, tool))
}

/// The rules that may be about a command line.
struct LineRules<'a> {
    access: &'a Access<'a>,
    rules: Vec<LineRule<'a>>,
    /// The last rule that is about the whole line: for everything, or word for word.
    whole: Option<usize>,
}

/// A rule with its place among all.
struct LineRule<'a> {
    place: usize,
    rule: &'a Rule,
    glob: Option<GlobMatcher>,
}

impl LineRule<'_> {
    fn allows(&self) -> bool {
        self.rule.verdict == Verdict::Allow
    }

    fn matches(&self, text: &str) -> bool {
        self.rule.subject == text || self.glob.as_ref().is_some_and(|glob| glob.is_match(text))
    }

    fn is_everything(&self) -> bool {
        !self.rule.subject.is_empty() && self.rule.subject.bytes().all(|byte| byte == b'*')
    }

    /// A rule that allows is about a command as it is written, one that asks or forbids also about
    /// other spellings. What runs other commands has to be allowed by its name.
    fn is_of(&self, part: &PlainPart) -> bool {
        if !self.allows() {
            return spellings(part).iter().any(|text| self.matches(text));
        }
        let written = part.written();
        let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        self.matches(&written)
            && (!part.is_runner() || first(&self.rule.subject) == first(&written))
    }

    /// Whether a rule that asks or forbids may be about a command, whatever its patterns become.
    fn may_be_of(&self, part: &PlainPart) -> bool {
        let Some(before) = part.text_before_pattern() else { return false };
        let rule = self.rule.subject.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
        let is_near = |text: &str| text.starts_with(rule) || rule.starts_with(text);
        !self.allows() && (is_near(&before) || is_near(&without_folder(&before)))
    }
}

impl<'a> LineRules<'a> {
    fn new(rules: &'a [Rule], access: &'a Access<'a>) -> Self {
        let line_rule = |(place, rule): (usize, &'a Rule)| LineRule {
            place,
            rule,
            glob: Glob::new(&rule.subject).ok().map(|glob| glob.compile_matcher()),
        };
        let meant = rules.iter().enumerate().filter(|(_, rule)| is_for(rule, access));
        let rules: Vec<LineRule<'_>> = meant.map(line_rule).collect();
        let is_whole = |it: &LineRule<'_>| it.is_everything() || it.rule.subject == access.subject;
        let whole = rules.iter().rposition(is_whole);
        Self { access, rules, whole }
    }

    fn decide(&self) -> Decided {
        let Some(line) = self.plain_line() else { return self.decide_unclear() };
        if line.parts.is_empty() {
            return self.said(self.whole);
        }
        let parts = || line.parts.iter().enumerate().map(|(at, part)| self.decide_part(part, at));
        let strictest = parts().map(|(_, said)| said).reduce(Decided::stricter);
        // How commands are joined may be what a rule is about; rules for each that come later count.
        let joined = self.last(|it| !it.allows() && it.matches(self.access.subject));
        let joined = joined.filter(|_| parts().any(|(at, _)| at < joined && joined != self.whole));
        let joined = joined.map_or(Decided::without_rule(Verdict::Allow), |_| self.said(joined));
        strictest.unwrap_or(joined).stricter(joined)
    }

    /// The last rule about a part of the line, and what holds for the part.
    fn decide_part(&self, part: &PlainPart, place: usize) -> (Option<usize>, Decided) {
        let at = self.last(|it| it.is_of(part)).max(self.whole);
        let harmless = self.access.harmless.get(place).is_some_and(|it| *it);
        // A redirection goes with its command, unless a rule names or forbids it.
        let goes_with = |at: usize| {
            let it = &self.rules[at];
            it.rule.verdict == Verdict::Ask && it.is_everything()
        };
        if harmless && at.is_none_or(|at| part.is_redirection() && goes_with(at)) {
            return (at, Decided::without_rule(Verdict::Allow));
        }
        // A rule for everything names no program that runs others.
        let is_named = at.is_some_and(|at| self.rules[at].allows() && Some(at) != self.whole);
        let is_unclear = part.is_runner() && !is_named;
        let unclear = self.last(|it| it.may_be_of(part) || is_unclear && !it.allows());
        (at, self.said(at).stricter(self.ask_by(unclear.filter(|_| unclear > at))))
    }

    /// What holds for a line that may run anything.
    fn decide_unclear(&self) -> Decided {
        let refused = self.last(|it| !it.allows()).filter(|_| self.access.subject != INTERRUPT);
        let seen: Vec<String> = self
            .access
            .subject
            .split(|sign| "\n;|&(){}<>`$\"'".contains(sign))
            .flat_map(|piece| inner_commands(piece.split_whitespace()))
            .collect();
        let forbids = |it: &LineRule<'_>| {
            it.rule.verdict == Verdict::Deny && seen.iter().any(|text| it.matches(text))
        };
        let forbidden =
            self.last(|it| forbids(it) || !it.allows() && it.matches(self.access.subject));
        let forbidden = forbidden.filter(|_| forbidden > self.whole);
        let asked = self.ask_by(refused.filter(|_| refused > self.whole));
        let said = self.said(self.whole).stricter(asked);
        if forbidden.is_some() { said.stricter(self.said(forbidden)) } else { said }
    }

    fn ask_reason(&self) -> String {
        let Some(line) = self.plain_line() else {
            return "it is more than plain commands, so that only a rule with the whole line allows it"
                .to_owned();
        };
        for (place, part) in line.parts.iter().enumerate() {
            let (_, decided) = self.decide_part(part, place);
            let rule = self.rules.iter().find(|it| Some(it.place) == decided.rule);
            match rule {
                _ if decided.verdict != Verdict::Ask => {}
                Some(it) if it.is_of(part) && !it.is_everything() => {
                    let subject = quoted(&it.rule.subject);
                    return format!("permission rule {} asks about {subject}", it.place + 1);
                }
                _ => return format!("no rule allows `{}`", missing_rule(part)),
            }
        }
        "a permission rule wants it".to_owned()
    }

    /// The line, if it is a plain one, and finished.
    fn plain_line(&self) -> Option<PlainLine> {
        let text = self.access.subject;
        // What is typed goes on with the next keys, completes names, and repeats earlier lines.
        let is_ended = text.ends_with('\n') && !text.ends_with("\\\n");
        let is_open = !is_ended || text.contains(['\t', '!', '^', '#']);
        let is_typed = self.access.command == Some(CommandKind::Typed) && !text.is_empty();
        if is_typed && is_open { None } else { PlainLine::parse(text) }
    }

    fn last(&self, is_it: impl Fn(&LineRule<'_>) -> bool) -> Option<usize> {
        self.rules.iter().rposition(is_it)
    }

    fn said(&self, at: Option<usize>) -> Decided {
        let unnamed = if self.access.asks_unnamed { Verdict::Ask } else { Verdict::Allow };
        at.map_or(Decided::without_rule(unnamed), |at| {
            let LineRule { rule, place, .. } = self.rules[at];
            Decided { verdict: rule.verdict, rule: Some(place) }
        })
    }

    fn ask_by(&self, at: Option<usize>) -> Decided {
        let verdict = if at.is_some() { Verdict::Ask } else { Verdict::Allow };
        Decided { verdict, ..self.said(at) }
    }
}

/// Whether a rule is about what the tool is given. Those for `bash` hold for all command lines;
/// of what is typed into a terminal they allow nothing, since that need not be a shell.
fn is_for(rule: &Rule, access: &Access<'_>) -> bool {
    let is_shared = access.command == Some(CommandKind::Line)
        || (rule.verdict != Verdict::Allow && !access.subject.is_empty());
    matches(&rule.tool, access.tool) || (is_shared && matches(&rule.tool, BASH))
}

/// How rules that ask or forbid may know a part: as written, without quotes, without the folder of
/// its program, and what a program runs that is there to run other commands.
fn spellings(part: &PlainPart) -> Vec<String> {
    let mut all = vec![part.written(), part.text(), without_folder(&part.text())];
    if let PlainPart::Command(words) = part
        && part.is_runner()
    {
        all.extend(inner_commands(words.iter().map(|word| word.text.as_str())));
    }
    all
}

/// What may be a command in a command: what begins with any of its words.
fn inner_commands<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let words: Vec<&str> = words.collect();
    let ends = (0..words.len().min(INNER_MAX)).map(|at| words[at..].join(" "));
    ends.flat_map(|text| [without_folder(&text), text]).collect()
}

/// A command without the folder of its program.
fn without_folder(command: &str) -> String {
    let end = command.find(' ').unwrap_or(command.len());
    let start = command[..end].rfind('/').map_or(0, |at| at + 1);
    command[start..].to_owned()
}

/// The subject of a rule that would let a part pass: its program, and what that is told to do where
/// it does many things (`git push*`).
fn missing_rule(part: &PlainPart) -> String {
    let written = part.written();
    let mut words = written.split(' ');
    match (part, words.next().unwrap_or_default(), words.next()) {
        (PlainPart::Redirection { .. }, ..) | (_, _, None) => written,
        (_, program, Some(next)) if MANY_COMMANDS.contains(&program) && !next.starts_with('-') => {
            format!("{program} {next}*")
        }
        (_, program, _) => format!("{program} *"),
    }
}

#[cfg(test)]
mod tests;
