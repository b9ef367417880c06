use serde_json::Value as Json;

/// What is shown in place of a secret.
const MASK: &str = "********";

/// Whether the value of a field is nobody's business (cli.md section 5).
pub(super) fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["secret", "token", "password", "_key"].iter().any(|end| key.ends_with(end))
}

/// `value` with every secret in it hidden.
pub(super) fn masked(value: &Json) -> Json {
    match value {
        Json::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                (key.clone(), if is_secret(key) { MASK.into() } else { masked(value) })
            })
            .collect(),
        Json::Array(items) => items.iter().map(masked).collect(),
        other => other.clone(),
    }
}

/// `value` of the field at `path` with every secret in it hidden.
pub(super) fn masked_at(path: &str, value: &Json) -> Json {
    match path.split('.').any(is_secret) {
        true => MASK.into(),
        false => masked(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_hidden_at_any_depth() {
        let value =
            json!({"a": [{"api_token": "x", "keys": "y"}], "TLS_KEY": {"b": 1}, "key": "z"});
        let expected =
            json!({"a": [{"api_token": MASK, "keys": "y"}], "TLS_KEY": MASK, "key": "z"});
        assert_eq!(masked(&value), expected);
        assert_eq!(masked_at("db.password", &json!("x")), json!(MASK));
        assert_eq!(masked_at("db_secret.inner.0", &json!("x")), json!(MASK));
        assert_eq!(
            masked_at("db", &json!({"password": 1, "n": 2})),
            json!({"password": MASK, "n": 2})
        );
    }
}
