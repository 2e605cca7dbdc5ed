//! Finds JSON objects and arrays in the text of a model, alone, in a code fence, or between words.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// Maximum number of places at which an object is tried, because a text of only braces would take
/// too long.
const PLACES: usize = 256;

/// An object with all its fields in order, including duplicates. The caller decides what two
/// answers mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs(pub Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Pairs, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        source.deserialize_map(Read)
    }
}

/// The outermost objects in `text`, in order, alone, in a code fence, or between words; and the
/// text without them.
pub fn objects(text: &str) -> (Vec<Pairs>, String) {
    let (mut found, mut outside) = (Vec::new(), String::new());
    let mut at = 0;
    for _ in 0..PLACES {
        let Some(open) = text[at..].find('{').map(|i| at + i) else {
            break;
        };
        let mut stream = serde_json::Deserializer::from_str(&text[open..]).into_iter::<Pairs>();
        outside.push_str(&text[at..open]);
        match stream.next() {
            Some(Ok(object)) => {
                at = open + stream.byte_offset();
                found.push(object);
            }
            _ => {
                outside.push('{');
                at = open + 1;
            }
        }
    }
    outside.push_str(&text[at..]);
    (found, outside)
}

/// The outermost arrays in `text`, in order.
pub fn arrays(text: &str) -> Vec<Vec<Value>> {
    let (mut found, mut at) = (Vec::new(), 0);
    for _ in 0..PLACES {
        let Some(open) = text[at..].find('[').map(|i| at + i) else {
            break;
        };
        let mut stream = serde_json::Deserializer::from_str(&text[open..]).into_iter();
        at = match stream.next() {
            Some(Ok(array)) => {
                found.push(array);
                open + stream.byte_offset()
            }
            _ => open + 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_between_words() {
        let (found, outside) =
            objects("a {b} {\"x\": {\"y\": 1}} c ```json\n{\"x\": 2, \"x\": 3}\n``` d {\"z\": ");
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[1].0,
            [
                ("x".to_string(), Value::from(2)),
                ("x".to_string(), Value::from(3))
            ]
        );
        assert_eq!(outside, "a {b}  c ```json\n\n``` d {\"z\": ");
        for odd in ["", "{", "}{", "{\"a\":", "ü{ü}"] {
            assert_eq!(objects(odd), (Vec::new(), odd.to_string()));
        }
        assert_eq!(
            arrays("a [b] [1, [2]] c [3"),
            [vec![Value::from(1), serde_json::json!([2])]]
        );
        assert!(objects(&"{\"a\":".repeat(5000)).0.is_empty());
    }
}
