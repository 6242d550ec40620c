use super::{InferredType, parse_bindings, parse_parameters};
use foveal_syntax::Language;

#[track_caller]
fn check(language: Language, line: &str, expected: &str) {
    let mut found = Vec::new();
    let mut take = |name: &str, bound: InferredType| {
        found.push(match bound {
            InferredType::Type(of) => format!("{name}:{of}"),
            InferredType::BuiltIn => format!("{name}:-"),
            InferredType::Unknown => format!("{name}:?"),
        });
    };
    match line.contains("fn ") || line.contains("def ") || line.contains("func") {
        true => parse_parameters(language, line, &mut take),
        false => parse_bindings(language, line, "", &mut take),
    }
    found.sort();
    assert_eq!(found.join(" "), expected, "{line}");
}

#[test]
fn python_binds() {
    for (line, expected) in [
        ("client = httpx.AsyncClient(app=app)", "client:httpx.AsyncClient"),
        ("with httpx.Client() as client, Other() as other:", "client:httpx.Client other:Other"),
        ("async with AsyncClient(transport=t) as client:", "client:AsyncClient"),
        ("text = Client().text()", "text:?"),
        ("self.scraper = Scraper(", "self.scraper:Scraper"),
        ("self.scraper == other", ""),
        ("name: str = 'x'", "name:-"),
        ("one, other = pair()", "one:? other:?"),
        ("for line in lines:", "line:?"),
        ("if x == y:", ""),
        ("except HTTPError as error:", "error:HTTPError"),
        ("from a import b as c", ""),
        (
            "def f(self, client: Client, other: 'Other | None' = None, rest=1):",
            "client:Client other:Other rest:?",
        ),
    ] {
        check(Language::Python, line, expected);
    }
}

#[test]
fn rust_binds() {
    for (line, expected) in [
        ("let mut index = Index::new(path);", "index:Index"),
        ("let index = Index::new(path).open();", "index:?"),
        ("let line: &Line = first();", "line:Line"),
        ("let line = Line { text, number };", "line:Line"),
        ("let (one, other) = pair();", "one:? other:?"),
        ("let text = \"x\";", "text:-"),
        (
            "pub fn f<'a>(&self, line: &'a mut Line, all: Vec<Line>, of: Arc<dyn Of>) -> u32 {",
            "all:Vec line:Line of:Of",
        ),
    ] {
        check(Language::Rust, line, expected);
    }
}

#[test]
fn go_and_scripts_bind() {
    for (line, expected) in [
        ("router := &Engine{trees: nil}", "router:Engine"),
        ("router := New()", "router:?"),
        ("c, err := f()", "c:? err:?"),
        ("var w http.ResponseWriter", "w:http.ResponseWriter"),
        (
            "func (c *Context) Bind(one, other string, obj *Type) error {",
            "c:Context obj:Type one:- other:-",
        ),
    ] {
        check(Language::Go, line, expected);
    }
    for (line, expected) in [
        ("const app = new Hono<Env>()", "app:?"),
        ("const app = new Hono()", "app:Hono"),
        ("let text: string = f()", "text:-"),
        ("this.router = new Router()", "self.router:Router"),
        ("export function f(c: Context, next?: Next, n = 1) {", "c:Context n:? next:Next"),
    ] {
        check(Language::TypeScript, line, expected);
    }
}
