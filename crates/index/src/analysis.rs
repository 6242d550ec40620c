//! The analysis of one file, from its bytes to its stored form.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use foveal_redaction::redact_text;
use foveal_relevance::relations::FileSymbols;
use foveal_relevance::score_fusion::NAME_REPETITIONS;
use foveal_syntax::{FileClass, LineRange, ParsedFile};
use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::regular_file::OpenFolder;

use crate::chunker::{self, Chunk, TextLines, split_into_chunks};
use crate::folder_walk::{ChangeStamp, FILE_BYTES_MAX};
use crate::model_probe::ProbedEmbedder;
use crate::secrets::is_private_key;
use crate::source_text;
use crate::store::{AnalysedFile, EncodedContent, FileVectors};
use crate::symbols;
use crate::text_terms::{FileTerms, term_hashes};
use crate::vector_codec;

/// The number of entities of a chunk whose names precede its text.
const NAMES_MAX: usize = 8;

/// The number of bytes of a chunk that are embedded.
const EMBEDDED_BYTES_MAX: usize = 16 << 10;

/// The outcome of the analysis of one file.
pub(crate) enum AnalysisOutcome {
    Analysed(Box<AnalysedFile>),
    /// The content equals the known one.
    Same(ChangeStamp),
    /// The file cannot be read, or no longer exists.
    Unreadable,
    /// The work was cancelled.
    Cancelled,
}

/// A chunk of a file in searchable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChunk {
    /// The lines of the chunk.
    pub lines: LineRange,
    /// The text that is searched: the enclosing names, the own names and the content.
    pub search_text: String,
}

/// Returns the chunks of the file at `path` with content `text`, in order, as an index would search
/// them. Returns fewer if parsing exceeds its work limit.
pub fn file_chunks(path: &str, text: &str) -> Vec<FileChunk> {
    let ChunkedFile { chunks, texts, .. } =
        chunk_file(path, &redact_text(text), &CancelToken::NEVER);
    let part = |(chunk, told): (Chunk, String)| FileChunk { lines: chunk.lines, search_text: told };
    chunks.into_iter().zip(texts).map(part).collect()
}

/// Analyses the file at `path` in `root`. `known` is the content hash that needs no new analysis.
/// `model` is an embedder that answers at once. `cancel` is checked repeatedly.
pub(crate) fn analyse_file(
    root: &OpenFolder,
    path: &str,
    known: Option<ContentHash>,
    model: Option<ProbedEmbedder<'_>>,
    cancel: &CancelToken<'_>,
) -> AnalysisOutcome {
    let Ok((stamp, bytes)) = read_with_stamp(root, path) else {
        return AnalysisOutcome::Unreadable;
    };
    let hash = ContentHash::from_content(&bytes);
    if known == Some(hash) {
        return AnalysisOutcome::Same(stamp);
    }
    let Some(text) = redacted_text(&bytes) else { return empty_analysis(stamp, hash, "binary") };
    if is_private_key(&bytes) {
        return empty_analysis(stamp, hash, "secret");
    }
    let ChunkedFile { parsed, chunks, texts } = chunk_file(path, &text, cancel);
    if cancel.is_cancelled() {
        return AnalysisOutcome::Cancelled;
    }
    let terms = FileTerms::from_chunks(texts.iter().map(|text| term_hashes(text)).collect());
    let vectors = model.filter(|_| !texts.is_empty()).and_then(|model| embed_texts(model, &texts));
    let content = EncodedContent { terms: terms.encode(), chunks: chunker::encode_chunks(&chunks) };
    AnalysisOutcome::Analysed(Box::new(AnalysedFile {
        stamp,
        hash,
        class: class_name(parsed.class),
        language: parsed.language.map(foveal_syntax::Language::name),
        lines: parsed.line_count,
        chunk_count: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
        content,
        symbols: symbols::encode_symbols(&FileSymbols::from_parsed(path, &parsed, &text)),
        vectors,
    }))
}

/// A file with its chunks.
pub(crate) struct ChunkedFile {
    parsed: ParsedFile,
    chunks: Vec<Chunk>,
    /// The search text of each chunk.
    pub(crate) texts: Vec<String>,
}

fn chunk_file(path: &str, text: &str, cancel: &CancelToken<'_>) -> ChunkedFile {
    let parsed = source_text::parse_file(path, text, cancel);
    let rows = TextLines::new(text);
    let chunks = split_into_chunks(&parsed, &rows);
    let texts = chunks.iter().map(|chunk| chunk_search_text(chunk, &parsed, &rows)).collect();
    ChunkedFile { parsed, chunks, texts }
}

/// Divides the file at `path` in `root` into chunks, if its content still has the hash `known`.
pub(crate) fn chunk_unchanged_file(
    root: &OpenFolder,
    path: &str,
    known: ContentHash,
    cancel: &CancelToken<'_>,
) -> Option<ChunkedFile> {
    let (_, bytes) = read_with_stamp(root, path).ok()?;
    if ContentHash::from_content(&bytes) != known {
        return None;
    }
    Some(chunk_file(path, &redacted_text(&bytes)?, cancel))
}

/// Returns the text of the file at `path` in `root` without its secrets, if its content still has
/// the hash `known`.
pub(crate) fn unchanged_file_text(
    root: &OpenFolder,
    path: &str,
    known: ContentHash,
) -> Option<String> {
    let (_, bytes) = read_with_stamp(root, path).ok()?;
    let is_known = ContentHash::from_content(&bytes) == known && !is_private_key(&bytes);
    redacted_text(&bytes).filter(|_| is_known).map(Cow::into_owned)
}

/// Returns the text of a file without its secrets, which would otherwise appear in signatures and
/// match searches. Line numbers stay those of the file.
fn redacted_text(bytes: &[u8]) -> Option<Cow<'_, str>> {
    Some(match source_text::decode_text(bytes)? {
        Cow::Borrowed(text) => redact_text(text),
        Cow::Owned(text) => Cow::Owned(redact_text(&text).into_owned()),
    })
}

fn read_with_stamp(root: &OpenFolder, path: &str) -> io::Result<(ChangeStamp, Vec<u8>)> {
    let file = root.open_regular(Path::new(path))?;
    // The stamp is taken before the bytes, so that a concurrent write changes it.
    let metadata = file.metadata()?;
    if metadata.len() > FILE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok((ChangeStamp::from_metadata(&metadata), bytes))
}

/// Returns the entry of a file without text, so that it is not read again.
fn empty_analysis(stamp: ChangeStamp, hash: ContentHash, class: &'static str) -> AnalysisOutcome {
    let terms = FileTerms::default().encode();
    let content = EncodedContent { chunks: chunker::encode_chunks(&[]), terms };
    let symbols = symbols::encode_symbols(&FileSymbols::from_parsed(
        "",
        &foveal_syntax::parse_file("", ""),
        "",
    ));
    let analysed = AnalysedFile {
        stamp,
        hash,
        class,
        language: None,
        lines: 0,
        chunk_count: 0,
        content,
        symbols,
        vectors: None,
    };
    AnalysisOutcome::Analysed(Box::new(analysed))
}

/// Returns the search text of a chunk: the enclosing names, its own names [`NAME_REPETITIONS`]
/// times, and its content.
pub(crate) fn chunk_search_text(
    chunk: &Chunk,
    parsed: &ParsedFile,
    rows: &TextLines<'_>,
) -> String {
    let mut told = String::new();
    let mut add = |name: &str| {
        told.push_str(name);
        told.push('\n');
    };
    if let Some(first) = chunk.entities.first() {
        for (_, around) in parsed.ancestry(*first).skip(1) {
            add(&around.name);
        }
        if let Some(owner) = parsed.entity(*first).and_then(|entity| entity.owner.as_deref()) {
            add(owner);
        }
    }
    for entity in chunk.entities.iter().take(NAMES_MAX).filter_map(|at| parsed.entity(*at)) {
        for _ in 0..NAME_REPETITIONS {
            add(&entity.name);
        }
    }
    told.push_str(rows.slice(chunk.lines));
    told
}

/// Returns the vectors of `texts`, or `None` if the model fails. The later pass over files without
/// vectors reports the error.
fn embed_texts(model: ProbedEmbedder<'_>, texts: &[String]) -> Option<FileVectors> {
    let texts: Vec<&str> = texts.iter().map(|text| embedding_input(text)).collect();
    let bytes = vector_codec::encode_vectors(model.embed(&texts).ok()?.into_iter());
    Some(FileVectors { model: model.model.number, bytes })
}

/// Returns the beginning of a search text that is embedded.
pub(crate) fn embedding_input(text: &str) -> &str {
    &text[..text.floor_char_boundary(EMBEDDED_BYTES_MAX)]
}

fn class_name(class: FileClass) -> &'static str {
    match class {
        FileClass::Source => "source",
        FileClass::Generated => "generated",
        FileClass::Minified => "minified",
        FileClass::Vendored => "vendored",
        FileClass::Lock => "lock",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_tell_what_they_are_in_and_their_names() {
        let text = "impl Line {\n    fn length(&self) -> u32 {\n        let all = self.count;\n        all - 1\n    }\n}\n";
        let told: Vec<(String, String)> = file_chunks("a.rs", text)
            .into_iter()
            .map(|part| (part.lines.to_string(), part.search_text))
            .collect();
        let method: String = text.lines().skip(1).take(4).map(|line| format!("{line}\n")).collect();
        let names = "length\n".repeat(NAME_REPETITIONS);
        assert_eq!(told, [("2-5".to_owned(), format!("Line\n{names}{method}"))]);
    }
}
