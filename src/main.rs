//! Settings, log, server, signals; or one picture, or one command of the host, when it is called for that.
//! Nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mellow::clock::Clock;
use mellow::config::{self, Stop};
use mellow::pictures::worker;
use mellow::{control, server};

/// This program, also after its file was replaced by a newer one.
const THIS_PROGRAM: &str = "/proc/self/exe";

fn main() -> ExitCode {
    // Called by ourselves for one picture: before anything else is read.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|argument| argument == worker::COMMAND) {
        return worker::work(arguments.next());
    }
    // What people say and show is for this program alone, not for others with an account on this machine.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let called = match config::called(std::env::args_os(), environment, Path::new("mellow.toml")) {
        Ok(called) => called,
        Err(Stop::Told(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(Stop::Wrong(why)) => {
            eprintln!("mellow: {}", why.trim_end());
            return ExitCode::from(2);
        }
    };
    env_logger::Builder::new()
        .filter_level(log::LevelFilter::Warn)
        .filter_module("mellow", called.config.log.0)
        .format(|out, record| {
            writeln!(out, "{} {}: {}", out.timestamp_millis(), record.level(), record.args())
        })
        .init();
    actix_web::rt::System::new().block_on(async {
        match called.command {
            None => serve(called.config).await,
            Some(command) => say(control::call::call(&called.config, command).await),
        }
    })
}

/// Says what a command came to.
fn say(said: control::Said) -> ExitCode {
    match said {
        Ok(text) => {
            // Whoever reads only the beginning has read enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("mellow: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: config::Config) -> ExitCode {
    let running = match server::start(config, Clock::Real, PathBuf::from(THIS_PROGRAM)).await {
        Ok(running) => running,
        Err(why) => {
            eprintln!("mellow: {why}");
            return ExitCode::FAILURE;
        }
    };
    println!("Mellow is at http://{}", running.listens_on);
    asked_to_stop().await;
    log::info!("saying goodbye");
    running.stop().await;
    ExitCode::SUCCESS
}

/// Waits for the word to stop: Ctrl+C, or the host's service manager.
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(why) => {
            log::warn!("only Ctrl+C stops this server: {why}");
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
