use serde_json::{Map, Number, Value as Json};

use super::{Encoder, ErrorValue, MAX_DEPTH, Reader, Token, ValueError, Values};

/// Why values have no JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// A string that is not UTF-8, a key that is no string, a table with both kinds of keys, a
    /// cycle or a shared table.
    #[error("{0} has no JSON form")]
    Unsupported(&'static str),
    /// The bytes are not values.
    #[error(transparent)]
    Malformed(#[from] ValueError),
}

impl Values {
    /// One value from JSON; objects and arrays become tables, `null` becomes nil.
    pub fn from_json(json: &Json) -> Self {
        let mut encoder = Encoder::new();
        encode(&mut encoder, json);
        encoder.finish()
    }

    /// Every value as JSON. An empty table becomes an empty array, an error object its message,
    /// infinities and NaN become `null`.
    ///
    /// # Errors
    /// [`JsonError`] if a value has no JSON form.
    pub fn to_json(&self) -> Result<Vec<Json>, JsonError> {
        match self.view() {
            super::values::View::Inline(token) => {
                Ok(vec![decode(token, &mut Reader::new(&[]), 0)?])
            }
            super::values::View::Encoded(mut reader) => {
                let mut values = Vec::with_capacity(self.count());
                while !reader.is_empty() {
                    let token = reader.token()?;
                    values.push(decode(token, &mut reader, 0)?);
                }
                Ok(values)
            }
        }
    }
}

impl ErrorValue {
    /// The same error with `details` made from a JSON object.
    #[must_use]
    pub fn with_json_details(self, details: &Json) -> Self {
        self.with_details(Values::from_json(details))
    }
}

fn encode(encoder: &mut Encoder, json: &Json) {
    match json {
        Json::Null => encoder.nil(),
        Json::Bool(value) => encoder.bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => encoder.int(value),
            None => encoder.float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => encoder.str(text.as_bytes()),
        Json::Array(items) => {
            let (_, mark) = encoder.begin_table();
            items.iter().for_each(|item| encode(encoder, item));
            encoder.end_table(mark, items.len() as u32, 0);
        }
        Json::Object(fields) => {
            let (_, mark) = encoder.begin_table();
            let mut pairs = 0;
            for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
                encoder.str(key.as_bytes());
                encode(encoder, value);
                pairs += 1;
            }
            encoder.end_table(mark, 0, pairs);
        }
    }
}

fn decode(token: Token<'_>, reader: &mut Reader<'_>, depth: usize) -> Result<Json, JsonError> {
    Ok(match token {
        Token::Nil => Json::Null,
        Token::Bool(value) => Json::Bool(value),
        Token::Int(value) => Json::from(value),
        Token::Float(value) => Number::from_f64(value).map_or(Json::Null, Json::Number),
        Token::Str(bytes) => Json::String(text(bytes)?.to_owned()),
        Token::Error(error) => Json::String(error.message.as_ref().to_owned()),
        Token::Reference(_) => return Err(JsonError::Unsupported("a shared table")),
        Token::Table { has_metatable: true, .. } => {
            return Err(JsonError::Unsupported("a table with a metatable"));
        }
        Token::Table { .. } if depth >= MAX_DEPTH => return Err(ValueError::TooDeep.into()),
        Token::Table { array, pairs: 0, .. } => {
            let item = |reader: &mut Reader<'_>| decode(reader.token()?, reader, depth + 1);
            (0..array).map(|_| item(reader)).collect::<Result<Vec<_>, JsonError>>()?.into()
        }
        Token::Table { array: 0, pairs, .. } => {
            let mut fields = Map::new();
            for _ in 0..pairs {
                let key = match reader.token()? {
                    Token::Str(bytes) => text(bytes)?.to_owned(),
                    _ => return Err(JsonError::Unsupported("a key that is not a string")),
                };
                let value = reader.token()?;
                fields.insert(key, decode(value, reader, depth + 1)?);
            }
            Json::Object(fields)
        }
        Token::Table { .. } => return Err(JsonError::Unsupported("a table with mixed keys")),
    })
}

fn text(bytes: &[u8]) -> Result<&str, JsonError> {
    std::str::from_utf8(bytes).map_err(|_| JsonError::Unsupported("a binary string"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_round_trips() {
        let original = json!({"a": [1, 2.5, "x", true, null], "b": {"c": -7}, "max": i64::MAX});
        let values = Values::from_json(&original);
        assert_eq!(values.count(), 1);
        assert_eq!(values.to_json().unwrap(), vec![original]);
    }

    #[test]
    fn sequences_split_and_join() {
        let parts =
            [Values::int(7), Values::str("x"), Values::from_json(&json!([1, [2]])), Values::NIL];
        let joined = Values::concat(&parts);
        assert_eq!(joined.count(), 4);
        assert_eq!(joined.split(), parts);
        assert_eq!(Values::int(7).split(), vec![Values::int(7)]);
        assert_eq!(Values::EMPTY.split(), vec![]);
    }
}
