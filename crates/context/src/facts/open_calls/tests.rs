use foveal_transcript::Call;

use super::*;

#[test]
fn calls_without_results_are_forgotten_in_time() {
    let arguments = serde_json::json!({ "command": "make" });
    let call = Call { id: String::new(), name: "Bash".to_owned(), arguments };
    let facts = Arc::new(CallFacts::of(&call, None));
    let mut open = OpenCalls::default();
    let wait = |open: &mut OpenCalls, id: &str| open.insert(id, Arc::clone(&facts), None);
    for id in ["early", "again"] {
        wait(&mut open, id);
    }
    for at in 0..OPEN_CALLS_MAX - 2 {
        wait(&mut open, &format!("call {at}"));
    }
    let label =
        |open: &mut OpenCalls, id: &str| open.remove(id).map(|call| call.facts.label.clone());
    assert_eq!(label(&mut open.clone(), "early").as_deref(), Some("Bash make"));
    // The next two push the first two out, of which one is made anew.
    for id in ["again", "last"] {
        wait(&mut open, id);
    }
    assert_eq!(label(&mut open, "early"), None);
    assert_eq!(label(&mut open, "again").as_deref(), Some("Bash make"));
    for at in 0..3 * OPEN_CALLS_MAX {
        wait(&mut open, &format!("more {at}"));
    }
    assert_eq!((open.open.len(), open.last.len()), (1024, 1024));
}
