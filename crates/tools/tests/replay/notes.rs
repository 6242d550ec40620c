//! The notes that stand in answers for what is not there, read as a model reads them.

/// Lines of a file or of output, both ends included, counted from 1.
pub(super) type Range = (u32, u32);

/// What a line of ours says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// These lines stand above, at the same numbers.
    Same(Range),
    /// These lines stand above, from another number on.
    Moved(Range, u32),
    /// These lines stand somewhere above.
    Above(Range),
    /// So many lines stand above.
    LinesAbove(u32),
    /// These hits stand above: the path, if it is named, and the numbers.
    HitsAbove(Option<String>, Vec<u32>),
    /// The whole stands above.
    WholeAbove,
    /// These lines are left out.
    LeftOut(Range),
    /// So many lines are left out.
    LinesLeftOut(u32),
    /// The last `period` lines come so many times more.
    Repeated { period: u32, times: u32 },
}

impl Note {
    /// Whether it sends the reader to what stands above.
    pub(super) fn points(&self) -> bool {
        match self {
            Self::Same(_) | Self::Moved(..) | Self::Above(_) | Self::LinesAbove(_) => true,
            Self::HitsAbove(..) | Self::WholeAbove => true,
            Self::LeftOut(_) | Self::LinesLeftOut(_) | Self::Repeated { .. } => false,
        }
    }

    /// Whether something is behind a handle.
    pub(super) fn leaves_out(&self) -> bool {
        matches!(self, Self::LeftOut(_) | Self::LinesLeftOut(_))
    }
}

/// The note that `line` is, if it is one.
pub(super) fn note(line: &str) -> Option<Note> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    if let Some((lines, "as above" | "unchanged, as above")) = inner.rsplit_once(": ") {
        return Some(Note::Same(range(lines.rsplit(' ').next()?)?));
    }
    if let Some((lines, there)) = inner.split_once(": same as ") {
        let there = there.strip_suffix(" above")?;
        let lines_count = lines.strip_suffix(" lines").or_else(|| lines.strip_suffix(" line"));
        let lines_count = lines_count.and_then(|count| count.parse().ok());
        return Some(match (lines_count, there.split_once(" of ")) {
            (Some(count), _) => Note::LinesAbove(count),
            (None, Some(_)) => Note::Above(range(lines)?),
            (None, None) => Note::Moved(range(lines)?, range(there)?.0),
        });
    }
    if let Some((lines, _)) = inner.split_once(": above in ") {
        return Some(Note::Above(range(lines)?));
    }
    if let Some((lines, "shown above")) = inner.rsplit_once(": ") {
        return match range(lines) {
            Some(lines) if lines.0 < lines.1 => Some(Note::Above(lines)),
            _ => hits(lines),
        };
    }
    if inner.contains("same result as ") && inner.ends_with(" above") {
        return Some(Note::WholeAbove);
    }
    let above = inner.split_once(" lines above in ").or(inner.split_once(" line above in "));
    if let Some((count, _)) = above {
        return Some(Note::LinesAbove(count.parse().ok()?));
    }
    if let Some(rest) = inner.strip_prefix("last ") {
        let (what, times) =
            rest.trim_end_matches('s').strip_suffix(" more time")?.split_once(" repeated ")?;
        let period = if what == "line" { 1 } else { what.strip_suffix(" lines")?.parse().ok()? };
        return Some(Note::Repeated { period, times: times.parse().ok()? });
    }
    let (amount, _) = inner.split_once(" left out")?;
    if let Some(lines) = range(amount) {
        return Some(Note::LeftOut(lines));
    }
    let (count, unit) = amount.split_once(' ')?;
    let counts = ["line", "hit", "more row"].iter().any(|known| unit.starts_with(known));
    counts.then_some(Note::LinesLeftOut(count.parse().ok()?))
}

/// `12-34` or `12`.
fn range(text: &str) -> Option<Range> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// `12, 14, (15-17)`, after a path where one is named.
fn hits(text: &str) -> Option<Note> {
    let mut numbers = Vec::new();
    let mut path = None;
    for (at, part) in text.split(", ").enumerate() {
        let part = match part.rsplit_once(' ') {
            Some((named, part)) if at == 0 => {
                path = Some(named.to_owned());
                part
            }
            _ => part,
        };
        let bare = part.trim_start_matches('(').trim_end_matches(')');
        match range(bare) {
            Some((first, last)) => numbers.extend(first..=last),
            None => numbers.push(bare.parse().ok()?),
        }
    }
    Some(Note::HitsAbove(path, numbers))
}

/// The handles that a text names.
pub(super) fn handles(text: &str) -> Vec<&str> {
    let is_handle =
        |word: &&str| word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split("expand ").skip(1).filter_map(|rest| rest.get(..12));
    words.filter(is_handle).collect()
}

#[test]
fn notes_are_read_as_they_are_written() {
    for (line, expected) in [
        ("[3-9: as above]", Note::Same((3, 9))),
        ("[3: as above]", Note::Same((3, 3))),
        ("[3-9: unchanged, as above]", Note::Same((3, 9))),
        ("[3-9: same as 1-7 of b.rs above]", Note::Above((3, 9))),
        ("[7 lines: same as 1-7 of b.rs above]", Note::LinesAbove(7)),
        ("[3-9: same as 1-7 above]", Note::Moved((3, 9), 1)),
        ("[3-9: shown above]", Note::Above((3, 9))),
        ("[3-9: above in src/b.rs]", Note::Above((3, 9))),
        ("[4 lines above in `cat a`]", Note::LinesAbove(4)),
        ("[4 lines above in src/b.rs]", Note::LinesAbove(4)),
        ("[a b.rs 3, (5-6): shown above]", Note::HitsAbove(Some("a b.rs".into()), vec![3, 5, 6])),
        ("[12: shown above]", Note::HitsAbove(None, vec![12])),
        ("[same result as `grep x` above]", Note::WholeAbove),
        ("[same result as the 2nd last `grep x` above]", Note::WholeAbove),
        ("[3-9 left out: step; expand 0123456789ab]", Note::LeftOut((3, 9))),
        ("[3-9 left out]", Note::LeftOut((3, 9))),
        ("[12 lines, 900 bytes left out; expand 0123456789ab]", Note::LinesLeftOut(12)),
        ("[last line repeated 4 more times]", Note::Repeated { period: 1, times: 4 }),
        ("[last 2 lines repeated 4 more times]", Note::Repeated { period: 2, times: 4 }),
    ] {
        assert_eq!(note(line), Some(expected), "{line}");
    }
    for line in ["[dependencies]", "", "[3-9]", "text", "[x: shown above]"] {
        assert_eq!(note(line), None, "{line}");
    }
    assert_eq!(handles("[3 left out; expand 0123456789ab]"), ["0123456789ab"]);
}
