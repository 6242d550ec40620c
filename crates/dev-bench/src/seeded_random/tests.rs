use super::*;

#[test]
fn numbers_are_those_published() {
    // The first outputs of the reference implementation for seed 1234567.
    let mut seeded = SeededRandom { state: 1_234_567 };
    let numbers = [(); 3].map(|()| seeded.next_u64());
    assert_eq!(
        numbers,
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    );
}

#[test]
fn an_order_has_every_item_once_and_depends_on_seed_and_name() {
    let order = |seed, name| {
        let mut items: Vec<u32> = (0..20).collect();
        SeededRandom::new(seed, name).shuffle(&mut items);
        items
    };
    let mut sorted = order(1, "a");
    sorted.sort_unstable();
    assert_eq!(sorted, (0..20).collect::<Vec<u32>>());
    assert_eq!(order(1, "a"), order(1, "a"));
    assert_ne!(order(1, "a"), order(2, "a"));
    assert_ne!(order(1, "a"), order(1, "b"));
}
