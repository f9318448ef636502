//! Single values that .NET has and Rust's standard library has not.

use std::fmt;
use std::str::FromStr;

/// Ticks of 100 nanoseconds in a second.
const SECOND: u64 = 10_000_000;
/// Ticks in a day.
const DAY: u64 = 86_400 * SECOND;

/// .NET's `DateTime`: ticks since 0001-01-01, and what the clock was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateTime(u64);

/// What clock a [`DateTime`] was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateTimeKind {
    /// It is not known.
    Unspecified,
    /// Universal time.
    Utc,
    /// The time of the machine that wrote it, whose zone is not told.
    Local,
    /// As local, in the hour that daylight saving time repeats.
    LocalRepeated,
}

impl DateTime {
    /// The last tick of the year 9999.
    pub const MAX_TICKS: u64 = 3_155_378_975_999_999_999;
    const KIND: u32 = 62;

    /// A time, if there is one at so many ticks.
    pub fn new(ticks: u64, kind: DateTimeKind) -> Option<Self> {
        (ticks <= Self::MAX_TICKS).then_some(Self(ticks | (kind as u64) << Self::KIND))
    }

    /// The form in memory and on the wire: the kind in the two highest bits, the ticks below.
    pub fn from_bits(bits: u64) -> Option<Self> {
        let time = Self(bits);
        (time.ticks() <= Self::MAX_TICKS).then_some(time)
    }

    /// See [`from_bits`](Self::from_bits).
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Ticks of 100 nanoseconds since 0001-01-01.
    pub fn ticks(self) -> u64 {
        self.0 & ((1 << Self::KIND) - 1)
    }

    /// What clock it was read from.
    pub fn kind(self) -> DateTimeKind {
        match self.0 >> Self::KIND {
            0 => DateTimeKind::Unspecified,
            1 => DateTimeKind::Utc,
            2 => DateTimeKind::Local,
            _ => DateTimeKind::LocalRepeated,
        }
    }
}

/// As ISO 8601, with as many digits of the second as there are; `Z` for universal time, `local` behind a local one.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.ticks() / DAY);
        let time = self.ticks() % DAY;
        let seconds = time / SECOND;
        write!(f, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        let fraction = time % SECOND;
        if fraction != 0 {
            let digits = format!("{fraction:07}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        match self.kind() {
            DateTimeKind::Unspecified => Ok(()),
            DateTimeKind::Utc => f.write_str("Z"),
            DateTimeKind::Local | DateTimeKind::LocalRepeated => f.write_str(" local"),
        }
    }
}

/// Year, month and day of the day that is so many days after 0001-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    // Years are counted from March, so that the day which some years have more of is the last one.
    let shifted = days + 306;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year_of_era;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// .NET's `TimeSpan`: ticks of 100 nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeSpan(pub i64);

/// As .NET prints it: `-1.02:03:04.5000000`, the days and the fraction only where there are any.
impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        if ticks >= DAY {
            write!(f, "{}.", ticks / DAY)?;
        }
        let seconds = ticks % DAY / SECOND;
        write!(f, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        match ticks % SECOND {
            0 => Ok(()),
            fraction => write!(f, ".{fraction:07}"),
        }
    }
}

/// .NET's `decimal`: an integer of 96 bits, a sign, and how many of its digits stand behind the point.
///
/// 1.1 and 1.10 are two values here, as they are printed differently. It takes 13 bytes without alignment, so that a
/// [`Value`](super::Value) that may be one takes 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: [u8; 12],
    sign_and_scale: u8,
}

impl Decimal {
    /// The most digits behind the point.
    pub const MAX_SCALE: u8 = 28;
    const NEGATIVE: u8 = 0x80;

    /// A decimal, if the mantissa has no more than 96 bits and the scale is not over 28.
    pub fn new(negative: bool, mantissa: u128, scale: u8) -> Option<Self> {
        if mantissa >> 96 != 0 || scale > Self::MAX_SCALE {
            return None;
        }
        let mut bytes = [0; 12];
        bytes.copy_from_slice(&mantissa.to_le_bytes()[..12]);
        Some(Self { mantissa: bytes, sign_and_scale: scale | if negative { Self::NEGATIVE } else { 0 } })
    }

    /// The integer of 96 bits.
    pub fn mantissa(self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&self.mantissa);
        u128::from_le_bytes(bytes)
    }

    /// How many digits stand behind the point.
    pub fn scale(self) -> u8 {
        self.sign_and_scale & !Self::NEGATIVE
    }

    /// Whether there is a minus, which zero may have too.
    pub fn is_negative(self) -> bool {
        self.sign_and_scale & Self::NEGATIVE != 0
    }
}

/// With all digits of its scale. Zero has no minus, as in .NET.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale());
        let digits = format!("{:0width$}", self.mantissa(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        if self.is_negative() && self.mantissa() != 0 {
            f.write_str("-")?;
        }
        f.write_str(whole)?;
        if scale > 0 {
            write!(f, ".{fraction}")?;
        }
        Ok(())
    }
}

/// The text is no decimal, or its whole part needs more than 96 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal")]
pub struct NotADecimal;

/// What .NET's `decimal.Parse` takes in the invariant culture: blanks around, one sign before or behind, commas between digits before
/// the point, zero bytes at the end. Digits that no longer fit behind the point are rounded, a half to the even neighbour.
impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let blank = |c: char| matches!(c, '\t'..='\r' | ' ');
        let mut rest = text.trim_start_matches(blank);
        let mut sign = None;
        let mut take_sign = |rest: &mut &str| {
            if let Some(stripped) = rest.strip_prefix(['-', '+'])
                && sign.is_none()
            {
                sign = Some(rest.starts_with('-'));
                *rest = stripped;
            }
        };
        take_sign(&mut rest);
        rest = rest.trim_start_matches(blank);

        let digits_end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | ',')).unwrap_or(rest.len());
        let (digits, mut tail) = rest.split_at(digits_end);
        let mut number = Digits::default();
        for digit in digits.bytes() {
            match digit {
                b'.' if !number.after_point => number.after_point = true,
                b',' if !number.after_point && number.any => {}
                b'0'..=b'9' => number.push(digit - b'0')?,
                _ => return Err(NotADecimal),
            }
        }
        if !number.any {
            return Err(NotADecimal);
        }
        tail = tail.trim_start_matches(blank);
        take_sign(&mut tail);
        if !tail.trim_start_matches(blank).trim_end_matches('\0').is_empty() {
            return Err(NotADecimal);
        }
        number.finish(sign == Some(true)).ok_or(NotADecimal)
    }
}

/// Digits as they are read.
#[derive(Default)]
struct Digits {
    mantissa: u128,
    scale: u8,
    after_point: bool,
    any: bool,
    /// The first digit that no longer fits, and whether one behind it is not zero.
    dropped: Option<(u8, bool)>,
}

impl Digits {
    fn push(&mut self, digit: u8) -> Result<(), NotADecimal> {
        self.any = true;
        if let Some((_, more)) = &mut self.dropped {
            *more |= digit != 0;
            return if self.after_point { Ok(()) } else { Err(NotADecimal) };
        }
        let longer = self.mantissa * 10 + u128::from(digit);
        if longer >> 96 == 0 && !(self.after_point && self.scale == Decimal::MAX_SCALE) {
            self.mantissa = longer;
            self.scale += u8::from(self.after_point);
            Ok(())
        } else if self.after_point {
            self.dropped = Some((digit, false));
            Ok(())
        } else {
            Err(NotADecimal)
        }
    }

    fn finish(mut self, negative: bool) -> Option<Decimal> {
        if let Some((digit, more)) = self.dropped {
            let up = digit > 5 || digit == 5 && (more || self.mantissa % 2 == 1);
            self.mantissa += u128::from(up);
            if self.mantissa >> 96 != 0 && self.scale > 0 {
                self.mantissa = (self.mantissa + 5) / 10;
                self.scale -= 1;
            }
        }
        Decimal::new(negative, self.mantissa, self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_as_dotnet_prints_them() {
        for (ticks, kind, expected) in [
            (0, DateTimeKind::Unspecified, "0001-01-01T00:00:00"),
            (DateTime::MAX_TICKS, DateTimeKind::Unspecified, "9999-12-31T23:59:59.9999999"),
            (638_377_992_731_234_567, DateTimeKind::Utc, "2023-12-10T10:01:13.1234567Z"),
            (630_873_792_000_000_000, DateTimeKind::Local, "2000-02-29T00:00:00 local"),
        ] {
            assert_eq!(DateTime::new(ticks, kind).unwrap().to_string(), expected);
        }
        assert_eq!(DateTime::from_bits(DateTime::MAX_TICKS + 1), None);
        assert_eq!(DateTime::from_bits(u64::MAX), None);
    }

    #[test]
    fn spans_are_printed_as_dotnet_prints_them() {
        for (ticks, expected) in [
            (0, "00:00:00"),
            (-54_000_000_000, "-01:30:00"),
            (1, "00:00:00.0000001"),
            (7 * DAY as i64, "7.00:00:00"),
            (i64::MIN, "-10675199.02:48:05.4775808"),
        ] {
            assert_eq!(TimeSpan(ticks).to_string(), expected);
        }
    }

    #[test]
    fn decimals_are_read_and_printed() {
        for (text, expected) in [
            ("-1.10", "-1.10"),
            ("6", "6"),
            (" +1,234.5 ", "1234.5"),
            ("0.0000000000000000000000000001", "0.0000000000000000000000000001"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("0.99999999999999999999999999995", "1.0000000000000000000000000000"),
            ("0.00000000000000000000000000025", "0.0000000000000000000000000002"),
            ("1.5\0\0", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("3-", "-3"),
        ] {
            assert_eq!(text.parse::<Decimal>().map(|decimal| decimal.to_string()).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "-", ".", ",1", "1.2.3", "79228162514264337593543950336", "--1", "-1-", "1e5", "١", "0x1", "1 2"] {
            assert_eq!(text.parse::<Decimal>(), Err(NotADecimal), "{text}");
        }
    }
}
