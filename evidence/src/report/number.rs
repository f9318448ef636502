//! How numbers are printed: three significant digits, thousands apart, and an interval to the precision of its median.

use crate::statistics::Summary;

/// Three significant digits; digits before the point are never rounded away.
pub fn figure(value: f64) -> String {
    with_decimals(value, decimals(value))
}

/// A thousandth of what is counted in decides nothing: what lies wholly below it is not told more exactly.
const LEAST: f64 = 0.001;

/// A median, and its interval to the same number of decimals; no interval where both lie below a thousandth.
pub fn interval(summary: &Summary) -> (String, Option<String>) {
    if summary.low > 0.0 && summary.high < LEAST {
        return (format!("< {LEAST}"), None);
    }
    let decimals = decimals(summary.median);
    let [median, low, high] = [summary.median, summary.low, summary.high].map(|value| with_decimals(value, decimals));
    (median, Some(format!("({low}–{high})")))
}

/// A whole number, its thousands apart.
pub fn count(value: u64) -> String {
    group_thousands(&value.to_string())
}

/// Nanoseconds in the unit that leaves the fewest digits.
pub fn duration(nanoseconds: f64) -> String {
    scaled(nanoseconds, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// Bytes in the decimal unit that leaves the fewest digits.
pub fn bytes(bytes: f64) -> String {
    scaled(bytes, &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")])
}

/// Bits a second in the unit that leaves the fewest digits; a whole number has no decimals.
pub fn bandwidth(bits: f64) -> String {
    let scaled = scaled(bits, &[(1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")]);
    scaled.replacen(".00 ", " ", 1).replacen(".0 ", " ", 1)
}

/// A part of one as per cent, to two significant digits; the sign does not go to another line.
pub fn percent(part: f64) -> String {
    let value = part * 100.0;
    let decimals = if value == 0.0 { 0 } else { (1 - exponent(value, 1)).clamp(0, 3) };
    format!("{}\u{a0}%", with_decimals(value, decimals as usize))
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    // 999.6 ms are 1.00 s: the unit is chosen by what will be printed.
    let rounded = 10f64.powi(exponent(value, 2) - 2);
    let rounded = if rounded > 0.0 { (value / rounded).round() * rounded } else { value };
    let last = units.len() - 1;
    let (size, unit) = units[units.iter().position(|(size, _)| rounded >= *size).unwrap_or(last)];
    format!("{} {unit}", figure(value / size))
}

fn decimals(value: f64) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    (2 - exponent(value, 2)).clamp(0, 9) as usize
}

/// The decimal exponent of the value once it is rounded to `digits` behind its first digit: 9.996 counts as 10.
fn exponent(value: f64, digits: usize) -> i32 {
    format!("{value:.digits$e}").rsplit('e').next().and_then(|exponent| exponent.parse().ok()).unwrap_or(0)
}

fn with_decimals(value: f64, decimals: usize) -> String {
    let printed = format!("{value:.decimals$}");
    match printed.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", group_thousands(whole)),
        None => group_thousands(&printed),
    }
}

fn group_thousands(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("{sign}{digits}");
    }
    let mut grouped = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_whatever_the_size() {
        for (value, expected) in [
            (0.0, "0"),
            (0.001_234, "0.00123"),
            (0.5, "0.500"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (12.34, "12.3"),
            (99.96, "100"),
            (123.4, "123"),
            (5_012.4, "5,012"),
            (1_234_567.0, "1,234,567"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(figure(value), expected);
        }
    }

    #[test]
    fn an_interval_has_the_precision_of_its_median() {
        for ((median, low, high), expected) in [
            ((12.34, 12.1, 12.58), "12.3 (12.1–12.6)"),
            ((0.5, 0.4, 1.25), "0.500 (0.400–1.250)"),
            ((2_500.0, 2_400.4, 10_000.0), "2,500 (2,400–10,000)"),
        ] {
            let (median, range) = interval(&Summary { median, low, high });
            assert_eq!(format!("{median} {}", range.unwrap()), expected);
        }
        assert_eq!(interval(&Summary { median: 7.4e-7, low: 7.3e-7, high: 7.5e-7 }), ("< 0.001".to_owned(), None));
        assert!(interval(&Summary { median: 7.4e-7, low: 7.3e-7, high: 0.1 }).1.is_some());
    }

    #[test]
    fn units_are_chosen_by_what_is_printed() {
        for (value, expected) in [
            (0.25, "0.250 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (43_100_000.0, "43.1 ms"),
            (1.5e9, "1.50 s"),
            (65.0e9, "65.0 s"),
            (1.0e13, "10,000 s"),
        ] {
            assert_eq!(duration(value), expected);
        }
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (92_853_782, "92,853,782")] {
            assert_eq!(count(number), text);
        }
        assert_eq!(bytes(92_853_782.0), "92.9 MB");
        assert_eq!(bytes(12.0), "12.0 bytes");
        assert_eq!([1e6, 1e7, 2.5e9, 1e11].map(bandwidth), ["1 Mbit/s", "10 Mbit/s", "2.50 Gbit/s", "100 Gbit/s"]);
        assert_eq!(
            (percent(0.031_4), percent(0.000_81), percent(0.996), percent(0.0)),
            ("3.1\u{a0}%".into(), "0.081\u{a0}%".into(), "100\u{a0}%".into(), "0\u{a0}%".into())
        );
    }
}
