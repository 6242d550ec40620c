//! Short names: FAT and NTFS keep a second one for each name that is not of eight and three
//! letters (`GIT~1` for `.git`), by which the same file is opened.

use super::by::ObeyedBy;
use super::table::{FILES, FOLDERS, FRAMES, NAMES, PLACES, SITES, VERSIONS};
use crate::sensitive::VERSION_CONTROL;

/// Letters before the number, with its mark.
const STEM_MAX: usize = 7;

/// Letters of an ending.
const ENDING_MAX: usize = 3;

/// A name, in lower case, that has the form of a short one.
struct Short<'a> {
    stem: &'a str,
    /// How many letters of a long name the stem has.
    of_long: usize,
    ending: &'a str,
}

impl<'a> Short<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (numbered, ending) = name.split_once('.').unwrap_or((name, ""));
        let (stem, number) = numbered.rsplit_once('~')?;
        let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        let of_long = STEM_MAX.checked_sub(number.len())?;
        let fits = !stem.is_empty() && stem.len() <= of_long && ending.len() <= ENDING_MAX;
        (is_number && fits).then_some(Self { stem, of_long, ending })
    }

    fn is_of(&self, long: &str) -> bool {
        let (stem, ending) = parts(long);
        let has_own = !long.starts_with('.') && stem.len() <= 8 && ending.len() <= ENDING_MAX;
        !has_own && first(&ending, ENDING_MAX) == self.ending && self.has_stem(&stem)
    }

    /// The letters of the long name; where there are many alike, two of them and four digits of
    /// a sum, which is not computed here.
    fn has_stem(&self, stem: &str) -> bool {
        let is_summed = || {
            let sum = self.stem.strip_prefix(first(stem, 2));
            sum.is_some_and(|sum| sum.len() == 4 && sum.bytes().all(|it| it.is_ascii_hexdigit()))
        };
        self.stem == first(stem, self.of_long) || is_summed()
    }
}

/// The guarded name that `name` may be short for.
pub(super) fn lengthened(name: &str) -> Option<&'static str> {
    let short = Short::parse(name)?;
    let places = PLACES.iter().chain(FILES).flat_map(|(place, _)| place.iter());
    let folders = FOLDERS.iter().map(|(folder, _)| folder);
    let all = VERSION_CONTROL.iter().chain(folders).chain(NAMES.iter().map(|(name, _)| name));
    let all = all.chain(places).chain(SITES.0).chain(VERSIONS);
    all.copied().find(|long| short.is_of(long))
}

/// Who obeys a file whose name may be short for one of those that are known by beginning and end.
pub(super) fn of_frames(name: &str) -> Option<ObeyedBy> {
    let short = Short::parse(name)?;
    let is_of = |start: &str, end: &str| {
        let start: String = start.chars().filter(|letter| *letter != '.').collect();
        let ending = end.rsplit_once('.').map_or("", |(_, ending)| ending);
        let begins = match start.len() >= short.of_long {
            true => short.has_stem(&start),
            false => short.stem.starts_with(&start),
        };
        begins && (ending.is_empty() || short.ending == first(ending, ENDING_MAX))
    };
    FRAMES.iter().find(|(start, end, _)| is_of(start, end)).map(|(.., by)| *by)
}

/// The letters that a short name is made of: those before the last dot, and those behind it.
fn parts(long: &str) -> (String, String) {
    let name = long.trim_start_matches('.');
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    (stem.chars().filter(|letter| !matches!(letter, '.' | ' ')).collect(), ending.to_owned())
}

/// All names in the tables are of ASCII.
fn first(text: &str, letters: usize) -> &str {
    text.get(..letters).unwrap_or(text)
}
