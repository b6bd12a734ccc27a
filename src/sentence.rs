//! The sentences of refusals: their English words, and the names by which clients say them in other languages.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sentence that says why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its name in the protocol, such as `poll_question_long`. It never changes, and no two sentences share one.
    pub why: &'static str,
    /// The English words, with the names of values between braces.
    pub text: &'static str,
    /// The limits that it tells, by name.
    pub limits: &'static [(&'static str, usize)],
}

impl Sentence {
    #[must_use]
    pub const fn new(why: &'static str, text: &'static str) -> Self {
        Self { why, text, limits: &[] }
    }

    /// Returns the sentence with the limits that it tells.
    #[must_use]
    pub const fn of(self, limits: &'static [(&'static str, usize)]) -> Self {
        Self { limits, ..self }
    }
}

/// A value in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Number(u64),
    Text(Arc<str>),
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

/// The values of a sentence by name, as they are sent: an object, empty if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(pub Vec<(Cow<'static, str>, Value)>);

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reads;
        impl<'de> Visitor<'de> for Reads {
            type Value = Values;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("an object of values")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Values, M::Error> {
                let mut values = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    values.push((name.into(), value));
                }
                Ok(Values(values))
            }
        }
        from.deserialize_map(Reads)
    }
}

impl Values {
    /// Returns English words with the values in the places of their names.
    #[must_use]
    pub fn put_into(&self, text: &'static str) -> Cow<'static, str> {
        if !text.contains('{') {
            return Cow::Borrowed(text);
        }
        // A value is put in only once, because a file may be named `{max}`.
        let mut pieces = text.split('{');
        let mut words = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, rest) = piece.split_once('}').unwrap_or(("", piece));
            match self.0.iter().find(|(known, _)| *known == name) {
                Some((_, Value::Number(number))) => words.push_str(&thousands(*number)),
                Some((_, Value::Text(text))) => words.push_str(text),
                None => debug_assert!(false, "no value for {name} in: {text}"),
            }
            words.push_str(rest);
        }
        Cow::Owned(words)
    }
}

fn thousands(number: u64) -> String {
    if number >= 1_000 { format!("{},{:03}", number / 1_000, number % 1_000) } else { number.to_string() }
}
