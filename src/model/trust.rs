//! Whom a person on this machine trusts with what: pictures, texts and keys that leave the machine.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{Error, ErrorKind, Result};

/// Longest name of a variable for a key.
const LONGEST_NAME: usize = 128;

/// What is sent.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Sends {
    /// Texts: prompts, questions, answers.
    Texts,
    /// Pictures, and texts with them.
    #[default]
    Pictures,
}

impl Sends {
    /// Both, the lesser first.
    pub const ALL: [Sends; 2] = [Sends::Texts, Sends::Pictures];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Sends::Texts => "texts",
            Sends::Pictures => "pictures",
        }
    }

    /// What has that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Sends> {
        Sends::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// A place that something is sent to, with the variable whose value goes along as the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Destination {
    /// Scheme, host and port as one text, such as `https://api.example.com` or `http://127.0.0.1:8000`: the default port
    /// of the scheme is left out.
    pub to: String,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// What is sent.
    pub sends: Sends,
}

impl Destination {
    /// The destination of requests to `url`. The address is read by the same code as when it is asked.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for an address that is none, has another scheme than HTTP, or holds a name or a key, and for a
    /// variable whose name is none or is not that of a key.
    pub fn new(url: &str, key_env: Option<&str>, sends: Sends) -> Result<Destination> {
        let to = origin(url)?;
        if let Some(name) = key_env {
            check_key_name(name)?;
        }
        Ok(Destination {
            to,
            key_env: key_env.map(str::to_string),
            sends,
        })
    }

    /// Whether this is a server on this machine that gets no key: no agreement is needed for it.
    pub fn is_here(&self) -> bool {
        self.key_env.is_none() && Url::parse(&self.to).is_ok_and(|url| is_loopback(&url))
    }

    /// Whether an agreement to this covers `other`: the same scheme, host and port, the same key or none, and no more
    /// than is sent here.
    pub fn covers(&self, other: &Destination) -> bool {
        let key = other.key_env.is_none() || other.key_env == self.key_env;
        self.to == other.to && key && other.sends <= self.sends
    }

    /// The command that agrees to it.
    pub fn command(&self) -> String {
        let key = self
            .key_env
            .as_ref()
            .map_or(String::new(), |name| format!(" --key-env {name}"));
        let sends = if self.sends == Sends::default() {
            ""
        } else {
            " --sends texts"
        };
        format!("benchtop trust add {}{key}{sends}", self.to)
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to)?;
        self.key_env
            .as_ref()
            .map_or(Ok(()), |name| write!(f, " with ${name}"))
    }
}

/// Scheme, host and port of an address, as [`Destination::to`].
///
/// # Errors
/// [`ErrorKind::Usage`] for an address that is none, or has a name or key in it.
pub fn origin(url: &str) -> Result<String> {
    let wrong = |what: &str| {
        Error::new(ErrorKind::Usage, format!("`{}` {what}", shown(url)))
            .field("endpoint")
            .help("an address begins with http:// or https://, such as https://api.example.com/v1")
    };
    let url = Url::parse(url).map_err(|_| wrong("is no address"))?;
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("is no address of a server"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            Error::new(ErrorKind::Usage, "an address holds no name or key").field("endpoint"),
        );
    }
    Ok(url.origin().ascii_serialization())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a variable of this name may hold a key that is sent: a name of the shell's that has one of the words in it
/// that such variables have. So a slip does not send `PATH` or `HOME`.
///
/// # Errors
/// [`ErrorKind::Usage`].
pub fn check_key_name(name: &str) -> Result<()> {
    const WORDS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CRED", "API"];
    let first = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let is_name = first
        && name.len() <= LONGEST_NAME
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let upper = name.to_ascii_uppercase();
    let wrong = |what: String| Err(Error::new(ErrorKind::Usage, what).field("key_env"));
    if !is_name {
        // What stands here may be the key itself: it is not repeated.
        return wrong(
            "this is no name of an environment variable, expected one such as OPENAI_API_KEY"
                .into(),
        );
    }
    // It is where programs find the keys of a person, and not a key.
    if upper.contains("SSH_AUTH") || !WORDS.iter().any(|word| upper.contains(word)) {
        return wrong(format!(
            "the variable {name} has no name of a key, expected one such as OPENAI_API_KEY"
        ));
    }
    Ok(())
}

/// Text of a project in a line of ours: no control characters, not endless.
fn shown(text: &str) -> String {
    text.chars()
        .take(200)
        .flat_map(char::escape_debug)
        .collect()
}

/// A destination of a job, and whether the person has agreed to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Where, with which key.
    pub destination: Destination,
    /// Whether the person on this machine has agreed to it.
    pub agreed: bool,
}

/// What a job would send, where it waits for a person to agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// This person did not begin the job on this machine, or the project was copied, moved or changed since.
    pub elsewhere: bool,
    /// What would be sent, in words: `120 questions with their pictures`.
    pub what: String,
    /// How many of them, at most.
    pub count: u64,
    /// Where to; empty for a job that sends nothing.
    pub to: Vec<Wanted>,
}

impl Waits {
    /// The destinations that nobody has agreed to yet.
    pub fn open(&self) -> Vec<Destination> {
        self.to
            .iter()
            .filter(|w| !w.agreed)
            .map(|w| w.destination.clone())
            .collect()
    }

    /// What is wanted, in a sentence.
    pub fn says(&self) -> String {
        let to: Vec<String> = self.to.iter().map(|w| w.destination.to_string()).collect();
        match to.is_empty() {
            true => "this job was not begun by you on this machine; it sends nothing".into(),
            false => format!(
                "this project wants to send {} to {}",
                self.what,
                to.join(" and to ")
            ),
        }
    }

    /// What a person can answer to [`says`](Self::says), each with a word about it: yes first.
    pub fn choices(&self) -> Vec<(String, String)> {
        let to: Vec<String> = self.to.iter().map(|w| w.destination.to_string()).collect();
        let yes = match to.is_empty() {
            true => ("resume it".to_string(), String::new()),
            false => (
                "send it".to_string(),
                format!("you agree to {}, for all your projects", to.join(" and ")),
            ),
        };
        vec![yes, ("not now".to_string(), String::new())]
    }

    /// Why the job waits, in a line for lists of jobs.
    pub fn reason(&self) -> String {
        let to: Vec<String> = self.to.iter().map(|w| w.destination.to_string()).collect();
        let begun = if self.elsewhere {
            " (not begun by you here, or changed since)"
        } else {
            ""
        };
        match to.is_empty() {
            true => format!("waits for your agreement{begun}: it sends nothing"),
            false => format!(
                "waits for your agreement: {} to {}{begun}",
                self.what,
                to.join(" and to ")
            ),
        }
    }
}

/// The refusal of what nobody has agreed to, with the commands that agree.
pub fn refusal(open: &[Destination]) -> Error {
    let to: Vec<String> = open.iter().map(ToString::to_string).collect();
    let commands: Vec<String> = open.iter().map(Destination::command).collect();
    Error::new(
        ErrorKind::Denied,
        format!(
            "you have not agreed to send {} to {}",
            of(open),
            to.join(" and to ")
        ),
    )
    .help(format!(
        "nothing was sent; if you mean it: {}",
        commands.join(" && ")
    ))
}

fn of(open: &[Destination]) -> &'static str {
    open.iter()
        .map(|d| d.sends)
        .max()
        .unwrap_or_default()
        .name()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, key: Option<&str>) -> Destination {
        Destination::new(url, key, Sends::Pictures).unwrap()
    }

    #[test]
    fn a_destination_is_the_host_that_is_really_asked() {
        let to = |url: &str| origin(url).unwrap();
        assert_eq!(
            to("https://api.example.com:443/v1"),
            "https://api.example.com"
        );
        assert_eq!(to("http://HOST:8000/v1"), "http://host:8000");
        // What looks like another host to people and to simple code.
        assert_eq!(
            to("https://evil.example\\.api.example.com/v1"),
            "https://evil.example"
        );
        assert_eq!(
            to("https://evil.example#.api.example.com"),
            "https://evil.example"
        );
        assert_eq!(to("http://0x7f.1/v1"), "http://127.0.0.1");
        assert!(to("https://api.examp\u{43b}e.com").starts_with("https://api.xn--"));
        for wrong in [
            "",
            "host",
            "file:///etc/passwd",
            "https://name:key@host/",
            "https://name@host",
            "http://",
        ] {
            assert_eq!(origin(wrong).unwrap_err().kind, ErrorKind::Usage, "{wrong}");
        }
    }

    #[test]
    fn an_agreement_covers_the_same_host_and_key_and_no_more() {
        let agreed = of("https://api.example.com/v1", Some("A_KEY"));
        assert!(agreed.covers(&of("https://api.example.com/other", Some("A_KEY"))));
        assert!(
            agreed.covers(&of("https://api.example.com", None)),
            "less goes there"
        );
        for other in [
            of("https://api.example.com", Some("B_KEY")),
            of("http://api.example.com", Some("A_KEY")),
            of("https://api.example.com:8443", Some("A_KEY")),
            of("https://api.example.com.evil.example", Some("A_KEY")),
        ] {
            assert!(!agreed.covers(&other), "{other}");
        }
        let texts = Destination {
            sends: Sends::Texts,
            ..agreed.clone()
        };
        assert!(agreed.covers(&texts) && !texts.covers(&agreed));
    }

    #[test]
    fn only_a_server_here_without_a_key_needs_no_agreement() {
        for here in [
            "http://127.0.0.1:8000",
            "http://localhost:1",
            "http://[::1]:8000",
            "http://127.9.9.9",
        ] {
            assert!(of(here, None).is_here(), "{here}");
            assert!(!of(here, Some("A_KEY")).is_here(), "{here}");
        }
        for there in [
            "http://localhost.evil.example",
            "http://0.0.0.0",
            "http://127.0.0.1.evil.example",
            "http://10.0.0.1",
        ] {
            assert!(!of(there, None).is_here(), "{there}");
        }
    }

    #[test]
    fn a_variable_is_one_of_a_key() {
        for good in [
            "OPENAI_API_KEY",
            "HF_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "my_key",
        ] {
            check_key_name(good).unwrap();
        }
        for wrong in [
            "PATH",
            "HOME",
            "SSH_AUTH_SOCK",
            "",
            "A-KEY",
            "1KEY",
            "KEY\n",
            "sk-1234KEY",
        ] {
            check_key_name(wrong).unwrap_err();
        }
    }

    #[test]
    fn a_refusal_names_the_command_that_agrees() {
        let open = [
            of("http://h:9/v1", Some("A_KEY")),
            Destination::new("https://i", None, Sends::Texts).unwrap(),
        ];
        let said = refusal(&open).to_string();
        assert!(
            said.contains("benchtop trust add http://h:9 --key-env A_KEY &&"),
            "{said}"
        );
        assert!(
            said.contains("benchtop trust add https://i --sends texts"),
            "{said}"
        );
        let waits = Waits {
            elsewhere: true,
            what: "3 pictures".into(),
            count: 3,
            to: vec![Wanted {
                destination: open[0].clone(),
                agreed: false,
            }],
        };
        assert_eq!(
            waits.says(),
            "this project wants to send 3 pictures to http://h:9 with $A_KEY"
        );
        assert!(
            waits
                .reason()
                .starts_with("waits for your agreement: 3 pictures to http://h:9 with $A_KEY")
        );
    }
}
