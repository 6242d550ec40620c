//! Settings by name and by key.

use anyhow::{Context, bail};
use foveal_context::score::NAMES;
use foveal_context::settings::{CurateSettings, OldReads};
use foveal_context::settings::{EditSettings, LookOnce, ReadsOnce, RewriteSettings, Settings};
use foveal_context::tokens::Tokens;
use foveal_context::views::{Amount, Wanted};

/// Returns the settings of a profile of the engine.
pub(crate) fn profile_settings(name: &str) -> anyhow::Result<Settings> {
    Ok(match name {
        "lossless" => Settings::lossless(),
        "balanced" => Settings::balanced(),
        "max" => Settings::max(),
        "curated" => Settings::curated(),
        _ => bail!("base is lossless, balanced, max or curated, not `{name}`"),
    })
}

/// Changes one setting, in the unit it has in [`Settings`]; `weight-NAME` is the weight of one
/// of the score's features.
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
        "high" => rewrite(settings)?.high = tokens()?,
        "low" => rewrite(settings)?.low = tokens()?,
        "recent" => rewrite(settings)?.recent_requests = requests()?,
        "min" => rewrite(settings)?.tokens_min = tokens()?,
        "rental" => rewrite(settings)?.rental = factor()?,
        "edits-old" => edits(settings)?.old_factor = factor()?,
        "edits-new" => edits(settings)?.new_factor = factor()?,
        "uses" => rewrite(settings)?.uses_min = factor()?,
        "curate-lines" => curate(settings).lines_min = requests()?,
        "curate-amount" => curate(settings).amount = amount(value)?,
        "curate-saving" => curate(settings).saving_min = factor()?,
        "old-outline" => rewrite(settings)?.old_reads = None,
        "old-lines" => old_reads(settings)?.lines_min = requests()?,
        "old-amount" => old_reads(settings)?.wanted = Wanted::Curated(amount(value)?),
        "old-tokens" => old_reads(settings)?.wanted = Wanted::Summary(tokens()?),
        "once-never" => rewrite(settings)?.look_once = None,
        "once-runs" => once(settings)?.runs_after = requests()?,
        "once-searches" => once(settings)?.searches_after = requests()?,
        "once-reads" => reads_once(settings)?.after = requests()?,
        "once-reads-uses" => reads_once(settings)?.uses_min = factor()?,
        "once-horizon" => once(settings)?.horizon = requests()?,
        "uncached" => rewrite(settings)?.uncached_factor = factor()?,
        "loss" => rewrite(settings)?.loss_max = factor()?,
        "free" => rewrite(settings)?.free_factor = factor()?,
        _ => match key.strip_prefix("weight-").and_then(feature) {
            Some(at) => rewrite(settings)?.weights[at] = factor()?,
            None => bail!("there is no setting `{key}`"),
        },
    }
    Ok(())
}

fn rewrite(settings: &mut Settings) -> anyhow::Result<&mut RewriteSettings> {
    settings.rewrite.as_mut().context("this base never rewrites")
}

fn edits(settings: &mut Settings) -> anyhow::Result<&mut EditSettings> {
    let never = EditSettings { old_factor: f64::INFINITY, new_factor: f64::INFINITY };
    Ok(rewrite(settings)?.edits.get_or_insert(never))
}

fn once(settings: &mut Settings) -> anyhow::Result<&mut LookOnce> {
    rewrite(settings)?.look_once.as_mut().context("this base does not look once")
}

fn reads_once(settings: &mut Settings) -> anyhow::Result<&mut ReadsOnce> {
    let first = ReadsOnce { after: 1, uses_min: rewrite(settings)?.uses_min };
    Ok(once(settings)?.reads.get_or_insert(first))
}

fn curate(settings: &mut Settings) -> &mut CurateSettings {
    settings.curate.get_or_insert(CurateSettings {
        lines_min: 200,
        amount: Amount::Adaptive,
        saving_min: 0.2,
        again: false,
    })
}

fn old_reads(settings: &mut Settings) -> anyhow::Result<&mut OldReads> {
    let curated = OldReads { lines_min: 1, wanted: Wanted::Curated(Amount::Adaptive) };
    Ok(rewrite(settings)?.old_reads.get_or_insert(curated))
}

/// `adaptive`, or a share from 0 to 1.
fn amount(value: &str) -> anyhow::Result<Amount> {
    match value {
        "adaptive" => Ok(Amount::Adaptive),
        share => Ok(Amount::Share(share.parse().with_context(|| format!("a share, not {share}"))?)),
    }
}

fn feature(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}
