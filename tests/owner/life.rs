//! Start, end, and ownership of the owner process.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use benchtop::protocol::lock;
use benchtop::protocol::wire::request;
use uuid::Uuid;

use crate::support::{
    Bench, ErrorKind, PROGRAM, is_dead, owners, root, run, tame, verdict, wait_until,
};

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_socket_is_private() {
    let bench = Bench::with_items(1);
    assert_eq!(mode(&bench.root().join(".owner")), 0o700);
    assert_eq!(mode(&bench.root().join(".owner/socket")), 0o600);
    assert_eq!(mode(&bench.root().join(".owner/lock")), 0o600);
}

#[test]
fn a_stale_socket_does_not_block_a_new_owner() {
    let bench = Bench::with_items(1);
    let first = bench.pid();
    bench.kill_owner();
    assert!(bench.root().join(".owner/socket").exists());
    assert_eq!(bench.pid(), None);
    assert_eq!(bench.items().len(), 1);
    assert!(bench.pid().is_some() && bench.pid() != first);
}

#[test]
fn an_ending_owner_is_replaced() {
    let bench = Bench::new();
    let folder = bench.root().join(".owner");
    std::fs::create_dir_all(&folder).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    let ending = std::thread::spawn(move || drop(listener.accept().unwrap()));
    assert_eq!(bench.pid(), None);
    ending.join().unwrap();
}

#[test]
fn stop_leaves_no_process_and_no_socket() {
    let bench = Bench::with_items(1);
    let pid = bench.pid().unwrap() as u32;
    let said = bench.run(["stop"]).ok();
    assert!(said.contains(&pid.to_string()), "{said}");
    assert!(is_dead(pid) && owners(bench.root()).is_empty());
    assert!(!bench.root().join(".owner/socket").exists());
    let said = bench.run(["stop"]).ok();
    assert!(!said.contains(|c: char| c.is_ascii_digit()), "{said}");
    assert_eq!(bench.items().len(), 1);
}

#[test]
fn the_lock_is_held_until_the_process_is_gone() {
    let bench = Bench::with_items(1);
    for n in 0..10 {
        let client = bench.client("ann", |_| ());
        let line = format!("/proc/{}/cmdline", client.welcome().pid);
        assert!(!std::fs::read(&line).unwrap().is_empty());
        let _ = client.ask(request::Stop);
        drop(client);
        // Without a pause: whoever finds the lock free finds no process, and a store that nobody has open.
        let project = bench.project();
        while lock::is_held(&project) {}
        assert!(
            std::fs::read(&line).unwrap_or_default().is_empty(),
            "round {n}: it lives on"
        );
        assert_eq!(bench.start_owner(), "ready", "round {n}");
    }
}

#[test]
fn an_owner_without_clients_ends_by_itself() {
    let bench = Bench::with_items(1);
    bench.run(["stop"]).ok();
    run(
        bench.command(["items"]).env("BENCHTOP_IDLE_SECONDS", "3"),
        "",
    )
    .ok();
    assert_eq!(owners(bench.root()).len(), 1);
    wait_until("it is idle", || owners(bench.root()).is_empty());
    assert!(!bench.root().join(".owner/socket").exists());
}

#[test]
fn the_owner_outlives_the_group_that_started_it() {
    use std::os::unix::process::CommandExt;
    let bench = Bench::with_items(1);
    bench.run(["stop"]).ok();
    let mut command = bench.command(["decide", "--as", "ann"]);
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_until("an owner", || bench.pid().is_some());
    let group = rustix::process::Pid::from_child(&child);
    for signal in [
        rustix::process::Signal::HUP,
        rustix::process::Signal::INT,
        rustix::process::Signal::KILL,
    ] {
        let _ = rustix::process::kill_process_group(group, signal);
    }
    child.wait().unwrap();
    assert_eq!(owners(bench.root()).len(), 1);
    assert_eq!(
        bench
            .feed(["decide"], &verdict(Uuid::now_v7(), 1, "accept"))
            .code,
        0
    );
}

#[test]
fn a_deep_project_has_its_socket_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("d".repeat(90)).join("e".repeat(90));
    let bench = Bench::init(deep);
    bench.import_items("set", 0..2);
    let socket = bench.status()["owner"]["socket"]
        .as_str()
        .unwrap()
        .to_string();
    assert!(
        !socket.starts_with(bench.root().to_str().unwrap()),
        "{socket}"
    );
    assert_eq!(mode(std::path::Path::new(&socket)), 0o600);
    assert_eq!(mode(std::path::Path::new(&socket).parent().unwrap()), 0o700);
    assert_eq!(
        lock::socket_path(&bench.project()).unwrap(),
        std::path::Path::new(&socket)
    );
    assert_eq!(
        bench
            .feed(["decide"], &verdict(Uuid::now_v7(), 1, "accept"))
            .code,
        0
    );
    bench.run(["stop"]).ok();
    assert!(!std::path::Path::new(&socket).exists());
}

/// The program as user `uid`; `None`, with a word, where that is not possible.
pub fn as_user(uid: u32, bench: &Bench) -> Option<Command> {
    if !root() {
        crate::support::skip(
            crate::support::Need::Root,
            "only root can become somebody else",
        );
        return None;
    }
    let mut command = Command::new("setpriv");
    let uid = uid.to_string();
    command
        .args([
            "--reuid",
            &uid,
            "--regid",
            &uid,
            "--clear-groups",
            PROGRAM,
            "--project",
        ])
        .arg(bench.root());
    tame(&mut command);
    let reachable = Command::new("setpriv")
        .args([
            "--reuid",
            &uid,
            "--regid",
            &uid,
            "--clear-groups",
            PROGRAM,
            "--version",
        ])
        .output()
        .is_ok_and(|o| o.status.success());
    if !reachable {
        crate::support::skip(
            crate::support::Need::Users,
            &format!("user {uid} cannot run {PROGRAM}"),
        );
        return None;
    }
    std::fs::set_permissions(
        bench.root().parent().unwrap(),
        PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    Some(command)
}

#[test]
fn another_users_project_is_refused_clearly() {
    let bench = Bench::with_items(2);
    // Somebody else, while the owner runs and after it.
    let Some(mut other) = as_user(54321, &bench) else {
        return;
    };
    let error = run(
        other.args(["decide"]),
        &verdict(Uuid::now_v7(), 1, "accept"),
    )
    .refused(1);
    assert!(error.names("uid 0") && error.names("uid 54321"), "{error}");
    let error = run(as_user(54321, &bench).unwrap().args(["status"]), "").refused(1);
    assert!(error.names("ermission"), "{error}");
    bench.run(["stop"]).ok();
    let before = bench.snapshot();
    let error = run(as_user(54321, &bench).unwrap().args(["items"]), "").refused(1);
    assert!(error.names("uid 54321"), "{error}");
    // And root in somebody else's.
    assert_eq!(bench.snapshot(), before);
    assert!(
        Command::new("chown")
            .args(["-R", "12345"])
            .arg(bench.root())
            .status()
            .unwrap()
            .success()
    );
    let before = bench.snapshot();
    for args in [
        vec!["items"],
        vec!["decide"],
        vec!["import", "/dev/null"],
        vec!["verdicts"],
    ] {
        let error = bench.run(args).refused(1);
        assert!(
            error.names("uid 12345") && error.names("uid 0") && !error.help.is_empty(),
            "{error}"
        );
    }
    assert_eq!(bench.snapshot(), before);
    assert!(owners(bench.root()).is_empty());
    // Its owner may.
    let own = run(as_user(12345, &bench).unwrap().args(["items"]), "");
    assert_eq!(own.code, 0, "{own:?}");
}

#[test]
fn a_shared_project_maps_users_to_annotators() {
    let bench = Bench::with_items(3);
    bench.run(["stop"]).ok();
    let Some(mut ann) = as_user(54321, &bench) else {
        return;
    };
    let file = bench.root().join("benchtop.toml");
    let shared = "\n[shared]\ngroup = \"54321\"\npeople = { 54321 = \"ann\", 54322 = \"bob\" }\n";
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + shared).unwrap();
    // Nobody but its user starts the owner.
    let error = run(ann.args(["items"]), "").refused(1);
    assert!(error.names("group 54321"), "{error}");
    let _owner = bench.start_owner();
    let say = |user: u32, more: &[&str]| {
        run(
            as_user(user, &bench).unwrap().arg("decide").args(more),
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
    };
    say(54321, &[]).ok();
    assert_eq!(bench.journals()[0]["who"], "ann", "without a word of hers");
    let error = say(54321, &["--as", "bob"]).refused(1);
    assert!(error.names("`ann`") && error.names("`bob`"), "{error}");
    // A journal from elsewhere would speak in anybody's name, and a file is read with the owner's rights.
    let of_bob = bench.beside("bob.jsonl");
    std::fs::write(&of_bob, "").unwrap();
    let path = of_bob.to_str().unwrap();
    for args in [
        vec!["merge", path],
        vec!["verdicts", "import", path],
        vec!["import", path],
    ] {
        let mut command = as_user(54321, &bench).unwrap();
        run(command.args(&args).arg("--json"), "").refused_as(ErrorKind::Denied);
    }
    let error = run(as_user(54321, &bench).unwrap().arg("stop"), "").refused(1);
    // It is refused at once. Waiting for the end in vain names the pid.
    let pid = owners(bench.root())[0].to_string();
    assert!(!error.names(&pid), "{error}");
    // Whom the group does not have does not reach the socket, whoever the project says they are.
    assert!(say(54322, &[]).refused(1).names("ermission"));
    let error = run(
        &mut bench.command(["decide", "--as", "ann"]),
        &verdict(Uuid::now_v7(), 1, "reject"),
    )
    .refused(1);
    assert!(error.names("ann"), "{error}");
    assert_eq!(bench.journals().len(), 1, "nothing of these was written");
    use std::os::unix::fs::MetadataExt;
    let mode = |name: &str| std::fs::metadata(bench.root().join(name)).unwrap().mode() & 0o777;
    assert_eq!(
        (mode(".owner"), mode(".owner/socket"), mode(".owner/lock")),
        (0o710, 0o660, 0o600)
    );
    bench.run(["status", "--as", "maintainer"]).ok();
}
