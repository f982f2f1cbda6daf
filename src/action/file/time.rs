//! Times of files as text.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: i64 = 86_400;

/// A time as RFC 3339 in UTC, to the second below. `None` outside the years 0 to 9999, which
/// RFC 3339 cannot write.
pub(super) fn rfc3339(time: SystemTime) -> Option<String> {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).ok()?,
        Err(before) => {
            let before = before.duration();
            let whole = i64::try_from(before.as_secs()).ok()?;
            -whole - i64::from(before.subsec_nanos() > 0)
        }
    };
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    if !(0..=9999).contains(&year) {
        return None;
    }
    let second = seconds.rem_euclid(DAY);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    ))
}

/// Year, month and day of a count of days since 1970-01-01 in the proleptic Gregorian calendar.
/// Years are counted from March, so that the leap day is the last of its year, in cycles of 400
/// years.
fn civil(days: i64) -> (i64, i64, i64) {
    let since_march = days + 719_468;
    let cycle = since_march.div_euclid(146_097);
    let day_of_cycle = since_march.rem_euclid(146_097);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: i64) -> Option<String> {
        let distance = Duration::from_secs(seconds.unsigned_abs());
        rfc3339(if seconds < 0 {
            UNIX_EPOCH - distance
        } else {
            UNIX_EPOCH + distance
        })
    }

    #[test]
    fn known_times() {
        // Values of `date -u -d @N +%FT%TZ`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (-2_208_988_800, "1900-01-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(at(seconds).as_deref(), Some(text));
        }
        assert_eq!(at(253_402_300_800), None);
    }

    #[test]
    fn parts_of_a_second_round_down_on_both_sides_of_the_epoch() {
        let half = Duration::from_millis(500);
        let after = rfc3339(UNIX_EPOCH + half);
        assert_eq!(after.as_deref(), Some("1970-01-01T00:00:00Z"));
        let before = rfc3339(UNIX_EPOCH - half);
        assert_eq!(before.as_deref(), Some("1969-12-31T23:59:59Z"));
    }
}
