//! The rules of a request's notifications, pure: every time comes from outside.
//!
//! - Progress rises: what does not is dropped. At most one leaves in [`PROGRESS_EVERY`]; of those
//!   between only the last is kept, so there is never more than one to hold.
//! - Log messages are all sent, up to [`LOGS`] in a burst and one each [`LOG_EVERY`] after it, and no
//!   more than [`LOGS`] wait. The rest is counted, and the count is told as a message in their place.
//! - Log messages leave before questions, and both before progress that waits.

use super::super::notice::{Log, Progress};
use crate::ops::{LogLevel, Notice};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The shortest time between two progress notifications of one request.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How many log messages may wait, and how many may be sent at once.
const LOGS: usize = 64;
/// The shortest time between two log messages of one request, on average, after a burst.
const LOG_EVERY: Duration = Duration::from_millis(10);

/// What there is to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Take {
    /// This, now.
    Notice(Notice),
    /// Something, at this time.
    At(Instant),
    /// Nothing, until something comes.
    Nothing,
}

/// The notifications of one request that have not been sent.
#[derive(Debug, Default)]
pub(super) struct Queue {
    progress: Option<Progress>,
    /// The last progress that was accepted.
    reached: Option<f64>,
    /// When progress was last sent.
    sent: Option<Instant>,
    /// Questions, and those that are withdrawn.
    questions: VecDeque<Notice>,
    logs: VecDeque<Log>,
    /// When the bucket of log messages is full again.
    full: Option<Instant>,
    left_out: Option<LeftOut>,
}

/// Log messages that were not sent.
#[derive(Debug)]
struct LeftOut {
    count: u64,
    /// The most severe of them.
    level: LogLevel,
    logger: String,
}

impl Queue {
    /// Takes a report. False when it is dropped.
    pub(super) fn progress(&mut self, report: Progress) -> bool {
        let rises = report.progress.is_finite()
            && self.reached.is_none_or(|reached| report.progress > reached);
        if rises {
            self.reached = Some(report.progress);
            self.progress = Some(report);
        }
        rises
    }

    /// Takes a question.
    pub(super) fn question(&mut self, question: Notice) -> bool {
        self.questions.push_back(question);
        true
    }

    /// Withdraws a question. False when it was not sent yet: then it is not.
    pub(super) fn withdraw(&mut self, id: String) -> bool {
        let is_it = |notice: &Notice| matches!(notice, Notice::Question(other, _) if *other == id);
        if let Some(at) = self.questions.iter().position(is_it) {
            self.questions.remove(at);
            return false;
        }
        self.questions.push_back(Notice::Withdrawn(id));
        true
    }

    /// Takes a message. False when it is only counted.
    pub(super) fn log(&mut self, log: Log, now: Instant) -> bool {
        let full = self.full.map_or(now, |full| full.max(now));
        let burst = LOG_EVERY * LOGS as u32;
        if self.logs.len() >= LOGS || full + LOG_EVERY > now + burst {
            let left_out = self.left_out.get_or_insert(LeftOut {
                count: 0,
                level: log.level,
                logger: log.logger,
            });
            left_out.count += 1;
            left_out.level = left_out.level.max(log.level);
            return false;
        }
        self.full = Some(full + LOG_EVERY);
        if let Some(left_out) = self.left_out.take() {
            self.logs.push_back(left_out.told());
        }
        self.logs.push_back(log);
        true
    }

    /// What is to be sent now.
    pub(super) fn take(&mut self, now: Instant) -> Take {
        if let Some(log) = self.logs.pop_front() {
            return Take::Notice(Notice::Log(log));
        }
        if let Some(question) = self.questions.pop_front() {
            return Take::Notice(question);
        }
        let due = self.sent.map_or(now, |sent| sent + PROGRESS_EVERY);
        match self.progress.take() {
            Some(report) if due <= now => {
                self.sent = Some(now);
                Take::Notice(Notice::Progress(report))
            }
            waiting @ Some(_) => {
                self.progress = waiting;
                Take::At(due)
            }
            None => Take::Nothing,
        }
    }

    /// What is left, whatever the time.
    pub(super) fn take_rest(&mut self) -> Option<Notice> {
        let log = self.logs.pop_front();
        let log = log.or_else(|| self.left_out.take().map(LeftOut::told));
        log.map(Notice::Log)
            .or_else(|| self.questions.pop_front())
            .or_else(|| self.progress.take().map(Notice::Progress))
    }
}

impl LeftOut {
    fn told(self) -> Log {
        let (count, messages) = match self.count {
            1 => (1, "message was"),
            count => (count, "messages were"),
        };
        Log {
            level: self.level,
            logger: self.logger,
            data: Value::from(format!(
                "[{count} log {messages} left out: too many at once]"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn report(progress: f64) -> Progress {
        Progress {
            progress,
            total: None,
            message: None,
        }
    }

    fn log(data: usize) -> Log {
        Log {
            level: LogLevel::Info,
            logger: "tool".into(),
            data: json!(data),
        }
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn what_does_not_rise_is_dropped() {
        let mut queue = Queue::default();
        for (progress, taken) in [
            (f64::NAN, false),
            (f64::NEG_INFINITY, false),
            (-1.0, true),
            (-1.0, false),
            (0.0, true),
            (-0.0, false),
            (0.5, true),
            (0.4, false),
            (f64::INFINITY, false),
            (f64::MAX, true),
        ] {
            assert_eq!(queue.progress(report(progress)), taken, "{progress}");
        }
    }

    #[test]
    fn the_first_report_leaves_at_once_and_the_last_of_the_others_later() {
        let mut queue = Queue::default();
        let start = Instant::now();
        queue.progress(report(1.0));
        let first = Take::Notice(Notice::Progress(report(1.0)));
        assert_eq!(queue.take(start), first);
        assert_eq!(queue.take(start), Take::Nothing);
        queue.progress(report(2.0));
        queue.progress(report(3.0));
        let due = start + PROGRESS_EVERY;
        assert_eq!(queue.take(start + millis(1)), Take::At(due));
        assert_eq!(queue.take(due), Take::Notice(Notice::Progress(report(3.0))));
        queue.progress(report(4.0));
        assert_eq!(queue.take_rest(), Some(Notice::Progress(report(4.0))));
        assert_eq!(queue.take_rest(), None);
    }

    #[test]
    fn too_many_messages_are_counted_and_the_count_is_told() {
        let mut queue = Queue::default();
        let start = Instant::now();
        let taken = (0..100).filter(|data| queue.log(log(*data), start)).count();
        assert_eq!(taken, LOGS);
        for data in 0..LOGS {
            assert_eq!(queue.take(start), Take::Notice(Notice::Log(log(data))));
        }
        assert_eq!(queue.take(start), Take::Nothing);
        // One more is let through each time the bucket has room for one, after the count.
        assert!(!queue.log(log(100), start + millis(9)));
        assert!(queue.log(log(101), start + millis(10)));
        let told = "[37 log messages were left out: too many at once]";
        let Take::Notice(Notice::Log(count)) = queue.take(start) else {
            panic!("no count")
        };
        assert_eq!(count.data, json!(told));
        assert_eq!(queue.take(start), Take::Notice(Notice::Log(log(101))));
        assert!(!queue.log(log(102), start + millis(11)));
        let Some(Notice::Log(count)) = queue.take_rest() else {
            panic!("no count")
        };
        assert_eq!(
            count.data,
            json!("[1 log message was left out: too many at once]")
        );
    }

    proptest! {
        /// Whatever comes and whenever it is taken: progress rises, keeps its distance, and the
        /// last one is the highest of all.
        #[test]
        fn progress_keeps_its_rules(reports in proptest::collection::vec((any::<f64>(), 0_u64..300), 0..50)) {
            let mut queue = Queue::default();
            let mut now = Instant::now();
            let mut sent: Vec<(f64, Instant)> = Vec::new();
            let mut highest = None::<f64>;
            for (progress, wait) in reports {
                queue.progress(report(progress));
                if progress.is_finite() {
                    highest = Some(highest.map_or(progress, |highest| highest.max(progress)));
                }
                now += millis(wait);
                if let Take::Notice(Notice::Progress(report)) = queue.take(now) {
                    sent.push((report.progress, now));
                }
            }
            prop_assert!(sent.is_sorted_by(|a, b| a.0 < b.0 && b.1 - a.1 >= PROGRESS_EVERY));
            if let Some(Notice::Progress(report)) = queue.take_rest() {
                prop_assert!(sent.last().is_none_or(|last| last.0 < report.progress));
                sent.push((report.progress, now));
            }
            prop_assert_eq!(sent.last().map(|last| last.0), highest);
        }
    }
}
