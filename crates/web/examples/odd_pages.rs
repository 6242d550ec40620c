//! Times fetches of pages of unusual shape beside an ordinary one of the same size: the author of a
//! page must not control how long foveal works or how much memory it takes.
//!
//! `cargo run --release -p foveal-web --example odd_pages -- [BYTES]` (default 4,000,000; bytes
//! beyond the limit of a page are not read). Pages are converted by a process of this example, as
//! in `foveal`. The last columns are the time as a multiple of the ordinary page's, and the kind of
//! the content.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use foveal_transcript::CancelToken;
use foveal_web::{
    AddressPolicy, FetchLimits, FetchOutcome, FetchRequest, Fetcher, PageContent, RedirectFilter,
    convert_page,
};

/// The argument that makes this program convert a page.
const CONVERT: &str = "convert";

/// The name of a shape, and a function that makes a page of about that many bytes.
type Shape = (&'static str, fn(usize) -> String);

/// The shapes, the ordinary page first.
const SHAPES: &[Shape] = &[
    ("an article", |bytes| {
        let part = "<h2>Part</h2><p>Words that <a href='/b'>somebody</a> might read, one after \
                    another, and some <b>more</b> of them.</p>\n<ul><li>one<li>two</ul>";
        format!("<title>A</title><article>{}</article>", part.repeat(bytes / part.len()))
    }),
    ("words", |bytes| "word and word ".repeat(bytes / 14)),
    ("a tag of many attributes", |bytes| {
        format!("<p {}>words", (0..bytes / 9).map(|at| format!("a{at:07} ")).collect::<String>())
    }),
    ("tags of many attributes", |bytes| {
        let tag: String = (0..500).map(|at| format!("a{at}=1 ")).collect();
        format!("<p {tag}>words").repeat(bytes / 4_000)
    }),
    ("one attribute", |bytes| format!("<p a='{}'>words", "x ".repeat(bytes / 2))),
    ("elements within each other", |bytes| "<div>".repeat(bytes / 5)),
    ("elements within each other, to the limit", |bytes| {
        let deep = format!("{}words{}", "<div>".repeat(390), "</div>".repeat(390));
        deep.repeat(bytes / deep.len())
    }),
    ("lists within each other", |bytes| "<ul><li>".repeat(bytes / 8)),
    ("letters in bold that never end", |bytes| "<p><b>a".repeat(bytes / 7)),
    ("styles that never end", |bytes| {
        (0..bytes / 20).map(|at| format!("<b id=a{at:06}>a<p>b")).collect()
    }),
    ("styles that never end, and paragraphs", |bytes| {
        let styles: String = (0..300).map(|at| format!("<b id=a{at}>")).collect();
        format!("<p>{styles}{}", "</p><p>a".repeat(bytes / 8))
    }),
    ("styles and blocks crossed", |bytes| "<a><b><div></a></b>".repeat(bytes / 19)),
    ("paragraphs", |bytes| "<p>a".repeat(bytes / 4)),
    ("breaks", |bytes| "<br>".repeat(bytes / 4)),
    ("breaks in a paragraph", |bytes| format!("<p>{}", "a<br><br>".repeat(bytes / 9))),
    ("spans beside each other", |bytes| "<span>a</span>".repeat(bytes / 14)),
    ("images", |bytes| "<img src=a alt=b>".repeat(bytes / 17)),
    ("links", |bytes| "<a href=b>c</a> ".repeat(bytes / 16)),
    ("text outside of the rows of a table", |bytes| "<table>a<tr>".repeat(bytes / 12)),
    ("one table", |bytes| format!("<table>{}", "<tr><td>a<td>b".repeat(bytes / 14))),
    ("a row of many cells", |bytes| format!("<table><tr>{}", "<td>a".repeat(bytes / 5))),
    ("a wide table", |bytes| {
        let row = format!("<tr>{}", "<td>a".repeat(1_000));
        format!("<table>{}", row.repeat(bytes / row.len()))
    }),
    ("tables within each other", |bytes| "<table><tr><td>".repeat(bytes / 15)),
    ("forms and buttons", |bytes| "<form><button>".repeat(bytes / 14)),
    ("options", |bytes| format!("<select>{}", "<option>a".repeat(bytes / 9))),
    ("templates", |bytes| "<template>".repeat(bytes / 10)),
    ("drawings within each other", |bytes| "<svg><g>".repeat(bytes / 8)),
    ("comments", |bytes| "<!--a-->".repeat(bytes / 8)),
    ("comments that never end", |bytes| "<!--a".repeat(bytes / 5)),
    ("opening signs", |bytes| "<".repeat(bytes)),
    ("ends of what never began", |bytes| "</p>".repeat(bytes / 4)),
    ("ends of blocks that never began", |bytes| format!("<div>{}", "</b>".repeat(bytes / 4))),
    ("scripts that never end", |bytes| "<script>".repeat(bytes / 8)),
    ("code", |bytes| format!("<pre>{}</pre>", "let a = b;\n".repeat(bytes / 11))),
    ("backquotes in code", |bytes| format!("<code>{}</code>", "`".repeat(bytes))),
    ("entities", |bytes| "&amp;".repeat(bytes / 5)),
    ("entities that are none", |bytes| "&aaaaaaaa".repeat(bytes / 9)),
    ("stars and brackets", |bytes| "*_[](#)".repeat(bytes / 7)),
    ("blanks", |bytes| " ".repeat(bytes)),
    ("one word", |bytes| "x".repeat(bytes)),
    ("commas", |bytes| format!("<p>{}", ",".repeat(bytes))),
    ("data for searches", |bytes| {
        format!("<script type=application/ld+json>{}</script>", "[".repeat(bytes))
    }),
];

fn main() {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some(CONVERT) {
        convert_page(std::io::stdin().lock(), std::io::stdout().lock()).expect("a page");
        return;
    }
    let bytes: usize = argument.map_or(Ok(4_000_000), |text| text.parse()).expect("bytes");
    println!("{bytes} bytes each\n\n{:<44}{:>9}{:>9}", "", "seconds", "factor");
    let own = std::env::current_exe().expect("this program");
    let anywhere: RedirectFilter = Arc::new(|_: &str| true);
    let mut plain = None;
    for (name, shape) in SHAPES {
        let port = serve(shape(bytes));
        let here = |_: &str| Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]);
        let fetcher = Fetcher::new(AddressPolicy::new(["site.test"]), FetchLimits::default());
        let program = vec![own.clone().into_os_string(), CONVERT.into()];
        let fetcher = fetcher.with_name_lookup(Arc::new(here)).with_converter_program(program);
        let request = FetchRequest { url: format!("http://site.test:{port}/"), cached: None };
        let begun = Instant::now();
        let page = fetcher.fetch(&request, &anywhere, &CancelToken::NEVER);
        let seconds = begun.elapsed().as_secs_f64();
        let factor = seconds / *plain.get_or_insert(seconds);
        let what = match page.expect("a page") {
            FetchOutcome::Page(page) => match page.content {
                PageContent::Markdown(text) => format!("{} bytes of Markdown", text.len()),
                other => format!("{} bytes of text", other.text().len()),
            },
            FetchOutcome::NotModified { .. } => unreachable!("nothing was known before"),
        };
        println!("{name:<44}{seconds:>9.2}{factor:>9.1}  {what}");
    }
}

/// Serves one page once, and returns the port.
fn serve(page: String) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it listens").port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        // What it asks for is known.
        let _ = stream.read(&mut [0; 4096]).expect("a request");
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n",
            page.len()
        );
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(page.as_bytes())));
    });
    port
}
