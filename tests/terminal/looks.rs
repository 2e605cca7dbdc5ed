//! Colors and character sets as the terminal and the environment announce them.

use super::pty::{Line, Pty};
use crate::support::{json_lines, wording};
use crate::tui::support::Bench;
use benchtop::tui::action::Action;

/// The colors of text that were told, as SGR numbers of the sixteen.
fn inks(raw: &[u8]) -> Vec<u16> {
    let mut found = Vec::new();
    for sequence in raw
        .split(|b| *b == 0x1b)
        .filter(|s| s.first() == Some(&b'['))
    {
        let Some(end) = sequence
            .iter()
            .position(|b| b.is_ascii_alphabetic())
            .filter(|end| sequence[*end] == b'm')
        else {
            continue;
        };
        let numbers = String::from_utf8_lossy(&sequence[1..end]).into_owned();
        found.extend(
            numbers
                .split(';')
                .filter_map(|n| n.parse::<u16>().ok())
                .filter(|n| matches!(n, 30..=37 | 90..=97)),
        );
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn sixteen_colors_are_readable_on_a_light_terminal() {
    let bench = Bench::plain(2);
    let seen = |env: &[(&str, &str)]| {
        let pty = Pty::open_with(&bench, Line::default(), env);
        pty.on(1);
        inks(&pty.raw())
    };
    let light = seen(&[("TERM", "xterm"), ("COLORFGBG", "0;15")]);
    // Blue, red, magenta, dark gray.
    assert!(
        !light.is_empty() && light.iter().all(|n| matches!(n, 31 | 34 | 35 | 90)),
        "{light:?}"
    );
    let dark = seen(&[("TERM", "xterm"), ("COLORFGBG", "15;0")]);
    assert!(dark.contains(&94) && !dark.contains(&34), "{dark:?}");
    // Nobody says what the ground is: nothing that may not be read on it.
    assert_eq!(seen(&[("TERM", "xterm"), ("COLORFGBG", "")]), [0u16; 0]);
}

#[test]
fn the_user_s_theme_overrides_the_project_s() {
    let bench = Bench::plain(2);
    let file = bench.project().root().join("benchtop.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + "\n[look]\ntheme = \"light\"\n").unwrap();
    bench.stop_owner();
    bench.start_owner();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(crate::tui::support::BENCHTOP);
        command
            .args(args)
            .arg("--project")
            .arg(bench.project().root())
            .env("XDG_CONFIG_HOME", bench.person());
        let out = command.output().unwrap();
        assert!(out.status.success(), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    assert_eq!(json_lines(&run(&["theme", "--json"]))[0]["theme"], "auto");
    let status = json_lines(&run(&["status", "--json"])).remove(0);
    assert!(
        status["notices"].to_string().contains("look.theme"),
        "{status}"
    );
    let grounds = |pty: &Pty| {
        let raw = String::from_utf8_lossy(&pty.raw()).into_owned();
        (raw.contains("48;5;231"), raw.contains("48;5;233"))
    };
    let pty = Pty::open_with(&bench, Line::default(), &[("COLORFGBG", "")]);
    pty.on(1);
    assert_eq!(grounds(&pty), (false, true), "dark, where nobody says more");
    drop(pty);
    run(&["theme", "light"]);
    let pty = Pty::open_with(&bench, Line::default(), &[("COLORFGBG", "")]);
    pty.on(1);
    assert_eq!(grounds(&pty), (true, false));
}

#[test]
fn lang_c_writes_ascii_only() {
    let bench = Bench::sample();
    for env in [[("LC_ALL", "C")], [("LC_ALL", "de_DE.ISO-8859-1")]] {
        let pty = Pty::open_with(&bench, Line::default(), &env);
        pty.on(1);
        pty.keys(b"?");
        pty.wait_for(wording::help(Action::Accept));
        assert!(pty.raw().is_ascii());
    }
    let pty = Pty::open_with(&bench, Line::default(), &[("LC_ALL", "C.UTF-8")]);
    pty.on(1);
    assert!(!pty.raw().is_ascii());
}
