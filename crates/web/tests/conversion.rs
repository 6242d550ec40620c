//! Conversion of pages in a process of its own.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use foveal_transcript::CancelToken;
use foveal_web::{
    FetchError, FetchLimits, FetchOutcome, FetchRequest, Fetcher, PageContent, WebPage,
};

use crate::server::{self, Server, good};

const HTML: &str = "<title>Title</title><p>some <b>words</b></p>";

/// A fetcher that converts pages with a shell script.
fn by_script(script: &str) -> Fetcher {
    let limits = FetchLimits { convert_time: Duration::from_millis(700), ..server::limits() };
    let program = ["sh", "-c", script].map(Into::into);
    server::fetcher(limits).with_converter_program(program.to_vec())
}

fn page(fetcher: &Fetcher) -> WebPage {
    let server = Server::start(vec![("/", good("text/html", HTML))]);
    server::fetch(fetcher, &server.url("/")).expect("a page")
}

#[test]
fn what_the_process_says_is_the_page() {
    let told = page(&by_script("head -n 1 >/dev/null; printf '10 A title\\n# A\\n\\nwords'"));
    assert_eq!(told.title.as_deref(), Some("A title"));
    assert_eq!(told.content, PageContent::Markdown("# A\n\nwords".to_owned()));
    // It is given the address and the page.
    let script = "read -r url; printf '%s %s\\n' $((${#url} > 20)) ''; cat";
    let fetcher =
        by_script(&format!("body=$({{ {script}; }}); printf '%d \\n%s' ${{#body}} \"$body\""));
    assert_eq!(page(&fetcher).content, PageContent::Markdown(format!("1 \n{HTML}")));
}

#[test]
fn without_an_answer_the_text_is_told() {
    let plain = PageContent::Stripped("some words".to_owned());
    for script in ["exit 1", "cat >/dev/null", "echo nonsense", "printf '9 a\\ncut'", "kill -9 $$"]
    {
        assert_eq!(page(&by_script(script)).content, plain, "{script}");
    }
    let titled = page(&by_script("echo '- Deep'"));
    assert_eq!((titled.title.as_deref(), &titled.content), (Some("Deep"), &plain));
    let missing =
        server::fetcher(server::limits()).with_converter_program(vec!["/no/program".into()]);
    assert_eq!(page(&missing).content, plain);
    assert_eq!(
        page(&server::fetcher(server::limits()).with_converter_program(vec![])).content,
        plain
    );
    // More than any page gives is not read to its end.
    let begun = Instant::now();
    assert_eq!(page(&by_script("yes")).content, plain);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Returns the process id that a script wrote.
fn id_in(file: &Path) -> String {
    for _ in 0..500 {
        match fs::read_to_string(file) {
            Ok(id) if id.ends_with('\n') => return id.trim().to_owned(),
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("the script did not start")
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_file(&path));
    path
}

fn is_running(id: &str) -> bool {
    rustix::process::Pid::from_raw(id.parse().expect("a number"))
        .is_some_and(|id| rustix::process::test_kill_process(id).is_ok())
}

#[test]
fn a_process_that_takes_too_long_is_ended() {
    let file = file("conversion_late");
    let fetcher = by_script(&format!("echo $$ > '{}'; exec sleep 100", file.display()));
    let begun = Instant::now();
    assert_eq!(page(&fetcher).content, PageContent::Stripped("some words".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(!is_running(&id_in(&file)));
}

#[test]
fn a_process_ends_with_its_call() {
    let file = file("conversion_cancelled");
    let script = format!("echo $$ > '{}'; exec sleep 100", file.display());
    let limits = FetchLimits { convert_time: Duration::from_secs(60), ..server::limits() };
    let program = ["sh", "-c", &script].map(Into::into);
    let fetcher = server::fetcher(limits).with_converter_program(program.to_vec());
    let server = Server::start(vec![("/", good("text/html", HTML))]);
    let request = FetchRequest { url: server.url("/"), cached: None };
    let is_started = || fs::read_to_string(&file).is_ok_and(|id| id.ends_with('\n'));
    let fetched = fetcher.fetch(&request, &server::anywhere(), &CancelToken::from_fn(&is_started));
    assert!(
        matches!(fetched, Err(FetchError::Cancelled)),
        "{:?}",
        fetched.map(|page| { matches!(page, FetchOutcome::Page(_)) })
    );
    assert!(!is_running(&id_in(&file)));
}
