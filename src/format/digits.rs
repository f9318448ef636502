//! Numbers in text as .NET writes them: the shortest digits that are read back as the same number.

use super::sink::Sink;

/// Whole numbers below this are their own shortest digits: doubles are at most one apart there.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Sink<'_> {
    /// A finite double.
    pub(super) fn double(&mut self, value: f64) {
        if value.trunc() == value && value.abs() < WHOLE && (value != 0.0 || value.is_sign_positive()) {
            self.integer(value as i64);
        } else {
            self.number(zmij::Buffer::new().format_finite(value), 16);
        }
    }

    /// A finite number of 32 bits.
    #[cfg(feature = "system-text-json")]
    pub(super) fn single(&mut self, value: f32) {
        self.number(zmij::Buffer::new().format_finite(value), 8);
    }

    pub(super) fn integer(&mut self, value: impl itoa::Integer) {
        self.put_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// A number whose shortest digits are `text`, in the form of .NET's "R": plain as long as its exponent is in -4..=`greatest`.
    fn number(&mut self, text: &str, greatest: i32) {
        let (text, sign) = text.strip_prefix('-').map_or((text, ""), |text| (text, "-"));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = [0; 40];
        let mut count = 0;
        for digit in whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit).take(digits.len()) {
            digits[count] = digit;
            count += 1;
        }
        let leading = digits[..count].iter().take_while(|&&digit| digit == b'0').count();
        let trailing = digits[leading..count].iter().rev().take_while(|&&digit| digit == b'0').count();
        let significant = &digits[leading..count - trailing];
        // The exponent of the first significant digit.
        let exponent = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32 - 1 - leading as i32;

        self.put_slice(sign.as_bytes());
        match significant {
            [] => self.put(*b"0"),
            [first, others @ ..] if exponent > greatest || exponent < -4 => {
                self.put([*first]);
                if !others.is_empty() {
                    self.put(*b".");
                    self.put_slice(others);
                }
                self.put([b'E', if exponent < 0 { b'-' } else { b'+' }]);
                if exponent.abs() < 10 {
                    self.put(*b"0");
                }
                self.integer(exponent.abs());
            }
            _ if exponent < 0 => {
                self.put(*b"0.");
                for _ in 1..-exponent {
                    self.put(*b"0");
                }
                self.put_slice(significant);
            }
            _ => {
                let point = exponent as usize + 1;
                if significant.len() > point {
                    self.put_slice(&significant[..point]);
                    self.put(*b".");
                    self.put_slice(&significant[point..]);
                } else {
                    self.put_slice(significant);
                    for _ in significant.len()..point {
                        self.put(*b"0");
                    }
                }
            }
        }
    }
}
