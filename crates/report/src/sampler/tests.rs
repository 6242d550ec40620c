use std::collections::BTreeMap;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::baselines::all_profiles;
use foveal_replay::replay;
use foveal_testkit::conversation_scripts;
use proptest::prelude::*;

use super::*;

#[test]
fn samples_are_even_and_bounded() {
    for (all, most) in [(0, 60), (1, 60), (60, 60), (61, 60), (471, 60), (5000, 2), (7, 1)] {
        let kept: Vec<usize> = (0..all).filter(|at| is_evenly_sampled(*at, all, most)).collect();
        assert!(kept.len() <= most.max(2), "{all} {most}: {}", kept.len());
        assert_eq!(kept.first().copied(), (all > 0).then_some(0));
        assert_eq!(kept.last().copied(), all.checked_sub(1));
        let gaps: Vec<usize> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (least, largest) = (gaps.iter().min(), gaps.iter().max());
        assert!(least.zip(largest).is_none_or(|(least, most)| most - least <= 1), "{gaps:?}");
    }
}

/// Returns the composition of the prompts, each counted from its beginning.
#[derive(Default)]
struct Walked {
    sums: (TokensByKind, TokensByKind),
    prompts: Vec<(TokensByKind, TokensByKind)>,
    files: BTreeMap<String, (Tokens, Tokens)>,
}

impl Walked {
    fn observe(&mut self, prepared: &PreparedConversation, projector: &Projector) {
        let mut prompt = (TokensByKind::default(), TokensByKind::default());
        for index in projector.window() {
            let facts = prepared.record.facts(*index);
            let (before, after) = (facts.tokens, projector.entry_state(*index).tokens);
            let part =
                PromptContentKind::from_entry(prepared.record.entry(*index).role, facts.kind())
                    as usize;
            for (prompt, sum, tokens) in [
                (&mut prompt.0, &mut self.sums.0, before),
                (&mut prompt.1, &mut self.sums.1, after),
            ] {
                prompt[part] += tokens;
                sum[part] += tokens;
            }
            let reads = facts.call.iter().flat_map(|call| &call.effect.reads);
            let paths: std::collections::BTreeSet<&str> =
                reads.map(|read| read.path.as_str()).collect();
            for path in &paths {
                let file = self.files.entry((*path).to_owned()).or_default();
                file.0 += Tokens(before.0 / paths.len() as u64);
                file.1 += Tokens(after.0 / paths.len() as u64);
            }
        }
        self.prompts.push(prompt);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The incremental counts equal those over every whole prompt, also with rewrites, cuts and
    /// rewinds, under policies that decide once and under others.
    #[test]
    fn sums_are_those_of_all_prompts(script in conversation_scripts(40)) {
        let prepared = PreparedConversation::new(script.build_conversation(), Tokenizer::Bytes);
        let prices = PriceCard::anthropic_5m();
        for profile in all_profiles() {
            let (mut sampler, mut walked) = (CompositionSampler::new(&prepared), Walked::default());
            let mut projector = profile.new_projector(&prices);
            replay(&prepared, &mut projector, &prices, &mut |projector, step| {
                sampler.observe(projector, step);
                walked.observe(&prepared, projector);
            });
            let fill = sampler.finish();
            prop_assert_eq!((fill.raw, fill.projected), walked.sums);
            for sample in &fill.samples {
                let prompt = &walked.prompts[sample.request as usize - 1];
                prop_assert_eq!(&(sample.raw, sample.projected), prompt);
            }
            walked.files.retain(|_, (raw, _)| raw.0 > 0);
            let files = fill.files.into_iter().map(|file| (file.path, (file.raw, file.projected)));
            prop_assert_eq!(files.collect::<BTreeMap<_, _>>(), walked.files);
        }
    }
}
