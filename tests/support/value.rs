//! Messages as JSON and as MessagePack. Bytes are `{"$bin": "<hex>"}`.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Returns a key that is not used in this run yet.
pub fn key() -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    key_of((u128::from(std::process::id()) << 64) | u128::from(next))
}

/// Returns the key for this number.
pub fn key_of(number: u128) -> Value {
    json!({ "$bin": hex(&number.to_be_bytes()) })
}

pub fn to_wire(value: &Value) -> rmpv::Value {
    match value {
        Value::Null => rmpv::Value::Nil,
        Value::Bool(is) => rmpv::Value::Boolean(*is),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), _, _) => number.into(),
            (_, Some(number), _) => number.into(),
            (_, _, number) => rmpv::Value::F64(number.unwrap()),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => rmpv::Value::Array(values.iter().map(to_wire).collect()),
        Value::Object(map) => match map.get("$bin") {
            Some(bytes) => rmpv::Value::Binary(unhex(bytes.as_str().unwrap())),
            None => rmpv::Value::Map(
                map.iter().map(|(name, value)| (name.as_str().into(), to_wire(value))).collect(),
            ),
        },
    }
}

pub fn from_wire(value: &rmpv::Value) -> Value {
    match value {
        rmpv::Value::Nil => Value::Null,
        rmpv::Value::Boolean(is) => json!(is),
        rmpv::Value::Integer(number) => match number.as_u64() {
            Some(number) => json!(number),
            None => json!(number.as_i64().unwrap()),
        },
        rmpv::Value::F32(number) => json!(number),
        rmpv::Value::F64(number) => json!(number),
        rmpv::Value::String(text) => json!(text.as_str().unwrap()),
        rmpv::Value::Binary(bytes) => json!({ "$bin": hex(bytes) }),
        rmpv::Value::Array(values) => values.iter().map(from_wire).collect(),
        rmpv::Value::Map(entries) => Value::Object(
            entries
                .iter()
                .map(|(name, value)| (name.as_str().unwrap().to_owned(), from_wire(value)))
                .collect::<Map<_, _>>(),
        ),
        rmpv::Value::Ext(..) => panic!("Mellow sends no extension types"),
    }
}

pub fn pack(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, &to_wire(value)).unwrap();
    out
}

/// Reads exactly one message.
pub fn unpack(mut bytes: &[u8]) -> Value {
    let value = rmpv::decode::read_value(&mut bytes).unwrap();
    assert!(bytes.is_empty(), "a message is exactly one value");
    from_wire(&value)
}

/// Puts `{id, op}` before the fields.
pub fn request(id: u32, op: &str, fields: &Value) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), json!(id));
    map.insert("op".into(), json!(op));
    for (name, value) in fields.as_object().unwrap() {
        map.insert(name.clone(), value.clone());
    }
    Value::Object(map)
}

/// Returns whether bytes contain other bytes.
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
