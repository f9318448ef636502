//! The dataset of the article on MessagePack and JSON: one small object.
//!
//! Source: the article's class, and the payloads that .NET wrote of it.

use serde::{Deserialize, Serialize};

use super::{Checksum, Dataset, Read, Spec};
use crate::error::{Error, Problem, Result};

/// Four properties. There is one of them, whatever the number of members.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Person {
    /// The person's number.
    pub id: i32,
    /// Two characters of three bytes in UTF-8.
    pub name: Option<String>,
    /// In years.
    pub age: i32,
    /// Six characters of three bytes in UTF-8.
    pub address: Option<String>,
}

impl Dataset for Person {
    const NAME: &'static str = "person";
    const DESCRIPTION: &'static str = "one small object of two numbers and two strings";
    const VARIANTS: &'static [&'static str] = &["zh"];
    const MEASURED: bool = false;

    /// Another age.
    type Change = i32;

    fn generate(spec: &Spec) -> Result<Self> {
        if spec.variant != Self::VARIANTS[0] {
            return Err(Error::new(Self::NAME, Problem::Malformed(format!("no variant {:?}", spec.variant))));
        }
        Ok(Self { id: 1, name: Some("张三".into()), age: 18, address: Some("北京市朝阳区".into()) })
    }

    fn records(&self) -> usize {
        1
    }

    fn data_size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        2 * size_of::<i32>() + text(&self.name) + text(&self.address)
    }

    fn change(&self) -> i32 {
        self.age.wrapping_add(1)
    }

    fn apply(&mut self, change: &i32) {
        self.age = *change;
    }

    fn difference(&self, came_back: &Self) -> String {
        format!("{self:?} → {came_back:?}")
    }
}

impl Read for Person {
    fn checksum(&self) -> Result<u64> {
        let sum = Checksum::new(0).number(self.id as u64).text(self.name.as_deref());
        Ok(sum.number(self.age as u64).text(self.address.as_deref()).finish())
    }

    fn sum_field(&self) -> Result<u64> {
        Ok(self.age as u64)
    }

    fn checksum_at(&self, positions: &[usize]) -> Result<u64> {
        let times = positions.iter().filter(|&&position| position == 0).count() as u64;
        Ok(self.checksum()?.wrapping_mul(times))
    }
}
