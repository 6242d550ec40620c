//! Features of results that the current score does not use: the use of files, by count and time,
//! and words of results in later texts.

use std::collections::{HashMap, HashSet};

use foveal_engine::entry_facts::{EntryFacts, LineHash, file_key};
use foveal_engine::reduction_level::ResultAge;
use foveal_replay::PreparedConversation;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, MessageRole};

/// Names of the file features, in order.
pub(crate) const FILE_FEATURES: [&str; 15] = [
    "edits",
    "edit ago",
    "edit first",
    "names",
    "name ago",
    "reads",
    "read ago",
    "asked ago",
    "all edits",
    "edits of late",
    "request",
    "age",
    "code",
    "prose",
    "test",
];

/// Names of the word features, in order.
const WORD_FEATURES: [&str; 4] = ["said of late", "said since", "said first", "by user"];

/// The requests before each kind of use of a file.
#[derive(Default, Clone)]
struct FileHistory {
    edited: Vec<u32>,
    read: Vec<u32>,
    named: Vec<u32>,
    asked: Vec<u32>,
}

/// A conversation up to a request.
#[derive(Default)]
pub(crate) struct ConversationHistory {
    next: u32,
    files: HashMap<LineHash, FileHistory>,
    edits: Vec<u32>,
    /// The number of results that contain each word.
    results_with: HashMap<u64, u32>,
    /// The requests before which an answer contained each word.
    answers_with: HashMap<u64, Vec<u32>>,
    by_user: HashSet<u64>,
}

impl ConversationHistory {
    /// Adds the entries before request `request`, which `answer` answers.
    pub(crate) fn advance(
        &mut self,
        prepared: &PreparedConversation,
        answer: EntryIndex,
        request: u32,
    ) {
        while self.next < answer.0 {
            let index = EntryIndex(self.next);
            self.next += 1;
            let facts = prepared.record.facts(index);
            let words = &prepared.scan(index).references;
            match prepared.record.entry(index).role {
                MessageRole::User | MessageRole::System => {
                    for key in &facts.mentioned_files {
                        self.files.entry(*key).or_default().asked.push(request);
                    }
                    self.by_user.extend(words);
                }
                MessageRole::Assistant => {
                    self.add_answer(facts, request);
                    for word in words {
                        self.answers_with.entry(*word).or_default().push(request);
                    }
                }
                MessageRole::Tool => {
                    for word in words {
                        *self.results_with.entry(*word).or_default() += 1;
                    }
                }
            }
        }
    }

    fn add_answer(&mut self, facts: &EntryFacts, request: u32) {
        for key in &facts.mentioned_files {
            self.files.entry(*key).or_default().named.push(request);
        }
        let effects = || facts.calls.iter().map(|call| &call.effect);
        for write in effects().flat_map(|effect| &effect.writes) {
            self.files.entry(file_key(&write.path)).or_default().edited.push(request);
        }
        for read in effects().filter(|it| it.kind == EffectKind::Read).flat_map(|it| &it.reads) {
            self.files.entry(file_key(&read.path)).or_default().read.push(request);
        }
        if effects().any(|effect| !effect.writes.is_empty()) {
            self.edits.push(request);
        }
    }

    /// Returns the features of the files of a result, as in [`FILE_FEATURES`].
    pub(crate) fn file_features(
        &self,
        facts: &EntryFacts,
        life: &ResultAge,
        request: u32,
    ) -> Vec<f64> {
        let effect = facts.call.as_ref().map(|call| &call.effect);
        let reads = effect.into_iter().flat_map(|it| it.reads.iter().map(|read| &read.path));
        let writes = effect.into_iter().flat_map(|it| it.writes.iter().map(|write| &write.path));
        let paths: Vec<&str> = reads.chain(writes).map(String::as_str).collect();
        let files: Vec<_> =
            paths.iter().filter_map(|path| self.files.get(&file_key(path))).collect();
        let requests = |which: fn(&FileHistory) -> &Vec<u32>| {
            let mut all: Vec<u32> = files.iter().flat_map(|file| which(file)).copied().collect();
            all.sort_unstable();
            all
        };
        let count = |requests: &[u32]| (requests.len() as f64).ln_1p();
        let ago = |requests: &[u32]| {
            requests.last().map_or(NEVER_AGE, |at| f64::from(request - at).ln_1p())
        };
        let edited = requests(|it| &it.edited);
        let named = requests(|it| &it.named);
        let read = requests(|it| &it.read);
        let before = edited.first().is_some_and(|at| *at < life.arrived);
        let of_late = self.edits.iter().rev().take_while(|at| **at + 10 >= request).count();
        let path = paths.first().copied().unwrap_or_default();
        let extension = path.rsplit('.').next().unwrap_or_default();
        let flag = |yes: bool| f64::from(u8::from(yes));
        vec![
            count(&edited),
            ago(&edited),
            flag(before),
            count(&named),
            ago(&named),
            count(&read),
            ago(&read),
            ago(&requests(|it| &it.asked)),
            count(&self.edits),
            (of_late as f64).ln_1p(),
            f64::from(request).ln_1p(),
            f64::from(request - life.arrived).ln_1p(),
            flag(CODE.contains(&extension)),
            flag(["md", "txt", "rst"].contains(&extension)),
            flag(path.contains("test")),
        ]
    }

    /// Returns the features of the words of a result, as in [`WORD_FEATURES`]. A word counts less
    /// the more results contain it.
    pub(crate) fn word_features(&self, words: &[u64], life: &ResultAge, request: u32) -> Vec<f64> {
        let mut sums = [0.0; WORD_FEATURES.len()];
        for word in words {
            let results = self.results_with.get(word).copied().unwrap_or(1);
            let said = self.answers_with.get(word).map_or(&[][..], Vec::as_slice);
            let (first, last) = (said.first().copied(), said.last().copied());
            let is_after = |at: Option<u32>| at.is_some_and(|at| at > life.arrived);
            let flags = [
                is_after(last) && last.is_some_and(|at| at + 5 >= request),
                is_after(last),
                is_after(first),
                self.by_user.contains(word),
            ];
            for (sum, flag) in sums.iter_mut().zip(flags) {
                *sum += if flag { 1.0 / f64::from(results) } else { 0.0 };
            }
        }
        sums.iter().map(|sum: &f64| sum.ln_1p()).collect()
    }
}

/// The feature of a time without an event: longer ago than any request.
const NEVER_AGE: f64 = 8.0;

const CODE: [&str; 16] = [
    "c", "cc", "cpp", "cs", "go", "h", "java", "js", "kt", "php", "py", "rb", "rs", "swift", "ts",
    "tsx",
];
