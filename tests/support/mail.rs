//! Mails as their recipients read them.

use std::io::ErrorKind;
use std::path::Path;

use super::server::TestServer;
use super::wait_until;

/// A received mail.
#[derive(Clone, Debug)]
pub struct Mail {
    pub raw: String,
    pub headers: Vec<(String, String)>,
    pub text: String,
    pub html: String,
}

impl Mail {
    pub fn read(raw: &str) -> Self {
        let (head, body) = raw.split_once("\r\n\r\n").expect("headers and a body");
        let headers = headers(head);
        let kind = header(&headers, "Content-Type").expect("a type");
        assert!(kind.starts_with("multipart/alternative"), "{kind}");
        let boundary = kind.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
        let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
        let [_, text, html, end] = parts[..] else { panic!("two parts, not {}", parts.len()) };
        assert!(end.starts_with("--"));
        Self { raw: raw.to_owned(), text: part(text, "text/plain"), html: part(html, "text/html"), headers }
    }

    pub fn header(&self, name: &str) -> &str {
        let found: Vec<_> = self.headers.iter().filter(|(held, _)| held.eq_ignore_ascii_case(name)).collect();
        assert_eq!(found.len(), 1, "{name} once in {:?}", self.headers);
        &found[0].1
    }

    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(held, _)| held.eq_ignore_ascii_case(name))
    }

    /// Returns the link, which has its own line.
    pub fn link(&self) -> &str {
        let links: Vec<&str> = self.text.lines().filter(|line| line.starts_with("http")).collect();
        let [link] = links[..] else { panic!("one link in {}", self.text) };
        assert!(self.html.contains(&format!("href=\"{link}\"")), "the same in the page");
        link
    }

    /// Returns the token of the link, after the `#`.
    pub fn token(&self) -> &str {
        self.link().split_once('#').expect("a fragment").1
    }
}

fn headers(head: &str) -> Vec<(String, String)> {
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    unfolded
        .split("\r\n")
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn part(part: &str, kind: &str) -> String {
    let (head, body) = part.split_once("\r\n\r\n").unwrap();
    let headers = headers(head.trim_start());
    assert!(header(&headers, "Content-Type").unwrap().starts_with(kind));
    let body = match header(&headers, "Content-Transfer-Encoding") {
        Some("quoted-printable") => unquoted(body),
        Some("7bit" | "8bit") => body.to_owned(),
        other => panic!("{other:?} is new"),
    };
    body.replace("\r\n", "\n")
}

fn unquoted(body: &str) -> String {
    let body = body.replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut rest = body.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'=' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap());
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the mails in the outbox folder, oldest first.
pub fn outbox(folder: &Path) -> Vec<(String, Mail)> {
    let Ok(files) = std::fs::read_dir(folder.join("outbox")) else { return Vec::new() };
    let mut mails: Vec<_> = files
        .map(|file| file.unwrap())
        .filter_map(|file| {
            let name = file.file_name().into_string().unwrap();
            // A file is complete when it appears, so it can be read at once. The server may have removed it meanwhile.
            match name.ends_with(".eml").then(|| std::fs::read_to_string(file.path()))? {
                Err(why) if why.kind() == ErrorKind::NotFound => None,
                raw => Some((name, Mail::read(&raw.unwrap()))),
            }
        })
        .collect();
    mails.sort_by(|(one, _), (other, _)| one.cmp(other));
    mails
}

impl TestServer {
    /// Waits until the folder has this many mails. Returns the last.
    pub async fn mail(&self, count: usize) -> Mail {
        wait_until(&format!("mail {count} is in the outbox"), || outbox(self.folder()).len() >= count).await;
        let mails = outbox(self.folder());
        assert_eq!(mails.len(), count, "{:?}", mails.iter().map(|(name, _)| name).collect::<Vec<_>>());
        mails.into_iter().next_back().unwrap().1
    }

    /// Waits until the folder has this many mails. Returns the last one to this address.
    pub async fn mail_to(&self, address: &str, count: usize) -> Mail {
        self.mail(count).await;
        let mails = outbox(self.folder());
        let to = |mail: &Mail| mail.header("To") == address;
        mails.into_iter().map(|(_, mail)| mail).rfind(to).unwrap_or_else(|| panic!("none to {address}"))
    }

    /// Waits until no mail is queued.
    pub async fn nothing_waits(&self) {
        let look = self.look();
        wait_until("no letter waits", || {
            look.query_row("select count(*) from mails", [], |row| row.get::<_, i64>(0)) == Ok(0)
        })
        .await;
    }
}
