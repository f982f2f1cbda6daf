//! Binding: ports, names, Unix sockets, and the errors.

use super::{Client, PATIENCE, Server, settings, soon};
use crate::transport::http::{BindError, HttpSettings, Listen, Listener, LocalAddr};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use tokio::net::UnixStream;

fn at(places: &[&str]) -> HttpSettings {
    HttpSettings {
        listen: places.iter().map(|place| place.parse().unwrap()).collect(),
        ..settings()
    }
}

async fn error(settings: &HttpSettings) -> String {
    Listener::bind(settings).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let first = Listener::bind(&settings()).await.unwrap();
    let address = first.local_addrs()[0].to_string();
    let message = error(&at(&[&address])).await;
    assert_eq!(
        message,
        format!(
            "cannot listen on `{address}`: another program, or another entry of `http.listen`, listens there; stop it or choose another address"
        )
    );
    drop(first);
    Listener::bind(&at(&[&address])).await.unwrap();
}

#[tokio::test]
async fn settings_are_checked_before_anything_is_opened() {
    let wrong: &[(HttpSettings, &str)] = &[
        (
            HttpSettings {
                listen: vec![],
                ..settings()
            },
            "nowhere to listen",
        ),
        (
            HttpSettings {
                path: "mcp".into(),
                ..settings()
            },
            "`mcp` is not a path",
        ),
        (
            HttpSettings {
                path: "/a?b".into(),
                ..settings()
            },
            "`/a?b` is not a path",
        ),
        (
            HttpSettings {
                allowed_origins: vec!["example.com".into()],
                ..settings()
            },
            "`example.com` is not an origin",
        ),
        (
            HttpSettings {
                allowed_origins: vec!["https://a/b".into()],
                ..settings()
            },
            "`https://a/b` is not an origin",
        ),
        (
            HttpSettings {
                allowed_hosts: vec!["http://a".into()],
                ..settings()
            },
            "`http://a` is not a host",
        ),
        (at(&["203.0.113.7:0"]), "this machine has no such address"),
        // No resolver takes a label of more than 63 characters, so none is asked.
        (
            at(&[&format!("{}:0", "x".repeat(64))]),
            "cannot find the address of `xxx",
        ),
    ];
    for (settings, expected) in wrong {
        let message = error(settings).await;
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn a_name_listens_on_all_its_addresses_with_one_port() {
    let listener = Listener::bind(&at(&["localhost:0"])).await.unwrap();
    let ports: Vec<_> = listener
        .local_addrs()
        .iter()
        .map(|address| match address {
            LocalAddr::Tcp(address) if address.ip().is_loopback() => address.port(),
            other => panic!("{other}"),
        })
        .collect();
    assert!(
        !ports.is_empty() && ports.iter().all(|port| *port == ports[0] && *port != 0),
        "{ports:?}"
    );
}

#[tokio::test]
async fn the_path_may_be_the_root() {
    let server = Server::with(
        HttpSettings {
            path: "/".into(),
            ..settings()
        },
        PATIENCE,
    )
    .await;
    let request = "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(server.ask(server.text(request)).await.status, 200);
    server.post("", "x").await.is_refusal(404);
}

async fn over(path: &Path, host: &str) -> u16 {
    let mut client = Client::new(soon(UnixStream::connect(path)).await.unwrap(), host.into());
    client.post("", "x").await;
    client.answer().await.status
}

#[tokio::test]
async fn a_unix_socket_serves_any_host_and_goes_with_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snodo.sock");
    let settings = HttpSettings {
        listen: vec![Listen::Unix(path.clone())],
        ..settings()
    };
    let server = Server::with(settings.clone(), PATIENCE).await;
    assert_eq!(
        server.addresses[0].to_string(),
        format!("unix:{}", path.display())
    );
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o660
    );
    assert_eq!(
        (
            over(&path, "localhost").await,
            over(&path, "any.example").await
        ),
        (200, 200)
    );
    assert_eq!(
        over(&path, "").await,
        200,
        "a client may have no name for it"
    );
    assert!(matches!(
        Listener::bind(&settings).await,
        Err(BindError::InUse { .. })
    ));
    assert_eq!(
        over(&path, "localhost").await,
        200,
        "a second start does no harm"
    );
    server.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_dead_socket_is_replaced_and_a_file_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snodo.sock");
    // Dropped without removing its file, as a killed process leaves it.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(std::fs::metadata(&path).unwrap().file_type().is_socket());
    let settings = HttpSettings {
        listen: vec![Listen::Unix(path.clone())],
        ..settings()
    };
    let listener = Listener::bind(&settings).await.unwrap();
    // Somebody else's socket by now: it stays.
    std::fs::remove_file(&path).unwrap();
    let other = std::os::unix::net::UnixListener::bind(&path).unwrap();
    drop(listener);
    assert!(path.exists());
    drop(other);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(
        Listener::bind(&settings).await,
        Err(BindError::NotASocket { .. })
    ));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    let nowhere = HttpSettings {
        listen: vec![Listen::Unix(folder.path().join("none/x.sock"))],
        ..settings
    };
    assert!(
        error(&nowhere)
            .await
            .contains("none/x.sock`: the folder of the socket does not exist")
    );
}

#[tokio::test]
async fn of_many_that_start_at_once_on_a_dead_socket_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snodo.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let settings = HttpSettings {
        listen: vec![Listen::Unix(path.clone())],
        ..settings()
    };
    let starts = (0..20).map(|_| {
        let settings = settings.clone();
        tokio::spawn(async move { Listener::bind(&settings).await })
    });
    let mut won = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        won.extend(soon(start).await.unwrap());
    }
    assert_eq!(won.len(), 1);
    let server = Server::on(won.remove(0), PATIENCE);
    assert_eq!(over(&path, "localhost").await, 200);
    server.stop().await;
}
