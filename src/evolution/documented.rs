//! What the formats' own documents, or a single try by hand, lead one to expect; and what says so.
//!
//! It stands beside what was run, and never in its place: where the two differ, the run is right and the report says so.

use super::change::Direction;
use super::formats::Setting;
use super::outcome::Outcome;

/// A row: the change's number, and a code for each of J, H, P, A, M, F, C and R.
///
/// A code is forward/backward, or one for both. Letters are those of [`Outcome::letter`], `|` stands between what depends on the value or on
/// the library's settings, `?` behind what was inferred and not documented, `–` where nothing is said.
type Row = (u8, [&'static str; 8]);

const COLUMNS: [&str; 8] = ["J", "H", "P", "A", "M", "F", "C", "R"];

const ROWS: [Row; 40] = [
    (1, ["X/D", "E/E", "X/D", "E/E", "X/D", "X/D", "X/D", "S/E"]),
    (2, ["X/D", "E/E", "X/D", "E/D", "X/D", "X/D", "X/D", "S/E"]),
    (3, ["X/E", "E/E", "X/D", "E/E", "X/E", "X/E", "–", "S/E"]),
    (4, ["X/D", "S", "X/D", "E/S", "X/D", "S", "X/D", "S?/E?"]),
    (5, ["E/X", "S", "D/X", "E/E", "E/X", "S", "D/X", "E?/S?"]),
    (6, ["E", "O", "O", "O", "E", "O", "O", "O"]),
    (7, ["O", "S", "O", "S", "O", "S", "O", "S"]),
    (8, ["–", "–", "S", "–", "–", "S", "S", "–"]),
    (9, ["–", "–", "E", "–", "–", "S|E", "S?", "–"]),
    (10, ["E/O", "S", "S/O", "E/O", "E/O", "S", "S?", "S?/E?"]),
    (11, ["E", "S", "X|D/D", "E", "E", "S", "S?", "S"]),
    (12, ["E", "S", "S", "E", "E", "S", "S?", "S"]),
    (13, ["–", "–", "S", "–", "–", "–", "–", "–"]),
    (14, ["–", "–", "E", "–", "–", "–", "–", "–"]),
    (15, ["O|E", "S", "S", "O|E", "O|E", "S", "S?", "S"]),
    (16, ["O", "S", "E", "O", "O", "S?", "S?", "S?/E?"]),
    (17, ["E", "S|E", "E", "E", "E", "E", "E?", "S|E?"]),
    (18, ["E", "O", "O|E", "E", "E", "O?", "O", "O?"]),
    (19, ["–", "–", "S", "–", "–", "–", "–", "–"]),
    (20, ["E", "S", "S/O", "E", "E", "E?", "E", "S|E?"]),
    (21, ["X/D", "S", "X/D", "E", "X/D", "X/D", "X/D", "S/E"]),
    (22, ["E", "S", "E?", "E", "E", "E?", "O", "S?"]),
    (23, ["O/E", "S", "O/D", "O/E", "O/E", "O/E", "–", "S?"]),
    (24, ["O", "S", "O", "O", "O", "O", "O", "S?/E?"]),
    (25, ["E/O", "E?/O", "K/O", "E/O", "E/O", "K/O", "E/O", "E/O"]),
    (26, ["O", "S", "S", "O", "O", "S", "S", "S"]),
    (27, ["E", "O", "O", "E", "E", "O", "O", "O"]),
    (28, ["E", "S", "–", "E", "E", "–", "–", "E?"]),
    (29, ["E/O", "E/O", "D/O", "E/O", "E/O", "K/O", "E/O", "E/O"]),
    (30, ["–", "–", "O/S", "–", "–", "–", "S/O", "–"]),
    (31, ["E", "O?", "D", "E", "E", "D?", "O", "O?"]),
    (32, ["D", "–", "D", "D", "D", "S", "S", "–"]),
    (33, ["E", "O?", "O", "E", "E", "–", "–", "–"]),
    (34, ["S", "O", "S", "S", "S", "O", "O", "O"]),
    (35, ["O|E", "S", "S?", "S|E", "O|E", "S", "S?", "S|E"]),
    (36, ["O", "S", "O", "E", "E", "O", "O", "S|E"]),
    (37, ["O", "S|E", "–", "S", "O", "–", "–", "–"]),
    (38, ["O", "–", "–", "O", "O", "–", "–", "–"]),
    (39, ["E", "S", "E/O", "E", "E", "E?", "E", "S|E?"]),
    (40, ["–", "–", "–", "–", "–", "S", "–", "–"]),
];

/// What is said of a setting of its own, where the row of its format does not hold for it.
const SETTINGS: [(u8, &str, &str); 14] = [
    (1, "Hl", "X/D"),
    (1, "Hbl", "X/D"),
    (1, "Rb", "O|X/E"),
    (1, "Rv", "E/E"),
    (1, "Rvb", "E/O"),
    (1, "Re", "E/O"),
    (2, "Jd", "X/D"),
    (2, "Ad", "E/D"),
    (2, "Md", "X/D"),
    (4, "Ad", "E/S"),
    (4, "Fi", "X/D"),
    (5, "Fi", "D/X"),
    (7, "Fi", "O"),
    (11, "Fi", "X|D/D"),
];

/// What is documented or inferred for a cell, as letters with `|` between, and `?` where it was inferred. Nothing is said of the hop, nor
/// of settings that no source speaks of.
pub fn documented(number: u8, setting: Setting, direction: Direction) -> Option<&'static str> {
    let letter = setting.letter();
    let of_setting = SETTINGS.iter().find(|(row, column, _)| *row == number && *column == letter).map(|(_, _, code)| *code);
    // What only comes about with serde's defaults is held against those settings, above, and not against the derived readers.
    let needs_defaults = number == 2 && ["J", "A", "M"].contains(&letter) || number == 4 && letter == "A";
    let base = if needs_defaults { None } else { Some(letter) };
    // BinaryWriter's layout differs from the article's in the length of a string only.
    let base = base.map(|letter| if letter == "Hb" { "H" } else { letter });
    let of_format = base.and_then(|letter| {
        let column = COLUMNS.iter().position(|column| *column == letter)?;
        ROWS.iter().find(|(row, _)| *row == number).map(|(_, codes)| codes[column])
    });
    let code = of_setting.or(of_format).filter(|code| *code != "–")?;
    let (forward, backward) = code.split_once('/').unwrap_or((code, code));
    match direction {
        Direction::Forward => Some(forward),
        Direction::Backward => Some(backward),
        Direction::Hop => None,
    }
}

/// Whether what was run is what was documented.
pub fn agrees(documented: &str, worst: Outcome) -> bool {
    documented.trim_end_matches('?').split('|').any(|letter| letter.starts_with(worst.letter()))
}

/// Where a format's rules stand, and what they come to, in our words.
pub fn rule(format: &str) -> &'static str {
    match format {
        "json" => {
            "serde's book, \"Container attributes\" and \"Field attributes\": a field is known by its name; unknown ones are ignored \
             unless denied; a missing one is an error unless it is an Option or has a default"
        }
        "messagepack" => {
            "rmp-serde does not document it; msgpack-rust, issue 302: as an array a struct is known by its fields' places, and its \
             length has to be right"
        }
        "custom" | "binary_writer" => {
            "the layout has neither names nor numbers: its only rule is that both sides have the same fields in the same order"
        }
        "protobuf" => {
            "the Protocol Buffers language guide, \"Updating A Message Type\": never change or reuse a number; int32, uint32, int64, \
             uint64 and bool are compatible and truncate; string and bytes are, where the bytes are UTF-8"
        }
        "flatbuffers" => {
            "FlatBuffers' docs/source/evolution.md: append at a table's end or number all fields by `id`; deprecate instead of deleting; \
             never change a type or a default"
        }
        "capnp" => {
            "Cap'n Proto's \"Evolving Your Protocol\" and encoding.md: append with the next number, never change a type, number or \
             default; a data field is stored XORed with its default"
        }
        "rkyv" => {
            "rkyv's lib.rs, \"Compatibility\": archives are compatible for the same types, features and endianness; it has no schema \
             evolution of its own"
        }
        _ => "",
    }
}

/// How to evolve a schema in a format, in one line: what the matrix comes to.
pub fn advice(format: &str) -> &'static str {
    match format {
        "json" => {
            "JSON: add only fields that are an Option or have a serde default; never rename, remove a required field or change a type; \
             flatten unknown fields where a program writes back what it read"
        }
        "messagepack" => {
            "MessagePack: as maps, as JSON; as arrays not at all, since a field more is an error and a field moved is a wrong value"
        }
        "custom" => "the article's layout: not at all without a version in front; a lenient end of input works at the root alone",
        "binary_writer" => "BinaryWriter: as the article's layout",
        "protobuf" => {
            "Protocol Buffers: add fields with new numbers, rename freely, reserve what was deleted; never change a sign, a width or a \
             number's meaning; unknown fields do not survive a hop through prost"
        }
        "flatbuffers" => {
            "FlatBuffers: number fields by id, deprecate instead of deleting, append; a changed type or default is not noticed"
        }
        "capnp" => "Cap'n Proto: append with the next number, leave types and defaults alone; copy messages as a whole and hops preserve",
        "rkyv" => "rkyv: never read an archive with another type than wrote it; use an envelope, or an enum of versions, each behind AsBox",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_made_of_letters_that_there_are() {
        let letters: String = Outcome::ALL.map(Outcome::letter).iter().collect();
        for (number, (row, codes)) in (1..).zip(ROWS) {
            assert_eq!(number, row);
            for code in codes.iter().filter(|code| **code != "–") {
                assert!(code.chars().all(|c| letters.contains(c) || "/|?".contains(c)), "{row}: {code}");
            }
        }
    }
}
