//! Who chooses views of reads, and what they are told of one.

use super::text::ReadText;
use super::value::{View, Wanted};
use super::watch::Watch;
use crate::record::Record;
use foveal_transcript::{EntryIndex, LineNumber};

/// Chooses what the model sees of files that were read.
///
/// The engine asks once for each choice and records the answer in the [`Step`], so an answer
/// need not be the same when asked again, as a model's is not.
///
/// [`Step`]: crate::step::Step
pub trait Views: std::fmt::Debug + Send + Sync {
    /// The lines of `read` to show; `None` where nothing can be said of it.
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View>;

    /// The same for somebody who is told how it goes, and may stop to wait.
    fn view_watched(&self, read: &Read<'_>, wanted: Wanted, _watch: Watch<'_>) -> Option<View> {
        self.view(read, wanted)
    }

    /// The same for many reads, in their order. Whoever has threads to spare may ask about several
    /// at a time.
    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        reads.iter().map(|(read, wanted)| self.view(read, *wanted)).collect()
    }

    /// The last of `kept` lines, from the first to the last of them, or one before it, after which
    /// the text of a file can end because no statement goes on there; `None` where nothing is known
    /// of it.
    fn whole_until(
        &self,
        _path: &str,
        _text: &str,
        _kept: (LineNumber, LineNumber),
    ) -> Option<LineNumber> {
        None
    }

    /// Whether [`comes`](Self::comes) is to be told of reads.
    fn gets_ready(&self) -> bool {
        false
    }

    /// Takes note of a read that has come: a later rewrite may ask about it for this. Whoever has
    /// time between requests may get ready for that.
    fn comes(&self, _read: &Read<'_>, _wanted: Wanted) {}

    /// Views of one moment that may soon be asked for, as [`each`](Self::each) would give them,
    /// where that takes little time by now: a view that is foreseen is found sooner when it is
    /// asked for. One after the other, as long as it may `go_on`.
    fn foreseen(
        &self,
        _reads: &[(Read<'_>, Wanted)],
        _go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        Vec::new()
    }
}

/// Lines of one file, as a result shows them.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The conversation is known up to before this entry: of a result that arrives itself, of
    /// an old one the response that is to be asked for.
    pub upto: EntryIndex,
    /// The file.
    pub path: &'a str,
    /// The number of the first line.
    pub first: LineNumber,
    /// The lines without their numbers, each with a line break.
    pub text: &'a ReadText<'a>,
}
