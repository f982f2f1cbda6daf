//! What is saved comes back, and damage is seen.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn state(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let dir = Arc::new(StateDir::open(folder.path()).unwrap());
    let store = Store::new(&dir, "counter");
    (folder, store)
}

#[test]
fn what_was_saved_last_comes_back() {
    let (_folder, store) = store();
    assert_eq!(store.restore().unwrap(), Restored::Nothing);
    for count in 0..3 {
        let state = state(json!({ "count": count, "text": "ä\n\u{0}", "big": 1e300 }));
        store.save(&state).unwrap();
        assert_eq!(store.restore().unwrap(), Restored::State(state));
    }
}

#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::MetadataExt;
    let (_folder, store) = store();
    store.save(&Map::new()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&store.path()), 0o600);
    assert_eq!(mode(&store.dir.folder), 0o700);
}

#[test]
fn a_folder_is_for_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let first = StateDir::open(folder.path()).unwrap();
    let second = StateDir::open(folder.path());
    assert!(matches!(second, Err(StateError::Taken(_))), "{second:?}");
    drop(first);
    StateDir::open(folder.path()).unwrap();
}

#[test]
fn every_changed_byte_and_every_cut_is_seen_and_kept_aside() {
    let (_folder, store) = store();
    store.save(&state(json!({ "count": 41 }))).unwrap();
    let whole = std::fs::read(store.path()).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut other = whole.clone();
            other[at] ^= 1 << bit;
            damaged.push(other);
        }
    }
    let mut longer = whole.clone();
    longer.push(b'\n');
    damaged.push(longer);
    for bytes in damaged {
        std::fs::write(store.path(), &bytes).unwrap();
        match store.restore().unwrap() {
            Restored::Damaged { kept, .. } => {
                assert_eq!(std::fs::read(&kept).unwrap(), bytes);
                assert!(!store.path().exists());
                std::fs::remove_file(kept).unwrap();
            }
            other => panic!("{other:?} from {:?}", String::from_utf8_lossy(&bytes)),
        }
    }
}

#[test]
fn a_later_version_is_left_where_it_is() {
    let (_folder, store) = store();
    let body = b"{}\n";
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    context.update(b"snodo-actor 2\n");
    context.update(body);
    let digest = context.finish();
    let hex: String = digest.as_ref().iter().map(|b| format!("{b:02x}")).collect();
    let later = format!("snodo-actor 2 3 {hex}\n{{}}\n");
    std::fs::write(store.path(), &later).unwrap();
    let found = store.restore();
    assert!(matches!(found, Err(StateError::Later(_))), "{found:?}");
    assert_eq!(std::fs::read_to_string(store.path()).unwrap(), later);
}

#[test]
fn the_file_of_another_actor_is_not_taken() {
    let (_folder, store) = store();
    let other = Store::new(&store.dir, "other");
    other.save(&Map::new()).unwrap();
    std::fs::rename(other.path(), store.path()).unwrap();
    let found = store.restore().unwrap();
    assert!(matches!(
        found,
        Restored::Damaged {
            why: Broken::Content,
            ..
        }
    ));
}

proptest! {
    #[test]
    fn nothing_but_what_was_sealed_opens(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        at in any::<proptest::sample::Index>(),
        count in 0_i64..i64::MAX,
    ) {
        let sealed = seal::seal(&state(json!({ "count": count })), "a").unwrap();
        prop_assert_eq!(seal::open(&sealed, "a"), Ok(state(json!({ "count": count }))));
        prop_assert!(seal::open(&bytes, "a").is_err());
        let mut spliced = sealed.clone();
        let at = at.index(sealed.len());
        spliced.splice(at..at, bytes.iter().copied());
        prop_assert!(bytes.is_empty() || seal::open(&spliced, "a").is_err());
    }
}
