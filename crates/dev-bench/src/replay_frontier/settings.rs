//! Changes settings by name and key.

use anyhow::{Context, bail};
use foveal_engine::reuse_score::FEATURE_NAMES;
use foveal_engine::settings::{CurateSettings, OldReadSettings};
use foveal_engine::settings::{EarlyReadReduction, EarlyReduction, RewriteSettings, Settings};
use foveal_engine::views::{CurationAmount, ViewRequest};
use foveal_pricing::tokens::Tokens;

/// Returns the settings of one of foveal's profiles.
pub(crate) fn profile_settings(name: &str) -> anyhow::Result<Settings> {
    Ok(match name {
        "lossless" => Settings::lossless(),
        "balanced" => Settings::balanced(),
        "max" => Settings::max(),
        "curated" => Settings::curated(),
        _ => bail!("base must be lossless, balanced, max or curated, not `{name}`"),
    })
}

/// Changes one setting, in its unit in [`Settings`]; `weight-NAME` is the weight of one of the
/// score's features.
pub(crate) fn change_setting(
    settings: &mut Settings,
    key: &str,
    value: &str,
) -> anyhow::Result<()> {
    let bad = || format!("{key}={value}");
    let bytes = || value.parse::<usize>().with_context(bad);
    let requests = || value.parse::<u32>().with_context(bad);
    let tokens = || value.parse().map(Tokens).with_context(bad);
    let factor = || value.parse::<f64>().with_context(bad);
    match key {
        "pointer" => settings.pointer_bytes_min = bytes()?,
        "pointer-elsewhere" => settings.pointer_bytes_min_elsewhere = bytes()?,
        "run-bytes" => settings.run_bytes_max = Some(bytes()?),
        "search-bytes" => settings.search_bytes_max = Some(bytes()?),
        "read-bytes" => settings.read_bytes_max = Some(bytes()?),
        "high" => rewrite_settings(settings)?.high = tokens()?,
        "low" => rewrite_settings(settings)?.low = tokens()?,
        "recent" => rewrite_settings(settings)?.recent_requests = requests()?,
        "min" => rewrite_settings(settings)?.tokens_min = tokens()?,
        "rental" => rewrite_settings(settings)?.rental = factor()?,
        "uses" => rewrite_settings(settings)?.uses_min = factor()?,
        "curate-lines" => curate_settings(settings).lines_min = requests()?,
        "curate-amount" => curate_settings(settings).amount = parse_amount(value)?,
        "curate-saving" => curate_settings(settings).saving_min = factor()?,
        "old-outline" => rewrite_settings(settings)?.old_reads = None,
        "old-lines" => old_read_settings(settings)?.lines_min = requests()?,
        "old-amount" => {
            old_read_settings(settings)?.wanted = ViewRequest::Curated(parse_amount(value)?);
        }
        "old-tokens" => old_read_settings(settings)?.wanted = ViewRequest::Summary(tokens()?),
        "once-never" => rewrite_settings(settings)?.look_once = None,
        "once-runs" => early_reduction_settings(settings)?.runs_after = requests()?,
        "once-searches" => early_reduction_settings(settings)?.searches_after = requests()?,
        "once-reads" => early_read_settings(settings)?.after = requests()?,
        "once-reads-uses" => early_read_settings(settings)?.uses_min = factor()?,
        "once-horizon" => early_reduction_settings(settings)?.horizon = requests()?,
        "uncached" => rewrite_settings(settings)?.uncached_factor = factor()?,
        "loss" => rewrite_settings(settings)?.loss_max = factor()?,
        "free" => rewrite_settings(settings)?.free_factor = factor()?,
        _ => match key.strip_prefix("weight-").and_then(feature_index) {
            Some(at) => rewrite_settings(settings)?.weights[at] = factor()?,
            None => bail!("unknown setting `{key}`"),
        },
    }
    Ok(())
}

fn rewrite_settings(settings: &mut Settings) -> anyhow::Result<&mut RewriteSettings> {
    settings.rewrite.as_mut().context("this base does not rewrite")
}

fn early_reduction_settings(settings: &mut Settings) -> anyhow::Result<&mut EarlyReduction> {
    rewrite_settings(settings)?
        .look_once
        .as_mut()
        .context("this base does not reduce results after one look")
}

fn early_read_settings(settings: &mut Settings) -> anyhow::Result<&mut EarlyReadReduction> {
    let first = EarlyReadReduction { after: 1, uses_min: rewrite_settings(settings)?.uses_min };
    Ok(early_reduction_settings(settings)?.reads.get_or_insert(first))
}

fn curate_settings(settings: &mut Settings) -> &mut CurateSettings {
    settings.curate.get_or_insert(CurateSettings {
        lines_min: 200,
        amount: CurationAmount::Adaptive,
        saving_min: 0.2,
        again: false,
        states_share: true,
    })
}

fn old_read_settings(settings: &mut Settings) -> anyhow::Result<&mut OldReadSettings> {
    let curated =
        OldReadSettings { lines_min: 1, wanted: ViewRequest::Curated(CurationAmount::Adaptive) };
    Ok(rewrite_settings(settings)?.old_reads.get_or_insert(curated))
}

/// Parses `adaptive`, or a share from 0 to 1.
fn parse_amount(value: &str) -> anyhow::Result<CurationAmount> {
    match value {
        "adaptive" => Ok(CurationAmount::Adaptive),
        share => Ok(CurationAmount::Share(
            share.parse().with_context(|| format!("expected a share, not {share}"))?,
        )),
    }
}

fn feature_index(name: &str) -> Option<usize> {
    FEATURE_NAMES.iter().position(|known| *known == name)
}
