//! Suggestions of existing names for a missing one.

/// Names that are suggested.
const SUGGESTIONS_MAX: usize = 3;

/// Characters of a name that are compared; longer names are not suggested.
const NAME_CHARS_MAX: usize = 80;

/// Returns the `names` most similar to `wanted`, best first. Differences in case, accents and
/// Unicode form count less than other differences.
pub(super) fn similar_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = fold_letters(wanted);
    if wanted.len() > NAME_CHARS_MAX {
        return Vec::new();
    }
    let far = (wanted.len() / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let letters = fold_letters(name);
            if letters.len().abs_diff(wanted.len()) > far || letters.len() > NAME_CHARS_MAX {
                return None;
            }
            Some((edit_distance(&wanted, &letters), name)).filter(|(distance, _)| *distance <= far)
        })
        .collect();
    near.sort_unstable();
    let nearest = near.first().map_or(0, |(distance, _)| *distance);
    let offered = near.iter().filter(|(distance, _)| *distance <= nearest + 1);
    offered.take(SUGGESTIONS_MAX).map(|(_, name)| (*name).to_owned()).collect()
}

/// Returns the letters of `name` in lower case, without combining marks.
fn fold_letters(name: &str) -> Vec<char> {
    name.chars()
        .filter(|letter| !('\u{300}'..='\u{36f}').contains(letter))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the number of letters to change, add, remove or swap with the next.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, names: &[&str], expected: &[&str]) {
        assert_eq!(similar_names(wanted, names.iter().copied()), expected, "{wanted}");
    }

    #[test]
    fn names_that_may_have_been_meant_are_offered() {
        check("mian.rs", &["lib.rs", "main.rs", "tests"], &["main.rs"]);
        check("Readme.md", &["README.md", "READ.me"], &["README.md"]);
        check("caf\u{e9}.txt", &["cafe\u{301}.txt", "tea.txt"], &["cafe\u{301}.txt"]);
        check("a", &["b", "c", "dd"], &["b", "c"]);
        check("parser.rs", &["lexer.rs", "parse.rs", "parsers.rs"], &["parse.rs", "parsers.rs"]);
        check("main.rs", &["other.py"], &[]);
    }

    #[test]
    fn distances_are_of_letters() {
        let of = |a: &str, b: &str| edit_distance(&fold_letters(a), &fold_letters(b));
        assert_eq!([of("", "ab"), of("abc", "acb"), of("kitten", "sitting")], [2, 1, 3]);
    }
}
