//! BM25 scores of a few texts for a question.

use std::collections::HashMap;

use super::words::words;

/// The saturation of term frequency.
const K1: f64 = 1.2;
/// The strength of length normalisation.
const B: f64 = 0.75;

/// Returns the score of every text: Robertson and Zaragoza, "The Probabilistic Relevance Framework:
/// BM25 and Beyond", equation 3.15. Each word of the question counts once, and 1 is added inside
/// the logarithm so that no word lowers a score.
pub(crate) fn bm25_scores(texts: &[String], question: &str) -> Vec<f64> {
    let texts: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let mean = texts.iter().map(Vec::len).sum::<usize>() as f64 / texts.len().max(1) as f64;
    let mut query = words(question);
    query.sort_unstable();
    query.dedup();
    let numbers: HashMap<&str, usize> =
        query.iter().enumerate().map(|(number, word)| (word.as_str(), number)).collect();
    let counts: Vec<Vec<u32>> = texts.iter().map(|text| count_words(text, &numbers)).collect();
    let weights: Vec<f64> = (0..query.len())
        .map(|word| {
            let having = counts.iter().filter(|count| count[word] > 0).count() as f64;
            (1.0 + (texts.len() as f64 - having + 0.5) / (having + 0.5)).ln()
        })
        .collect();
    let score = |(text, count): (&Vec<String>, &Vec<u32>)| {
        let length = 1.0 - B + B * text.len() as f64 / mean.max(1.0);
        let terms = weights.iter().zip(count).map(|(weight, count)| {
            let count = f64::from(*count);
            weight * count * (K1 + 1.0) / (count + K1 * length)
        });
        terms.sum()
    };
    texts.iter().zip(&counts).map(score).collect()
}

fn count_words(text: &[String], numbers: &HashMap<&str, usize>) -> Vec<u32> {
    let mut count = vec![0; numbers.len()];
    for number in text.iter().filter_map(|word| numbers.get(word.as_str())) {
        count[*number] += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_formula() {
        let texts = ["cat cat dog", "dog", "bird bird"].map(str::to_owned);
        // Computed by hand: 3 texts of mean length 2; cat is in 1 of them, dog in 2.
        let (cat, dog) = ((1.0 + 2.5 / 1.5f64).ln(), (1.0 + 1.5 / 2.5f64).ln());
        let long = 1.2 * (0.25 + 0.75 * 1.5);
        let short = 1.2 * (0.25 + 0.75 * 0.5);
        let expected = [
            cat * 2.0 * 2.2 / (2.0 + long) + dog * 2.2 / (1.0 + long),
            dog * 2.2 / (1.0 + short),
            0.0,
        ];
        for (score, expected) in bm25_scores(&texts, "the Dog and cat, cat").iter().zip(expected) {
            assert!((score - expected).abs() < 1e-12, "{score} {expected}");
        }
        assert!(bm25_scores(&[], "x").is_empty());
        assert_eq!(bm25_scores(&[String::new()], ""), [0.0]);
    }
}
