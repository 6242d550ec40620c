//! What a result that was not made anew says of itself.

/// `[Cached result from 10:23:45 AM]`, of a time of day on the user's own clock: `hour` from 0
/// to 23, `minute` and `second` from 0 to 59. Larger numbers wrap around.
pub fn cached_note(hour: u8, minute: u8, second: u8) -> String {
    let (hour, minute, second) = (hour % 24, minute % 60, second % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    format!("[Cached result from {hour:02}:{minute:02}:{second:02} {half}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_told_in_two_halves() {
        for ((hour, minute, second), expected) in [
            ((10, 23, 45), "[Cached result from 10:23:45 AM]"),
            ((0, 0, 0), "[Cached result from 12:00:00 AM]"),
            ((9, 5, 3), "[Cached result from 09:05:03 AM]"),
            ((11, 59, 59), "[Cached result from 11:59:59 AM]"),
            ((12, 0, 1), "[Cached result from 12:00:01 PM]"),
            ((23, 7, 8), "[Cached result from 11:07:08 PM]"),
            ((255, 255, 255), "[Cached result from 03:15:15 PM]"),
        ] {
            assert_eq!(cached_note(hour, minute, second), expected);
        }
    }
}
