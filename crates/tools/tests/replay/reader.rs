//! What a model has before its eyes, worked out line by line from the answers it got. Knows
//! nothing of ledgers: what is not in one of these texts is not seen.

use std::collections::{HashMap, HashSet};

use super::notes::{Note, Range, note};

/// All lines in the answers since the last time everything was forgotten.
#[derive(Debug, Default, Clone)]
pub(super) struct Reader {
    /// Texts of lines, wherever they stand.
    texts: HashSet<String>,
    /// What was shown as the line of this number of a file.
    places: HashMap<(String, u32), HashSet<String>>,
    /// What it wrote into files itself: whole lines, by path. They stand in its own calls, where no
    /// note may send it, but it knows them.
    written: HashMap<String, HashSet<String>>,
}

/// What came of looking through an answer.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// It sends to what stands above.
    pub(super) points: bool,
    /// It leaves something out behind a handle.
    pub(super) leaves_out: bool,
    /// The lines could not be told apart, and were only looked for anywhere.
    pub(super) loosely: bool,
}

impl Reader {
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn learn(&mut self, path: &str, number: u32, text: &str) {
        self.places.entry((path.to_owned(), number)).or_default().insert(text.to_owned());
        self.texts.insert(text.to_owned());
    }

    /// A whole line of `path` that it spelled out in a call of its own.
    pub(super) fn wrote(&mut self, path: &str, line: &str) {
        self.written.entry(path.to_owned()).or_default().insert(line.to_owned());
    }

    /// A text that was asked for by its handle.
    pub(super) fn text(&mut self, text: &str) {
        for line in text.lines() {
            self.texts.insert(line.to_owned());
            self.texts.insert(clean(line));
            if let Some((_, text)) = numbered(line).or_else(|| hit(line)) {
                self.texts.insert(text.to_owned());
            }
        }
    }

    fn knows(&self, text: &str) -> bool {
        text.trim().is_empty() || self.texts.contains(text) || self.texts.contains(&clean(text))
    }

    /// Whether a line of a file was seen with this text.
    pub(super) fn knows_at(&self, path: &str, number: u32, text: &str) -> bool {
        let there = self.places.get(&(path.to_owned(), number));
        text.trim().is_empty() || there.is_some_and(|texts| texts.contains(text))
    }

    /// Whether every one of `lines` was seen as the line of `path` that it is now.
    pub(super) fn sees_all(&self, path: &str, lines: &[String]) -> Result<(), String> {
        let missing = (1..).zip(lines).find(|(number, text)| !self.knows_at(path, *number, text));
        missing.map_or(Ok(()), |(number, text)| {
            Err(format!("line {number} of {path} was never seen as {text:?}"))
        })
    }

    /// How many of `lines` were seen as lines of `path`, or written, also where others have moved
    /// them since.
    pub(super) fn count_seen(&self, path: &str, lines: &[String]) -> usize {
        let of_path = self.places.iter().filter(|((of, _), _)| of == path);
        let shown = of_path.flat_map(|(_, texts)| texts);
        let written = self.written.get(path).into_iter().flatten();
        let seen: HashSet<&str> = shown.chain(written).map(|text| &**text).collect();
        lines.iter().filter(|line| seen.contains(line.as_str())).count()
    }

    /// Looks through the body of an answer to a read of `path`, which holds `lines`.
    pub(super) fn read(
        &mut self,
        path: &str,
        lines: &[String],
        body: &str,
    ) -> Result<Found, String> {
        let mut found = Found::default();
        let mut covered = vec![false; lines.len()];
        // Learned when the whole answer was read: nothing in it may point at itself.
        let mut learned: Vec<u32> = Vec::new();
        let mut last = 0;
        for line in body.lines() {
            let Some((number, text)) = numbered(line) else {
                if line.ends_with("]") && line.contains(" changed by others since you saw ") {
                    // It tells of lines that another note leaves out.
                    continue;
                }
                let said = note(line).ok_or_else(|| format!("what is {line:?}?"))?;
                let (range, is_seen) = self.stands_for(&said, path, lines, last)?;
                found.points |= said.points();
                found.leaves_out |= said.leaves_out();
                if range.0 <= last || range.1 as usize > lines.len() || range.0 > range.1 {
                    return Err(format!("{line:?} after line {last} of {}", lines.len()));
                }
                last = range.1;
                for number in range.0..=range.1 {
                    covered[number as usize - 1] = true;
                    if is_seen {
                        learned.push(number);
                    }
                }
                continue;
            };
            let now = number.checked_sub(1).and_then(|at| lines.get(at as usize));
            let now = now.ok_or_else(|| format!("{line:?} is beyond the end"))?;
            if number <= last {
                return Err(format!("{line:?} comes after line {last}"));
            }
            last = number;
            covered[number as usize - 1] = true;
            if text == now || clean(text) == clean(now) {
                learned.push(number);
            } else if is_cut(text, now) {
                found.leaves_out = true;
            } else if let Some(end) = is_full_within(text, now, number)
                && end as usize <= lines.len()
            {
                found.leaves_out = true;
                covered[number as usize - 1..end as usize].fill(true);
                last = end;
            } else {
                return Err(format!("{line:?}, but the file has {now:?}"));
            }
        }
        let gap = covered.iter().zip(lines).position(|(is_told, _)| !is_told);
        if let Some(at) = gap {
            return Err(format!("nothing is said of line {} of {path}", at + 1));
        }
        for number in learned {
            self.learn(path, number, &lines[number as usize - 1]);
        }
        Ok(found)
    }

    /// The lines that a note in a read stands for, and whether they are before the reader's
    /// eyes.
    fn stands_for(
        &self,
        said: &Note,
        path: &str,
        lines: &[String],
        last: u32,
    ) -> Result<(Range, bool), String> {
        let text = |number: u32| {
            let line = number.checked_sub(1).and_then(|at| lines.get(at as usize));
            line.map_or("", String::as_str)
        };
        let unseen = |number: u32| {
            Err(format!("{said:?}: line {number} of {path} was not seen: {:?}", text(number)))
        };
        match said {
            Note::Same(range) => match (range.0..=range.1)
                .find(|number| !self.knows_at(path, *number, text(*number)))
            {
                Some(number) => unseen(number),
                None => Ok((*range, true)),
            },
            Note::Moved(range, there) => match (range.0..=range.1)
                .find(|number| !self.knows_at(path, number - range.0 + there, text(*number)))
            {
                Some(number) => unseen(number),
                None => Ok((*range, true)),
            },
            Note::Above(_) | Note::LinesAbove(_) | Note::WholeAbove => {
                let range = match said {
                    Note::Above(range) => *range,
                    Note::LinesAbove(count) => (last + 1, last + count),
                    _ => (1, lines.len() as u32),
                };
                match (range.0..=range.1).find(|number| !self.knows(text(*number))) {
                    Some(number) => unseen(number),
                    None => Ok((range, true)),
                }
            }
            Note::LeftOut(range) => Ok((*range, false)),
            Note::LinesLeftOut(count) => Ok(((last + 1, last + count), false)),
            Note::Repeated { period, times } => {
                let range = (last + 1, last + period * times);
                let differs =
                    (range.0..=range.1).find(|number| text(*number) != text(number - period));
                differs.map_or(Ok((range, true)), unseen)
            }
            Note::HitsAbove(..) => Err(format!("{said:?} in a read")),
        }
    }

    /// Looks through the answer to a command or a search that printed `whole`. `path`: the file
    /// whose lines it printed, if it printed one.
    pub(super) fn output(
        &mut self,
        path: Option<&str>,
        whole: &str,
        body: &str,
    ) -> Result<Found, String> {
        let lines: Vec<&str> = whole.lines().collect();
        let mut found = Found::default();
        let stand: HashSet<&str> = lines.iter().copied().collect();
        for line in body.lines() {
            if let Some(said) = note(line).filter(|_| !stand.contains(line)) {
                found.points |= said.points();
                found.leaves_out |= said.leaves_out();
            } else if line.contains(" left out; expand ") && !stand.contains(line) {
                found.leaves_out = true;
            }
        }
        let strict = self.aligned(path, &lines, body);
        let shown = match strict {
            Ok(shown) => shown,
            Err(Misfit::False(what)) => return Err(what),
            Err(Misfit::Unclear) => {
                found.loosely = true;
                self.anywhere(&lines, body)?;
                if path.is_none() {
                    self.learn_hits(body);
                }
                Vec::new()
            }
        };
        for line in body.lines() {
            self.texts.insert(line.to_owned());
            self.texts.insert(clean(line));
        }
        let mut heading = None;
        for (at, line) in lines.iter().enumerate() {
            if path.is_none() {
                match hit(line) {
                    Some((number, text)) if shown.contains(&at) => {
                        if let Some(heading) = heading {
                            self.learn(heading, number, text);
                        }
                    }
                    Some(_) => {}
                    None => heading = Some(*line),
                }
            } else if let (Some(path), true) = (path, shown.contains(&at)) {
                self.learn(path, at as u32 + 1, line);
            }
        }
        Ok(found)
    }

    /// Hits under the names of their files, as they stand in an answer.
    fn learn_hits(&mut self, body: &str) {
        let mut heading = None;
        for line in body.lines() {
            match (hit(line), heading) {
                (Some((number, text)), Some(heading)) => self.learn(heading, number, text),
                (Some(_), None) => {}
                (None, _) if line.is_empty() || note(line).is_some() => {}
                (None, _) => heading = Some(line),
            }
        }
    }

    /// Goes through the answer and the whole side by side; the lines that are before the
    /// reader's eyes, counted from 0.
    fn aligned(
        &self,
        path: Option<&str>,
        lines: &[&str],
        body: &str,
    ) -> Result<Vec<usize>, Misfit> {
        let mut shown = Vec::new();
        let mut at = 0;
        for line in body.lines() {
            // Blank lines may go with what is left out before them.
            while note(line).is_none()
                && lines
                    .get(at)
                    .is_some_and(|now| now.trim().is_empty() && now.trim() != line.trim())
            {
                at += 1;
            }
            if let Some(now) = lines.get(at)
                && (line == *now || clean(line) == clean(now) || is_cut(line, now))
            {
                shown.push(at);
                at += 1;
                continue;
            }
            let Some(said) = note(line) else { return Err(Misfit::Unclear) };
            let end = match &said {
                Note::Same(range)
                | Note::Above(range)
                | Note::Moved(range, _)
                | Note::LeftOut(range) => {
                    // Of hits the numbers are the file's, one to a line.
                    if path.is_some() && range.0 as usize != at + 1 {
                        return Err(Misfit::Unclear);
                    }
                    at + 1 + (range.1 - range.0) as usize
                }
                Note::LinesAbove(count) | Note::LinesLeftOut(count) => at + *count as usize,
                Note::HitsAbove(_, numbers) => at + numbers.len(),
                Note::WholeAbove => lines.len(),
                Note::Repeated { period, times } => at + (period * times) as usize,
            };
            let stands = lines.get(at..end).ok_or(Misfit::Unclear)?;
            for (offset, text) in stands.iter().enumerate() {
                let number = (at + offset) as u32 + 1;
                let is_seen = match (&said, path) {
                    (Note::Same(_), Some(path)) => self.knows_at(path, number, text),
                    (Note::Moved(range, there), Some(path)) => {
                        self.knows_at(path, number - range.0 + there, text)
                    }
                    (Note::HitsAbove(..), _) => self.knows_hit(lines, at + offset, text),
                    (Note::Repeated { period, .. }, _) => {
                        lines.get(at + offset - *period as usize) == Some(text)
                    }
                    _ => self.knows(text) || self.knows_hit(lines, at + offset, text),
                };
                if !said.leaves_out() && !is_seen {
                    return Err(Misfit::False(format!("{line:?}: {text:?} was not seen")));
                }
            }
            at = end;
        }
        // Blank lines at the end may go.
        let rest_is_blank = lines[at.min(lines.len())..].iter().all(|line| line.trim().is_empty());
        if rest_is_blank { Ok(shown) } else { Err(Misfit::Unclear) }
    }

    /// Whether the hit at `at` was seen as the line of the file whose heading it stands under.
    fn knows_hit(&self, lines: &[&str], at: usize, text: &str) -> bool {
        let Some((number, text)) = hit(text) else { return false };
        let heading = lines[..at].iter().rev().find(|line| hit(line).is_none() && **line != "--");
        heading.is_some_and(|path| self.knows_at(path, number, text))
    }

    /// That every line which is not in the answer was seen, but for as many as it leaves out.
    fn anywhere(&self, lines: &[&str], body: &str) -> Result<(), String> {
        let here: HashSet<String> = body.lines().map(clean).collect();
        let left_out: usize = body
            .lines()
            .filter_map(note)
            .map(|said| match said {
                Note::LinesLeftOut(count) => count as usize,
                Note::LeftOut((first, last)) => (last - first) as usize + 1,
                Note::Repeated { period, times } => (period * times) as usize,
                _ => 0,
            })
            .sum();
        let squeezed: String = squeeze(body);
        let missing = lines.iter().enumerate().filter(|(at, line)| {
            line.chars().any(char::is_alphanumeric)
                && !here.contains(&clean(line))
                && !self.knows(line)
                && !self.knows_hit(lines, *at, line)
                && !squeezed.contains(&squeeze(line))
                && !body.lines().any(|shown| is_cut(shown, line))
        });
        let missing: Vec<_> = missing.collect();
        if missing.len() > left_out && !body.contains(" left out; expand ") {
            return Err(format!("{:?} is neither here nor above, nor said to be", missing[0].1));
        }
        Ok(())
    }
}

/// Why an answer and the whole do not go side by side.
enum Misfit {
    /// What a note says is not so.
    False(String),
    /// They are spelled too differently to tell.
    Unclear,
}

/// A text without white space, as tables and JSON may be printed tighter.
fn squeeze(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_whitespace()).collect()
}

/// `12→text`.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let (number, text) = line.split_once('→')?;
    Some((number.parse().ok()?, text))
}

/// `12:text` of a hit, `12-text` of a line next to one.
fn hit(line: &str) -> Option<(u32, &str)> {
    let digits = line.find(|sign: char| !sign.is_ascii_digit())?;
    let text = line[digits..].strip_prefix([':', '-'])?;
    Some((line[..digits].parse().ok()?, text))
}

/// What a terminal would have left of a line: no colours, nothing overwritten.
fn clean(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or_default();
    static ESCAPES: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
        regex::Regex::new("\u{1b}(?:\\[[^@-~]*[@-~]|\\][^\u{7}]*\u{7}|[\\x00-\\x7f])")
            .expect("the pattern is one")
    });
    ESCAPES.replace_all(line, "").trim_end().to_owned()
}

/// The last line that is left out where an answer is full within line `number`: behind its beginning
/// stands a note on the rest of it and the lines after it.
fn is_full_within(shown: &str, whole: &str, number: u32) -> Option<u32> {
    let (start, said) = shown.rsplit_once('[')?;
    let is_full = said.contains(" left out: the answer is full; expand ");
    let Some(Note::LeftOut((first, last))) = note(&format!("[{said}")) else { return None };
    (is_full && first == number && whole.starts_with(start)).then_some(last)
}

/// Whether `shown` is `whole` with parts left out that are named in their place.
fn is_cut(shown: &str, whole: &str) -> bool {
    let Some(start) = shown.find("[… ").or_else(|| shown.find('[')) else { return false };
    let way = [" left out; expand ", " left out; read_lines start "];
    if !way.iter().any(|way| shown.contains(way)) || !shown.contains(" bytes of ") {
        return false;
    }
    let Some(end) = shown.rfind(']') else { return false };
    let (shown, whole) = (shown.to_owned(), clean(whole));
    whole.starts_with(&clean(&shown[..start]))
        && whole.ends_with(clean(&shown[end + 1..]).trim_end())
}
