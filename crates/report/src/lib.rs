//! The figures of a replay as one web page: data in, a string out.
//!
//! A [`Measured`] gathers one conversation under every profile, a [`ReportBuilder`] adds them
//! up and keeps details of the dearest only, and [`render`] draws the [`ReportData`]. The
//! page needs no network and no script; a little script adds tooltips.

mod axis;
mod builder;
mod chart;
mod data;
mod frame;
mod markup;
mod number;
mod page;
mod sampler;
mod tables;

pub use builder::{Measured, ReportBuilder};
pub use data::{
    ByPart, Detail, FileFill, Fill, FillSample, Limits, Part, Point, ProfileLine, ReportData,
    SessionLine, Totals,
};
pub use page::render;
pub use sampler::FillSampler;
