use super::*;

fn check(line: &str, definition: Option<&str>) {
    assert_eq!(find_definition(line).as_deref(), definition, "{line}");
}

#[test]
fn definitions_are_named_by_keyword() {
    check("    pub(crate) async fn parse<T>(text: &str) {", Some("fn parse"));
    check("pub extern \"C\" fn start() {", Some("fn start"));
    check("export default class Parser extends Base {", Some("class Parser"));
    check("def run(self):", Some("def run"));
    check("func (s *Server) Serve(l net.Listener) error {", Some("func Serve"));
    check("export async function* walk(tree) {", Some("function walk"));
    check("public interface Store<T> {", Some("interface Store"));
    check("struct Unit;", Some("struct Unit"));
    check("type Name struct {", Some("type Name"));
    for line in [
        "",
        "fn",
        "let fn_name = 3;",
        "a class of its own kind",
        "function",
        "type: string",
        "def 3",
    ] {
        check(line, None);
    }
    check("type of thing", None);
}
