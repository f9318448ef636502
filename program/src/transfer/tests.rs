//! Transfers end to end, small; how long they take is not judged.

use super::*;
use wirewise::dataset::{Dataset, Organization};
use wirewise::registry::Source;

fn spec() -> Spec {
    Organization::spec(200)
}

fn links() -> Vec<Link> {
    let disk = |cold| (Link::File { write: 1e9, read: 1e9, cold }, Link::Map { write: 1e9, read: 1e9, cold });
    let ((cold, cold_map), (cached, cached_map)) = (disk(true), disk(false));
    vec![Link::Tcp { bandwidth: 1e9 }, cold, cached, cold_map, cached_map]
}

/// Every format of the enabled features, in every way, over every link: the reader finds the dataset's own checksum, or this fails.
#[test]
fn every_format_arrives() {
    let registry = Registry::standard();
    let codecs: Vec<Option<String>> = std::iter::once(None).chain(registry.codecs().next().map(|info| Some(info.name.clone()))).collect();
    let mut ran = 0;
    for ends in registry.sources().iter().map(Source::ends).filter(|ends| ends.dataset == Organization::NAME) {
        for way in Way::SAFE.into_iter().filter(|way| ends.reader(way.reads_all()).is_some()) {
            for codec in &codecs {
                let pipeline = Pipeline { ends: ends.clone(), codec: codec.clone(), way };
                for link in links() {
                    let blocks = if matches!(link, Link::Tcp { .. }) { 3 } else { 1 };
                    let message = Message { block: Spec { members: 200 / blocks, ..spec() }, blocks };
                    let (times, bytes) = pipeline.run(&registry, &message, &link, 1).unwrap();
                    assert!(times.len() == 1 && bytes > 0);
                    ran += 1;
                }
            }
        }
    }
    assert_eq!(ran > 0, registry.sources().iter().any(|source| !source.readings().is_empty()));
}

#[test]
fn a_message_is_cut_as_the_model_cuts_it() {
    let spec = Organization::spec(50_000);
    assert_eq!(Message::of(&spec, Plan::Sequence, 80.0), Message { block: spec.clone(), blocks: 1 });
    let message = Message::of(&spec, Plan::Blocks, 80.0);
    assert_eq!((message.blocks, message.block.members, message.members()), (15, 3333, 49_995));
}

/// The bucket holds a transfer to its speed from below: nothing arrives before its last bit could have.
#[test]
fn nothing_is_faster_than_its_link() {
    let registry = Registry::standard();
    let Some(ends) = registry.sources().iter().map(Source::ends).find(|ends| ends.reader(Operation::Decode).is_some()) else { return };
    let pipeline = Pipeline { ends: ends.clone(), codec: None, way: Way::Decode };
    let message = Message { block: spec(), blocks: 2 };
    let bandwidth = 10e6;
    let (times, bytes) = pipeline.run(&registry, &message, &Link::Tcp { bandwidth }, 1).unwrap();
    // What the bucket holds at the start comes at once.
    let least = bytes as f64 * 8.0 / bandwidth - 0.002;
    assert!(times[0].as_secs_f64() >= least, "{times:?} for {bytes} bytes");
}
