//! Vectors from a model that is far away: they come later than words, in any number of runs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foveal_index::{
    EmbedderSelection, Index, SearchHit, SearchOptions, UpdateStage, UpdateSummary,
};
use foveal_relevance::embedding::{
    BatchPreference, Embedder, EmbeddingError, ModelId, StaticModel, Vector,
};
use foveal_testkit::embedding_server::sum_word_vectors;
use foveal_transcript::CancelToken;
use proptest::prelude::*;

use crate::world::{World, dump, found, update};

/// Files of a folder.
const FILES: u64 = 40;

/// Texts that are sent together, with the one by which a model is known.
const CALL_TEXTS: usize = 7;

/// Bytes of texts that are sent together.
const CALL_BYTES: usize = 64 << 10;

const DIMENSIONS: usize = 24;

/// A model that can fail, and become another.
#[derive(Debug)]
pub(crate) struct Far {
    name: &'static str,
    calls: AtomicU64,
    calls_left: AtomicU64,
    number: AtomicU64,
}

impl Default for Far {
    fn default() -> Self {
        Self::called("far")
    }
}

impl Far {
    fn called(name: &'static str) -> Self {
        let [calls, number] = [const { AtomicU64::new(0) }; 2];
        Self { name, calls, calls_left: AtomicU64::new(u64::MAX), number }
    }

    /// Answers so many calls from now on.
    pub(crate) fn fail_after(&self, calls: u64) {
        self.calls_left.store(calls, Ordering::SeqCst);
    }

    /// Is the model of this number under the same name.
    pub(crate) fn become_model(&self, number: u64) {
        self.number.store(number, Ordering::SeqCst);
    }

    fn calls(&self) -> u64 {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

impl Embedder for Far {
    fn identity(&self) -> ModelId {
        ModelId::new(self.name)
    }

    fn batch_preference(&self) -> BatchPreference {
        BatchPreference::Batches { texts: CALL_TEXTS - 1 }
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbeddingError> {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        assert!(texts.len() <= CALL_TEXTS && bytes <= CALL_BYTES, "{} {bytes}", texts.len());
        self.calls.fetch_add(1, Ordering::SeqCst);
        let left = |left: u64| left.checked_sub(1);
        if self.calls_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_err() {
            return Err(EmbeddingError::Unusable("away".into()));
        }
        let number = self.number.load(Ordering::SeqCst);
        // Models of other sizes, too.
        let dimensions = DIMENSIONS + number as usize % 2;
        let vector = |text: &&str| Vector::normalized(sum_word_vectors(text, dimensions, number));
        Ok(texts.iter().map(vector).collect())
    }
}

fn world(test: &str) -> (World, Arc<Far>) {
    let far = Arc::new(Far::default());
    let world = World::by(test, far.clone());
    for n in 0..FILES {
        world.write(&format!("f{n:02}.rs"), function_text(n));
    }
    (world, far)
}

/// Functions that are long enough not to be one part.
fn function_text(n: u64) -> String {
    let lines = "    // and so on, and on\n".repeat(12);
    let function = |k| format!("/// Part {k}.\nfn part_{n}_{k}() -> u32 {{\n{lines}    {n}\n}}\n");
    (0..3).map(function).collect()
}

const VECTORS: &str = "SELECT count(*) FROM vectors";
const MODELS: &str = "SELECT count(*) FROM model";

fn count(world: &World, sql: &str) -> u64 {
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection.query_row(sql, [], |row| row.get::<_, u32>(0)).expect("a row").into()
}

fn execute(world: &World, sql: &str) {
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection.execute_batch(sql).expect("a store");
}

fn hits(index: &mut Index) -> Vec<SearchHit> {
    let options = SearchOptions { limit: 1_000, ..SearchOptions::default() };
    index.search("part 7", &options).expect("a store of this test")
}

/// Files whose parts have a cosine that is not 0, and whether there are cosines at all.
fn with_meaning(index: &mut Index) -> (usize, bool) {
    let hits = hits(index);
    assert_eq!(hits.len(), 3 * FILES as usize);
    let told = |hit: &&SearchHit| hit.reason.cosine.is_some_and(|cosine| cosine != 0.0);
    let mut files: Vec<&str> = hits.iter().filter(told).map(|hit| hit.path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    (files.len(), hits.iter().any(|hit| hit.reason.cosine.is_some()))
}

fn problem(index: &Index) -> String {
    index.embedding_problem().map_or_else(String::new, ToString::to_string)
}

#[test]
fn words_come_first_and_vectors_in_large_calls() {
    let (world, far) = world("far");
    let mut index = world.open();
    let texts =
        index.update_texts(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test");
    assert_eq!(
        (texts.indexed, far.calls(), index.files_without_vectors().ok()),
        (FILES, 0, Some(FILES))
    );
    assert_eq!(index.chunks_without_vectors().ok(), Some(3 * FILES));
    assert_eq!(with_meaning(&mut index), (0, false));
    assert_eq!(far.calls(), 0);
    let mut stages = Vec::new();
    let vectors = index.update_vectors(
        usize::MAX,
        &mut |progress| stages.push((progress.stage, progress.done, progress.total)),
        &CancelToken::NEVER,
    );
    let expected = UpdateSummary { embedded: FILES, ..UpdateSummary::default() };
    assert_eq!(vectors.expect("a store of this test"), expected);
    let all: Vec<_> = (0..=FILES).map(|done| (UpdateStage::Vectors, done, FILES)).collect();
    assert_eq!(stages, all);
    // A call for the model itself; full ones; four threads that end with one that is not.
    let calls = far.calls();
    let full = (3 * FILES).div_ceil(CALL_TEXTS as u64 - 1);
    assert!((full + 1..=full + 5).contains(&calls), "{calls}");
    assert_eq!(with_meaning(&mut index), (FILES as usize, true));
    assert_eq!(update(&mut index), UpdateSummary { unchanged: FILES, ..UpdateSummary::default() });
    // One question, and one whether it is the same model still.
    assert_eq!(far.calls(), 2);
}

/// So that all are of the model that answers for its own text in the same request.
#[test]
fn a_call_fits_into_one_request() {
    let (world, _) = world("large_parts");
    let line = format!("    // {}\n", "and so on ".repeat(20));
    let function = |n| format!("fn large_{n}() {{\n{}}}\n", line.repeat(58));
    world.write("f00.rs", (0..12).map(function).collect::<String>());
    let mut index = world.open();
    assert_eq!(update(&mut index).without_vectors, 0);
    assert!(index.size().is_ok_and(|size| size.chunks >= 12));
    let mut anew = world.open_at(&world.root().join("../anew.db"));
    update(&mut anew);
    assert_eq!(dump(&mut index), dump(&mut anew));
}

#[test]
fn a_bounded_number_of_files_is_embedded_those_that_are_read_first() {
    let (world, _) = world("bounded");
    let mut index = world.open();
    index.update_texts(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test");
    index.prioritize_file("f30.rs".as_ref());
    // It waits for its words, not for vectors.
    index.prioritize_file("new.rs".as_ref());
    let summary =
        index.update_vectors(5, &mut |_| {}, &CancelToken::NEVER).expect("a store of this test");
    assert_eq!((summary.embedded, summary.without_vectors), (5, FILES - 5));
    assert_eq!(index.chunks_without_vectors().ok(), Some(3 * (FILES - 5)));
    let hits = hits(&mut index);
    let cosine = |hit: &SearchHit| hit.reason.cosine.is_some_and(|cosine| cosine != 0.0);
    let files: BTreeSet<&str> =
        hits.iter().filter(|hit| cosine(hit)).map(|hit| hit.path.as_str()).collect();
    assert_eq!(files, BTreeSet::from(["f00.rs", "f01.rs", "f02.rs", "f03.rs", "f30.rs"]));
    assert_eq!(update(&mut index).without_vectors, 0);
}

#[test]
fn without_the_server_words_are_enough() {
    let (world, far) = world("away");
    far.fail_after(0);
    let mut index = world.open();
    let expected =
        UpdateSummary { indexed: FILES, without_vectors: FILES, ..UpdateSummary::default() };
    assert_eq!(update(&mut index), expected);
    assert_eq!(problem(&index), "the embedding model cannot be used");
    assert_eq!(with_meaning(&mut index), (0, false));
    assert_eq!(problem(&index), "");
    far.fail_after(u64::MAX);
    assert_eq!(update(&mut index).embedded, FILES);
    let whole = found(&mut index, "part 7", 5);
    far.fail_after(0);
    assert_eq!(with_meaning(&mut index), (0, false));
    assert_eq!(problem(&index), "the embedding model cannot be used");
    far.fail_after(u64::MAX);
    assert_eq!(found(&mut index, "part 7", 5), whole);
    assert_eq!(problem(&index), "");
}

#[test]
fn another_model_behind_the_name_is_never_compared_with() {
    let (world, far) = world("behind");
    let mut index = world.open();
    update(&mut index);
    for number in [1, 3] {
        far.become_model(number);
        assert_eq!(with_meaning(&mut index), (0, false));
        assert_eq!(problem(&index), "the model behind the name `far` has changed");
        assert_eq!(
            (with_meaning(&mut index), index.files_without_vectors().ok()),
            ((0, false), Some(0))
        );
        assert_eq!(update(&mut index).embedded, FILES);
        let mut anew = world.open_at(&world.root().join(format!("../anew{number}.db")));
        update(&mut anew);
        assert_eq!(dump(&mut index), dump(&mut anew));
    }
    // It changes while vectors are made.
    world.write("f00.rs", "fn another() {}\n");
    far.become_model(4);
    assert_eq!(update(&mut index).embedded, FILES);
    assert_eq!(with_meaning_of_all(&mut index), FILES as usize);
}

/// A server gives a single odd answer, to a question or while vectors are made.
#[test]
fn a_model_that_was_away_has_its_vectors_again() {
    let (world, far) = world("odd");
    let mut index = world.open();
    update(&mut index);
    let whole = dump(&mut index);
    far.become_model(1);
    assert_eq!(with_meaning(&mut index), (0, false));
    far.become_model(0);
    assert_eq!(update(&mut index).embedded, 0);
    assert_eq!(dump(&mut index), whole);
    far.become_model(1);
    let one = index.update(
        &mut |progress| {
            if progress.stage == UpdateStage::Vectors {
                far.fail_after(0);
            }
        },
        &CancelToken::NEVER,
    );
    assert!(one.expect("a store of this test").embedded < FILES);
    far.fail_after(u64::MAX);
    far.become_model(0);
    assert_eq!(update(&mut index).embedded, 0);
    assert_eq!((dump(&mut index), count(&world, MODELS)), (whole, 1));
}

fn with_meaning_of_all(index: &mut Index) -> usize {
    let options = SearchOptions { limit: 1_000, ..SearchOptions::default() };
    let hits = index.search("fn part another", &options).expect("a store of this test");
    let mut files: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert!(hits.iter().all(|hit| hit.reason.cosine.is_some_and(|cosine| cosine != 0.0)));
    files.sort_unstable();
    files.dedup();
    files.len()
}

/// Changing the model keeps the vectors of the one before until all are there.
#[test]
fn vectors_of_the_model_before_are_used_meanwhile() {
    let (world, far) = world("meanwhile");
    let built_in = || Some(Arc::new(StaticModel::built_in()) as Arc<dyn Embedder>);
    let mut plain = Index::open(&world.root(), &world.store(), built_in()).expect("a folder");
    update(&mut plain);
    let before = found(&mut plain, "part 7", 20);
    drop(plain);
    let mut index = world.open();
    index.select_embedder("far", "built-in").expect("a store of this test");
    index.set_embedders(Some(far), built_in());
    for _ in 0..3 {
        index.update_vectors(10, &mut |_| {}, &CancelToken::NEVER).expect("a store of this test");
        assert_eq!(found(&mut index, "part 7", 20), before);
    }
    let chosen = index.embedder_selection().expect("a store of this test");
    assert_eq!(
        (chosen.embedder.as_deref(), chosen.previous.as_deref()),
        (Some("far"), Some("built-in"))
    );
    let last =
        index.update_vectors(10, &mut |_| {}, &CancelToken::NEVER).expect("a store of this test");
    assert_eq!((last.embedded, last.without_vectors), (10, 0));
    let after = found(&mut index, "part 7", 20);
    assert_ne!(after, before);
    let chosen = index.embedder_selection().expect("a store of this test");
    assert_eq!((chosen.embedder.as_deref(), chosen.previous), (Some("far"), None));
    let mut anew = world.open_at(&world.root().join("../anew.db"));
    update(&mut anew);
    assert_eq!(found(&mut anew, "part 7", 20), after);
    // Nothing is left of the other model.
    assert_eq!((count(&world, VECTORS), count(&world, MODELS)), (FILES, 1));
}

/// One process has the store open when another chooses another embedder.
#[test]
fn vectors_that_another_process_chose_are_left_alone() {
    let world = world("others_choice").0;
    let built_in = || Some(Arc::new(StaticModel::built_in()) as Arc<dyn Embedder>);
    let mut old = Index::open(&world.root(), &world.store(), None).expect("a folder");
    assert_eq!(
        old.embedder_selection().expect("a store of this test"),
        EmbedderSelection::default()
    );
    old.set_embedders(built_in(), None);
    update(&mut old);
    let mut new = world.open();
    new.select_embedder("far", "built-in").expect("a store of this test");
    update(&mut new);
    let whole = dump(&mut new);
    assert_eq!(
        (old.has_selection_changed().ok(), new.has_selection_changed().ok()),
        (Some(true), Some(false))
    );
    // It makes its own vectors anew, which are all there then.
    world.write("f00.rs", "fn another() {}\n");
    for _ in 0..2 {
        assert_eq!(update(&mut old).without_vectors, 0);
    }
    world.write("f00.rs", function_text(0));
    update(&mut old);
    assert_eq!(update(&mut new).embedded, 1);
    assert_eq!(dump(&mut new), whole);
    // What the other one made is gone with its model, also where the model was gone first.
    let numbers = |sql| count(&world, sql);
    assert_eq!((numbers(VECTORS), numbers(MODELS)), (FILES, 1));
    execute(
        &world,
        "INSERT INTO vectors(file, model, checksum, bytes) SELECT file, 99, checksum, bytes FROM vectors",
    );
    update(&mut new);
    assert_eq!(numbers(VECTORS), FILES);
}

/// The model is gone before its vectors come.
#[test]
fn no_vectors_are_left_without_their_model() {
    let (world, _) = world("without_model");
    let mut index = world.open();
    index.update_texts(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test");
    let remove = &mut |_| execute(&world, "DELETE FROM model");
    index.update_vectors(usize::MAX, remove, &CancelToken::NEVER).expect("a store of this test");
    assert_eq!((count(&world, VECTORS), count(&world, MODELS)), (0, 0));
    assert_eq!(update(&mut index).embedded, FILES);
}

#[test]
fn what_was_chosen_outlives_the_store() {
    let (world, _) = world("chosen");
    let mut index = world.open();
    index.select_embedder("far", "built-in").expect("a store of this test");
    index.select_embedder("further", "far").expect("a store of this test");
    drop(index);
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection.execute_batch("PRAGMA user_version = 99").expect("a store");
    drop(connection);
    let mut index = world.open();
    assert!(index.is_rebuilt());
    let chosen = index.embedder_selection().expect("a store of this test");
    assert_eq!(
        (chosen.embedder.as_deref(), chosen.previous.as_deref()),
        (Some("further"), Some("built-in"))
    );
}

#[test]
fn vectors_that_were_changed_are_not_trusted() {
    let (world, _) = world("changed_vectors");
    let mut index = world.open();
    update(&mut index);
    let whole = dump(&mut index);
    drop(index);
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    let damage = "UPDATE vectors SET bytes = zeroblob(length(bytes)) WHERE file % 2 = 0";
    connection.execute_batch(damage).expect("a store");
    drop(connection);
    let mut index = world.open();
    assert_eq!(with_meaning(&mut index).0, FILES as usize / 2);
    assert_eq!(index.files_without_vectors().ok(), Some(FILES / 2));
    assert_eq!(update(&mut index).embedded, FILES / 2);
    assert_eq!(dump(&mut index), whole);
}

#[test]
fn a_file_that_changes_meanwhile_waits_for_its_words() {
    let (world, _) = world("meanwhile_changed");
    let mut index = world.open();
    index.update_texts(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test");
    world.write("f01.rs", "fn entirely_else() {}\n");
    let summary = index
        .update_vectors(usize::MAX, &mut |_| {}, &CancelToken::NEVER)
        .expect("a store of this test");
    assert_eq!((summary.embedded, summary.without_vectors), (FILES - 1, 1));
    assert_eq!(update(&mut index).without_vectors, 0);
    let mut anew = world.open_at(&world.root().join("../anew.db"));
    update(&mut anew);
    assert_eq!(dump(&mut index), dump(&mut anew));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Stopped anywhere, or left by its server, it goes on from there.
    #[test]
    fn no_vector_is_lost_or_made_twice(asked in 0_u64..200, calls in 0_u64..40, stop in any::<bool>()) {
        let (world, far) = world("stopped_vectors");
        let mut index = world.open();
        index.update_texts(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test");
        let left = AtomicU64::new(if stop { asked } else { u64::MAX });
        let down = |n: u64| n.checked_sub(1);
        let stops = || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, down).is_err();
        far.fail_after(if stop { u64::MAX } else { calls });
        let first = index.update_vectors(usize::MAX, &mut |_| {}, &CancelToken::from_fn(&stops)).expect("a store");
        prop_assert_eq!(first.embedded + first.without_vectors, FILES);
        prop_assert!(first.without_vectors == 0 || first.cancelled || index.embedding_problem().is_some() || stops());
        drop(index);
        far.fail_after(u64::MAX);
        let mut index = world.open();
        prop_assert_eq!(with_meaning(&mut index).0 as u64, first.embedded);
        far.calls();
        let rest = update(&mut index);
        prop_assert_eq!((rest.indexed, rest.embedded, rest.without_vectors), (0, first.without_vectors, 0));
        let most = (3 * first.without_vectors).div_ceil(CALL_TEXTS as u64 - 1) + 5;
        prop_assert!(far.calls() <= most);
        let mut anew = world.open_at(&world.root().join("../anew.db"));
        update(&mut anew);
        prop_assert_eq!(dump(&mut index), dump(&mut anew));
    }
}
