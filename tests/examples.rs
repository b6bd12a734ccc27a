//! Runs the client of `examples/client` with a real server.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

use std::process::Command;

use support::child::Child;

#[test]
fn the_python_client_signs_up_follows_posts_votes_resumes_and_reads_again() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3 on this machine");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Child::starts(folder.path(), &[]);
    let output = Command::new("python3")
        .args(["-B", "tour.py", &server.at.to_string()])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/client"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("done\n"), "{said}");
}
