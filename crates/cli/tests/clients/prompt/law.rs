//! What a note points at stands above it, in the same prompt, and says the same.

use super::answer::Answer;
use super::claim::{Claim, claims};
use super::lines::{Shown, file_of, shown_lines, written_lines};

/// What notes in these answers say that is not so.
pub(crate) fn broken_claims(answers: &[Answer<'_>]) -> Vec<String> {
    let mut broken = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        let above = Above { answers: &answers[..at], now: answer };
        for (note, claims) in claims(answer) {
            let call = format!("{} {}", answer.call.tool, answer.call.arguments);
            let wrong = claims.iter().filter_map(|claim| above.wrong(claim));
            broken.extend(wrong.map(|why| format!("step {}, {call}: {note}: {why}", answer.at.0)));
        }
    }
    broken
}

/// What stands above an answer.
struct Above<'a> {
    answers: &'a [Answer<'a>],
    now: &'a Answer<'a>,
}

impl Above<'_> {
    /// What is wrong with a claim.
    fn wrong(&self, claim: &Claim) -> Option<String> {
        match claim {
            Claim::Lines { file, first, last, there } => {
                let shift = |n: usize| there.map_or(n, |there| there + n - first);
                self.missing(file, *first, *last, |shown, n, text| {
                    shown.contains(&(file.clone(), shift(n), text.to_owned()))
                })
            }
            Claim::Somewhere { file, first, last } => {
                self.missing(file, *first, *last, |shown, _, text| {
                    shown.iter().any(|(of, _, line)| of == file && line == text)
                })
            }
            Claim::Elsewhere { file, first, last, elsewhere } => {
                self.missing(file, *first, *last, |shown, _, text| {
                    shown.iter().any(|(of, _, line)| of.ends_with(elsewhere) && line == text)
                })
            }
            Claim::Count { file, shown, all } => self.wrong_count(file, *shown, *all),
            Claim::Result { call } => self.wrong_result(call),
            Claim::Same { lines, call } => {
                // Behind the last line break, agents that number lines show an empty one.
                // Who stands between agent and model counts the agent's own frame too.
                let has_lines = |answer: &&Answer<'_>| answer.raw.split('\n').count() >= *lines;
                let found = self.calls(call).find(has_lines);
                found.is_none().then(|| format!("no answer of `{call}` above has {lines} lines"))
            }
            Claim::SameOf { lines, elsewhere } => {
                let has_lines = |answer: &&Answer<'_>| answer.raw.split('\n').count() >= *lines;
                let of_file = self.answers.iter().filter(|answer| {
                    file_of(answer).is_some_and(|file| file.ends_with(elsewhere.as_str()))
                });
                let found = of_file.clone().find(has_lines);
                found.is_none().then(|| format!("no answer on {elsewhere} above has {lines} lines"))
            }
            Claim::Reminder { name } => {
                let begins = format!("<{}>", name.replace(' ', "-"));
                let found = self.answers.iter().find(|answer| answer.raw.contains(&begins));
                found.is_none().then(|| format!("no {begins} stands above"))
            }
            Claim::Unread => Some("the test cannot read this note".to_owned()),
        }
    }

    fn shown(&self) -> Shown {
        self.answers.iter().flat_map(shown_lines).collect()
    }

    /// The lines of a file, as it was when the answer was given.
    fn truth(&self, file: &str) -> Vec<String> {
        let text = self.now.files.get(file).map(String::as_str).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Says which of the lines do not stand above.
    fn missing(
        &self,
        file: &str,
        first: usize,
        last: usize,
        stands: impl Fn(&Shown, usize, &str) -> bool,
    ) -> Option<String> {
        let (truth, shown) = (self.truth(file), self.shown());
        let calls = self.answers.iter().map(|answer| answer.call);
        let written: Vec<String> = calls.flat_map(|call| written_lines(call, file)).collect();
        // Behind the last line break, some agents number an empty line.
        if first == 0 || last > truth.len() + 1 {
            return Some(format!("{file} has {} lines", truth.len()));
        }
        let last = last.min(truth.len());
        let is_missing = |n: &usize| {
            let text = &truth[n - 1];
            !stands(&shown, *n, text) && !written.contains(text)
        };
        let missing: Vec<usize> = (first..=last).filter(is_missing).collect();
        let line = *missing.first()?;
        Some(format!(
            "{} of these lines of {file} do not stand above, first {line}: {:?}",
            missing.len(),
            truth[line - 1]
        ))
    }

    fn wrong_count(&self, file: &str, count: usize, all: usize) -> Option<String> {
        let (truth, shown) = (self.truth(file), self.shown());
        let stands = |(at, text): &(usize, &String)| {
            shown.contains(&(file.to_owned(), at + 1, (*text).clone()))
        };
        let standing = truth.iter().enumerate().filter(stands).count();
        (truth.len() != all || standing < count)
            .then(|| format!("{standing} of the {} lines of {file} stand above", truth.len()))
    }

    /// Answers above of calls that a note names so: by the tool and what it was about, a file
    /// perhaps without its folders.
    fn calls<'a>(&'a self, call: &'a str) -> impl Iterator<Item = &'a Answer<'a>> {
        self.answers.iter().filter(move |answer| {
            let words = answer.call.arguments.as_object();
            let mut words = words.into_iter().flatten().filter_map(|(_, value)| value.as_str());
            let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
            words.any(|word| call.contains(&name(word)) || word.contains(call))
        })
    }

    /// A whole answer stands above if an answer of that call does; of a file, every line must.
    fn wrong_result(&self, call: &str) -> Option<String> {
        if self.calls(call).next().is_none() {
            return Some(format!("there is no answer of `{call}` above"));
        }
        let arguments = &self.now.call.arguments;
        let file = arguments["path"].as_str().filter(|path| self.now.files.contains_key(*path))?;
        let all = self.truth(file).len();
        let line = |key: &str, default: usize| {
            let given = arguments[key].as_u64().and_then(|line| usize::try_from(line).ok());
            given.unwrap_or(default).min(all)
        };
        let (first, last) = (line("start", 1), line("end", all));
        self.wrong(&Claim::Lines { file: file.to_owned(), first, last, there: None })
    }
}
