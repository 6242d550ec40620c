use super::*;

#[test]
fn marks_follow_the_window() {
    let limit = |window, scale| WindowLimit::new(Tokens(window), scale);
    let marks = |window, scale| limit(window, scale).clamp_marks(Tokens(150_000), Tokens(90_000));
    assert_eq!(marks(1_000_000, 1.2), (Tokens(150_000), Tokens(90_000)));
    assert_eq!(marks(128_000, 1.0), (Tokens(115_200), Tokens(69_120)));
    assert_eq!(marks(32_000, 1.25), (Tokens(23_040), Tokens(13_824)));
    assert_eq!(limit(100_000, 1.0).tokens_max(), Tokens(97_000));
    let lowered = limit(100_000, 1.0).cap_tokens(Tokens(9_700));
    assert_eq!(
        lowered.clamp_marks(Tokens(100_000), Tokens(50_000)),
        (Tokens(9_000), Tokens(4_500))
    );
    assert_eq!(limit(10_000, 1.0).cap_tokens(Tokens(50_000)), limit(10_000, 1.0));
}
