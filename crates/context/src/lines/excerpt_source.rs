//! The content that foveal shortened to a result before the client recorded that.

use foveal_transcript::{ContentHash, Handle};

use super::prior_shaping::{handles, is_note};

/// A content that has all that a result says beside foveal's notes, and that a handle in these notes
/// gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptSource {
    /// Its hash.
    pub hash: ContentHash,
    /// Its lines.
    pub lines: u32,
    /// Its bytes.
    pub bytes: u32,
}

impl ExcerptSource {
    /// Returns the handle that all notes of a result name.
    pub fn handle(result: &str) -> Option<Handle> {
        let mut handles = handles(result);
        let first = handles.next()?;
        handles.all(|handle| handle == first).then(|| first.parse().ok()).flatten()
    }

    /// Returns `content` as the source of a result, if each line of the result stands in it, in this
    /// order, or is a note.
    pub fn verify(result: &str, content: &str) -> Option<Self> {
        let mut rest = content.lines();
        let is_excerpt =
            result.lines().all(|line| is_note(line) || rest.any(|theirs| theirs == line));
        let lines = content.split('\n').count();
        let (lines, bytes) = (u32::try_from(lines).ok()?, u32::try_from(content.len()).ok()?);
        is_excerpt.then(|| Self { hash: ContentHash::of(content.as_bytes()), lines, bytes })
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
        let found = |result: &str| ExcerptSource::handle(result).map(|it| it.to_string());
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
        assert_eq!((source.lines, source.bytes as usize), (41, content().len()));
        assert_eq!(source.hash, ContentHash::of(content().as_bytes()));
        assert_eq!(verify(&result([last, first])), None);
        // What a client adds, and what another content says.
        assert_eq!(verify(&format!("{}[exit code 1]\n", result([first, last]))), None);
        assert_eq!(verify(&result([first, "test case_41 ... ok"])), None);
    }
}
