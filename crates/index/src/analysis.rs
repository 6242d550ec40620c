//! One file, from its bytes to what is stored of it.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use foveal_cancel::Cancel;
use foveal_code::fusion::NAME_REPETITIONS;
use foveal_code::relations::FileSymbols;
use foveal_code::{FileClass, LineRange, Parsed};
use foveal_files::bounded::HeldFolder;
use foveal_secrets::without;
use foveal_transcript::ContentHash;

use crate::chunk::{self, Chunk, Rows, chunks};
use crate::model::ProbedEmbedder;
use crate::secrets::is_private_key;
use crate::source;
use crate::store::{Analysed, Content, FileVectors};
use crate::symbols;
use crate::text_terms::{FileTerms, term_hashes};
use crate::vectors;
use crate::walk::{FILE_BYTES_MAX, Stamp};

/// Entities of a part whose names are put before its text.
const NAMES_MAX: usize = 8;

/// Bytes of a part that are embedded.
const EMBEDDED_BYTES_MAX: usize = 16 << 10;

/// What became of a file that was to be read.
pub(crate) enum Outcome {
    Analysed(Box<Analysed>),
    /// It has the content that is known.
    Same(Stamp),
    /// It cannot be read, or is gone.
    Unreadable,
    /// The work was stopped.
    Cancelled,
}

/// A part of a file, as it is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its lines.
    pub lines: LineRange,
    /// What it is found by: what it is in, its names, and its text.
    pub told: String,
}

/// The parts of the file at `path` that holds `text`, in order: what an index of it would be
/// asked for. Fewer where reading its syntax takes too much work.
pub fn parts(path: &str, text: &str) -> Vec<Part> {
    let Divided { chunks, texts, .. } = divide(path, &without(text), &Cancel::NEVER);
    let part = |(chunk, told): (Chunk, String)| Part { lines: chunk.lines, told };
    chunks.into_iter().zip(texts).map(part).collect()
}

/// Reads the file at `path` in `root`. `known` is the content that need
/// not be looked at again; `model` is one that is asked at once; `cancel` is asked now and then.
pub(crate) fn analyse(
    root: &HeldFolder,
    path: &str,
    known: Option<ContentHash>,
    model: Option<ProbedEmbedder<'_>>,
    cancel: &Cancel<'_>,
) -> Outcome {
    let Ok((stamp, bytes)) = read(root, path) else { return Outcome::Unreadable };
    let hash = ContentHash::of(&bytes);
    if known == Some(hash) {
        return Outcome::Same(stamp);
    }
    let Some(text) = kept_of(&bytes) else { return unread(stamp, hash, "binary") };
    if is_private_key(&bytes) {
        return unread(stamp, hash, "secret");
    }
    let Divided { parsed, chunks, texts } = divide(path, &text, cancel);
    if cancel.is_cancelled() {
        return Outcome::Cancelled;
    }
    let terms = FileTerms::of(texts.iter().map(|text| term_hashes(text)).collect());
    let vectors = model.filter(|_| !texts.is_empty()).and_then(|model| embed(model, &texts));
    let content = Content { terms: terms.encode(), chunks: chunk::encode(&chunks) };
    Outcome::Analysed(Box::new(Analysed {
        stamp,
        hash,
        class: class_name(parsed.class),
        language: parsed.language.map(foveal_code::Language::name),
        lines: parsed.line_count,
        chunk_count: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
        content,
        symbols: symbols::encode(&FileSymbols::of(path, &parsed, &text)),
        vectors,
    }))
}

/// A file with what it is divided into.
pub(crate) struct Divided {
    parsed: Parsed,
    chunks: Vec<Chunk>,
    /// What each part is found by.
    pub(crate) texts: Vec<String>,
}

fn divide(path: &str, text: &str, cancel: &Cancel<'_>) -> Divided {
    let parsed = source::parse(path, text, cancel);
    let rows = Rows::of(text);
    let chunks = chunks(&parsed, &rows);
    let texts = chunks.iter().map(|chunk| told(chunk, &parsed, &rows)).collect();
    Divided { parsed, chunks, texts }
}

/// The file at `path` in `root` divided, if it still has the content `known`.
pub(crate) fn divide_known(
    root: &HeldFolder,
    path: &str,
    known: ContentHash,
    cancel: &Cancel<'_>,
) -> Option<Divided> {
    let (_, bytes) = read(root, path).ok()?;
    if ContentHash::of(&bytes) != known {
        return None;
    }
    Some(divide(path, &kept_of(&bytes)?, cancel))
}

/// The text of the file at `path` in `root` without its secrets, if it still has the content
/// `known`.
pub(crate) fn text_known(root: &HeldFolder, path: &str, known: ContentHash) -> Option<String> {
    let (_, bytes) = read(root, path).ok()?;
    let is_known = ContentHash::of(&bytes) == known && !is_private_key(&bytes);
    kept_of(&bytes).filter(|_| is_known).map(Cow::into_owned)
}

/// The text of a file as it is read here: without its secrets, which would stand in signatures
/// and be found by their words. Its lines are those of the file.
fn kept_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    Some(match source::text_of(bytes)? {
        Cow::Borrowed(text) => without(text),
        Cow::Owned(text) => Cow::Owned(without(&text).into_owned()),
    })
}

fn read(root: &HeldFolder, path: &str) -> io::Result<(Stamp, Vec<u8>)> {
    let file = root.open_regular(Path::new(path))?;
    // Taken before the bytes: what is written meanwhile then has another stamp.
    let metadata = file.metadata()?;
    if metadata.len() > FILE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok((Stamp::of(&metadata), bytes))
}

/// A file that is known not to be text, so that it is not read again.
fn unread(stamp: Stamp, hash: ContentHash, class: &'static str) -> Outcome {
    let terms = FileTerms::default().encode();
    let content = Content { chunks: chunk::encode(&[]), terms };
    let symbols = symbols::encode(&FileSymbols::of("", &foveal_code::parse("", ""), ""));
    let analysed = Analysed {
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
    Outcome::Analysed(Box::new(analysed))
}

/// What a part is found by: what it is in, its names [`NAME_REPETITIONS`] times, its text.
pub(crate) fn told(chunk: &Chunk, parsed: &Parsed, rows: &Rows<'_>) -> String {
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

/// `None` where the model fails: whoever looks for files without vectors is told why.
fn embed(model: ProbedEmbedder<'_>, texts: &[String]) -> Option<FileVectors> {
    let texts: Vec<&str> = texts.iter().map(|text| embedded(text)).collect();
    let bytes = vectors::encode(model.embed(&texts).ok()?.into_iter());
    Some(FileVectors { model: model.model.number, bytes })
}

/// What a model is given of a part's text.
pub(crate) fn embedded(text: &str) -> &str {
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
        let told: Vec<(String, String)> = parts("a.rs", text)
            .into_iter()
            .map(|part| (part.lines.to_string(), part.told))
            .collect();
        let method: String = text.lines().skip(1).take(4).map(|line| format!("{line}\n")).collect();
        let names = "length\n".repeat(NAME_REPETITIONS);
        assert_eq!(told, [("2-5".to_owned(), format!("Line\n{names}{method}"))]);
    }
}
