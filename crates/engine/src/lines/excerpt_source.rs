//! The original content of a result that foveal shortened before the client recorded it.

use foveal_transcript::{ContentHash, Handle};

use super::prior_shaping::{is_note, note_handles};

/// The content that contains all lines of a result but foveal's notes, and that the handle in these
/// notes returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptSource {
    /// The hash of the content.
    pub hash: ContentHash,
    /// The number of lines.
    pub lines: u32,
    /// The number of bytes.
    pub bytes: u32,
}

impl ExcerptSource {
    /// Returns the handle that all notes of a result name; `None` if there is none or several.
    pub fn find_handle(result: &str) -> Option<Handle> {
        let mut handles = note_handles(result);
        let first = handles.next()?;
        handles.all(|handle| handle == first).then(|| first.parse().ok()).flatten()
    }

    /// Returns `content` as the source of a result, if each line of the result is a note or occurs
    /// in it, in this order.
    pub fn verify(result: &str, content: &str) -> Option<Self> {
        let mut rest = content.lines();
        let is_excerpt =
            result.lines().all(|line| is_note(line) || rest.any(|theirs| theirs == line));
        let lines = content.lines().count();
        let (lines, bytes) = (u32::try_from(lines).ok()?, u32::try_from(content.len()).ok()?);
        is_excerpt.then(|| Self {
            hash: ContentHash::from_content(content.as_bytes()),
            lines,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDLE: &str = "b79047c479d5";

    fn content() -> String {
        (1..=40).map(|at| format!("test case_{at} ... ok\n")).collect()
    }

    #[test]
    fn the_one_handle_of_all_notes_is_found() {
        let found = |result: &str| ExcerptSource::find_handle(result).map(|it| it.to_string());
        let notes = format!("a\n[3-9 left out; foveal expand {HANDLE}]\n[20-40: as above]\n");
        assert_eq!(found(&notes).as_deref(), Some(HANDLE));
        let twice = format!("{notes}[50-60 left out; expand {HANDLE}]\n");
        assert_eq!(found(&twice).as_deref(), Some(HANDLE));
        assert_eq!(found(&format!("{notes}[50-60 left out; expand c79047c479d5]")), None);
        assert_eq!(found("a\n[3-9 left out]"), None);
    }

    #[test]
    fn a_source_has_every_line_in_order() {
        let note = format!("[36 lines, 700 bytes left out; expand {HANDLE}]");
        let result = |ends: [&str; 2]| format!("{}\n{note}\n{}\n", ends[0], ends[1]);
        let (first, last) = ("test case_1 ... ok", "test case_40 ... ok");
        let verify = |result: &str| ExcerptSource::verify(result, &content());
        let source = verify(&result([first, last])).unwrap();
        assert_eq!((source.lines, source.bytes as usize), (40, content().len()));
        assert_eq!(source.hash, ContentHash::from_content(content().as_bytes()));
        assert_eq!(verify(&result([last, first])), None);
        // Lines that a client adds, and lines of another content, do not match.
        assert_eq!(verify(&format!("{}[exit code 1]\n", result([first, last]))), None);
        assert_eq!(verify(&result([first, "test case_41 ... ok"])), None);
    }
}
