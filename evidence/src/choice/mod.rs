//! Which format, which codec, which way of reading: the time from value to value over a link, computed from records.
//!
//! [`Facts`] are what the records say of one dataset at one size. A [`Wish`] is what the user has: a link, cores, a way of using the data.
//! [`Answer`] ranks every pipeline (format × codec × way of reading) by the model in [`model`], says which cannot be told apart, what
//! decides, and how the answer changes when an assumption is off by two. Nothing here measures.
//!
//! The page of the report answers by the same model, in `src/report/choice.js`; the browser tests hold the two against each other.

mod answer;
mod facts;
pub mod model;
#[cfg(test)]
mod tests;
mod way;
mod wish;

pub use answer::{Answer, Choice, Excluded, Sensitivity};
pub use facts::{CodecFacts, Damaged, Evolves, Facts, FormatFacts, WayFacts};
pub use model::{Estimate, Plan, Terms};
pub use way::Way;
pub use wish::Wish;
