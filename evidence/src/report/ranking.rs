//! Who comes first, and whether that can be told from noise.

use crate::statistics::Summary;

/// Something that competes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) label: String,
    /// Whether its layout is this crate's own, tuned for one type.
    pub(crate) ours: bool,
    /// What is compared; less is better.
    pub(crate) value: Summary,
}

/// Entries from the least to the greatest median.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranking {
    /// The entries, of which there is at least one.
    entries: Vec<Entry>,
    noise: f64,
}

impl Ranking {
    /// Ranks entries; `noise` is the relative difference up to which two of them are not told apart. Nothing for no entries.
    pub(crate) fn of(mut entries: Vec<Entry>, noise: f64) -> Option<Self> {
        entries.sort_by(|one, other| one.value.median.total_cmp(&other.value.median));
        (!entries.is_empty()).then_some(Self { entries, noise })
    }

    /// The ranking of the entries that are not our own; nothing where there are none, or no others.
    pub(crate) fn without_ours(&self) -> Option<Self> {
        let others: Vec<Entry> = self.entries.iter().filter(|entry| !entry.ours).cloned().collect();
        if others.len() == self.entries.len() { None } else { Self::of(others, self.noise) }
    }

    /// The entry with the least median.
    pub(crate) fn first(&self) -> &Entry {
        &self.entries[0]
    }

    /// The entry behind it.
    pub(crate) fn second(&self) -> Option<&Entry> {
        self.entries.get(1)
    }

    /// The first, and all that cannot be told from it: the gap is within the noise, or the intervals overlap.
    pub(crate) fn tied(&self) -> impl Iterator<Item = &Entry> {
        let first = self.first();
        self.entries.iter().enumerate().filter(|(index, entry)| *index == 0 || !self.is_behind(first, entry)).map(|(_, entry)| entry)
    }

    /// Whether the first stands alone.
    pub(crate) fn is_clear(&self) -> bool {
        self.tied().count() == 1
    }

    fn is_behind(&self, first: &Entry, entry: &Entry) -> bool {
        ratio(&entry.value, &first.value) - 1.0 > self.noise && !first.value.overlaps(&entry.value)
    }
}

/// How many times one median is of another; two noughts are equal.
pub(crate) fn ratio(one: &Summary, other: &Summary) -> f64 {
    if one.median == other.median { 1.0 } else { one.median / other.median }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(entries: &[(&str, f64, f64, f64)], noise: f64) -> Ranking {
        let entry = |&(label, median, low, high): &(&str, f64, f64, f64)| Entry {
            label: label.into(),
            ours: label.starts_with("our"),
            value: Summary { median, low, high },
        };
        Ranking::of(entries.iter().map(entry).collect(), noise).unwrap()
    }

    #[test]
    fn a_gap_counts_when_it_is_beyond_noise_and_intervals_apart() {
        let entries = [("far", 20.0, 19.0, 21.0), ("wide", 12.0, 9.0, 15.0), ("near", 10.2, 10.15, 10.3), ("least", 10.0, 9.9, 10.1)];
        for (noise, tied) in
            [(0.0, vec!["least", "wide"]), (0.03, vec!["least", "near", "wide"]), (1.0, vec!["least", "near", "wide", "far"])]
        {
            let ranking = ranking(&entries, noise);
            assert_eq!(ranking.tied().map(|entry| entry.label.as_str()).collect::<Vec<_>>(), tied);
            assert!(!ranking.is_clear());
            assert_eq!(ranking.second().unwrap().label, "near");
        }
        assert!(ranking(&[entries[0], entries[3]], 0.5).is_clear());
        assert!(ranking(&entries[..1], 0.0).is_clear());
        assert_eq!(Ranking::of(Vec::new(), 0.0), None);
    }

    #[test]
    fn the_others_are_ranked_among_themselves() {
        let entries = [("ours", 10.0, 10.0, 10.0), ("far", 20.0, 20.0, 20.0), ("near", 12.0, 12.0, 12.0)];
        assert_eq!(ranking(&entries, 0.0).without_ours().unwrap().first().label, "near");
        assert_eq!(ranking(&entries[..1], 0.0).without_ours(), None);
        assert_eq!(ranking(&entries[1..], 0.0).without_ours(), None);
    }

    #[test]
    fn equal_sizes_tie_and_others_do_not() {
        let exact = |label, value| (label, value, value, value);
        assert!(!ranking(&[exact("a", 5.0), exact("b", 5.0)], 0.0).is_clear());
        assert!(ranking(&[exact("a", 5.0), exact("b", 6.0)], 0.0).is_clear());
        assert!(!ranking(&[exact("a", 0.0), exact("b", 0.0)], 0.0).is_clear());
    }
}
