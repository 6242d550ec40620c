//! Old turns told in words, put into effect.

use super::Planner;
use crate::gist::{self, Gist, Question};
use crate::level::Level;
use crate::record::Record;
use crate::retention::strategy::{ResetMarks, Strategy};
use crate::shape::Shape;
use crate::step::{RewriteReason, Step};
use crate::tokens::Tokens;
use crate::wish::{self, Standing, Wish};
use foveal_transcript::{EntryIndex, Role};

impl Planner {
    /// What a model is to be asked about the oldest turns of the last planned prompt: where it is
    /// longer than a rewrite should have left it, since nothing more could be taken. `waiting` are
    /// tellings that are not in it yet. `None` under models whose thinking is bound to what stands
    /// before it.
    pub fn to_tell(&self, record: &Record, waiting: &[Gist]) -> Option<Question> {
        let marks = self.marks()?;
        let tokens = self.tokens();
        let is_due = tokens > marks.high || (self.telling.falls_short && tokens > marks.low);
        if !is_due || self.fixed_until(None) > 0 {
            return None;
        }
        let waits = |index: &EntryIndex| waiting.iter().any(|gist| gist.entries.contains(index));
        let is_told =
            |index: EntryIndex| waits(&index) || self.items[index.at()].decision.shape().is_some();
        let window = self.window.entries();
        Question::about(&gist::Ask { record, window, is_told: &is_told })
    }

    /// Tokens of the turns that are told so: of the responses and of what their calls gave.
    pub fn tokens_told(&self, record: &Record, gist: &Gist) -> Tokens {
        let results = gist.entries.iter().flat_map(|index| self.results_of(record, *index));
        let all = gist.entries.iter().copied().chain(results);
        all.filter_map(|index| Some(self.items.get(index.at())?.tokens)).sum()
    }

    /// Where a rewrite for size begins and ends.
    pub(super) fn marks(&self) -> Option<ResetMarks> {
        match (self.strategy, &self.settings.rewrite) {
            (Some(Strategy::ContentReset(marks)), _) => Some(marks),
            (Some(Strategy::FirstLastSampled(_)), _) | (None, None) => None,
            (None, Some(rewrite)) => Some(ResetMarks { high: rewrite.high, low: rewrite.low }),
        }
    }

    /// Those of `gists` that can be put in place, where nothing before window position
    /// `fixed_until` may change, and about how many tokens they save.
    pub(super) fn can_tell(
        &self,
        record: &Record,
        gists: &[Gist],
        fixed_until: usize,
    ) -> (Vec<Gist>, Tokens) {
        let window = self.window.entries();
        let is_free = |index: &EntryIndex| {
            let position = window.binary_search(index);
            position.is_ok_and(|position| position >= fixed_until && position < self.sent)
                && self.items[index.at()].decision.shape().is_none()
        };
        let (mut fitting, mut saved): (Vec<Gist>, u64) = (Vec::new(), 0);
        for gist in gists {
            let is_other =
                |index: &EntryIndex| fitting.iter().all(|it| !it.entries.contains(index));
            let fits =
                gist.fits(record) && gist.entries.iter().all(|at| is_free(at) && is_other(at));
            let saving = if fits { self.saving(record, gist) } else { 0 };
            if saving > 0 {
                saved += saving;
                fitting.push(gist.clone());
            }
        }
        (fitting, Tokens(saved))
    }

    /// Tokens that a telling saves, of words and of results; 0 where it saves none.
    fn saving(&self, record: &Record, gist: &Gist) -> u64 {
        let stand_ins = gist::stand_ins(record, gist);
        let weight = |(index, shape): &(EntryIndex, Shape)| {
            record.tokenizer().count(&shape.render(&record.entry(*index).prompt_text())).0
        };
        let after: u64 = stand_ins.iter().map(weight).sum();
        let before = gist.entries.iter().map(|index| record.facts(*index).tokens.0);
        let of_results = self.results_told(record, std::slice::from_ref(gist), &[]);
        // What others may choose by themselves is not counted twice.
        let is_own = |(index, _): &(EntryIndex, Level)| self.movable.binary_search(index).is_err();
        let of_results = of_results.into_iter().filter(is_own).filter_map(|(index, _)| {
            let note = self.note_tokens(record, index)?;
            Some(self.items[index.at()].tokens.0.saturating_sub(note.0))
        });
        (before.sum::<u64>() + of_results.sum::<u64>()).saturating_sub(after)
    }

    /// The results that leave a note when the turns they belong to are told, but for those of which
    /// something was just `wished`.
    pub(super) fn results_told(
        &self,
        record: &Record,
        gists: &[Gist],
        wished: &[Wish],
    ) -> Vec<(EntryIndex, Level)> {
        let entries = gists.iter().flat_map(|gist| &gist.entries);
        let results = entries.flat_map(|index| self.results_of(record, *index));
        let goes = |index: &EntryIndex| {
            let Some(item) = self.items.get(index.at()) else { return false };
            item.standing == Standing::Free
                && !wish::has(wished, *index)
                && item.level != Level::Note
                && self.note_tokens(record, *index).is_some_and(|note| note < item.tokens)
        };
        let mut levels: Vec<_> = results.filter(goes).map(|index| (index, Level::Note)).collect();
        levels.sort_unstable_by_key(|(index, _)| *index);
        levels
    }

    /// The results of a response's calls.
    fn results_of<'a>(
        &self,
        record: &'a Record,
        index: EntryIndex,
    ) -> impl Iterator<Item = EntryIndex> + use<'a> {
        let behind = (index.0 + 1..record.len() as u32).map(EntryIndex);
        behind.take_while(|index| record.entry(*index).role == Role::Tool)
    }

    /// Puts tellings in place; the first response that changes by them.
    pub(super) fn tell(&mut self, record: &Record, gists: &[Gist]) -> Option<EntryIndex> {
        for gist in gists.iter().filter(|gist| gist.fits(record)) {
            self.telling.put(&gist.entries, gist::stand_ins(record, gist));
        }
        gists.iter().filter_map(|gist| gist.entries.first()).min().copied()
    }

    /// Takes back what tells of a response that the client took back; the first response that
    /// changes by that.
    pub(super) fn untell(&mut self) -> Option<EntryIndex> {
        let window = self.window.entries();
        self.telling.keep_if(|index| window.binary_search(&index).is_ok())
    }

    /// Notes what a rewrite for size came to.
    pub(super) fn note_shortfall(&mut self, step: &Step) {
        let is_for_size =
            matches!(step.rewrite, Some(RewriteReason::HighMark | RewriteReason::Compacted));
        if let Some(marks) = self.marks().filter(|_| is_for_size) {
            self.telling.falls_short = self.tokens() > marks.low;
        }
    }

    /// Whether a strategy that resets contents does so with this request.
    pub(super) fn resets(&self, strategy: Strategy, compacts: bool) -> bool {
        match strategy {
            Strategy::ContentReset(marks) => compacts || self.tokens() >= marks.high,
            Strategy::FirstLastSampled(_) => false,
        }
    }
}
