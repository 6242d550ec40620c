//! Pages that are kept: by whom they are shared, how long, and when they are asked for anew.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use foveal_store::{CachedPage, PageKey};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use serde_json::json;

use crate::world::World;

/// A server on this machine that notes what it is asked.
struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    /// What pages say, as a number.
    edition: Arc<AtomicU32>,
}

impl Site {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let site = Self { port, asked: Arc::default(), edition: Arc::default() };
        let (asked, edition) = (Arc::clone(&site.asked), Arc::clone(&site.edition));
        // It ends with the tests.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                serve(&stream, &asked, edition.load(Ordering::Relaxed));
            }
        });
        site
    }

    fn world(&self) -> World {
        let private_hosts = vec![format!("127.0.0.1:{}", self.port)];
        let world = World::with(ToolSettings { private_hosts, ..ToolSettings::default() });
        // Servers and their pages tell real times.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        world.pass(i64::try_from(now.as_millis()).unwrap() - 37_425_000);
        world
    }

    fn fetch(&self, session: &ToolSession, path: &str) -> ToolCallAnswer {
        self.ask(session, path, true)
    }

    fn ask(&self, session: &ToolSession, path: &str, detect_duplicates: bool) -> ToolCallAnswer {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let request =
            ToolRequest { detect_duplicates, ..ToolRequest::new("web_fetch", json!({"url": url})) };
        let answer = session.call(&request, &CallControl::NONE);
        assert!(!answer.is_error, "{}", answer.text);
        answer
    }

    /// What was asked since this was last called.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// `/fresh…` may be used for a minute, `/tagged…` only after asking; `/secret…` says a key.
fn serve(stream: &TcpStream, asked: &Mutex<Vec<String>>, edition: u32) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(path) = lines.next().and_then(|line| line.split(' ').nth(1).map(str::to_owned)) else {
        return;
    };
    let head: Vec<String> =
        lines.take_while(|line| !line.is_empty()).map(|line| line.to_lowercase()).collect();
    let known = format!("if-none-match: \"{edition}\"");
    let is_known = head.contains(&known);
    let with =
        if head.iter().any(|line| line.starts_with("if-none-match")) { " if new" } else { "" };
    asked.lock().unwrap().push(format!("{path}{with}"));
    let freshness = match path.contains("tagged") {
        true => format!("ETag: \"{edition}\""),
        false => "Cache-Control: max-age=60".to_owned(),
    };
    let key =
        if path.contains("secret") { ["AKIA", "QYLPMN5HFIQR7XYA"].concat() } else { String::new() };
    let name = path.split('?').next().unwrap_or_default();
    let body = format!("edition {edition} of {name} {key}\n");
    let mut out = stream;
    let _ = match is_known {
        true => write!(out, "HTTP/1.1 304 Not Modified\r\n{freshness}\r\n\r\n"),
        false => write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{freshness}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    };
}

#[test]
fn fresh_pages_are_shared_by_sessions_until_they_expire() {
    let site = Site::open();
    let world = site.world();
    let other = world.session_named("other");
    assert!(!site.fetch(&world.session, "/fresh").cached);
    let shared = site.fetch(&other, "/fresh");
    assert!(shared.cached && shared.text.starts_with("[Cached result from "), "{shared:?}");
    assert!(shared.text.contains("edition 0 of /fresh"), "{shared:?}");
    assert_eq!(site.asked(), ["/fresh"]);
    site.edition.store(1, Ordering::Relaxed);
    world.pass(50_000);
    assert!(site.fetch(&world.session_named("third"), "/fresh").text.contains("edition 0"));
    world.pass(11_000);
    let later = site.fetch(&world.session_named("fourth"), "/fresh");
    assert!(!later.cached && later.text.contains("edition 1"), "{later:?}");
    assert_eq!(site.asked(), ["/fresh"]);
}

#[test]
fn pages_that_are_not_fresh_are_asked_about_by_their_tag() {
    let site = Site::open();
    let world = site.world();
    assert!(!site.fetch(&world.session, "/tagged").cached);
    let other = world.session_named("other");
    let same = site.fetch(&other, "/tagged");
    assert!(same.cached && same.text.contains("edition 0"), "{same:?}");
    assert_eq!(site.asked(), ["/tagged", "/tagged if new"]);
    site.edition.store(1, Ordering::Relaxed);
    let changed = site.fetch(&world.session_named("third"), "/tagged");
    assert!(!changed.cached && changed.text.contains("edition 1"), "{changed:?}");
    assert_eq!(site.asked(), ["/tagged if new"]);
}

#[test]
fn who_asks_again_gets_the_page_as_it_is_now() {
    for path in ["/fresh", "/tagged"] {
        let site = Site::open();
        let world = site.world();
        site.fetch(&world.session, path);
        assert!(site.fetch(&world.session, path).cached);
        site.asked();
        let again = site.fetch(&world.session, path);
        assert!(!again.cached && again.text.contains("edition 0"), "{again:?}");
        assert_eq!(site.asked(), [path]);
        let statistics = world.toolbox.call_statistics();
        let counts = (statistics.looked_up, statistics.hits, statistics.misses);
        assert_eq!((counts, statistics.asked_again), ((3, 1, 2), 1), "{path}");
    }
}

#[test]
fn who_wants_no_answer_from_before_gets_none() {
    let site = Site::open();
    let world = site.world();
    site.fetch(&world.session, "/fresh");
    assert!(!site.ask(&world.session, "/fresh", false).cached);
    world.session.duplicates.set_detection(Some(false));
    assert!(!site.fetch(&world.session, "/fresh").cached);
    assert_eq!(site.asked(), ["/fresh", "/fresh", "/fresh"]);
    world.session.duplicates.set_detection(None);
    assert!(site.fetch(&world.session, "/fresh").cached);
}

#[test]
fn pages_with_secrets_are_fetched_anew() {
    let site = Site::open();
    let world = site.world();
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    let in_address = format!("/fresh?key={key}");
    for path in ["/secret", "/secret-tagged", &in_address] {
        for session in ["one", "two"] {
            let page = site.fetch(&world.session_named(session), path);
            assert!(!page.cached && !page.text.contains("removed"), "{page:?}");
            assert_eq!(page.text.contains(&key), path.contains("secret"), "{page:?}");
        }
        assert_eq!(site.asked(), [path, path]);
        let url = format!("http://127.0.0.1:{}{path}", site.port);
        assert_eq!(world.toolbox.store.page(PageKey::from_url(&url)).unwrap(), None);
    }
}

#[test]
fn a_page_that_cannot_be_kept_takes_the_place_of_one_that_was() {
    let site = Site::open();
    let world = site.world();
    let url = format!("http://127.0.0.1:{}/secret", site.port);
    let now = world.toolbox.clock.now();
    let put =
        |text: &str| world.toolbox.store.put_content(None, text.as_bytes(), now).unwrap().handle;
    let key_of_page = PageKey::from_url(&url);
    let kept = |body| CachedPage {
        url: url.clone(),
        final_url: url.clone(),
        status: 200,
        content_type: None,
        etag: None,
        last_modified: None,
        expires: Some(foveal_transcript::Timestamp(now.0 + 60_000)),
        checked: now,
        body,
    };
    world.toolbox.store.put_page(key_of_page, &kept(put("edition of before\n"))).unwrap();
    assert!(site.fetch(&world.session, "/secret").text.contains("edition of before"));
    assert!(site.fetch(&world.session, "/secret").text.contains("edition 0"));
    let other = site.fetch(&world.session_named("other"), "/secret");
    assert!(other.text.contains("edition 0"), "{other:?}");
    // One that was kept without its secrets is no page.
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    world.toolbox.store.put_page(key_of_page, &kept(put(&format!("key {key}\n")))).unwrap();
    let third = site.fetch(&world.session_named("third"), "/secret");
    assert!(!third.cached && third.text.contains("edition 0"), "{third:?}");
}
