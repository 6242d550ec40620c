use super::*;

#[test]
fn texts() {
    for (html, expected) in [
        ("<p>one  two<p>three", "one two\nthree"),
        ("a<script>if (1 < 2) x()</SCRIPT>b", "ab"),
        ("<!-- <b> -->x<!-- open", "x"),
        ("1 < 2 &amp; 3 &gt; 2 &#x41;&#66;&unknown;", "1 < 2 & 3 > 2 AB&unknown;"),
        ("<td>1</td><td>2</td>", "1 2"),
        ("<style>never ended", ""),
        ("ä<ö>&#xé;", "ä<ö>&#xé;"),
        ("<p", ""),
    ] {
        assert_eq!(html_to_text(html), expected, "{html}");
    }
}

#[test]
fn nestings() {
    for (html, expected) in [
        ("<div><p>a<p>b</div><br><img>", 1),
        ("<i><b></b></i>", 2),
        ("</b></b><b>", 1),
        ("<script>'<b><b><b>'</script><!--<b><b>-->", 0),
        ("<div></x><div></x><div></x>", 3),
    ] {
        assert_eq!(nesting_depth(html), expected, "{html}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_taken(html in "(?s)[<>/!a-zé&;#x0-9 \n\"-]{0,200}") {
        let text = html_to_text(&html);
        proptest::prop_assert!(text.len() <= html.len() + 1);
    }
}
