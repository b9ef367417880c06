use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use mlua::{MetaMethod, UserData, UserDataMethods, UserDataRef, Value};
use smol_str::SmolStr;

use crate::value::{ErrorValue, kind};

/// A time zone, as scripts name and use it.
#[derive(Clone, Debug)]
pub struct Location {
    name: SmolStr,
    zone: TimeZone,
    /// For zones with a fixed offset: what stands for the zone in a formatted time.
    abbreviation: Option<SmolStr>,
}

/// Offset from UTC and its short name at some moment.
pub(super) struct Offsets {
    pub offset: Offset,
    /// Empty where the zone has no name; formatted as an offset then.
    pub abbreviation: SmolStr,
}

impl Location {
    /// UTC.
    pub fn utc() -> Self {
        Self { name: "UTC".into(), zone: TimeZone::UTC, abbreviation: Some("UTC".into()) }
    }

    /// The zone of the machine.
    pub fn local() -> Self {
        match TimeZone::system() {
            zone if zone.is_unknown() => Self { name: "Local".into(), ..Self::utc() },
            zone => Self { name: "Local".into(), zone, abbreviation: None },
        }
    }

    /// A zone of the IANA database, `UTC` or `Local`.
    ///
    /// # Errors
    /// `E[Invalid]` for an empty name, `E[NotFound]` for one that nobody knows.
    pub fn load(name: &str) -> Result<Self, ErrorValue> {
        match name {
            "" => Err(ErrorValue::new(kind::INVALID, "location name is empty")),
            "UTC" => Ok(Self::utc()),
            "Local" => Ok(Self::local()),
            _ => match TimeZone::get(name) {
                Ok(zone) => {
                    let name = zone.iana_name().unwrap_or(name).into();
                    Ok(Self { name, zone, abbreviation: None })
                }
                Err(_) => {
                    Err(ErrorValue::new(kind::NOT_FOUND, format!("unknown location {name:?}")))
                }
            },
        }
    }

    /// A zone that is always `seconds` east of UTC.
    ///
    /// # Errors
    /// `E[Invalid]` beyond a day or so.
    pub fn fixed(name: &str, seconds: i64) -> Result<Self, ErrorValue> {
        let offset = i32::try_from(seconds).ok().and_then(|s| Offset::from_seconds(s).ok());
        let offset = offset.ok_or_else(|| {
            ErrorValue::new(kind::INVALID, format!("{seconds} s is no offset of a time zone"))
        })?;
        Ok(Self::at_offset(name, offset))
    }

    pub(super) fn at_offset(name: &str, offset: Offset) -> Self {
        let name = SmolStr::new(name);
        Self { name: name.clone(), zone: TimeZone::fixed(offset), abbreviation: Some(name) }
    }

    /// The location that `value` is, if it is one.
    pub fn of(value: &Value) -> Option<UserDataRef<Self>> {
        value.as_userdata().and_then(|userdata| userdata.borrow::<Self>().ok())
    }

    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    pub(super) fn offsets(&self, at: Timestamp) -> Offsets {
        match &self.abbreviation {
            Some(abbreviation) => {
                Offsets { offset: self.zone.to_offset(at), abbreviation: abbreviation.clone() }
            }
            None => {
                let info = self.zone.to_offset_info(at);
                Offsets { offset: info.offset(), abbreviation: info.abbreviation().into() }
            }
        }
    }
}

impl UserData for Location {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("string", |_, this, ()| Ok(this.name.to_string()));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.name.to_string()));
    }
}
