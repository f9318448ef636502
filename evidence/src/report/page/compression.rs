//! Every codec there is: which format compresses to what, when compression saves more than a tighter layout, and one member out of blocks.

use super::super::document::{Block, Section};
use super::super::model::{Group, memory, scaled};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, codecs, join};
use crate::case::MEMBERS_READ;
use crate::operation::Operation;
use crate::record::Size;

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    // A group with no more than the usual codecs has said all of it in its own tables.
    for group in page.groups.iter().filter(|group| group.codecs().len() > group.usual_codecs().len()) {
        blocks.push(Block::Heading(page.heading(group)));
        blocks.extend(of_group(group));
    }
    (!blocks.is_empty()).then(|| Section::new("compression", "Every codec, whole and in blocks", blocks))
}

fn of_group(group: &Group) -> Vec<Block> {
    let mut blocks = vec![Block::Table(by_format(group))];
    blocks.extend([against_layout(group), one_member(group), states(group)].into_iter().flatten().flatten());
    let mut all = codecs::head();
    for format in &group.formats {
        for codec in group.codecs() {
            all.row(codecs::row_mark(group, format, codec), codecs::cells(group, format, codec));
        }
    }
    all.sort_by(2);
    all.notes = group.reasons(&[Operation::Compress, Operation::Decompress, Operation::ReadMember]).into_iter().map(Into::into).collect();
    let summary = format!("All {} formats × {} codecs", group.formats.len(), group.codecs().len());
    blocks.push(Block::Fold { summary, blocks: vec![Block::Table(all)] });
    blocks
}

/// The bytes that a format comes to, and the time both ways through one of its codecs, a member.
struct Candidate<'r> {
    size: &'r Size,
    codec: &'r str,
    both_ways: f64,
}

/// What was measured in bytes and in both times.
fn candidates<'r>(group: &Group<'r>, format: &str) -> Vec<Candidate<'r>> {
    let candidate = |codec: &'r str| {
        let time = |operation| Some(group.reading_of(operation, format, Some(codec)).measured()?.median);
        let both_ways = time(Operation::Compress)? + time(Operation::Decompress)?;
        Some(Candidate { size: group.size(format, Some(codec))?, codec, both_ways })
    };
    group.codecs().into_iter().filter_map(candidate).collect()
}

fn by_format(group: &Group) -> Table {
    let mut table =
        Table::new("What each format compresses to: by the codec that makes it smallest, and by the fastest that at least halves it")
            .words("format")
            .numbers("payload", "bytes/member")
            .numbers("smallest", "bytes/member")
            .words("by")
            .ratios("payload ÷ smallest")
            .numbers("halved or better", "bytes/member")
            .words("fastest such")
            .numbers("compress + decompress", "ns/member");
    for format in &group.formats {
        let Some(raw) = group.size(format, None) else { continue };
        let candidates = candidates(group, format);
        let smallest = candidates.iter().min_by_key(|candidate| candidate.size.bytes);
        let halving = candidates.iter().filter(|candidate| candidate.size.bytes * 2 <= raw.bytes);
        let fastest = halving.min_by(|one, other| one.both_ways.total_cmp(&other.both_ways));
        let bytes =
            |candidate: Option<&Candidate>| Cell::number(candidate.map(|candidate| candidate.size.bytes as f64 * group.per_member()));
        let name = |candidate: Option<&Candidate>| Cell::text(candidate.map_or("–", |candidate| candidate.codec));
        let cells = vec![
            Cell::text(*format),
            Cell::number(raw.bytes as f64 * group.per_member()),
            bytes(smallest),
            name(smallest),
            Cell::number(smallest.map(|candidate| raw.bytes as f64 / candidate.size.bytes.max(1) as f64)),
            bytes(fastest),
            name(fastest),
            Cell::number(fastest.map(|candidate| candidate.both_ways * group.per_member())),
        ];
        table.row(Mark::Plain, cells);
    }
    table.sort_by(2);
    table.mark_least(2);
    table
}

/// Where the most verbose format, compressed, is smaller than the tightest layout that is not, and what it costs.
fn against_layout(group: &Group) -> Option<Vec<Block>> {
    let raw = || group.formats.iter().filter_map(|format| group.size(format, None));
    let (verbose, tight) = (raw().max_by_key(|size| size.bytes)?, raw().min_by_key(|size| size.bytes)?);
    let candidates = candidates(group, &verbose.format);
    let smaller: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.size.bytes < tight.bytes).collect();
    let fastest = smaller.iter().min_by(|one, other| one.both_ways.total_cmp(&other.both_ways));
    let times = |format: &str| {
        Some(group.reading(Operation::Encode, format).measured()?.median + group.reading(Operation::Decode, format).measured()?.median)
    };
    let mut text = format!(
        "The most verbose payload is that of {} ({} bytes a member), the tightest that of {} ({}). Compressed, {} is smaller than {} \
         uncompressed with {} of {} codecs",
        verbose.format,
        number::figure(verbose.bytes as f64 * group.per_member()),
        tight.format,
        number::figure(tight.bytes as f64 * group.per_member()),
        verbose.format,
        tight.format,
        smaller.len(),
        candidates.len(),
    );
    match (fastest, times(&verbose.format), times(&tight.format)) {
        (Some(fastest), Some(verbose_times), Some(tight_times)) => text.push_str(&format!(
            ". The fastest of these is {}: encode, compress, decompress and decode then take {} ns a member, against {} for encode and \
             decode of {}.",
            fastest.codec,
            number::figure((verbose_times + fastest.both_ways) * group.per_member()),
            number::figure(tight_times * group.per_member()),
            tight.format
        )),
        _ => text.push('.'),
    }
    let beaten: Vec<String> = group
        .formats
        .iter()
        .filter_map(|format| group.size(format, None))
        .filter(|size| size.format != verbose.format && candidates.iter().any(|candidate| candidate.size.bytes < size.bytes))
        .map(|size| size.format.clone())
        .collect();
    if !beaten.is_empty() {
        text.push_str(&format!(" With the strongest it is smaller than {} as they are encoded.", join(&beaten, "and")));
    }
    Some(vec![Block::prose(text)])
}

/// The time to reach one member through blocks, against the decompression of the whole.
fn one_member(group: &Group) -> Option<Vec<Block>> {
    let mut table = Table::new(
        "One member at a random position out of compressed blocks: its block is decompressed and the member read, in the format's \
         cheapest safe way; each block is a payload of its own",
    )
    .words("format")
    .words("codec")
    .intervals("one member", "µs")
    .numbers("the whole", "µs")
    .ratios("whole ÷ one")
    .numbers("compressed", "bytes/member");
    let mut quickest: Option<(f64, &str, &str)> = None;
    for format in &group.formats {
        for codec in group.codecs() {
            let Some(one) = group.reading_of(Operation::ReadMember, format, Some(codec)).measured() else { continue };
            let one = scaled(&one, 1e-3 / MEMBERS_READ as f64);
            if quickest.is_none_or(|(time, ..)| one.median < time) {
                quickest = Some((one.median, *format, codec));
            }
            let whole = group.reading_of(Operation::Decompress, format, Some(codec)).measured().map(|whole| whole.median * 1e-3);
            let cells = vec![
                Cell::text(*format),
                Cell::text(codec),
                Cell::interval(one),
                Cell::number(whole),
                Cell::number(whole.map(|whole| whole / one.median)),
                Cell::number(group.size(format, Some(codec)).map(|size| size.bytes as f64 * group.per_member())),
            ];
            table.row(Mark::Plain, cells);
        }
    }
    table.sort_by(2);
    let (_, format, codec) = quickest?;
    let text = format!("The quickest way to one member of a compressed dataset is {format} with {codec}.");
    let count = table.rows.len();
    let fold = Block::Fold { summary: format!("One member out of blocks: {count} ways"), blocks: vec![Block::Table(table)] };
    Some(vec![Block::prose(text), fold])
}

/// The memory of the codecs, both that of C and that of Rust.
fn states(group: &Group) -> Option<Vec<Block>> {
    let mut table = Table::new(
        "The memory of each codec on the payload that needs the most: the library's own state, which C allocates and its library tells, \
         and the peak of Rust's heap during one iteration",
    )
    .words("codec")
    .numbers("state", "MB")
    .numbers("peak of the heap, compress", "MB")
    .numbers("peak of the heap, decompress", "MB")
    .numbers("resident peak of the process", "MB");
    for codec in group.codecs() {
        let of = |operation: Option<Operation>, figure: fn(&crate::record::Memory) -> u64| {
            let own = group.most(memory).filter(|record| record.cell.id.codec.as_deref() == Some(codec));
            let largest = own.filter(|record| operation.is_none_or(|operation| record.cell.id.operation == operation)).map(figure).max();
            largest.map(|bytes| bytes as f64 / 1e6)
        };
        let state = of(None, |record| record.state_bytes);
        if state.is_none() {
            continue;
        }
        let cells = vec![
            Cell::text(codec),
            Cell::number(state),
            Cell::number(of(Some(Operation::Compress), |record| record.peak_bytes)),
            Cell::number(of(Some(Operation::Decompress), |record| record.peak_bytes)),
            Cell::number(of(None, |record| record.resident_peak_bytes)),
        ];
        table.row(Mark::Plain, cells);
    }
    (!table.rows.is_empty())
        .then(|| vec![Block::Fold { summary: "The memory of each codec".to_owned(), blocks: vec![Block::Table(table)] }])
}
