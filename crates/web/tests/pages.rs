//! The content of fetched pages.

use foveal_web::PageContent;

use crate::server::{self, Server, good, markdown, page};

/// A page whose main part is long enough to be extracted, with `part` in it.
fn article(part: &str) -> String {
    let words = "Words of a sentence that somebody might read, with commas, one after another. ";
    format!(
        "<html><head><title>Title of it</title></head><body>\
         <nav><a href='/home'>Home</a><a href='/about'>About us</a></nav>\
         <article><h1>Heading</h1><p>{0}</p>{part}<p>{0}</p></article>\
         <footer>Imprint</footer><script>track()</script></body></html>",
        words.repeat(6)
    )
}

/// Returns the lines of the article that `part` was converted to.
#[track_caller]
fn check(part: &str, expected: &str) {
    let text = markdown(&article(part));
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("Words of")).collect();
    let text = lines.join("\n");
    let text = text.trim().trim_start_matches("# Heading").trim_start_matches("## Heading").trim();
    assert_eq!(text, expected, "{part}");
}

#[test]
fn the_main_part_is_kept() {
    let server = Server::start(vec![("/", good("text/html", article("")))]);
    let page = server::fetch(&server::fetcher(server::limits()), &server.url("/")).unwrap();
    assert_eq!(page.title.as_deref(), Some("Title of it"));
    assert_eq!((page.status, page.content_type.as_str()), (200, "text/html"));
    let PageContent::Markdown(text) = page.content else { panic!("{page:?}") };
    assert!(text.contains("Words of a sentence"), "{text}");
    for absent in ["About us", "Imprint", "track"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
}

#[test]
fn parts_become_markdown() {
    check("<ul><li>one</li><li>two <b>bold</b></li></ul>", "- one\n- two **bold**");
    check("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two");
    check(
        "<table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>a</td>\
         <td>1</td></tr><tr><td>b</td><td>22</td></tr></tbody></table>",
        "| Name | Size |\n| ---- | ---- |\n| a    | 1    |\n| b    | 22   |",
    );
    check("<p>Call <code>f(x)</code> now.</p>", "Call `f(x)` now.");
}

#[test]
fn code_keeps_its_language_and_its_lines() {
    let code = "fn main() {\n    if a &lt; b {}\n\n}";
    let expected = "fn main() {\n    if a < b {}\n\n}";
    for around in [
        "<pre><code class='language-rust'>CODE</code></pre>",
        "<pre class='language-rust'><code>CODE</code></pre>",
        "<pre class='hljs rust'>CODE</pre>",
        "<pre><code class='hljs language-rust'>CODE</code></pre>",
        "<pre><code class='lang-rust'>CODE</code></pre>",
        "<pre lang='rust'><code>CODE</code></pre>",
        "<pre data-lang='Rust'>CODE</pre>",
        "<pre class='brush: rust; notranslate'>CODE</pre>",
        "<div class='sourceCode'><pre class='sourceCode rust'><code>CODE</code></pre></div>",
        "<div class='highlight highlight-source-rust'><pre>CODE</pre></div>",
        "<div class='highlight-rust notranslate'><div class='highlight'><pre>CODE</pre></div></div>",
        "<div class='language-rust highlighter-rouge'><div class='highlight'><pre class='highlight'>\
         <code>CODE</code></pre></div></div>",
        "<pre><code class='language-rust'><span class='k'>CODE</span></code></pre>",
    ] {
        let text = markdown(&article(&around.replace("CODE", code)));
        assert!(text.contains(&format!("```rust\n{expected}\n```")), "{around}\n{text}");
    }
    for around in ["<pre>CODE</pre>", "<pre><code class='language-plaintext'>CODE</code></pre>"] {
        let text = markdown(&article(&around.replace("CODE", code)));
        assert!(text.contains(&format!("```\n{expected}\n```")), "{around}\n{text}");
    }
}

#[test]
fn code_is_not_taken_for_markup() {
    check(
        "<pre>a <a href='/x'>link</a> <b>b</b><br>```\n* c</pre>",
        "````\na link b\n```\n* c\n````",
    );
    check(
        "<table><tr><td><pre class='lineno'>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>",
        "```\na\nb\n```",
    );
}

#[test]
fn links_are_absolute() {
    let base = "<html><head><base href='https://docs.example/guide/'></head><body>";
    let text = "Words that are of no further interest to anyone. ".repeat(20);
    let page = format!(
        "{base}<article><p>{text}<a href='next.html'>next</a> <a href='/top#part'>top</a> \
         <a href='#here'>here</a> <a href='javascript:x()'>run</a> <a href='//o.example/(1)'>o</a> \
         <a href='https://abs.example/'>abs</a> <a name='anchor'>anchor</a></p><p>{text}\
         <img src='a b.png' alt='An  [image]'> <img src='data:image/png;base64,AAAA' alt='inline'>\
         </p></article>"
    );
    let text = markdown(&page);
    for expected in [
        "[next](https://docs.example/guide/next.html)",
        "[top](https://docs.example/top#part)",
        ") here run [",
        "[abs](https://abs.example/)",
        "![An image](https://docs.example/guide/a%20b.png)",
        "inline",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    for absent in ["javascript", "base64", "#here"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
}

#[test]
fn pages_without_a_main_part_are_kept_whole() {
    for (html, expected) in [
        ("<p>Short.</p>", "Short."),
        ("<title>Only</title>", ""),
        ("", ""),
        (
            "<nav><ul><li><a href='http://a.example/'>A</a></li></ul></nav>",
            "- [A](http://a.example/)",
        ),
        (
            "<body><h1>Index</h1><form><button>Go</button></form><p>one</p></body>",
            "## Index\n\none",
        ),
        ("<noscript>Needs scripts.</noscript><script>draw()</script>", "Needs scripts."),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn texts_stay_as_they_are() {
    for (content_type, body) in [
        ("text/plain", "<b>no</b>  markup\n"),
        ("application/json", "{\"a\":  [1]}"),
        ("text/markdown; charset=utf-8", "# Grün\n"),
        ("application/vnd.api+json", "{}"),
        ("", "just text"),
    ] {
        let page = page(good(content_type, body));
        assert_eq!(page.content, PageContent::Text(body.to_owned()), "{content_type}");
        assert_eq!(page.charset, Some("UTF-8"));
    }
}

#[test]
fn data_is_described() {
    let pdf = [b"%PDF-1.7\n".as_slice(), &[0; 20_000]].concat();
    for (content_type, body, expected) in [
        (
            "application/pdf",
            pdf.clone(),
            "a PDF (application/pdf) of 20009 bytes; it is not text and is not shown",
        ),
        (
            "image/png",
            b"\x89PNG".to_vec(),
            "a PNG image (image/png) of 4 bytes; it is not text and is not shown",
        ),
        ("", pdf, "a PDF of 20009 bytes; it is not text and is not shown"),
        (
            "text/plain",
            vec![0, 1, 2],
            "data of the type text/plain of 3 bytes; it is not text and is not shown",
        ),
    ] {
        let page = page(good(content_type, body));
        assert_eq!(page.content, PageContent::Described(expected.to_owned()));
        assert_eq!((page.charset, page.truncated), (None, false));
    }
}

#[test]
fn charsets_are_read() {
    let body = |meta: &str| [meta.as_bytes(), b"<p>Gr\xfc\xdfe aus K\xf6ln</p>"].concat();
    for (content_type, meta) in [
        ("text/html; charset=iso-8859-1", ""),
        ("text/html", "<meta charset=windows-1252>"),
        ("text/html", "<meta http-equiv=content-type content='text/html; charset=latin1'>"),
        ("text/html; charset=klingon", "<meta charset=latin1>"),
        ("text/html", ""),
    ] {
        let page = page(good(content_type, body(meta)));
        assert_eq!(page.content.text(), "Grüße aus Köln", "{content_type} {meta}");
        assert_eq!(page.charset, Some("windows-1252"));
    }
}

#[test]
fn freshness_comes_with_the_page() {
    let headers = "content-type: text/plain\r\netag: \"x\"\r\ncache-control: max-age=60\r\n";
    let page = page(server::answer("200 OK", headers, "x"));
    assert_eq!(page.freshness.etag.as_deref(), Some("\"x\""));
    assert!(page.freshness.expires_at.is_some());
}

#[test]
fn of_equal_parts_the_same_one_is_always_chosen() {
    let part = |n: usize| {
        format!(
            "<section><p>Part {n}: words of a sentence, with commas, one after another.</p></section>"
        )
    };
    let html: String = (1..=8).map(part).collect();
    let url = url::Url::parse("https://a.example/").expect("an address");
    let convert = || foveal_web::convert_page_locally(&html, &url).map(|(page, _)| page);
    let first = convert();
    (0..32).for_each(|_| assert_eq!(convert(), first));
}
