//! Figures with units on the command line. Each error says which units there are.

/// Bits a second: `100Mbit`, `2.5Gbit/s`, or bytes as `550MB/s`.
pub(super) fn bandwidth(text: &str) -> Result<f64, String> {
    let bare = text.trim_end_matches("/s");
    let units = [("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9), ("tbit", 1e12), ("kb", 8e3), ("mb", 8e6), ("gb", 8e9)];
    positive(bare, &units, "a speed such as 100Mbit, 2.5Gbit or 550MB (a second)")
}

/// Bytes: `512MB`, `2GiB`.
pub(super) fn bytes(text: &str) -> Result<f64, String> {
    let units = [("kib", 1024.0), ("mib", 1_048_576.0), ("gib", 1_073_741_824.0), ("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("b", 1.0)];
    positive(text, &units, "an amount of memory such as 512MB or 2GiB")
}

/// Nanoseconds: `20ms`, `150us`, `0`.
pub(super) fn duration(text: &str) -> Result<f64, String> {
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let wanted = "a time such as 20ms, 150us or 0";
    if text.trim() == "0" { Ok(0.0) } else { positive(text, &units, wanted) }
}

/// A part of one: `5%` or `0.05`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let part = digits.trim().parse::<f64>().ok().map(|value| value / divisor).filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "not a share between 0% and 100%, such as 5% or 0.05".to_owned())
}

/// A number above nought.
pub(super) fn count(text: &str) -> Result<f64, String> {
    let value = text.replace(['_', ','], "").parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "not a number above 0".to_owned())
}

fn positive(text: &str, units: &[(&str, f64)], wanted: &str) -> Result<f64, String> {
    let text = text.trim();
    let split = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let unit = unit.trim().to_lowercase();
    let factor = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| factor);
    let value = digits.parse::<f64>().ok().zip(factor).map(|(value, factor)| value * factor).filter(|value| *value > 0.0);
    value.ok_or_else(|| {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        format!("not {wanted}; the units are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_units() {
        for (text, value) in [("100Mbit", 1e8), ("2.5 Gbit/s", 2.5e9), ("550MB/s", 4.4e9), ("1mbit", 1e6)] {
            assert_eq!(bandwidth(text), Ok(value));
        }
        for (text, value) in [("512MB", 512e6), ("2GiB", 2_147_483_648.0), ("7b", 7.0)] {
            assert_eq!(bytes(text), Ok(value));
        }
        for (text, value) in [("0", 0.0), ("20ms", 20e6), ("1.5us", 1500.0), ("2s", 2e9)] {
            assert_eq!(duration(text), Ok(value));
        }
        for (text, value) in [("5%", 0.05), ("0.05", 0.05), ("100%", 1.0), ("0", 0.0)] {
            assert_eq!(share(text), Ok(value));
        }
        assert_eq!(count("1,000_000"), Ok(1e6));
    }

    #[test]
    fn what_is_no_figure_says_what_would_be() {
        for (error, word) in [
            (bandwidth("100"), "mbit"),
            (bandwidth("fast"), "100Mbit"),
            (bandwidth("0Mbit"), "100Mbit"),
            (bytes("512"), "mib"),
            (bytes("-1MB"), "512MB"),
            (duration("1"), "ms"),
            (share("120%"), "5%"),
            (share("x"), "5%"),
            (count("-3"), "above 0"),
            (count("inf"), "above 0"),
        ] {
            assert!(error.clone().unwrap_err().contains(word), "{error:?}");
        }
    }
}
