//! A folder to be indexed, and its index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveal_index::{Index, SearchOptions, UpdateSummary};
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_transcript::CancelToken;

/// A folder of one test, empty at the start.
pub(crate) struct World {
    folder: PathBuf,
    model: Option<Arc<dyn Embedder>>,
}

impl World {
    /// An index without vectors.
    pub(crate) fn new(test: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("index").join(test);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("a folder of this test alone");
        }
        fs::create_dir_all(folder.join("root")).expect("a new folder");
        Self { folder, model: None }
    }

    /// An index with the vectors of the built-in model.
    pub(crate) fn embedded(test: &str) -> Self {
        Self { model: Some(Arc::new(StaticModel::built_in())), ..Self::new(test) }
    }

    /// An index with the vectors of `model`.
    pub(crate) fn by(test: &str, model: Arc<dyn Embedder>) -> Self {
        Self { model: Some(model), ..Self::new(test) }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.join("index.db")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
        fs::write(path, content).expect("a new file");
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("a file that was written");
    }

    pub(crate) fn open(&self) -> Index {
        self.open_at(&self.store())
    }

    pub(crate) fn open_at(&self, store: &Path) -> Index {
        Index::open(&self.root(), store, self.model.clone()).expect("a folder of this test")
    }
}

/// Brings all up to date.
pub(crate) fn update(index: &mut Index) -> UpdateSummary {
    index.update(&mut |_| {}, &CancelToken::NEVER).expect("a folder of this test")
}

/// Everything an index holds of its files, as text.
pub(crate) fn dump(index: &mut Index) -> String {
    let symbols = index.symbols().expect("a store of this test");
    let lines = symbols.iter().map(|file| format!("{file:?}\n"));
    let text: String = lines.collect();
    let relations = index.relations().expect("a store of this test");
    let text = text + &format!("{:?}\n", relations.all_relations());
    text + &found(index, "value of the third part", 1_000)
}

/// Returns the hits of a search, one per line: location, kind, name, score and reason.
pub(crate) fn found(index: &mut Index, query: &str, limit: usize) -> String {
    let options = SearchOptions { limit, ..SearchOptions::default() };
    let hits = index.search(query, &options).expect("a store of this test");
    let line = |hit: foveal_index::SearchHit| {
        let kind = hit.kind.map_or("lines", foveal_syntax::EntityKind::name);
        let (place, why) = (format!("{}:{}", hit.path, hit.lines), hit.reason);
        format!("{place} {kind} {} {:.3} {why:?}\n", hit.name, hit.score)
    };
    hits.into_iter().map(line).collect()
}

/// The files that define and name something, or could.
pub(crate) fn files(index: &mut Index) -> Vec<String> {
    let symbols = index.symbols().expect("a store of this test");
    symbols.iter().map(|file| file.path.to_string()).collect()
}
