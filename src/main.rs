//! The program `mellow`.

fn main() -> std::process::ExitCode {
    mellow::program::run()
}
