//! What is said in conversations that are taken up again.

use foveal_store::{RecordNumber, SealedJson, SessionId, Store, StoreError, StoredMessage};
use serde_json::{Value, json};

use crate::conformance::{Case, at, open};

/// The cases for all stores.
pub(crate) const MESSAGES: &[Case] = &[("messages come back in order", come_back_in_order)];

/// The cases for stores that redact.
pub(crate) const PLAIN: &[Case] = &[("messages have no secrets", have_no_secrets)];

const SIGNATURE: &str =
    "4NJBdMmVMLnwULo9AVWsfOj2V4kTz/WwBE2JA+6N7dhDHUWws3f8zcrAu1oQGkTSvumVoROVaUi6lDGbReTJMQ==";

fn says(payload: Value) -> StoredMessage {
    StoredMessage { payload, sealed: Vec::new(), is_unredacted: true }
}

/// A thought that its provider signed.
fn signed(thinking: &str) -> Option<SealedJson> {
    let json = json!({"type": "thinking", "thinking": thinking, "signature": SIGNATURE});
    Some(SealedJson { json: json.to_string(), opaque_values: vec![SIGNATURE.to_owned()] })
}

fn kept(store: &dyn Store, session: &SessionId) -> Vec<StoredMessage> {
    let said = store.messages(session, RecordNumber(1), 99).expect("they are read");
    said.into_iter().map(|said| said.message.expect("it can be read")).collect()
}

fn come_back_in_order(store: &dyn Store) {
    let session = open(store, "run a", at(0));
    // Numbers and the order of keys are those that were given.
    let odd = json!({"b": 1.5, "a": [null, 12_345_678_901_234_567_890_u64, "\u{0}\u{2028}\""]});
    let sealed = StoredMessage { sealed: vec![signed("Hm."), None], ..says(odd.clone()) };
    store.append_messages(&session, &[says(json!(1)), sealed], at(1)).expect("kept");
    store.append_record(&session, &json!("an event"), at(2)).expect("kept");
    store.append_messages(&session, &[says(json!(3))], at(3)).expect("kept");
    store.append_messages(&session, &[], at(3)).expect("kept");
    let all = kept(store, &session);
    assert_eq!(all.len(), 3);
    assert_eq!(all[1].payload.to_string(), odd.to_string());
    let json = |at: usize| all[1].sealed[at].as_ref().map(|sealed| sealed.json.clone());
    assert_eq!((json(0), json(1)), (signed("Hm.").map(|it| it.json), None));
    assert!(all.iter().all(|message| message.is_unredacted));
    // The logs know nothing of each other.
    let events = store.records(&session, RecordNumber(1), 9).expect("one");
    assert_eq!((events.len(), events[0].number), (1, RecordNumber(1)));
    let last = store.messages(&session, RecordNumber(3), 9).expect("one");
    assert_eq!((last.len(), last[0].number, last[0].time), (1, RecordNumber(3), at(3)));
    // All or nothing.
    let large = says(Value::String("x".repeat(foveal_store::PAYLOAD_BYTES_MAX)));
    let refused = store.append_messages(&session, &[says(json!(4)), large], at(4));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    assert_eq!(kept(store, &session).len(), 3);
    let nobody = SessionId("nobody".to_owned());
    let refused = store.append_messages(&nobody, &[says(json!(1))], at(4));
    assert!(matches!(refused, Err(StoreError::UnknownSession { .. })), "{refused:?}");
    assert_eq!(kept(store, &nobody), []);
    store.delete_session(&session).expect("deleted");
    assert_eq!(kept(store, &session), []);
}

fn have_no_secrets(store: &dyn Store) {
    let session = open(store, "run a", at(0));
    let secret = "AKIAQYLPMN5HFIQR7XYA";
    let says_it = StoredMessage {
        sealed: vec![signed("Hm."), signed(&format!("The key is {secret}."))],
        ..says(json!({"text": format!("use {secret}"), "password": "q8Zx61LmP0vTr7Ws"}))
    };
    let sealed = SealedJson { json: format!("\"{secret}\""), opaque_values: Vec::new() };
    let part =
        SealedJson { json: format!("[\"{secret}\", \"A\"]"), opaque_values: vec!["A".to_owned()] };
    let not_closed = StoredMessage { sealed: vec![Some(sealed), Some(part)], ..says(json!(2)) };
    store.append_messages(&session, &[says_it, not_closed], at(1)).expect("kept");
    let all = kept(store, &session);
    assert_eq!(
        all[0].payload,
        json!({"text": "use [secret removed: AWS access key]",
            "password": "[secret removed: password]"})
    );
    // A signature looks like chance, and stays; what it signs goes whole or not at all.
    let sealed: Vec<bool> = all[0].sealed.iter().map(Option::is_some).collect();
    assert_eq!((sealed, all[0].is_unredacted), (vec![true, false], false));
    assert_eq!(
        all[0].sealed[0].as_ref().map(|it| &it.json),
        signed("Hm.").as_ref().map(|it| &it.json)
    );
    assert_eq!((all[1].sealed.clone(), all[1].is_unredacted), (vec![None, None], true));
}
