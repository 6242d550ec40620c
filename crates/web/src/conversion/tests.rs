use super::*;

fn told(input: &str) -> Option<ConvertedPage> {
    let mut output = Vec::new();
    let text = input.to_owned();
    let work = move || {
        let (url, html) = text.split_once('\n')?;
        Some(markdown::convert_html(html, &Url::parse(url).ok()?))
    };
    let converted = spawn_worker("test", Some(markdown::STACK_BYTES), work).ok()?.recv().ok()??;
    write_converted(&converted, &mut output).ok()?;
    parse_converted(&String::from_utf8(output).ok()?)
}

#[test]
fn what_is_written_is_read() {
    let url = Url::parse("http://a.example/").expect("an address");
    for html in [
        "<title>A  -+\nB</title><p>one</p><p>two</p>",
        "<p>-</p>",
        "",
        &"<div>".repeat(1000),
        "<title>\u{202e}+</title>words\n\n",
    ] {
        let expected = {
            let (html, url) = (html.to_owned(), url.clone());
            let work = move || markdown::convert_html(&html, &url);
            spawn_worker("test", Some(markdown::STACK_BYTES), work).expect("a thread").recv()
        };
        assert_eq!(told(&format!("{url}\n{html}")), expected.ok(), "{html:.40}");
    }
}

#[test]
fn half_an_answer_is_none() {
    let whole = ConvertedPage { title: Some("a".into()), markdown: Some("b\nc".into()) };
    let mut output = Vec::new();
    write_converted(&whole, &mut output).expect("room in memory");
    let text = String::from_utf8(output).expect("text");
    assert_eq!(parse_converted(&text), Some(whole));
    for end in 0..text.len() {
        assert_eq!(parse_converted(&text[..end]), None, "{end}");
    }
}
