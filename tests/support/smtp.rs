//! A real mail server in a child process, with its own certificate.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use rcgen::{CertificateParams, IsCa, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::mail::Mail;
use super::wait_until;

/// The user who may log in. The password has characters that must be percent-encoded in a URL.
pub const LOGIN: (&str, &str) = ("mellow@example.org", "p:ss/w@rd");
pub const LOGIN_IN_URL: &str = "mellow%40example.org:p%3Ass%2Fw%40rd";

pub struct SmtpServer {
    process: Child,
    orders: ChildStdin,
    reported: Arc<Mutex<Vec<Value>>>,
    pub port: u16,
}

/// A certificate and its key.
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(vec!["localhost".into(), "127.0.0.1".into()]).unwrap();
        params.is_ca = IsCa::ExplicitNoCa;
        let key = KeyPair::generate().unwrap();
        Self::kept(&params.self_signed(&key).unwrap().pem(), &key)
    }

    /// A certificate of an untrusted authority, for another machine.
    pub fn of_somebody_else() -> Self {
        let mut params = CertificateParams::new(vec!["mail.example.net".into()]).unwrap();
        params.is_ca = IsCa::ExplicitNoCa;
        let key = KeyPair::generate().unwrap();
        Self::kept(&params.self_signed(&key).unwrap().pem(), &key)
    }

    fn kept(pem: &str, key: &KeyPair) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cert.pem"), pem).unwrap();
        std::fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// The setting that trusts it.
    pub fn trusted(&self) -> String {
        format!("smtp_ca={}", self.path().display())
    }
}

impl SmtpServer {
    /// Starts a server that accepts every mail without TLS.
    pub async fn plain(mood: &str) -> Self {
        Self::starts(json!({ "mood": mood, "port": 0 })).await
    }

    /// Starts a server that requires TLS and a log-in.
    pub async fn private(certificate: &Certificate, wrapped: bool, port: u16) -> Self {
        let path = |name: &str| certificate.folder.path().join(name);
        Self::starts(json!({
            "mood": "take",
            "port": port,
            "wrapped": wrapped,
            "cert": path("cert.pem"),
            "key": path("key.pem"),
            "login": { "name": LOGIN.0, "password": LOGIN.1 },
        }))
        .await
    }

    pub async fn starts(settings: Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/smtp.mjs");
        let library = concat!(env!("CARGO_MANIFEST_DIR"), "/web/node_modules/smtp-server");
        assert!(
            Path::new(library).exists(),
            "please run `scripts/web install` first: it brings a mail server"
        );
        let mut process = Command::new("node")
            .args([script, &settings.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node, for a mail server");
        let (orders, lines) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let reported = Arc::new(Mutex::new(Vec::new()));
        let received = reported.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                received.lock().unwrap().push(serde_json::from_str(&line).expect("what it says is JSON"));
            }
        });
        let mut server = Self { process, orders, reported, port: 0 };
        let listening = server.waits_for("listening", 1).await;
        server.port = u16::try_from(listening["port"].as_u64().unwrap()).unwrap();
        server
    }

    /// Returns every event of this kind that it reported so far.
    pub fn reported(&self, event: &str) -> Vec<Value> {
        self.reported.lock().unwrap().iter().filter(|reported| reported["event"] == event).cloned().collect()
    }

    /// Waits until it has reported this many events of a kind. Returns the last.
    pub async fn waits_for(&self, event: &str, count: usize) -> Value {
        wait_until(&format!("the mail server says {event} for the {count}. time"), || {
            self.reported(event).len() >= count
        })
        .await;
        let reported = self.reported(event);
        assert_eq!(reported.len(), count, "{reported:?}");
        reported.last().unwrap().clone()
    }

    /// Changes its behaviour, and waits until the change has taken effect.
    pub async fn feels(&mut self, mood: &str) {
        let count = self.reported("mood").len();
        writeln!(self.orders, "{mood}").unwrap();
        self.waits_for("mood", count + 1).await;
    }

    /// Waits for this many accepted mails. Returns the last.
    pub async fn takes(&self, count: usize) -> (Value, Mail) {
        let taken = self.waits_for("mail", count).await;
        let mail = Mail::read(taken["raw"].as_str().unwrap());
        (taken, mail)
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
