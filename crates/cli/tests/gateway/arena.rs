//! How many arenas of memory a gateway has.

use std::fs;

use super::served::Served;
use crate::world::World;

#[test]
fn a_gateway_has_one_arena_unless_it_is_told_how_many() {
    let world = World::new("gateway_arena");
    let arenas = |variables: &[(&str, &str)]| {
        let served = Served::start_with(&world, &[], None, variables);
        // It began once more, as the same process.
        let told = fs::read(format!("/proc/{}/environ", served.process())).expect("Linux");
        served.stop();
        let told = String::from_utf8_lossy(&told).into_owned();
        let all = told.split('\0').filter_map(|told| told.strip_prefix("MALLOC_ARENA_MAX="));
        all.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(arenas(&[]), ["1"]);
    assert_eq!(arenas(&[("MALLOC_ARENA_MAX", "3")]), ["3"]);
    assert!(arenas(&[("GLIBC_TUNABLES", "glibc.malloc.arena_max=2")]).is_empty());
}
