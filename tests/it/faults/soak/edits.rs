//! Edits without end: good ones, wrong ones, manifests that come and go, files that are watched, SIGHUP. After each the
//! server must come to serve what the files say, or go on with what it has.

use super::world::{Alarm, World};
use crate::support::{text_of, within};
use serde_json::json;

/// What changes with each edit: a tool, a worker, and an actor that carries its state over.
pub fn edited(number: u64) -> String {
    format!(
        r#"
[[tool]]
name = "edited"
description = "edit {number}"
result.structured = {{ edit = {number} }}

[[actor]]
name = "replaced"
process = {{ command = ["sh", "worker.sh"], env = {{ EDIT = "{number}" }} }}

[[tool]]
name = "replaced"
actor = {{ target = "replaced", call = "who", timeout_ms = 30000 }}

[[actor]]
name = "carried"
description = "edit {number}"
state = {{ count = 0 }}
keep_state = true
[actor.on.add]
set.count = "{{{{ state.count + 1 }}}}"
reply = {{ count = "{{{{ state.count }}}}", name = "{{{{ msg.name }}}}" }}

[[tool]]
name = "carried"
arguments.name = {{ type = "string", required = true }}
actor = {{ target = "carried", call = "add", timeout_ms = 30000 }}
"#
    )
}

/// Manifests that no server may take.
const WRONG: &[&str] = &[
    "[[tool]]\nname = \"wrong\"\nresult.text = \"",
    "[[tool]]\nname = \"wrong\"\nresult.txt = \"1\"\n",
    "[[tool]]\nname = \"greet\"\nresult.text = \"there is one\"\n",
    "[[tool]]\nname = \"wrong\"\nresult.text = \"{{ args.nothing }}\"\n",
    "[[tool]]\nname = \"wrong\"\nactor = { target = \"nobody\", call = \"x\" }\n",
    "[[actor]]\nname = \"wrong\"\nprocess.command = [\"/nowhere/to/be/found\"]\n",
];

pub const GOOD: &str = "edits that were served";
pub const REFUSED: &str = "edits that were refused";
pub const CAME: &str = "manifests that came and went";
const HANGUPS: &str = "SIGHUPs";

/// Edits until the round is over; then once more, which is the last.
pub fn play(world: &World) {
    let _alarm = Alarm(world);
    let mut turn = 0;
    while !world.stopped() {
        good(world, false);
        match turn % 4 {
            0 => refused(world, WRONG[turn / 4 % WRONG.len()]),
            1 => comes_and_goes(world),
            2 => {
                world.daemon.signal("HUP");
                world.tally.happened(HANGUPS);
            }
            _ => burst(world),
        }
        turn += 1;
    }
    good(world, true);
}

fn edit_served(world: &World) -> u64 {
    let answer = world.call("edited", json!({}));
    let number = &answer["result"]["structuredContent"]["edit"];
    number.as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn good(world: &World, is_last: bool) {
    let number = world.next_edit(is_last);
    world.project.save("manifests/edited.toml", edited(number));
    world.project.save("notes/watched.txt", number.to_string());
    within("an edit is served", || {
        (edit_served(world) == number).then_some(())
    });
    world.serves(number);
    world.tally.happened(GOOD);
}

/// Several saves before anybody has looked.
fn burst(world: &World) {
    for _ in 0..5 {
        let number = world.next_edit(false);
        world.project.save("manifests/edited.toml", edited(number));
    }
    world.tally.happened("bursts of five saves");
}

fn refused(world: &World, wrong: &str) {
    let (before, served) = (refusals(world), edit_served(world));
    world.project.save("manifests/wrong.toml", wrong);
    within("an edit is refused", || {
        (refusals(world) > before).then_some(())
    });
    // What was right before is served; what is right beside it is not.
    assert_eq!(edit_served(world), served);
    std::fs::remove_file(world.project.manifests().join("wrong.toml")).unwrap();
    within("the files are right again", || {
        (world.sample("snodo_last_reload_refused ") == 0).then_some(())
    });
    world.tally.happened(REFUSED);
}

fn refusals(world: &World) -> u64 {
    world.sample("snodo_reloads_total{outcome=\"refused\"} ")
}

/// A tool, an actor and a resource of their own, then none of them.
fn comes_and_goes(world: &World) {
    let name = format!("new-{}", world.token());
    let manifest = format!(
        "[[actor]]\nname = \"{name}\"\nprocess.command = [\"sh\", \"worker.sh\"]\n\
         [[tool]]\nname = \"{name}\"\nactor = {{ target = \"{name}\", call = \"echo\" }}\n\
         [[resource]]\nuri = \"new://{name}\"\nname = \"new\"\nresult.text = \"new\"\n"
    );
    world.project.save("manifests/new.toml", manifest);
    let called = || world.call(&name, json!({ "word": name }));
    let answer = within("a new tool is served", || {
        let answer = called();
        answer.get("error").is_none().then_some(answer)
    });
    let expected = json!({ "word": name });
    assert_eq!(
        answer["result"]["structuredContent"],
        expected,
        "{}",
        text_of(&answer)
    );
    std::fs::remove_file(world.project.manifests().join("new.toml")).unwrap();
    within("it is gone", || {
        (called()["error"]["code"] == -32602).then_some(())
    });
    world.tally.happened(CAME);
}
