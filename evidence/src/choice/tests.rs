//! The model on facts that were made up, so that each sum can be done by hand.

use super::model::{BLOCK, planned};
use super::*;
use crate::statistics::Summary;

fn exact(value: f64) -> Summary {
    Summary::exact(value)
}

fn way(way: Way, open: f64, all: f64) -> WayFacts {
    WayFacts { way, open: exact(open), all: exact(all), peak: Some(if way == Way::Decode { 150.0 } else { 0.0 }), damaged: None }
}

/// `slim` is small and slow to read, `flat` large and read in place, `hand` a layout of our own; a codec halves each.
fn facts() -> Facts {
    let codec = |bytes| CodecFacts { name: "halver".into(), bytes, compress: exact(40.0), decompress: exact(20.0), members: 1000 };
    let format = |name: &str, ours, bytes, encode, ways| FormatFacts {
        name: name.into(),
        ours,
        bytes,
        encode: exact(encode),
        ways,
        codecs: vec![codec(bytes / 2.0)],
        evolves: None,
    };
    Facts {
        dataset: "made".into(),
        variant: "up".into(),
        members: 1000,
        run: "test".into(),
        data_bytes: BLOCK / 100.0,
        value_bytes: Some(150.0),
        noise: 0.05,
        formats: vec![
            format("slim", false, 80.0, 100.0, vec![way(Way::Decode, 190.0, 200.0)]),
            format("flat", false, 120.0, 30.0, vec![way(Way::Access, 60.0, 80.0), way(Way::Unchecked, 0.0, 20.0)]),
            format("hand", true, 90.0, 20.0, vec![way(Way::Access, 40.0, 50.0)]),
        ],
    }
}

fn wish() -> Wish {
    Wish { members: 1000.0, bandwidth: 8e9, ..Wish::default() }
}

fn first(facts: &Facts, wish: &Wish) -> String {
    Answer::of(facts, wish).ranking[0].label()
}

/// 8 Gbit/s are a byte a nanosecond; a thousand members are ten blocks.
#[test]
fn both_plans_are_the_sums_that_they_say() {
    let facts = facts();
    let format = &facts.formats[0];
    let time = |wish: &Wish, codec, plan| {
        let estimate = planned(&facts, format, codec, &format.ways[0], wish, plan);
        estimate.time.median / 1000.0
    };
    let halver = Some(&format.codecs[0]);
    let base = wish();
    let half = Wish { fields_read: 0.5, ..wish() };
    let many = Wish { reads_per_write: 3.0, ..wish() };
    let rarely = Wish { reads_per_write: 0.5, ..wish() };
    let far = Wish { round_trip: 7000.0, ..wish() };
    let stored = Wish { stored_at: Some(4e9), reads_per_write: 2.0, ..wish() };
    let cores = Wish { cores: 4.0, ..wish() };
    for (wish, codec, plan, expected) in [
        (&base, None, Plan::Sequence, 100.0 + 80.0 + 200.0),
        (&base, halver, Plan::Sequence, 100.0 + 40.0 + 40.0 + 20.0 + 200.0),
        (&half, None, Plan::Sequence, 100.0 + 80.0 + 195.0),
        (&many, None, Plan::Sequence, 100.0 + 3.0 * (80.0 + 200.0)),
        (&rarely, None, Plan::Sequence, 100.0 + 0.5 * (80.0 + 200.0)),
        (&far, None, Plan::Sequence, 100.0 + 80.0 + 200.0 + 7.0),
        (&stored, None, Plan::Sequence, 100.0 + 160.0 + 2.0 * (80.0 + 200.0)),
        // Alone, a message has no second block for a second core.
        (&cores, None, Plan::Sequence, 100.0 + 80.0 + 200.0),
        (&base, None, Plan::Blocks, 10.0 + 8.0 + 200.0),
        (&many, None, Plan::Blocks, 10.0 + 8.0 + 200.0 + 2.0 * (8.0 + 200.0)),
        (&rarely, None, Plan::Blocks, 0.5 * (10.0 + 8.0 + 200.0) + 0.5 * 100.0),
        (&stored, None, Plan::Blocks, 10.0 + 160.0 + 2.0 * (8.0 + 200.0)),
        // Now the link is what takes longest, and each end has one block before or behind it.
        (&cores, None, Plan::Blocks, 10.0 + 80.0 + 20.0),
    ] {
        let found = time(wish, codec, plan);
        assert!((found - expected).abs() < 1e-9, "{plan}, {wish:?}: {found} where {expected} was computed");
    }
}

#[test]
fn slow_links_want_few_bytes_and_fast_ones_little_work() {
    for (bandwidth, expected) in [(1e6, "slim.halver, decode + read"), (1e13, "flat, unvalidated access + read")] {
        assert_eq!(first(&facts(), &Wish { bandwidth, ..wish() }), expected);
    }
}

#[test]
fn what_is_ruled_out_is_gone_and_said() {
    let mut facts = facts();
    facts.formats[1].evolves = Some(Evolves { additive: false, silent: 3, changes: 9 });
    facts.formats[0].evolves = Some(Evolves { additive: true, silent: 1, changes: 9 });
    let damaged = |silent, failed| Some(Damaged { payloads: 1000, silent, failed });
    facts.formats[0].ways[0].damaged = damaged(7, 0);
    facts.formats[2].ways[0].damaged = damaged(0, 1);
    let fast = Wish { bandwidth: 1e13, ..wish() };
    for (wish, gone, reason) in [
        (Wish { untrusted: true, ..fast.clone() }, "unvalidated", "unvalidated access"),
        (Wish { untrusted: true, ..fast.clone() }, "hand", "made it fail"),
        (Wish { must_evolve: true, ..fast.clone() }, "flat", "a field cannot be added"),
        (Wish { libraries_only: true, ..fast.clone() }, "hand", "written by hand"),
        (Wish { memory: Some(170_000.0), ..fast.clone() }, "flat", "more memory"),
    ] {
        let answer = Answer::of(&facts, &wish);
        let all = Answer::of(&facts, &fast);
        assert!(all.ranking.iter().any(|choice| choice.label().contains(gone)));
        assert!(!answer.ranking.iter().any(|choice| choice.label().contains(gone)));
        assert!(answer.excluded.iter().any(|excluded| excluded.reason.contains(reason)), "{:?}", answer.excluded);
        assert!(answer.ranking.len() < all.ranking.len());
    }
    let silent = Answer::of(&facts, &Wish { must_evolve: true, ..wish() }).ranking.into_iter().map(|choice| choice.silent);
    assert!(silent.into_iter().any(|silent| silent == Some((1, 9))));
    let told = |untrusted| Answer::of(&facts, &Wish { untrusted, ..wish() }).ranking.into_iter().find_map(|choice| choice.damaged);
    assert_eq!((told(true), told(false)), (damaged(7, 0), None));
}

#[test]
fn noise_makes_ties_of_work_and_not_of_bytes() {
    let mut facts = facts();
    facts.formats.push(FormatFacts { name: "twin".into(), encode: exact(31.0), bytes: 120.0, ..facts.formats[1].clone() });
    let tied = |bandwidth| {
        let answer = Answer::of(&facts, &Wish { bandwidth, ..wish() });
        answer.ranking.iter().filter(|choice| choice.tie).map(Choice::label).collect::<Vec<_>>()
    };
    assert_eq!(tied(1e13), ["flat, unvalidated access + read", "twin, unvalidated access + read"]);
    // A link has no noise, so what is smaller by a hundredth is smaller.
    facts.formats.push(FormatFacts { name: "near".into(), bytes: 79.2, codecs: Vec::new(), ..facts.formats[0].clone() });
    facts.formats.iter_mut().for_each(|format| format.codecs.clear());
    let answer = Answer::of(&facts, &Wish { bandwidth: 1e6, ..wish() });
    assert_eq!((answer.ranking[0].format.as_str(), answer.ranking[0].tie), ("near", false));
}

#[test]
fn an_assumption_that_decides_is_named() {
    let facts = facts();
    let wish = Wish { bandwidth: 8e9, ..wish() };
    let answer = Answer::of(&facts, &wish);
    let sensitivity = answer.sensitivity(&facts, &wish);
    let names: Vec<&str> = sensitivity.iter().map(|one| one.assumption).collect();
    // Half a core and more than everything read are no changes, nor is twice no round trip.
    assert_eq!(names.iter().filter(|name| **name == "cores").count(), 1);
    assert_eq!(names.iter().filter(|name| **name == "share of fields read").count(), 1);
    assert!(!names.contains(&"round trip"));
    for one in &sensitivity {
        assert!(one.regret >= 1.0 && (one.holds || one.regret > 1.0), "{one:?}");
    }
    assert!(sensitivity.iter().any(|one| !one.holds) || answer.ranking[0].tie);
    assert_eq!(answer.ranking[0].ours, answer.of_libraries().is_some());
}
