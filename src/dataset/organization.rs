//! The article's dataset: an Organization and its Members, as its C# classes declare them.
//!
//! Source: the article's classes and its generator (a seeded `System.Random`, drawn as description, address, value). The seed was
//! the millisecond at which its program started; every published size belongs to one seed, and 712 is the one whose four sizes
//! were all published.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Checksum, Dataset, Field, Random, Read, Spec, shapes};
use crate::error::{Error, Problem, Result};
use crate::limits::{Limits, Meter};

/// The root of the dataset. Null, empty and absent are told apart by `Option`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Organization {
    /// The organization's number.
    pub id: i32,
    /// Five in the generated dataset.
    pub tags: Option<Vec<String>>,
    /// The records.
    pub members: Option<Vec<Member>>,
}

/// One record of the dataset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Member {
    /// The position in the list, in the generated dataset.
    pub id: i32,
    /// A label and the position.
    pub name: Option<String>,
    /// A label and a random number.
    pub description: Option<String>,
    /// A label and a random number.
    pub address: Option<String>,
    /// A random whole number.
    #[serde(serialize_with = "finite_in_text")]
    pub value: f64,
    /// Milliseconds since 1970-01-01 UTC.
    pub update_time: i64,
}

/// An [`Organization`] whose strings point into a payload wherever the format allows it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct OrganizationRef<'p> {
    /// See [`Organization::id`].
    pub id: i32,
    /// See [`Organization::tags`].
    #[serde(borrow)]
    pub tags: Option<Vec<Text<'p>>>,
    /// See [`Organization::members`].
    #[serde(borrow)]
    pub members: Option<Vec<MemberRef<'p>>>,
}

/// A [`Member`] whose strings point into a payload wherever the format allows it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct MemberRef<'p> {
    /// See [`Member::id`].
    pub id: i32,
    /// See [`Member::name`].
    #[serde(borrow)]
    pub name: Option<Text<'p>>,
    /// See [`Member::description`].
    #[serde(borrow)]
    pub description: Option<Text<'p>>,
    /// See [`Member::address`].
    #[serde(borrow)]
    pub address: Option<Text<'p>>,
    /// See [`Member::value`].
    pub value: f64,
    /// See [`Member::update_time`].
    pub update_time: i64,
}

/// A string that borrows from the payload, or owns what had to be unescaped.
///
/// It is not a bare `Cow` because serde's derive borrows only a field that is a `Cow` itself: inside an `Option` or a `Vec` it
/// would own every string, in silence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text<'p>(pub Cow<'p, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'p> From<&'p str> for Text<'p> {
    fn from(text: &'p str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl<'de: 'p, 'p> Deserialize<'de> for Text<'p> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;

        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Borrowing)
    }
}

/// A text format has no form for NaN and the infinities, and serde_json would write null for them, in silence.
fn finite_in_text<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() && !value.is_finite() {
        return Err(serde::ser::Error::custom(format_args!("the number {value}")));
    }
    serializer.serialize_f64(*value)
}

/// Any reading of an [`Organization`]: the value itself, a borrowed value, or a view of a payload.
///
/// An implementation gives [`Read`] for free, so the checksum is written once.
pub trait OrganizationView {
    /// A view of one record.
    type Member<'v>: MemberView
    where
        Self: 'v;

    /// See [`Organization::id`].
    ///
    /// # Errors
    ///
    /// Here and below: a view that validates on demand found the payload to be malformed.
    fn id(&self) -> Result<i32>;

    /// See [`Organization::tags`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>>;

    /// See [`Organization::members`]: their number, and each in its order.
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Self::Member<'_>>>)>>;

    /// Visits the members at these positions, in any order; positions past the end are left out.
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id), or what `visit` returns.
    fn visit_at<'v>(&'v self, positions: &[usize], visit: impl FnMut(usize, Self::Member<'v>) -> Result<()>) -> Result<()>;
}

impl Organization {
    /// Takes over all that a view reads, into the memory that is there already. `format` is whose view it is, for an error.
    ///
    /// # Errors
    ///
    /// It would take more than the limits allow, or a view that validates on demand found the payload to be malformed; the value then
    /// holds some of both.
    pub fn fill(&mut self, view: &impl OrganizationView, format: &'static str, limits: Limits) -> Result<()> {
        let mut filling = Filling { format, meter: Meter::new(limits) };
        self.id = view.id()?;
        match view.tags()? {
            None => self.tags = None,
            Some(tags) => {
                let own = self.tags.get_or_insert_default();
                let foreseen = tags.size_hint().0;
                filling.make_room(own, foreseen)?;
                let mut filled = 0;
                for tag in tags {
                    let tag = tag?;
                    if filled >= foreseen {
                        filling.items::<String>(1)?;
                    }
                    filling.text(tag)?;
                    match own.get_mut(filled) {
                        Some(text) => tag.clone_into(text),
                        None => own.push(tag.to_owned()),
                    }
                    filled += 1;
                }
                own.truncate(filled);
            }
        }
        match view.members()? {
            None => self.members = None,
            Some((count, members)) => {
                let own = self.members.get_or_insert_default();
                filling.make_room(own, count)?;
                let mut filled = 0;
                for member in members {
                    if filled == own.len() {
                        own.push(Member::default());
                    }
                    filling.member(&mut own[filled], &member?)?;
                    filled += 1;
                }
                own.truncate(filled);
            }
        }
        Ok(())
    }
}

/// What a value that is filled has taken of the limits.
struct Filling {
    format: &'static str,
    meter: Meter,
}

impl Filling {
    fn held(&self, result: Result<(), Problem>) -> Result<()> {
        result.map_err(|problem| Error::new(self.format, problem))
    }

    #[inline]
    fn items<T>(&mut self, count: usize) -> Result<()> {
        let result = self.meter.list::<T>(count);
        self.held(result)
    }

    /// So many items are allowed, and have their room at once: a list that grows holds itself twice over while it moves.
    fn make_room<T>(&mut self, list: &mut Vec<T>, count: usize) -> Result<()> {
        self.items::<T>(count)?;
        list.reserve_exact(count.saturating_sub(list.len()));
        Ok(())
    }

    #[inline]
    fn text(&mut self, text: &str) -> Result<()> {
        let result = self.meter.text(text.len());
        self.held(result)
    }

    fn member(&mut self, own: &mut Member, view: &impl MemberView) -> Result<()> {
        own.id = view.id()?;
        self.optional(&mut own.name, view.name()?)?;
        self.optional(&mut own.description, view.description()?)?;
        self.optional(&mut own.address, view.address()?)?;
        own.value = view.value()?;
        own.update_time = view.update_time()?;
        Ok(())
    }

    fn optional(&mut self, own: &mut Option<String>, text: Option<&str>) -> Result<()> {
        if let Some(text) = text {
            self.text(text)?;
        }
        match (own.as_mut(), text) {
            (Some(own), Some(text)) => text.clone_into(own),
            _ => *own = text.map(str::to_owned),
        }
        Ok(())
    }
}

/// Any reading of a [`Member`].
pub trait MemberView {
    /// See [`Member::id`].
    ///
    /// # Errors
    ///
    /// Here and below: a view that validates on demand found the payload to be malformed.
    fn id(&self) -> Result<i32>;

    /// See [`Member::name`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn name(&self) -> Result<Option<&str>>;

    /// See [`Member::description`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn description(&self) -> Result<Option<&str>>;

    /// See [`Member::address`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn address(&self) -> Result<Option<&str>>;

    /// See [`Member::value`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn value(&self) -> Result<f64>;

    /// See [`Member::update_time`].
    ///
    /// # Errors
    ///
    /// As for [`id`](Self::id).
    fn update_time(&self) -> Result<i64>;
}

impl<V: OrganizationView> Read for V {
    fn checksum(&self) -> Result<u64> {
        let mut head = Checksum::new(0).number(self.id()? as u64);
        match self.tags()? {
            None => head = head.list(None),
            Some(tags) => {
                let mut count = 0;
                for tag in tags {
                    head = head.text(Some(tag?));
                    count += 1;
                }
                head = head.list(Some(count));
            }
        }
        let mut sum = 0u64;
        match self.members()? {
            None => head = head.list(None),
            Some((len, members)) => {
                head = head.list(Some(len));
                for (position, member) in members.enumerate() {
                    sum = sum.wrapping_add(member_checksum(position, &member?)?);
                }
            }
        }
        Ok(head.number(sum).finish())
    }

    fn sum_field(&self) -> Result<u64> {
        let mut sum = 0u64;
        if let Some((_, members)) = self.members()? {
            for member in members {
                sum = sum.wrapping_add(member?.value()?.to_bits());
            }
        }
        Ok(sum)
    }

    fn checksum_at(&self, positions: &[usize]) -> Result<u64> {
        let mut sum = 0u64;
        self.visit_at(positions, |position, member| {
            sum = sum.wrapping_add(member_checksum(position, &member)?);
            Ok(())
        })?;
        Ok(sum)
    }

    fn sum_of(&self, field: Field, positions: Option<&[usize]>) -> Result<Option<u64>> {
        let mut sum = 0u64;
        match (field, positions) {
            (Field::All, None) => return self.checksum().map(Some),
            (Field::All, Some(positions)) => return self.checksum_at(positions).map(Some),
            (Field::Number, None) => return self.sum_field().map(Some),
            (Field::Number, Some(positions)) => self.visit_at(positions, |_, member| {
                sum = sum.wrapping_add(member.value()?.to_bits());
                Ok(())
            })?,
            (Field::Text, None) => {
                if let Some((_, members)) = self.members()? {
                    for (position, member) in members.enumerate() {
                        sum = sum.wrapping_add(text_sum(position, &member?)?);
                    }
                }
            }
            (Field::Text, Some(positions)) => self.visit_at(positions, |position, member| {
                sum = sum.wrapping_add(text_sum(position, &member)?);
                Ok(())
            })?,
        }
        Ok(Some(sum))
    }
}

/// The sum of one member's longer string.
#[inline]
fn text_sum(position: usize, member: &impl MemberView) -> Result<u64> {
    Ok(Checksum::new(position as u64).text(member.description()?).finish())
}

/// The sum of one member's six fields. The position is part of it, so members that changed places change the total, although the
/// members' sums are added in any order (which lets the processor work on several at once).
#[inline]
fn member_checksum(position: usize, member: &impl MemberView) -> Result<u64> {
    Ok(Checksum::new(position as u64)
        .number(member.id()? as u64)
        .text(member.name()?)
        .text(member.description()?)
        .text(member.address()?)
        .number(member.value()?.to_bits())
        .number(member.update_time()? as u64)
        .finish())
}

/// Implements both views for a pair of plain types; they differ only in who owns the strings.
macro_rules! plain_views {
    ([$($lifetime:lifetime)?], $organization:ty, $member:ty) => {
        impl$(<$lifetime>)? OrganizationView for $organization {
            type Member<'v>
                = &'v $member
            where
                Self: 'v;

            #[inline]
            fn id(&self) -> Result<i32> {
                Ok(self.id)
            }

            #[inline]
            fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>> {
                Ok(self.tags.as_ref().map(|tags| tags.iter().map(|tag| Ok(&**tag))))
            }

            #[inline]
            fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Self::Member<'_>>>)>> {
                Ok(self.members.as_ref().map(|members| (members.len(), members.iter().map(Ok))))
            }

            fn visit_at<'v>(&'v self, positions: &[usize], mut visit: impl FnMut(usize, Self::Member<'v>) -> Result<()>) -> Result<()> {
                let members = self.members.as_deref().unwrap_or_default();
                positions.iter().filter_map(|&at| members.get(at).map(|member| (at, member))).try_for_each(|(at, member)| visit(at, member))
            }
        }

        impl$(<$lifetime>)? MemberView for &$member {
            #[inline]
            fn id(&self) -> Result<i32> {
                Ok(self.id)
            }

            #[inline]
            fn name(&self) -> Result<Option<&str>> {
                Ok(self.name.as_deref())
            }

            #[inline]
            fn description(&self) -> Result<Option<&str>> {
                Ok(self.description.as_deref())
            }

            #[inline]
            fn address(&self) -> Result<Option<&str>> {
                Ok(self.address.as_deref())
            }

            #[inline]
            fn value(&self) -> Result<f64> {
                Ok(self.value)
            }

            #[inline]
            fn update_time(&self) -> Result<i64> {
                Ok(self.update_time)
            }
        }
    };
}

plain_views!([], Organization, Member);
plain_views!(['p], OrganizationRef<'p>, MemberRef<'p>);

/// Sets every member's [`update_time`](Member::update_time): the change that is measured in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetUpdateTime(pub i64);

impl Dataset for Organization {
    const NAME: &'static str = "organization";
    const DESCRIPTION: &'static str = "the article's Organization: 5 tags, and members of 3 strings, a double and two integers";
    const VARIANTS: &'static [&'static str] = &shapes::VARIANTS;
    const SEED: u64 = 712;
    const CAN_BE_CUT: bool = true;

    type Change = SetUpdateTime;

    fn generate(spec: &Spec) -> Result<Self> {
        match shapes::of(&spec.variant) {
            Some(shape) => Ok(shape.organization(spec)),
            None => Self::article(spec, None),
        }
    }

    fn records(&self) -> usize {
        self.members.as_ref().map_or(0, Vec::len)
    }

    fn data_size(&self) -> usize {
        let tags: usize = self.tags.iter().flatten().map(String::len).sum();
        let members: usize = self
            .members
            .iter()
            .flatten()
            .map(|member| [&member.name, &member.description, &member.address].into_iter().flatten().map(String::len).sum::<usize>() + 20)
            .sum();
        4 + tags + members
    }

    fn change(&self) -> SetUpdateTime {
        let first = self.members.iter().flatten().next().map_or(0, |member| member.update_time);
        SetUpdateTime(first.wrapping_add(86_400_000))
    }

    fn apply(&mut self, change: &SetUpdateTime) {
        for member in self.members.iter_mut().flatten() {
            member.update_time = change.0;
        }
    }

    fn part(&self, records: Range<usize>) -> Option<Self> {
        let members = self.members.as_ref()?.get(records)?.to_vec();
        Some(Self { id: self.id, tags: self.tags.clone(), members: Some(members) })
    }

    fn probes() -> Vec<(&'static str, Self)> {
        super::edges::probes()
    }

    fn difference(&self, came_back: &Self) -> String {
        let text = |text: &Option<String>| text.as_ref().map_or("null".to_owned(), |text| format!("{text:?}"));
        let double = |value: f64| format!("{value:?} ({:016X})", value.to_bits());
        let list = |len: Option<usize>| len.map_or("null".to_owned(), |len| format!("{len} items"));
        let mut pairs = vec![
            ("id", self.id.to_string(), came_back.id.to_string()),
            ("tags", list(self.tags.as_ref().map(Vec::len)), list(came_back.tags.as_ref().map(Vec::len))),
            ("members", list(self.members.as_ref().map(Vec::len)), list(came_back.members.as_ref().map(Vec::len))),
        ];
        for (tag, back) in self.tags.iter().flatten().zip(came_back.tags.iter().flatten()) {
            pairs.push(("tag", format!("{tag:?}"), format!("{back:?}")));
        }
        for (member, back) in self.members.iter().flatten().zip(came_back.members.iter().flatten()) {
            pairs.extend([
                ("member's id", member.id.to_string(), back.id.to_string()),
                ("name", text(&member.name), text(&back.name)),
                ("description", text(&member.description), text(&back.description)),
                ("address", text(&member.address), text(&back.address)),
                ("value", double(member.value), double(back.value)),
                ("update time", member.update_time.to_string(), back.update_time.to_string()),
            ]);
        }
        let changed: Vec<String> =
            pairs.into_iter().filter(|(_, old, new)| old != new).map(|(field, old, new)| format!("{field}: {old} → {new}")).collect();
        changed.join("; ")
    }
}

/// What stands before the numbers in the strings of a variant.
struct Labels {
    tag: &'static str,
    name: &'static str,
    description: &'static str,
    address: &'static str,
}

const ZH: Labels = Labels { tag: "测试标签", name: "测试名字", description: "测试描述", address: "测试地址" };
const JA: Labels = Labels { tag: "テストタグ", name: "テスト名前", description: "テスト説明", address: "テスト住所" };
const EN: Labels = Labels { tag: "tag ", name: "name ", description: "description ", address: "address " };

impl Organization {
    /// The article's value for a seed; with `update_time`, every member has that time instead of the run's own.
    ///
    /// # Errors
    ///
    /// The variant is not one of [`Dataset::VARIANTS`].
    pub fn article(spec: &Spec, update_time: Option<i64>) -> Result<Self> {
        let labels = match spec.variant.as_str() {
            "zh" => ZH,
            "ja" => JA,
            "en" => EN,
            other => return Err(Error::malformed(Self::NAME, format_args!("no variant {other:?}, only {}", Self::VARIANTS.join(", ")))),
        };
        let seed = i32::try_from(spec.seed).map_err(|_| {
            Error::new(Self::NAME, Problem::Limit { limit: "seed of System.Random", allowed: i32::MAX as u64, wanted: spec.seed })
        })?;
        if i32::try_from(spec.members).is_err() {
            return Err(Error::new(Self::NAME, Problem::Limit { limit: "members", allowed: i32::MAX as u64, wanted: spec.members as u64 }));
        }
        let mut random = Random::new(seed);
        let start = start_of_run(seed);
        let members = (0..spec.members)
            .map(|i| {
                let (description, address, value) = (random.next_positive(), random.next_positive(), random.next_positive());
                Member {
                    id: i as i32,
                    name: Some(labelled(labels.name, i)),
                    description: Some(labelled(labels.description, description as usize)),
                    address: Some(labelled(labels.address, address as usize)),
                    value: f64::from(value),
                    update_time: update_time.unwrap_or(start + (i / 1000) as i64),
                }
            })
            .collect();
        Ok(Self { id: 1, tags: Some((0..5).map(|i| labelled(labels.tag, i)).collect()), members: Some(members) })
    }
}

/// When the article's run with this seed started, in Unix milliseconds: two of its runs are dated, the others share a second.
fn start_of_run(seed: i32) -> i64 {
    match seed {
        246 => 1_702_301_684_246,
        901 => 1_702_302_569_901,
        _ => 1_702_220_473_000 + i64::from(seed),
    }
}

/// A label and a number in a string of exactly its size, so that what a clone copies is the data and not spare capacity.
fn labelled(label: &str, number: usize) -> String {
    [label, &number.to_string()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first members as the original program printed them.
    #[test]
    fn the_generated_value_is_the_articles() {
        let organization = Organization::generate(&Organization::spec(3)).unwrap();
        let members = organization.members.as_ref().unwrap();
        assert_eq!(organization.tags.as_ref().unwrap()[4], "测试标签4");
        assert_eq!(members[0].description.as_deref(), Some("测试描述1488349990"));
        assert_eq!(members[0].address.as_deref(), Some("测试地址1570628917"));
        assert_eq!(members[0].value, 960_938_608.0);
        assert_eq!(members[2].update_time, 1_702_220_473_712);
        assert_eq!(members[1].name.as_ref().unwrap().capacity(), "测试名字1".len());
    }

    #[test]
    fn a_variant_that_does_not_exist_is_refused() {
        let spec = Spec { variant: "xx".into(), ..Organization::spec(1) };
        assert!(Organization::generate(&spec).unwrap_err().to_string().contains("zh, ja, en"));
    }

    #[test]
    fn every_field_of_every_member_is_in_the_checksum() {
        let spec = Organization::spec(4);
        let original = Organization::generate(&spec).unwrap();
        let sum = original.checksum().unwrap();
        for at in 0..4 {
            let changes: [fn(&mut Member); 9] = [
                |m| m.id ^= 1,
                |m| m.name = Some("測试名字0".into()),
                |m| m.name = None,
                |m| m.description = Some(String::new()),
                |m| m.address.as_mut().unwrap().push('\0'),
                |m| m.address = None,
                |m| m.value = -m.value,
                |m| m.value = f64::from_bits(m.value.to_bits() ^ 1),
                |m| m.update_time += 1,
            ];
            for (which, change) in changes.iter().enumerate() {
                let mut changed = original.clone();
                change(&mut changed.members.as_mut().unwrap()[at]);
                assert_ne!(changed.checksum().unwrap(), sum, "change {which} of member {at}");
            }
        }
        let mut swapped = original.clone();
        swapped.members.as_mut().unwrap().swap(0, 1);
        assert_ne!(swapped.checksum().unwrap(), sum);
        let mut without = original.clone();
        without.members = None;
        let mut empty = original;
        empty.members = Some(Vec::new());
        assert_ne!(without.checksum().unwrap(), empty.checksum().unwrap());
    }
}
