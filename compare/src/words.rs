//! tantivy over the same parts, with words taken apart in the same way.

use std::path::Path;
use std::time::Instant;

use foveal_relevance::terms::{is_stop_word, search_terms, stem, visit_words};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{Index, IndexReader, TantivyDocument, Term, doc};

use crate::measuring::{milliseconds, peak_resident, percentile, questions};
use crate::table;
use crate::tree::{self, Located, Scratch};

/// Memory that tantivy may use before it writes, in bytes.
const WRITER_BYTES: usize = 64 << 20;

/// Hits of a question.
const HITS: usize = 10;

/// Bytes of a part that are read for its words, as foveal does.
const PART_BYTES_MAX: usize = 16 << 10;

/// Prints how long tantivy and foveal take over the parts of `folder`.
pub(crate) fn compare(folder: &Path) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    let mut rows = Vec::new();
    let mut all = Vec::new();
    let mut asked = Vec::new();
    for (name, embedded) in [("foveal, words and vectors", true), ("foveal, words alone", false)] {
        let mut built = tree::build(folder, &scratch, embedded)?;
        asked = questions(&mut built.index)?;
        let times = tree::ask(&mut built.index, &asked)?;
        rows.push(row(name, built.cold, built.bytes, &times));
        if !embedded {
            all = tree::located(&mut built.index)?;
        }
    }
    let begin = Instant::now();
    let fields = Fields::new();
    let place = scratch.0.join("tantivy");
    std::fs::create_dir_all(&place)?;
    let index = build(&fields, &place, &all)?;
    let cold = milliseconds(begin);
    let reader = index.reader()?;
    ask(&reader, &fields, "warm up")?;
    let mut times = Vec::new();
    for question in &asked {
        let begin = Instant::now();
        ask(&reader, &fields, question)?;
        times.push(milliseconds(begin));
    }
    drop(reader);
    let name = "tantivy, words alone, parts ready";
    rows.push(row(name, cold, size_of(&place)?, &times));
    println!("{} parts, {} questions\n", all.len(), asked.len());
    let headings = ["", "index", "size", "question p50", "p99"];
    table::print(&headings, &rows);
    println!("\nReading and parsing the files is in foveal's times, and not in tantivy's.");
    println!("Peak resident of all together: {}", table::size(peak_resident()));
    Ok(())
}

fn row(name: &str, cold: f64, bytes: u64, times: &[f64]) -> Vec<String> {
    let [half, most] = [0.5, 0.99].map(|share| table::time(percentile(times, share)));
    vec![name.to_owned(), table::time(cold), table::size(bytes), half, most]
}

struct Fields {
    schema: Schema,
    path: Field,
    line: Field,
    told: Field,
}

impl Fields {
    fn new() -> Self {
        let mut schema = Schema::builder();
        let path = schema.add_text_field("path", STRING | STORED);
        let line = schema.add_u64_field("line", STORED);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("words")
            .set_index_option(IndexRecordOption::WithFreqs);
        let told =
            schema.add_text_field("told", TextOptions::default().set_indexing_options(indexing));
        Self { schema: schema.build(), path, line, told }
    }
}

fn build(fields: &Fields, place: &Path, all: &[Located]) -> anyhow::Result<Index> {
    let index = Index::create_in_dir(place, fields.schema.clone())?;
    index.tokenizers().register("words", Words::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut writer = index.writer_with_num_threads(threads, WRITER_BYTES)?;
    for part in all {
        writer.add_document(doc!(
            fields.path => part.path.as_str(),
            fields.line => u64::from(part.first_line),
            fields.told => part.told.as_str(),
        ))?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(index)
}

/// Path and line of the parts that have most of the question's words.
fn ask(
    reader: &IndexReader,
    fields: &Fields,
    question: &str,
) -> anyhow::Result<Vec<(String, u64)>> {
    let any = search_terms(question).into_iter().map(|term| {
        let term = Term::from_field_text(fields.told, &term);
        let one = TermQuery::new(term, IndexRecordOption::WithFreqs);
        (Occur::Should, Box::new(one) as Box<dyn Query>)
    });
    let searcher = reader.searcher();
    let best = searcher
        .search(&BooleanQuery::new(any.collect()), &TopDocs::with_limit(HITS).order_by_score())?;
    let mut hits = Vec::new();
    for (_, address) in best {
        let found: TantivyDocument = searcher.doc(address)?;
        let path = found.get_first(fields.path).and_then(|value| value.as_str());
        let line = found.get_first(fields.line).and_then(|value| value.as_u64());
        hits.push((path.unwrap_or_default().to_owned(), line.unwrap_or_default()));
    }
    Ok(hits)
}

fn size_of(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// foveal's words as a tokenizer.
#[derive(Clone, Default)]
struct Words {
    words: Vec<String>,
}

struct Stream<'a> {
    words: std::slice::Iter<'a, String>,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.words.clear();
        visit_words(&text[..text.floor_char_boundary(PART_BYTES_MAX)], |word| {
            if !is_stop_word(word) {
                self.words.push(stem(word));
            }
        });
        Stream { words: self.words.iter(), token: Token::default() }
    }
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        self.token.text.clone_from(word);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
