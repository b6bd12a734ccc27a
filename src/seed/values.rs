//! Builds requests as MessagePack, field by field.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A value of a request.
pub enum Value {
    Nil,
    Bool(bool),
    Whole(i64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Map(Vec<(&'static str, Value)>),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nil => out.serialize_none(),
            Self::Bool(value) => out.serialize_bool(*value),
            Self::Whole(number) => out.serialize_i64(*number),
            Self::Text(text) => out.serialize_str(text),
            Self::Bytes(bytes) => out.serialize_bytes(bytes),
            Self::List(values) => out.collect_seq(values),
            Self::Map(fields) => {
                let mut map = out.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Nil, Self::from)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<[u8; 16]> for Value {
    fn from(bytes: [u8; 16]) -> Self {
        Self::Bytes(bytes.into())
    }
}
