//! Gemini: an answer is one content, its parts texts and calls. Clients join texts that follow each
//! other, so that a seam may stand within one.

use super::answered::{Answered, Hidden, calls, messages};
use super::insertion::Insertion;
use super::strings::place_in;
use crate::body::scan::Body;
use crate::body::walk::{self, Place};
use crate::protocol::Protocol;
use crate::response::{GeminiPart, may_be_missing, shown};

const API: Protocol = Protocol::Gemini;

pub(super) fn restored(
    body: &Body,
    bytes: &[u8],
    at: usize,
    rounds: &[Hidden],
) -> Option<Vec<Insertion>> {
    let content = Content::of(body, bytes, at)?;
    let mut all = Insertions { bytes, made: Vec::new() };
    let mut point = Point::default();
    for (number, round) in rounds.iter().enumerate() {
        let is_last = number + 1 == rounds.len();
        let mut points = vec![point];
        for known in &round.shown {
            point = match content.behind(point, known) {
                Some(next) => next,
                None if may_be_missing(known) => point,
                None => return None,
            };
            points.push(point);
        }
        let place = |call: &Answered| points[call.called.at.min(round.shown.len())];
        let (end, inner): (Vec<Answered>, Vec<Answered>) =
            round.calls.iter().cloned().partition(|call| !is_last && place(call) == point);
        for together in inner.chunk_by(|one, next| place(one) == place(next)) {
            content.beside(&mut all, place(&together[0]), &calls(together))?;
        }
        if is_last && !round.calls.is_empty() {
            all.made.extend(among_results(body, bytes, at + 1, round)?);
        }
        if !is_last {
            let results = messages(&round.calls, API);
            content.seam(&mut all, point, (&calls(&end), &results))?;
        }
    }
    content.is_over(point).then_some(all.made)
}

pub(super) fn recalls(body: &Body, bytes: &[u8], at: usize, all: &[String]) -> Option<bool> {
    let content = Content::of(body, bytes, at)?;
    let is_said = |known: &&String| known.starts_with("text ") || known.starts_with("call ");
    let mut said = all.iter().filter(is_said);
    let points = (0..content.parts.len()).map(|part| Point { part, offset: 0 });
    let points: Vec<Point> = points.collect();
    Some(said.any(|known| points.iter().any(|point| content.behind(*point, known).is_some())))
}

/// A content as its client has it.
struct Content {
    /// What ends the part of it in front of a seam, and begins the one behind.
    close: &'static str,
    open: &'static str,
    parts: Vec<(Place, Said)>,
}

/// What is put into a body so far.
struct Insertions<'a> {
    bytes: &'a [u8],
    made: Vec<Insertion>,
}

/// What a part says.
enum Said {
    Text { string: Place, text: String },
    Thought(String),
    Other(String),
}

/// In front of a byte of a text, or of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Point {
    part: usize,
    offset: usize,
}

impl Content {
    fn of(body: &Body, bytes: &[u8], at: usize) -> Option<Self> {
        let content = body.messages.get(at)?;
        let [role, parts] = walk::members(bytes, content, ["role", "parts"]).ok()?;
        let (role, list) = (role?, parts?);
        let (close, open) = if role.start < list.start {
            ("]}", r#"{"role":"model","parts":["#)
        } else {
            (r#"],"role":"model"}"#, r#"{"parts":["#)
        };
        let part = |place: Place| Said::of(bytes, &place).map(|said| (place, said));
        let parts = walk::elements(bytes, &list).ok()??.into_iter().map(part);
        Some(Self { close, open, parts: parts.collect::<Option<_>>()? })
    }

    /// The point behind what is known so; `None` where something else stands there.
    fn behind(&self, point: Point, known: &str) -> Option<Point> {
        if let Some(told) = known.strip_prefix("text ") {
            let count = told.split(' ').next()?.parse().ok()?;
            let (text, next) = self.text(point, count);
            return (shown(&format!("text {count}"), &text) == known).then_some(next);
        }
        if known.starts_with("thinking ") {
            return self.thought(point, known);
        }
        let at = self.of_call(point)?;
        match &self.parts.get(at)?.1 {
            Said::Other(own) if own == known => Some(Point { part: at + 1, offset: 0 }),
            _ => None,
        }
    }

    /// So many characters of texts that follow each other, as far as they are there.
    fn text(&self, point: Point, count: usize) -> (String, Point) {
        let (mut text, mut left, mut point) = (String::new(), count, point);
        while left > 0 {
            match self.parts.get(point.part) {
                Some((_, Said::Text { text: own, .. })) => {
                    let rest = &own[point.offset..];
                    let length = rest.char_indices().nth(left).map_or(rest.len(), |(at, _)| at);
                    text.push_str(&rest[..length]);
                    left -= rest[..length].chars().count();
                    point.offset += length;
                    if point.offset == own.len() {
                        point = Point { part: point.part + 1, offset: 0 };
                    }
                }
                Some((_, Said::Thought(_))) => point.part += 1,
                Some((_, Said::Other(_))) | None => break,
            }
        }
        (text, point)
    }

    /// The point behind thoughts that follow each other.
    fn thought(&self, point: Point, known: &str) -> Option<Point> {
        let mut all = String::new();
        let is_empty =
            |(_, said): &(Place, Said)| matches!(said, Said::Text { text, .. } if text.is_empty());
        let empty = self.parts.get(point.part..)?.iter().take_while(|part| is_empty(part));
        let mut part = point.part + empty.count();
        while let Some((_, Said::Thought(text))) = self.parts.get(part) {
            part += 1;
            all.push_str(text);
            if point.offset == 0 && shown("thinking", &all) == known {
                return Some(Point { part, offset: 0 });
            }
        }
        None
    }

    /// The next part that is no thought, and says something.
    fn of_call(&self, point: Point) -> Option<usize> {
        if point.offset > 0 {
            return None;
        }
        let says = |(_, said): &(Place, Said)| match said {
            Said::Text { text, .. } => !text.trim().is_empty(),
            Said::Thought(_) => false,
            Said::Other(_) => true,
        };
        let rest = self.parts.get(point.part..)?;
        rest.iter().position(says).map(|at| point.part + at)
    }

    /// Whether nothing more is said behind a point.
    fn is_over(&self, point: Point) -> bool {
        let Some((_, said)) = self.parts.get(point.part) else { return true };
        let rest = match said {
            Said::Text { text, .. } => text[point.offset..].trim().is_empty(),
            Said::Thought(_) => true,
            Said::Other(_) => false,
        };
        rest && self.of_call(Point { part: point.part + 1, offset: 0 }).is_none()
    }

    /// Puts parts between others.
    fn beside(&self, all: &mut Insertions<'_>, point: Point, parts: &str) -> Option<()> {
        if point.offset == 0 && self.parts.get(point.part).is_none() {
            let place = self.parts.last()?.0.end;
            all.made.push(Insertion::new(place, format!(",{parts}")));
            return Some(());
        }
        self.before(all, point, &format!("{parts},"))
    }

    /// Ends a round: with its last calls, their results, and the beginning of the next one.
    fn seam(
        &self,
        all: &mut Insertions<'_>,
        point: Point,
        (calls, results): (&str, &str),
    ) -> Option<()> {
        let Self { close, open, .. } = self;
        self.before(all, point, &format!("{calls}{close},{results},{open}"))
    }

    /// Puts a text in front of what stands at a point: of a part, or of the rest of a text, which
    /// then is a part of its own.
    fn before(&self, all: &mut Insertions<'_>, point: Point, text: &str) -> Option<()> {
        const BEGINS: &str = r#"{"text":""#;
        let has_parts = text.starts_with('{');
        if point.offset == 0 {
            // What was shown of a later round has to be there. Where the calls stand in front of
            // something that was shown, a comma would be left.
            let next = self.parts.get(point.part).filter(|_| has_parts)?;
            all.made.push(Insertion::new(next.0.start, text));
            return Some(());
        }
        let place = self.in_text(all.bytes, point)?;
        match all.made.last_mut().filter(|last| last.at == place) {
            // It stands in front of the text that was just begun.
            Some(last) => {
                let begins = last.bytes.len().checked_sub(BEGINS.len()).filter(|_| has_parts)?;
                last.bytes.splice(begins..begins, text.bytes());
            }
            None => {
                let comma = if has_parts { "," } else { "" };
                let text = format!(r#""}}{comma}{text}{BEGINS}"#);
                all.made.push(Insertion::new(place, text));
            }
        }
        Some(())
    }

    fn in_text(&self, bytes: &[u8], point: Point) -> Option<usize> {
        match &self.parts.get(point.part)?.1 {
            Said::Text { string, .. } => place_in(bytes, string, point.offset),
            Said::Thought(_) | Said::Other(_) => None,
        }
    }
}

impl Said {
    fn of(bytes: &[u8], part: &Place) -> Option<Self> {
        Some(match GeminiPart::of(&serde_json::from_slice(&bytes[part.clone()]).ok()?) {
            GeminiPart::Text(text) => {
                let [string] = walk::members(bytes, part, ["text"]).ok()?;
                Self::Text { string: string?, text }
            }
            GeminiPart::Thought(text) => Self::Thought(text),
            GeminiPart::Call(known) | GeminiPart::Other(known) => Self::Other(known),
        })
    }
}

/// The results among those of the client's own calls, in the order of the calls.
fn among_results(body: &Body, bytes: &[u8], at: usize, round: &Hidden) -> Option<Vec<Insertion>> {
    let [parts] = walk::members(bytes, body.messages.get(at)?, ["parts"]).ok()?;
    let is_result = |part: &Place| {
        let found = walk::members(bytes, part, ["functionResponse"]);
        found.is_ok_and(|[response]| response.is_some())
    };
    let mut own = walk::elements(bytes, &parts?).ok()??;
    own.retain(is_result);
    let last = own.last()?.end;
    let place = |call: &Answered| {
        let before = round.shown[..call.called.at.min(round.shown.len())].iter();
        let calls = before.filter(|it| it.starts_with("call ")).count();
        let result = call.result(API);
        match own.get(calls) {
            Some(next) => Insertion::new(next.start, format!("{result},")),
            None => Insertion::new(last, format!(",{result}")),
        }
    };
    Some(round.calls.iter().map(place).collect())
}
