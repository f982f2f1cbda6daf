//! What an http tool asks: a server that costs as little as can be, since it shares the load's core.

use super::server::port;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// What it answers.
pub const BODY: &str = "It is 21.5 degrees in Amsterdam, and it will rain before the evening.";

const LISTENER: u64 = u64::MAX;

/// `upstream PORT`: answers each request, which must come in one piece and without a body.
pub(super) fn serve(arguments: &[OsString]) {
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let listener = TcpListener::bind(("127.0.0.1", port(arguments))).expect("the port is free");
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("an epoll");
    let add = |source: std::os::fd::BorrowedFd<'_>, index| {
        let data = epoll::EventData::new_u64(index);
        epoll::add(&poll, source, data, epoll::EventFlags::IN).expect("it can be waited for");
    };
    add(std::os::fd::AsFd::as_fd(&listener), LISTENER);
    let mut connections: Vec<Option<TcpStream>> = Vec::new();
    let at_once = Timespec::try_from(Duration::ZERO).expect("a short time");
    let mut events: Vec<epoll::Event> = Vec::with_capacity(256);
    let mut scratch = vec![0; 1 << 16];
    loop {
        events.clear();
        // Like the load it does not sleep while it is asked: who wakes it would pay for that.
        let timeout = Some(&at_once).filter(|_| !connections.is_empty());
        match epoll::wait(&poll, spare_capacity(&mut events), timeout) {
            Ok(_) if events.is_empty() => rustix::thread::sched_yield(),
            Ok(_) => {}
            Err(_) => continue,
        }
        for event in &events {
            let data = event.data;
            let index = data.u64();
            if index == LISTENER {
                let (stream, _) = listener.accept().expect("a connection");
                let _best_effort = stream.set_nodelay(true);
                add(std::os::fd::AsFd::as_fd(&stream), connections.len() as u64);
                connections.push(Some(stream));
                continue;
            }
            let connection = connections.get_mut(index as usize).expect("a connection");
            let Some(stream) = connection else { continue };
            let whole = match stream.read(&mut scratch) {
                Ok(read) => scratch
                    .get(..read)
                    .is_some_and(|it| it.ends_with(b"\r\n\r\n")),
                Err(_) => false,
            };
            if !whole || stream.write_all(answer.as_bytes()).is_err() {
                *connection = None;
            }
        }
    }
}
