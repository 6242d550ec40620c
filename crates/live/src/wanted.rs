//! What was wanted of conversations since their last requests, and what takes it back.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_context::step::Step;
use foveal_context::wish::{Unwishable, Wish, Wishes};
use foveal_transcript::{ContentHash, EntryIndex};

use crate::conversation::Live;

/// Conversations of which is remembered what was wanted; with more, all of it is forgotten.
const CONVERSATIONS_MAX: usize = 64;

/// Changes of a conversation that can be taken back.
const BACK_MAX: usize = 100;

/// What is wanted of all conversations, by the end of their first message.
#[derive(Debug, Default)]
pub(crate) struct Wanting(Mutex<HashMap<ContentHash, Wanted>>);

/// What is wanted of one.
#[derive(Debug, Default, Clone)]
pub(crate) struct Wanted {
    /// What was wanted since the last request, each with the end of the message that it is about.
    results: Vec<(ContentHash, Wish)>,
    compacts: bool,
    /// What takes back the changes so far, the last one last.
    back: Vec<(ContentHash, Wish)>,
}

impl Wanting {
    fn lock(&self) -> MutexGuard<'_, HashMap<ContentHash, Wanted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wanted of the conversation whose first message ends so.
    pub(crate) fn of(&self, first: ContentHash) -> Wanted {
        self.lock().get(&first).cloned().unwrap_or_default()
    }

    /// Notes what is wanted.
    pub(crate) fn set(&self, first: ContentHash, wanted: Wanted) {
        let mut all = self.lock();
        if all.len() >= CONVERSATIONS_MAX && !all.contains_key(&first) {
            all.clear();
        }
        all.insert(first, wanted);
    }

    /// Forgets what was decided about; how much of it could not be done.
    pub(crate) fn decided(&self, first: ContentHash, wishes: &Wishes, step: &Step) -> usize {
        if wishes.is_empty() {
            return 0;
        }
        if let Some(wanted) = self.lock().get_mut(&first) {
            (wanted.results, wanted.compacts) = (Vec::new(), false);
        }
        wishes.results.iter().filter(|wish| !step.wished.contains(wish)).count()
    }
}

impl Wanted {
    /// What is wanted of results that are those of this conversation still.
    pub(crate) fn wishes(&self, live: &Live) -> Wishes {
        let is_there = |(end, wish): &&(ContentHash, Wish)| live.end_of(wish.entry) == Some(*end);
        let results = self.results.iter().filter(is_there).map(|(_, wish)| *wish).collect();
        Wishes { results, compacts: self.compacts }
    }

    /// Notes whether old results are to be rewritten.
    pub(crate) fn set_compacts(&mut self, compacts: bool) {
        self.compacts = compacts;
    }

    /// Wants a result to stand otherwise.
    ///
    /// # Errors
    /// Why it cannot.
    pub(crate) fn want(&mut self, live: &Live, wish: Wish) -> Result<(), Unwishable> {
        let end = live.end_of(wish.entry).ok_or(Unwishable::NotThere)?;
        if !live.can_be_replaced(wish.entry) {
            return Err(Unwishable::NoResult);
        }
        let before = self.standing(live, wish.entry);
        if before == wish {
            return Err(Unwishable::IsSo);
        }
        match live.engine().check_wish(&wish) {
            // It takes back what was wanted since the last request.
            Err(Unwishable::IsSo) if before != live.as_it_is(wish.entry) => {}
            checked => checked?,
        }
        if self.back.len() == BACK_MAX {
            self.back.remove(0);
        }
        self.back.push((end, before));
        self.results.retain(|(_, other)| other.entry != wish.entry);
        self.results.push((end, wish));
        Ok(())
    }

    /// What takes back the last change.
    pub(crate) fn take_last(&mut self) -> Option<(ContentHash, Wish)> {
        self.back.pop()
    }

    /// Wants a result to stand as it stood before the last change.
    ///
    /// # Errors
    /// Why it cannot.
    pub(crate) fn take_back(
        &mut self,
        live: &Live,
        (end, wish): (ContentHash, Wish),
    ) -> Result<(), Unwishable> {
        if live.end_of(wish.entry) != Some(end) {
            return Err(Unwishable::NotThere);
        }
        self.results.retain(|(_, other)| other.entry != wish.entry);
        if live.as_it_is(wish.entry) != wish {
            live.engine().check_wish(&wish)?;
            self.results.push((end, wish));
        }
        Ok(())
    }

    /// How a result stands by what was wanted since the last request, or by what was decided.
    fn standing(&self, live: &Live, entry: EntryIndex) -> Wish {
        let last = self.results.iter().rev().find(|(_, wish)| wish.entry == entry);
        last.map_or_else(|| live.as_it_is(entry), |(_, wish)| *wish)
    }
}
