//! Recorded sessions through a running gateway: the saving equals the prediction of a replay.

use std::path::Path;

use foveal_engine::profile::Profile;

use crate::measure::{Load, ROUTES, Recording, Route, measure, table};

/// Recorded sessions with foveal's own tools.
fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions");
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = files.map(|it| it.expect("a file").path()).collect();
    files.sort();
    let read = files.iter().flat_map(|path| {
        let file = std::io::BufReader::new(std::fs::File::open(path).expect("a file"));
        let name = path.display().to_string();
        let read = foveal_session_readers::read_all_sessions(
            foveal_session_readers::SessionFormat::Atif,
            &name,
            file,
        );
        let (sessions, _) = read.expect("a session");
        let conversations = sessions.into_iter().flat_map(|session| session.conversations);
        conversations.map(move |it| Recording::new(name.clone(), it))
    });
    read.collect()
}

/// The allowed difference between the saving and the prediction, as a share of the cost; and for
/// providers that read from their cache in steps, which are some per cent of the bill of such short
/// conversations.
const DIFFERENCE_MAX: f64 = 0.01;
const DIFFERENCE_MAX_IN_STEPS: f64 = 0.02;

#[test]
fn what_is_saved_over_http_is_what_a_replay_says() {
    let recordings = recordings();
    assert!(recordings.len() >= 3);
    let routes: Vec<&Route> = ROUTES.iter().collect();
    let names = ["lossless", "balanced", "max"];
    let profiles: Vec<_> = names.iter().filter_map(|name| Profile::find(name)).collect();
    let all = measure(&recordings, &routes, &profiles, Load::default(), &|_, _, _| {}).unwrap();
    let table = table(&all);
    assert_eq!(all.len(), routes.len() * profiles.len());
    for one in &all {
        let wrong = [one.breaks, one.broken_rules, one.foreign, one.undecided];
        assert_eq!(wrong, [0; 4], "{table}");
        assert!(one.dearer.is_empty(), "{table}");
        assert!(one.saved() > 0.02, "{table}");
        let most = if one.in_steps { DIFFERENCE_MAX_IN_STEPS } else { DIFFERENCE_MAX };
        if one.is_unmarked {
            // Without the gateway, each prompt would have been paid for in full.
            assert!(one.saved() > 0.6, "{table}");
            continue;
        }
        assert!(
            (one.saved() - one.alike_saved).abs() <= most,
            "{} {}\n{table}",
            one.route,
            one.profile
        );
        assert_eq!(one.rewrites, one.alike_rewrites, "{} {}\n{table}", one.route, one.profile);
    }
}
