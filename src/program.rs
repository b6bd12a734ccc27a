//! The program: reads the settings, starts the log and the server, and waits for a signal to stop.
//!
//! Other commands of the same program render one picture for the server, run a command of the host, fill a data folder
//! with content, or test a server under load.
//!
//! It is part of the library, because async functions are compiled where they are awaited: in `main.rs` the whole server
//! would be compiled a second time.

mod ready;
mod user;

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mellow_loadtest as loadtest;

use crate::cli::{self, Stop, Task};
use crate::clock::Clock;
use crate::control::backups::Output;
use crate::pictures::worker;
use crate::settings::{Settings, SignUps};
use crate::{cluster, control, counters, db, seed, server};

/// The path of the running program. It stays valid after a newer program replaced the file.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// The file with the settings of the host, in the folder where the program is started.
const SETTINGS_FILE: &str = "mellow.toml";

/// Runs the command of the command line. Returns the exit code of the program.
pub fn run() -> ExitCode {
    // The server starts this program as a worker that renders one picture. The worker reads no settings.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|argument| argument == worker::COMMAND) {
        return worker::work(arguments.into_iter().nth(2));
    }
    // The server of a load test ends when the test ends, even if the test is killed.
    if let Some(command) = arguments.get_mut(1).filter(|argument| *argument == loadtest::server::COMMAND) {
        loadtest::server::end_with_parent();
        *command = "serve".into();
    }
    // Other users of this machine must not read the files of the data folder.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let invocation = match cli::parse(arguments, environment, Path::new(SETTINGS_FILE)) {
        Ok(invocation) => invocation,
        Err(Stop::Help(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(Stop::Usage(why)) => {
            eprintln!("mellow: {}", why.trim_end().trim_start_matches("error: "));
            return ExitCode::from(2);
        }
    };
    // A command prints its result alone, so it has no log.
    let (others, own) = match invocation.task {
        Task::Serve | Task::Front => (log::LevelFilter::Warn, invocation.settings.log.0),
        _ => (log::LevelFilter::Off, log::LevelFilter::Off),
    };
    env_logger::Builder::new()
        .filter_level(others)
        .filter_module("mellow", own)
        .format(|out, record| {
            // Anybody can send bytes that are no request. They are counted and not logged, so that they cannot fill the
            // log.
            if record.target().starts_with("actix_http") {
                counters::HTTP_MALFORMED.add(1);
                return Ok(());
            }
            // One line of `key=value` pairs (logfmt). Debug formatting escapes line breaks in the message.
            let (time, level) = (out.timestamp_millis(), record.level().as_str().to_lowercase());
            writeln!(
                out,
                "time={time} level={level} module={} message={:?}",
                record.target(),
                record.args().to_string()
            )
        })
        .init();
    let settings = invocation.settings;
    // A load test has a folder of its own, and these others have none.
    if !matches!(invocation.task, Task::LoadTest(_) | Task::Front | Task::ClusterKey(_))
        && let Err(why) = user::check(&settings.data)
    {
        return print_result(Err(why));
    }
    let runtime = actix_web::rt::System::new;
    match invocation.task {
        Task::Serve => runtime().block_on(serve(settings)),
        Task::Command(command) => {
            runtime().block_on(async { print_result(control::call::call(&settings, command).await) })
        }
        Task::Backup(command) => runtime().block_on(async { print_output(command.execute(&settings).await) }),
        Task::Seed { content, seed } => runtime().block_on(async {
            print_result(seed::fill(settings, content, seed, PathBuf::from(THIS_PROGRAM)).await)
        }),
        Task::Front => runtime().block_on(front(settings)),
        Task::ClusterKey(file) => print_result(cluster::make_key(&file)),
        // A load test starts its own runtime.
        Task::LoadTest(options) => loadtest::main(&options, &seed::loadtest::PROGRAM),
    }
}

/// Prints the result of a command.
fn print_result(result: control::CommandResult) -> ExitCode {
    match result {
        Ok(text) => {
            // A closed pipe is no error: the reader, such as `head`, wanted only the beginning.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("mellow: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the output of a command about backups.
fn print_output(result: Result<Output, String>) -> ExitCode {
    let output = match result {
        Ok(output) => output,
        Err(why) => return print_result(Err(why)),
    };
    let printed = print_result(Ok(output.text));
    if let Some(warning) = output.warning {
        eprintln!("mellow: {warning}");
    }
    match output.fault {
        Some(fault) => print_result(Err(fault)),
        None => printed,
    }
}

async fn serve(settings: Settings) -> ExitCode {
    // Signals are handled from here on, so that a server that is still starting stops cleanly, too.
    let stopped = match stop_signals() {
        Ok(stopped) => stopped,
        Err(why) => {
            eprintln!("mellow: signals cannot be received: {why}");
            return ExitCode::FAILURE;
        }
    };
    let public_url = settings.public_url.origin.clone();
    let first = (!db::is_in(&settings.data)).then(|| settings.clone());
    let running = match server::start(settings, Clock::Real, PathBuf::from(THIS_PROGRAM)).await {
        Ok(running) => running,
        Err(why) => {
            eprintln!("mellow: {why}");
            return ExitCode::FAILURE;
        }
    };
    let people = public_url.map(|url| format!(", and people reach it at {url}")).unwrap_or_default();
    let steps = first.map(|settings| first_steps(&settings, running.listens_on)).unwrap_or_default();
    let text = format!("Mellow is at http://{}{people}\n{steps}", running.listens_on);
    // Whoever started the server may have closed its output. It serves without it.
    let _ = std::io::stdout().write_all(text.as_bytes());
    ready::notify();
    end(stopped, running.failed(), running.stop()).await
}

/// Serves as a front until it is stopped, or has to end.
async fn front(settings: Settings) -> ExitCode {
    let stopped = match stop_signals() {
        Ok(stopped) => stopped,
        Err(why) => {
            eprintln!("mellow: signals cannot be received: {why}");
            return ExitCode::FAILURE;
        }
    };
    let mut stopped = std::pin::pin!(stopped);
    // A front waits for its home as long as it must.
    let started = tokio::select! {
        started = server::start_front(settings, Clock::Real) => started,
        () = &mut stopped => return ExitCode::SUCCESS,
    };
    let running = match started {
        Ok(running) => running,
        Err(why) => {
            eprintln!("mellow: {why}");
            return ExitCode::FAILURE;
        }
    };
    let text = format!("The sockets of this front are at http://{}\n", running.listens_on);
    let _ = std::io::stdout().write_all(text.as_bytes());
    end(stopped, running.failed(), running.stop()).await
}

/// Waits for a signal, or until the process has to end, and stops. Returns the exit code.
async fn end(
    stopped: impl Future<Output = ()>,
    failed: impl Future<Output = String>,
    stop: impl Future<Output = ()>,
) -> ExitCode {
    let why = tokio::select! {
        () = stopped => None,
        why = failed => Some(why),
    };
    log::info!("stopping");
    stop.await;
    match why {
        None => ExitCode::SUCCESS,
        Some(why) => {
            eprintln!("mellow: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the next steps of the host. The start that makes the database prints them, so they appear once.
fn first_steps(settings: &Settings, listens_on: SocketAddr) -> String {
    let data = data_flag(&settings.data);
    let mellow = |command: &str| user::as_typed(&format!("mellow {command}{data}"));
    let public_url = settings.public_url.origin.as_deref();
    let address = public_url.unwrap_or("this address");
    let sign_up = match settings.signup {
        SignUps::Open => format!("Open {address}, and sign up."),
        SignUps::Invite => format!("Run `{}`, open its link, and sign up.", mellow("invite")),
        SignUps::Closed => {
            "Nobody can sign up. Set signup to invite or open, start Mellow again, and sign up.".into()
        }
    };
    let tunnel = match public_url {
        None if listens_on.ip().is_loopback() => {
            let port = listens_on.port();
            format!(" On another computer first run `ssh -L {port}:{listens_on} you@server`.")
        }
        _ => String::new(),
    };
    let promote = mellow("user promote you@example.org");
    let is_missing = [("public_url", public_url.is_none()), ("smtp_url", settings.smtp_url.0.is_none())];
    let missing: Vec<&str> =
        is_missing.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name).collect();
    let set = match missing.is_empty() {
        true => String::new(),
        false => format!("set {} in mellow.toml, and ", missing.join(" and ")),
    };
    let check = mellow("check");
    format!(
        "\nThis is the first start on this data folder. The next steps are:\n\
         1. {sign_up}{tunnel}\n\
         2. Make yourself an admin: `{promote}`.\n\
         3. Before people on the internet join, {set}run `{check}`, which says what is still missing.\n"
    )
}

/// Returns the flag that names the data folder to a command; empty if a command finds the folder by the settings file.
fn data_flag(data: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = cli::read_settings(["mellow".into()], [], Path::new(SETTINGS_FILE));
    if found.is_ok_and(|found| absolute(&found.data) == absolute(data)) {
        return String::new();
    }
    let path = absolute(data).display().to_string();
    if path.contains(char::is_whitespace) { format!(" --data '{path}'") } else { format!(" --data {path}") }
}

/// Returns a future that ends at a signal to stop: SIGTERM from the service manager, or Ctrl+C.
fn stop_signals() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
