//! Which texts are names of types and of libraries. No type is ever looked for: what is no name is refused, as .NET's own decoder does.
//!
//! Source: .NET's documentation of `Type.GetType` (names, nesting, generic arguments, arrays) and of assembly display names; that the
//! names of a payload may have twenty parts is `TypeNameParseOptions.MaxNodes`.

/// How many parts (types, generic definitions, nestings, arrays) a name may have.
const PARTS: usize = 20;

/// Whether a text is the name of a type without its library, and not of a pointer or a reference.
pub(super) fn is_type(text: &str) -> bool {
    TypeName { rest: text.trim_start(), parts: 0 }.read().is_some()
}

struct TypeName<'t> {
    rest: &'t str,
    parts: usize,
}

/// A list of generic arguments that is being read.
struct Arguments {
    /// Whether a library may stand behind the type whose arguments they are.
    with_library: bool,
    /// Whether the argument that is being read has brackets of its own.
    bracketed: bool,
}

impl TypeName<'_> {
    fn read(mut self) -> Option<()> {
        let mut open: Vec<Arguments> = Vec::new();
        let mut with_library = true;
        'name: loop {
            self.part()?;
            self.full_name()?;
            if let Some(bracketed) = self.arguments() {
                open.push(Arguments { with_library, bracketed });
                with_library = bracketed;
                continue;
            }
            loop {
                while let Some(is_array) = self.decorator() {
                    self.part()?;
                    if open.is_empty() && !is_array {
                        return None;
                    }
                }
                if with_library && self.strip(',') {
                    let (name, rest) = self.rest.split_at(library_end(self.rest));
                    // The outermost type's library has a record of its own.
                    if open.is_empty() || !is_assembly(name) {
                        return None;
                    }
                    self.rest = rest;
                }
                let Some(arguments) = open.last_mut() else { break 'name };
                if arguments.bracketed && !self.strip(']') {
                    return None;
                }
                if self.strip(',') {
                    arguments.bracketed = self.strip('[');
                    with_library = arguments.bracketed;
                    continue 'name;
                }
                if !self.strip(']') {
                    return None;
                }
                with_library = arguments.with_library;
                open.pop();
                self.part()?;
            }
        }
        self.rest.is_empty().then_some(())
    }

    fn part(&mut self) -> Option<()> {
        self.parts += 1;
        (self.parts <= PARTS).then_some(())
    }

    /// Takes a character and the blanks behind it.
    fn strip(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// A name, and those of the types nested in it behind plus signs.
    fn full_name(&mut self) -> Option<()> {
        loop {
            let end = name_end(self.rest)?;
            if end == 0 {
                return None;
            }
            self.rest = &self.rest[end..];
            match self.rest.strip_prefix('+') {
                Some(rest) => self.rest = rest,
                None => return Some(()),
            }
            self.part()?;
        }
    }

    /// Whether generic arguments begin here, and if the first has brackets of its own.
    fn arguments(&mut self) -> Option<bool> {
        let inside = self.rest.strip_prefix('[')?.trim_start();
        match inside.chars().next()? {
            '[' => {
                self.rest = inside[1..].trim_start();
                Some(true)
            }
            // These are arrays.
            ',' | '*' | ']' => None,
            _ => {
                self.rest = inside;
                Some(false)
            }
        }
    }

    /// An array's brackets, or the sign of a pointer or a reference, which is no array.
    fn decorator(&mut self) -> Option<bool> {
        if self.strip('*') || self.strip('&') {
            return Some(false);
        }
        let before = self.rest;
        if self.strip('[') {
            if !self.strip('*') {
                while self.strip(',') {}
            }
            if self.strip(']') {
                return Some(true);
            }
        }
        self.rest = before;
        None
    }
}

/// Where a name ends: at the first sign that has a meaning and no backslash before it. A backslash stands before nothing else.
fn name_end(text: &str) -> Option<usize> {
    let has_meaning = |character| matches!(character, '[' | ']' | '&' | '*' | ',' | '+' | '\\');
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next().filter(|&(_, escaped)| has_meaning(escaped))?;
        } else if has_meaning(character) {
            return Some(at);
        }
    }
    Some(text.len())
}

/// Where a library's name ends within a type's: at the first closing bracket that has no backslash before it.
fn library_end(text: &str) -> usize {
    let mut before = '\0';
    for (at, character) in text.char_indices() {
        if character == ']' && before != '\\' {
            return at;
        }
        before = character;
    }
    text.len()
}

/// Whether a text is the full name of a library: a name, and attributes behind commas.
pub(super) fn is_assembly(text: &str) -> bool {
    attributes(text).is_some()
}

/// A piece of a library's name.
enum Token {
    Equals,
    Comma,
    Text(String),
    End,
}

fn attributes(text: &str) -> Option<()> {
    let mut rest = text.chars().peekable();
    let mut next = || token(&mut rest);
    let Token::Text(name) = next()? else { return None };
    if name.is_empty() {
        return None;
    }
    let mut seen = Vec::new();
    loop {
        match next()? {
            Token::End => return Some(()),
            Token::Comma => {}
            Token::Equals | Token::Text(_) => return None,
        }
        let (Token::Text(name), Token::Equals, Token::Text(value)) = (next()?, next()?, next()?) else { return None };
        let known = ["version", "culture", "publickeytoken", "publickey", "processorarchitecture", "retargetable", "contenttype"];
        let lower = name.to_ascii_lowercase();
        let Some(index) = known.iter().position(|known| *known == lower) else {
            // An attribute that is not known is passed over, but it has a name.
            if name.is_empty() {
                return None;
            }
            continue;
        };
        // A key and a key's token are one attribute.
        let attribute = if index == 3 { 2 } else { index };
        if seen.contains(&attribute) {
            return None;
        }
        seen.push(attribute);
        let fits = match index {
            0 => is_version(&value),
            1 => true,
            2 => is_key(&value) && (value.is_empty() || value.eq_ignore_ascii_case("null") || value.len() == 16),
            3 => is_key(&value),
            4 => ["msil", "x86", "ia64", "amd64", "arm"].iter().any(|known| value.eq_ignore_ascii_case(known)),
            5 => value.eq_ignore_ascii_case("yes") || value.eq_ignore_ascii_case("no"),
            _ => value.eq_ignore_ascii_case("windowsruntime"),
        };
        if !fits {
            return None;
        }
    }
}

fn token(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Token> {
    let is_blank = |c: char| matches!(c, '\n' | '\r' | ' ' | '\t');
    while rest.next_if(|&c| is_blank(c)).is_some() {}
    let quote = match rest.peek() {
        None => return Some(Token::End),
        Some(',') => {
            rest.next();
            return Some(Token::Comma);
        }
        Some('=') => {
            rest.next();
            return Some(Token::Equals);
        }
        Some('\'' | '"') => rest.next(),
        Some(_) => None,
    };
    let mut text = String::new();
    loop {
        let Some(&character) = rest.peek() else {
            // A quote that is not closed is an error; without one, the text ends here.
            return quote.is_none().then(|| Token::Text(text.trim_end_matches(is_blank).to_owned()));
        };
        match character {
            '\0' => return None,
            _ if Some(character) == quote => {
                rest.next();
                return Some(Token::Text(text));
            }
            ',' | '=' if quote.is_none() => return Some(Token::Text(text.trim_end_matches(is_blank).to_owned())),
            '\'' | '"' if quote.is_none() => return None,
            '\\' => {
                rest.next();
                text.push(match rest.next()? {
                    escaped @ ('\\' | ',' | '=' | '\'' | '"') => escaped,
                    't' => '\t',
                    'r' => '\r',
                    'n' => '\n',
                    _ => return None,
                });
            }
            _ => {
                rest.next();
                text.push(character);
            }
        }
    }
}

/// Two to four numbers of 16 bits; the first two are not the greatest, which stands for "none".
fn is_version(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').take(5).collect();
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten();
    (2..=4).contains(&parts.len())
        && parts.iter().enumerate().all(|(at, part)| number(part).is_some_and(|number| at > 1 || number != u16::MAX))
}

/// Pairs of hexadecimal digits, or "null", or nothing.
fn is_key(text: &str) -> bool {
    let pairs = &text.as_bytes()[..text.len() / 2 * 2];
    text.eq_ignore_ascii_case("null") || pairs.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        for name in [
            "Peer.Member",
            " Peer.Member",
            "Peer.Member[]",
            "Peer.Member[,][]",
            "Peer.Member[*]",
            "Outer+Inner",
            "List`1[[Peer.Member, Peer, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null]]",
            "Pair`2[[A, B],[C[], D]][]",
            "Pair`2[A,B]",
            r"odd\+name",
        ] {
            assert!(is_type(name), "{name}");
        }
        for name in [
            "",
            " ",
            "A, B",
            "A*",
            "A&",
            "A[",
            "A]",
            "A[]]",
            "+A",
            "A++B",
            "A`1[[B, ]]",
            "A`1[[B]",
            r"A\b",
            r"A\",
            "A`1[[B, C, Version=1]]",
            "A[][][][][][][][][][][][][][][][][][][][]",
        ] {
            assert!(!is_type(name), "{name}");
        }
    }

    #[test]
    fn names_of_libraries() {
        for name in [
            "Peer",
            "Peer, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null",
            "'quoted, name', Other=x",
            "a, PublicKeyToken=b77a5c561934e089",
        ] {
            assert!(is_assembly(name), "{name}");
        }
        for name in [
            "",
            ",",
            "a,",
            "a, Version",
            "a, Version=1",
            "a, Version=1.0.0.0.0",
            "a, Version=65535.0",
            "a, Version=1.x",
            "a, Version=1.0, version=1.0",
            "a, PublicKeyToken=12",
            "a\0",
            "a'b",
            "'a",
            "a, =x",
            r"a\x",
        ] {
            assert!(!is_assembly(name), "{name}");
        }
    }
}
