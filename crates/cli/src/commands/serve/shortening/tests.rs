use super::*;
use crate::requests::Tools;

/// A request of a conversation that called these tools.
fn request(at: i64, called: &[&str], left_out: u64, called_shortened: bool) -> Request {
    let called = called.iter().map(|name| (*name).to_owned()).collect();
    let tools = Tools { called, left_out, called_shortened };
    let conversation = Some(format!("conversation {at}"));
    Request { time: at, conversation, tools, ..Request::default() }
}

#[test]
fn what_conversations_call_is_learned_once_for_each() {
    let shortening = Arc::new(Shortening::new(None, false, Timestamp(0)));
    let known = shortening.knowledge();
    for at in 0..5 {
        assert!(!known().is_some_and(|known| known.is_shortened("fetch")), "{at}");
        shortening.note(&request(at, &["read"], 0, false));
        shortening.note(&request(at, &["read", "edit"], 0, false));
    }
    let now = known().expect("it is on");
    assert_eq!((now.sessions(), now.called("read"), now.called("edit")), (5, 5, 5));
    assert!(now.is_shortened("fetch") && !now.is_shortened("edit"));
    shortening.note(&request(4, &["fetch"], 0, false));
    assert!(!known().expect("it is on").is_shortened("fetch"));
}

#[test]
fn what_has_not_paid_stays_off_until_it_is_to_begin_anew() {
    let folder = std::env::temp_dir().join(format!("foveal-shortening-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("shorten-tools");
    let start = |anew| Arc::new(Shortening::new(Some(file.clone()), anew, Timestamp(900)));
    let is_on = |shortening: &Arc<Shortening>| shortening.knowledge()().is_some();
    let loses = |shortening: &Arc<Shortening>, from: i64| {
        for at in 0..JUDGED as i64 {
            assert!(is_on(shortening), "{at}");
            shortening.note(&request(from + at, &["fetch"], 5_000, at % 4 == 0));
        }
    };
    let shortening = start(false);
    loses(&shortening, 0);
    assert!(!is_on(&shortening) && has_not_paid_before(&file));
    assert!(!is_on(&start(false)), "for good");
    // What was before is not held against it, after a restart neither.
    for anew in [true, false] {
        let shortening = start(anew);
        loses(&shortening, 0);
        assert!(is_on(&shortening), "{anew}");
    }
    loses(&start(false), 1_000);
    assert!(has_not_paid_before(&file));
    fs::remove_dir_all(folder).expect("it is there");
}
