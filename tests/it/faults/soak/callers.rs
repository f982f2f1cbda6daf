//! Clients that behave: each knows what every answer must be, and fails the soak when one is another.

use super::kinds::{KINDS, Kind, holds};
use super::leaving::cancel_in_lines;
use super::speaker::{Dialect, LISTENS, Line, Speaker};
use super::world::{Alarm, World};
use crate::support::within;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub struct Caller {
    pub speaker: Speaker,
    /// Of each kind, the word it was learned with and the bytes of the answer.
    learned: HashMap<&'static str, (String, Vec<u8>)>,
    /// The newest edit that it has seen, as text and by a worker.
    edits: [u64; 2],
    /// What the counters have come to that live through everything.
    counts: [u64; 2],
}

impl Caller {
    /// Learns all answers while nothing else happens.
    pub fn in_the_calm(world: &World, speaker: Speaker) -> Self {
        let mut caller = Self {
            speaker,
            learned: HashMap::new(),
            edits: [0; 2],
            counts: [0; 2],
        };
        for kind in KINDS {
            let word = world.token();
            let answer = caller.asked(kind, &word);
            let told: Value = serde_json::from_slice(&answer).unwrap();
            let least = (kind.means)(&word);
            let name = caller.speaker.name;
            assert!(
                holds(&told, &least),
                "{name}, {}: {told}\ninstead of {least}",
                kind.name
            );
            caller.learned.insert(kind.name, (word, answer));
        }
        caller.others(world);
        // The worker that it has ended runs again: what the server holds is counted now.
        let who = caller.call(world, "who", "who", json!({}));
        assert_eq!(who["isError"], false, "{who}");
        caller.speaker.leave();
        caller
    }

    fn asked(&mut self, kind: &Kind, word: &str) -> Vec<u8> {
        let request = self.speaker.request(word, kind.method, (kind.params)(word));
        self.speaker.ask(&request)
    }

    /// Calls until the round is over.
    pub fn play(&mut self, world: &World) {
        let _alarm = Alarm(world);
        while !world.stopped() {
            for kind in KINDS {
                for _ in 0..kind.weight {
                    let (word, began) = (world.token(), Instant::now());
                    let answer = self.asked(kind, &word);
                    self.check(kind, &word, &answer);
                    world.tally.called(kind.name, began);
                }
                if kind.weight > 5 {
                    self.others(world);
                }
                if world.stopped() {
                    break;
                }
            }
            self.at_once(world);
            self.speaker.leave();
            world.tally.happened(PASSES);
        }
    }

    /// The answer is, byte by byte, the one that was learned.
    fn check(&self, kind: &Kind, word: &str, answer: &[u8]) {
        let (calm, learned) = &self.learned[kind.name];
        let learned = std::str::from_utf8(learned).unwrap();
        let expected = learned.replace(calm.as_str(), word);
        let told = String::from_utf8_lossy(answer);
        let name = self.speaker.name;
        assert!(
            told == expected,
            "{name}, {}: {told}\ninstead of {expected}",
            kind.name
        );
    }

    /// Over stdio: many requests before the first answer.
    fn at_once(&mut self, world: &World) {
        if !matches!(self.speaker.line, Line::Stdio(_)) {
            return;
        }
        let asked: Vec<(&Kind, String)> = KINDS.iter().map(|kind| (kind, world.token())).collect();
        let requests: Vec<Value> = asked
            .iter()
            .map(|(kind, word)| self.speaker.request(word, kind.method, (kind.params)(word)))
            .collect();
        let answers = self.speaker.ask_all(&requests);
        for (kind, word) in &asked {
            self.check(kind, word, &answers[word]);
            world.tally.happened("requests of a batch over stdio");
        }
        for begun in [false, true] {
            cancel_in_lines(world, &mut self.speaker, begun);
        }
    }

    fn call(&mut self, world: &World, kind: &'static str, tool: &str, arguments: Value) -> Value {
        let (word, began) = (world.token(), Instant::now());
        let params = json!({ "name": tool, "arguments": arguments });
        let request = self.speaker.request(&word, "tools/call", params);
        let answer = match kind {
            "asks" => self.speaker.ask_and_answer(&request),
            _ => self.speaker.ask(&request),
        };
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["id"], word);
        world.tally.called(kind, began);
        answer["result"].clone()
    }

    /// Calls whose answers depend on what has happened.
    fn others(&mut self, world: &World) {
        self.counters(world);
        self.edited(world);
        self.workers_that_end(world);
        self.steps(world);
        self.asks(world);
        self.listed(world);
    }

    fn counters(&mut self, world: &World) {
        let word = world.token();
        let alone = matches!(self.speaker.line, Line::Stdio(_));
        for (at, tool) in ["count", "carried"].into_iter().enumerate() {
            let result = self.call(world, tool, tool, json!({ "name": word }));
            let told = &result["structuredContent"];
            assert_eq!(told["name"], word, "{result}");
            let count = told["count"].as_u64().unwrap();
            let before = std::mem::replace(&mut self.counts[at], count);
            assert!(before < count, "{tool}: {count} after {before}");
            // Nobody else calls its server.
            assert!(
                !alone || count == before + 1,
                "{tool}: {count} after {before}"
            );
        }
        if !alone {
            world.counted.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// What is edited all the time: never older than what was seen before, nor newer than what was written.
    fn edited(&mut self, world: &World) {
        let alone = matches!(self.speaker.line, Line::Stdio(_));
        for (at, tool) in ["edited", "replaced"].into_iter().enumerate() {
            // The daemon is known to serve it; another server may come to it later.
            let least = if alone { 0 } else { world.served() };
            let result = self.call(world, tool, tool, json!({}));
            let number = &result["structuredContent"]["edit"];
            let number = number
                .as_u64()
                .unwrap_or_else(|| panic!("{tool}: {result}"));
            let least = least.max(self.edits[at]);
            assert!(
                (least..=world.written()).contains(&number),
                "{}, {tool}: edit {number}, not from {least} to {}",
                self.speaker.name,
                world.written()
            );
            self.edits[at] = number;
        }
    }

    fn workers_that_end(&mut self, world: &World) {
        let word = world.token();
        let result = self.call(world, "fragile", "fragile", json!({ "name": word }));
        if result["isError"] == true {
            lost(&result, "fragile");
            world
                .tally
                .happened("calls that were lost with their worker");
        } else {
            assert_eq!(result["structuredContent"]["name"], word, "{result}");
        }
        let result = self.call(world, "stuck", "stuck", json!({}));
        lost(&result, "stuck");
        if matches!(self.speaker.line, Line::Stdio(_)) {
            let result = self.call(world, "crash", "crash", json!({}));
            let died =
                "the worker of the actor `fragile` ended with exit code 3 before it answered";
            assert_eq!(result["content"][0]["text"], died);
            world.tally.happened("workers that ended by themselves");
        }
    }

    /// Progress comes before the answer.
    fn steps(&mut self, world: &World) {
        let (word, began) = (world.token(), Instant::now());
        let params =
            json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": word } });
        let request = self.speaker.request(&word, "tools/call", params);
        self.hears(world);
        let answer: Value = serde_json::from_slice(&self.speaker.ask(&request)).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "one\ntwo\nthree\n");
        let told = &mut self.speaker.told;
        let steps: Vec<Value> = told
            .extract_if(.., |told| told["method"] == "notifications/progress")
            .collect();
        assert!(!steps.is_empty(), "no progress before {answer}");
        for step in &steps {
            assert_eq!(step["params"]["progressToken"], word, "{step}");
        }
        assert_eq!(steps[steps.len() - 1]["params"]["message"], "three");
        world.tally.called("steps", began);
    }

    /// Over stdio, what is told between answers.
    fn hears(&mut self, world: &World) {
        for told in self.speaker.told.drain(..) {
            if told["method"] == "notifications/tools/list_changed" {
                world.tally.happened(match self.speaker.dialect {
                    Dialect::Modern => HEARD[0],
                    _ => HEARD[1],
                });
            }
        }
    }

    fn asks(&mut self, world: &World) {
        let word = world.token();
        if matches!(self.speaker.dialect, Dialect::Bare) {
            let result = self.call(world, "asks nobody", "asks", json!({ "name": word }));
            assert_eq!(result["isError"], true, "{result}");
            return;
        }
        let result = self.call(world, "asks", "asks", json!({ "name": word }));
        let text = format!("{word} is known");
        assert_eq!(result["content"][0]["text"], text, "{result}");
    }

    fn listed(&mut self, world: &World) {
        let (word, began) = (world.token(), Instant::now());
        let request = self.speaker.request(&word, "tools/list", json!({}));
        let answer: Value = serde_json::from_slice(&self.speaker.ask(&request)).unwrap();
        let number = super::listeners::edit_in(&answer);
        assert!(
            number >= self.edits[0] && number <= world.written(),
            "{number}"
        );
        world.tally.called("tools/list", began);
    }

    /// Ends its server over stdio, which has nothing more to say but that who listened need not any more.
    pub fn ends(self) {
        let Line::Stdio(mut stdio) = self.speaker.line else {
            return;
        };
        let (status, rest) = stdio.finish();
        assert!(status.success(), "{status}");
        for said in &rest {
            let is_answer = said.get("id").is_some_and(|id| id != LISTENS);
            assert!(!is_answer, "{said}");
        }
        assert!(!stdio.stderr().contains("panicked"), "{}", stdio.stderr());
    }

    /// Over stdio: comes to the last edit, so that every server is known to be done.
    pub fn comes_to_the_last_edit(&mut self, world: &World) {
        within("the last edit is served", || {
            self.edited(world);
            (self.edits == [world.written(); 2]).then_some(())
        });
    }
}

/// Over stdio, by whoever listens and by whoever has made a handshake.
pub const HEARD: [&str; 2] = [
    "changes of lists that were heard over stdio",
    "changes of lists that were heard over stdio after a handshake",
];

/// How often a caller has asked everything.
pub const PASSES: &str = "passes over all kinds of calls";

/// The call was with a worker that ended, or waited for it.
fn lost(result: &Value, actor: &str) {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let begin = format!("the worker of the actor `{actor}` ");
    assert!(
        result["isError"] == true
            && text.starts_with(&begin)
            && text.ends_with(" before it answered"),
        "{result}"
    );
}
