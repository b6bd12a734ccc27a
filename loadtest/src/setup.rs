//! Sets up the people of a plan on a running server. They sign up, follow each other, and create the first posts, polls
//! and groups of the plan by ordinary requests.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clients::Target;
use crate::community::{Community, Ids, OPTIONS, option_text};
use crate::events::{self, Head, Reply};
use crate::frames;
use crate::msgpack::Writer;
use crate::server::start_hint;

/// The number of people who are set up at the same time.
const AT_ONCE: usize = 8;
/// The time limit of a connection attempt and of a read.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The pause before a request that was refused as busy is sent again. The next constant is the most attempts.
const BUSY_PAUSE: Duration = Duration::from_millis(500);
const BUSY_TRIES: usize = 40;

/// Parses the address of a server.
///
/// # Errors
/// One sentence that says that it is not an address, or does not begin with `http://`.
pub fn target(url: &str) -> Result<Target, String> {
    let url = url.trim_end_matches('/');
    let host = url.strip_prefix("http://").ok_or_else(|| {
        format!("{url:?} does not begin with http://: please give the address that Mellow itself listens on")
    })?;
    let with_port = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = with_port.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    let address = address.ok_or_else(|| format!("{host:?} is no address"))?;
    Ok(Target { address, sockets: vec![address], host: host.into(), origin: url.into() })
}

/// A socket with one request at a time.
struct SetupConnection {
    stream: TcpStream,
    bytes: Vec<u8>,
    next_id: u64,
}

fn failed(why: impl std::fmt::Display) -> String {
    format!("the people of the test could not be set up: {why}")
}

fn connect(target: &Target) -> Result<TcpStream, String> {
    let reached = TcpStream::connect_timeout(&target.address, TIMEOUT)
        .map_err(|why| format!("cannot connect to {}: {why}", target.address))?;
    reached.set_read_timeout(Some(TIMEOUT)).map_err(failed)?;
    reached.set_nodelay(true).map_err(failed)?;
    Ok(reached)
}

impl SetupConnection {
    fn open(target: &Target, cookie: &str) -> Result<Self, String> {
        let mut stream = connect(target)?;
        let handshake = frames::handshake(&target.host, &target.origin, cookie);
        stream.write_all(handshake.as_bytes()).map_err(failed)?;
        let mut connection = Self { stream, bytes: Vec::new(), next_id: 0 };
        loop {
            if let Some((length, first)) = frames::head(&connection.bytes) {
                if !first.starts_with("HTTP/1.1 101") {
                    return Err(format!("the server refused a socket: {first}; {}", start_hint()));
                }
                connection.bytes.drain(..length);
                return Ok(connection);
            }
            connection.read_more()?;
        }
    }

    fn read_more(&mut self) -> Result<(), String> {
        let mut part = [0; 16 * 1_024];
        match self.stream.read(&mut part).map_err(failed)? {
            0 => Err(failed("the server closed a connection")),
            count => {
                self.bytes.extend_from_slice(&part[..count]);
                Ok(())
            }
        }
    }

    fn send(&mut self, first: u8, message: &[u8]) -> Result<(), String> {
        let mut frame = Vec::new();
        frames::mask(first, message, [1, 2, 3, 4], &mut frame);
        self.stream.write_all(&frame).map_err(failed)
    }

    /// Sends a request and waits for its reply. `fields` adds `count` fields. A request that is refused as busy is sent
    /// again with the same key.
    fn ask(&mut self, op: &str, count: u8, fields: impl Fn(Writer) -> Writer) -> Result<Reply, String> {
        let mut key = [0; 16];
        getrandom::fill(&mut key).map_err(failed)?;
        for _ in 0..BUSY_TRIES {
            self.next_id += 1;
            let id = self.next_id;
            let out = Writer::default().map(count + 3).text("id").number(id).text("op").text(op);
            self.send(frames::BINARY, &fields(out.text("key").bytes(&key)).done())?;
            let reply = self.reply_to(id)?;
            match &reply.refusal {
                None => return Ok(reply),
                Some((code, _)) if code == "busy" => std::thread::sleep(BUSY_PAUSE),
                Some((code, _)) if code == "slow_down" => {
                    return Err(format!("{op} was refused with slow_down; {}", start_hint()));
                }
                Some((code, sentence)) => {
                    return Err(failed(format!("{op} was refused: {code}: {sentence}")));
                }
            }
        }
        Err(failed(format!("{op} was refused as busy again and again")))
    }

    fn reply_to(&mut self, id: u64) -> Result<Reply, String> {
        loop {
            while let Some(frame) = frames::cut(&self.bytes) {
                let (first, body) = (frame.first, frame.body.to_vec());
                let length = frame.length;
                self.bytes.drain(..length);
                match first {
                    frames::PING => self.send(frames::PONG, &body)?,
                    frames::CLOSE => return Err(failed("the server closed a socket")),
                    _ if events::head(&body) == Some(Head::Reply { re: id }) => {
                        return events::reply(&body)
                            .ok_or_else(|| failed("an answer is not as the protocol says"));
                    }
                    _ => {}
                }
            }
            self.read_more()?;
        }
    }
}

/// Signs a user up. Returns the id and the cookie.
fn sign_up(target: &Target, run: &str, person: usize) -> Result<(u64, String), String> {
    let mut connection = SetupConnection::open(target, "")?;
    let reply = connection.ask("auth.sign_up", 3, |out| {
        let out = out.text("email").text(&format!("loadtest-{run}-{person}@example.org"));
        let out = out.text("password").text(&format!("lake heron {run}"));
        out.text("name").text(&format!("Person {person}"))
    })?;
    let ticket = reply.ticket.ok_or_else(|| failed("a sign-up brought no ticket"))?;
    Ok((reply.me, session(target, &ticket)?))
}

/// Posts a ticket. Returns the cookie in the response.
fn session(target: &Target, ticket: &str) -> Result<String, String> {
    let mut stream = connect(target)?;
    let Target { host, origin, .. } = target;
    let request = format!(
        "POST /session HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Type: text/plain\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{ticket}",
        ticket.len()
    );
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).map_err(failed)?;
    let response = String::from_utf8_lossy(&response);
    let header = response.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("set-cookie").then_some(value)
    });
    let cookie = header.and_then(|value| value.split(';').next());
    cookie.map(str::to_owned).ok_or_else(|| failed(response.lines().next().unwrap_or("no answer")))
}

/// Runs `work` for each number below `count`, a few at the same time. Returns the results in order.
fn for_each<T: Send>(
    count: usize,
    is_interrupted: &(impl Fn() -> bool + Sync),
    work: impl Fn(usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || is_interrupted() {
                        return;
                    }
                    match work(number) {
                        Ok(value) => {
                            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, value));
                        }
                        Err(why) => {
                            next.store(count, Ordering::Relaxed);
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                        }
                    }
                }
            });
        }
    });
    if let Some(why) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(why);
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if done.len() < count {
        return Err("interrupted while people signed up".into());
    }
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, value)| value).collect())
}

/// Sets up the people of a plan. Returns the ids and cookies.
///
/// # Errors
/// One sentence that says that the server cannot be reached, or refuses a request.
pub fn set_up(
    target: &Target,
    community: &Community,
    is_interrupted: &(impl Fn() -> bool + Sync),
) -> Result<Ids, String> {
    let mut run = [0; 6];
    getrandom::fill(&mut run).map_err(failed)?;
    let run: String = run.iter().map(|byte| format!("{byte:02x}")).collect();
    let people = for_each(community.len(), is_interrupted, |person| sign_up(target, &run, person))?;
    let (users, cookies): (Vec<u64>, Vec<String>) = people.into_iter().unzip();
    let as_person = |person: usize| SetupConnection::open(target, &cookies[person]);
    for_each(community.len(), is_interrupted, |person| {
        let mut connection = as_person(person)?;
        for other in &community.following[person] {
            connection.ask("follows.set", 2, |out| {
                out.text("user_id").number(users[*other]).text("following").boolean(true)
            })?;
        }
        Ok(())
    })?;
    let public = |out: Writer| out.text("audience").map(1).text("type").text("public");
    let threads = for_each(community.threads.len(), is_interrupted, |thread| {
        let mut connection = as_person(community.threads[thread])?;
        let text = "What do you do with the first hour of the day?";
        Ok(connection.ask("posts.create", 2, |out| public(out.text("text").text(text)))?.id)
    })?;
    let polls = for_each(community.polls.len(), is_interrupted, |poll| {
        let mut connection = as_person(community.polls[poll])?;
        let reply = connection.ask("polls.create", 3, |out| {
            let out = out.text("question").text("What comes first in your morning?");
            let options = out.text("options").array(OPTIONS);
            public((0..OPTIONS).fold(options, |out, option| out.text(option_text(option))))
        })?;
        Ok(reply.id)
    })?;
    let groups = for_each(community.groups.len(), is_interrupted, |group| {
        let planned = &community.groups[group];
        let mut connection = as_person(planned.owner)?;
        let id =
            connection.ask("groups.create", 1, |out| out.text("name").text(&format!("Group {group}")))?.id;
        if !planned.members.is_empty() {
            connection.ask("groups.add", 2, |out| {
                let out = out.text("group_id").number(id).text("user_ids").array(planned.members.len());
                planned.members.iter().fold(out, |out, member| out.number(users[*member]))
            })?;
        }
        Ok(id)
    })?;
    Ok(Ids { users, threads, polls, groups, cookies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_the_host_and_the_origin_of_a_browser() {
        let found = target("http://127.0.0.1:8080/").unwrap();
        assert_eq!((found.host.as_str(), found.origin.as_str()), ("127.0.0.1:8080", "http://127.0.0.1:8080"));
        assert_eq!(found.address, ([127, 0, 0, 1], 8080).into());
        assert_eq!(target("http://127.0.0.1").unwrap().address.port(), 80);
        for wrong in ["https://mellow.example", "127.0.0.1:8080", "http://127.0.0.1:many"] {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }
}
