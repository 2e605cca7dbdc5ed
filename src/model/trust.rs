//! Consent to send pictures, texts, and keys to other machines.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{Error, Result};

/// Maximum length of the name of a key variable.
const LONGEST_NAME: usize = 128;

named! {
    /// The kind of data that is sent.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum DataKind {
        /// Prompts, questions, and answers.
        Texts = "texts",
        /// Pictures with texts.
        #[default]
        Pictures = "pictures",
    }
}

/// A server, the variable whose value is sent as the key, and the kind of data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Destination {
    /// Scheme, host, and port, such as `https://api.example.com` or `http://127.0.0.1:8000`. The
    /// scheme's default port is left out.
    pub to: String,
    /// The environment variable with the key.
    pub key_env: Option<String>,
    pub sends: DataKind,
}

impl Destination {
    /// The destination of requests to `url`. The URL is parsed by the same code as for the request.
    ///
    /// # Errors
    /// [`Error::usage`] for an invalid URL, a scheme other than HTTP, a user name or password
    /// in the URL, and a variable name that is invalid or does not look like a key's.
    pub fn new(url: &str, key_env: Option<&str>, sends: DataKind) -> Result<Destination> {
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

    /// Whether it is a server on this machine without a key, which needs no agreement.
    pub fn needs_no_consent(&self) -> bool {
        self.key_env.is_none() && Url::parse(&self.to).is_ok_and(|url| is_loopback(&url))
    }

    /// Whether an agreement to this destination covers `other`: same scheme, host, and port, the
    /// same key or none, and no more data.
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
        let sends = if self.sends == DataKind::default() {
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

/// Scheme, host, and port of a URL, as in [`Destination::to`].
///
/// # Errors
/// [`Error::usage`] for an invalid URL, or one with a user name or password.
pub fn origin(url: &str) -> Result<String> {
    let wrong = |what: &str| {
        Error::usage(format!("`{}` {what}", shown(url)))
            .field("endpoint")
            .help("use a URL that starts with http:// or https://, such as https://api.example.com/v1")
    };
    let url = Url::parse(url).map_err(|_| match url.is_ascii() {
        true => wrong("is not a URL"),
        // Such a host can look like another one.
        false => wrong("is not a URL in ASCII")
            .help("write a host with other letters in its xn-- form, such as https://xn--bcher-kva.example/v1"),
    })?;
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("is not the URL of a server"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::usage("the URL contains a user name or key").field("endpoint"));
    }
    Ok(url.origin().ascii_serialization())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Checks that a variable may hold a key: a valid name that contains a word common for keys. So a
/// typo does not send `PATH` or `HOME`.
///
/// # Errors
/// [`Error::usage`] otherwise.
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
    let wrong = |what: String| Err(Error::usage(what).field("key_env"));
    if !is_name {
        // The value may be the key itself, so the error does not repeat it.
        return wrong(
            "not the name of an environment variable, expected one such as OPENAI_API_KEY".into(),
        );
    }
    // SSH_AUTH_SOCK is the path of a socket, not a key.
    if upper.contains("SSH_AUTH") || !WORDS.iter().any(|word| upper.contains(word)) {
        return wrong(format!(
            "variable {name} does not look like a key, expected one such as OPENAI_API_KEY"
        ));
    }
    Ok(())
}

/// Escapes control characters and truncates text from a project for one line.
fn shown(text: &str) -> String {
    text.chars()
        .take(200)
        .flat_map(char::escape_debug)
        .collect()
}

/// A destination of a job and whether the user has agreed to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedDestination {
    pub destination: Destination,
    pub agreed: bool,
}

/// The agreement that a job waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingConsent {
    /// Whether the user did not start the job on this machine, or the project was copied, moved, or
    /// changed since.
    pub elsewhere: bool,
    /// What would be sent: `120 questions with their pictures`.
    pub what: String,
    /// Maximum number of requests; [`UNKNOWN`](Self::UNKNOWN) if the destinations are unknown.
    pub count: u64,
    /// The destinations; empty for a job that sends nothing.
    pub to: Vec<RequestedDestination>,
}

impl PendingConsent {
    /// The [`count`](Self::count) of a job whose destinations cannot be determined. `what` says why.
    pub const UNKNOWN: u64 = u64::MAX;

    /// The destinations without an agreement.
    pub fn missing(&self) -> Vec<Destination> {
        self.to
            .iter()
            .filter(|w| !w.agreed)
            .map(|w| w.destination.clone())
            .collect()
    }

    /// The request for agreement, as a sentence.
    pub fn description(&self) -> String {
        let to = self.names();
        match to.is_empty() {
            true => format!(
                "you did not start this job on this machine; {}",
                self.nothing()
            ),
            false => format!(
                "this project wants to send {} to {}",
                self.what,
                to.join(" and to ")
            ),
        }
    }

    fn names(&self) -> Vec<String> {
        self.to.iter().map(|w| w.destination.to_string()).collect()
    }

    /// What is known of a job without destinations.
    fn nothing(&self) -> String {
        match self.count {
            Self::UNKNOWN => format!("its servers are unknown: {}", self.what),
            _ => "it sends nothing".into(),
        }
    }

    /// The possible answers to [`says`](Self::says), each with an explanation. Yes is first.
    pub fn choices(&self) -> Vec<(String, String)> {
        let to = self.names();
        let yes = match to.is_empty() {
            true => ("resume".to_string(), String::new()),
            false => (
                "send".to_string(),
                format!("agree to {} for all your projects", to.join(" and ")),
            ),
        };
        vec![yes, ("not now".to_string(), String::new())]
    }

    /// Why the job waits, as a line for job lists.
    pub fn reason(&self) -> String {
        let to = self.names();
        let origin = if self.elsewhere {
            " (not started by you here, or changed since)"
        } else {
            ""
        };
        match to.is_empty() {
            true => format!("waits for your agreement{origin}; {}", self.nothing()),
            false => format!(
                "waits for your agreement: {} to {}{origin}",
                self.what,
                to.join(" and to ")
            ),
        }
    }
}

/// The error for destinations without an agreement, with the commands that agree.
pub fn refusal(open: &[Destination]) -> Error {
    let to: Vec<String> = open.iter().map(ToString::to_string).collect();
    let commands: Vec<String> = open.iter().map(Destination::command).collect();
    Error::denied(format!(
        "you have not agreed to send {} to {}",
        most_sent(open),
        to.join(" and to ")
    ))
    .help(format!(
        "nothing was sent; to agree, run: {}",
        commands.join(" && ")
    ))
}

fn most_sent(open: &[Destination]) -> &'static str {
    open.iter()
        .map(|d| d.sends)
        .max()
        .unwrap_or_default()
        .name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn of(url: &str, key: Option<&str>) -> Destination {
        Destination::new(url, key, DataKind::Pictures).unwrap()
    }

    #[test]
    fn destination_is_the_requested_host() {
        let to = |url: &str| origin(url).unwrap();
        assert_eq!(
            to("https://api.example.com:443/v1"),
            "https://api.example.com"
        );
        assert_eq!(to("http://HOST:8000/v1"), "http://host:8000");
        // URLs that look like another host to people and to naive parsers.
        assert_eq!(
            to("https://evil.example\\.api.example.com/v1"),
            "https://evil.example"
        );
        assert_eq!(
            to("https://evil.example#.api.example.com"),
            "https://evil.example"
        );
        assert_eq!(to("http://0x7f.1/v1"), "http://127.0.0.1");
        assert_eq!(
            to("https://xn--bcher-kva.example/b\u{fc}cher"),
            "https://xn--bcher-kva.example"
        );
        for wrong in [
            "https://api.examp\u{43b}e.com",
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
    fn agreement_covers_same_host_and_key_only() {
        let agreed = of("https://api.example.com/v1", Some("A_KEY"));
        assert!(agreed.covers(&of("https://api.example.com/other", Some("A_KEY"))));
        assert!(
            agreed.covers(&of("https://api.example.com", None)),
            "less data is covered"
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
            sends: DataKind::Texts,
            ..agreed.clone()
        };
        assert!(agreed.covers(&texts) && !texts.covers(&agreed));
    }

    #[test]
    fn local_server_without_key_needs_no_agreement() {
        for here in [
            "http://127.0.0.1:8000",
            "http://localhost:1",
            "http://[::1]:8000",
            "http://127.9.9.9",
        ] {
            assert!(of(here, None).needs_no_consent(), "{here}");
            assert!(!of(here, Some("A_KEY")).needs_no_consent(), "{here}");
        }
        for there in [
            "http://localhost.evil.example",
            "http://0.0.0.0",
            "http://127.0.0.1.evil.example",
            "http://10.0.0.1",
        ] {
            assert!(!of(there, None).needs_no_consent(), "{there}");
        }
    }

    #[test]
    fn key_variables_look_like_keys() {
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
    fn refusal_names_the_agreeing_command() {
        let open = [
            of("http://h:9/v1", Some("A_KEY")),
            Destination::new("https://i", None, DataKind::Texts).unwrap(),
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
        let waits = PendingConsent {
            elsewhere: true,
            what: "3 pictures".into(),
            count: 3,
            to: vec![RequestedDestination {
                destination: open[0].clone(),
                agreed: false,
            }],
        };
        assert_eq!(
            waits.description(),
            "this project wants to send 3 pictures to http://h:9 with $A_KEY"
        );
        assert!(
            waits
                .reason()
                .starts_with("waits for your agreement: 3 pictures to http://h:9 with $A_KEY")
        );
    }
}
