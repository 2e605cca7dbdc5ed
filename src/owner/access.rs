//! Who may speak to the owner, and as whom.
//!
//! A project is its user's alone, and that user speaks in any name. A shared one names a Unix group, whose members reach
//! the socket, and says which annotator each Unix user is; then nobody speaks in another's name.

use crate::context::OwnerContext;
use crate::trust;
use benchtop_model::config::Shared;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::{Access, AnyRequest};

/// Who the Unix user `peer` is when they say that they are `said`, in a project of the user `me`.
///
/// # Errors
/// [`ErrorKind::Denied`] for a user who is not in the project, or who is somebody else in it.
pub fn authenticate(shared: &Shared, me: u32, peer: u32, said: &str) -> Result<()> {
    let denied = |what: String| Error::new(ErrorKind::Denied, what);
    if shared.people.is_empty() {
        return match peer == me {
            true => Ok(()),
            false => Err(denied(format!(
                "this project belongs to user {me}, you are user {peer}"
            ))),
        };
    }
    match annotator(shared, peer) {
        Some(name) if name == said => Ok(()),
        Some(name) => Err(denied(format!("you are `{name}` in this project, and cannot write as `{said}`"))
            .help(format!("leave `--as` away, or give `--as {name}`"))),
        None if peer == me && !shared.people.values().any(|name| name == said) => Ok(()),
        None if peer == me => Err(denied(format!("`{said}` is another user's name in this project"))
            .help("[shared] of benchtop.toml says who is who")),
        None => Err(denied(format!("user {peer} is not among the people of this project"))
            .help("whoever it belongs to adds them to [shared] in benchtop.toml and starts the owner anew")),
    }
}

/// Whether the Unix user `peer` may ask this now: what the table says of who may, and of what writes.
///
/// # Errors
/// [`ErrorKind::Denied`] for whoever the project does not belong to, where only that user may; why nothing can be written.
pub fn authorize(shared: &OwnerContext, peer: u32, ask: &AnyRequest) -> Result<()> {
    let (me, access) = (rustix::process::geteuid().as_raw(), ask.name().row().access);
    allowed(access, peer == me, || trust::consents(shared, ask))?;
    if ask.writes() {
        shared.writable.may_write()
    } else {
        Ok(())
    }
}

/// Whether a request of this access is allowed. Files are read with the owner's rights, models are asked with the keys in
/// its environment, a journal from elsewhere speaks in anybody's name, and only its user starts an owner again.
fn allowed(access: Access, is_owner: bool, consents: impl FnOnce() -> bool) -> Result<()> {
    let what = match access {
        _ if is_owner => return Ok(()),
        Access::Member => return Ok(()),
        Access::Owner(what) => what,
        Access::OwnerToConsent if consents() => {
            let what = "only the project's owner may consent to what it sends";
            return Err(Error::new(ErrorKind::Denied, what).help("ask them to resume the job"));
        }
        Access::OwnerToConsent => return Ok(()),
    };
    Err(Error::new(
        ErrorKind::Denied,
        format!("only the project's owner may {what} in a shared project"),
    )
    .help("ask them, or work in a project of your own"))
}

/// Which annotator a Unix user is; `None` where the project does not say.
pub fn annotator(shared: &Shared, uid: u32) -> Option<&str> {
    let is = |user: &str| {
        user.parse() == Ok(uid) || uzers::get_user_by_name(user).is_some_and(|u| u.uid() == uid)
    };
    shared
        .people
        .iter()
        .find(|(user, _)| is(user))
        .map(|(_, name)| name.as_str())
}

/// Number of the group whose members reach the owner; `None` for a project that is not shared.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a group that this machine does not have.
pub fn group(shared: &Shared) -> Result<Option<u32>> {
    let Some(name) = &shared.group else {
        return Ok(None);
    };
    let gid = name
        .parse()
        .ok()
        .or_else(|| uzers::get_group_by_name(name).map(|g| g.gid()));
    let none = || {
        Error::new(
            ErrorKind::NotFound,
            format!("this machine has no group `{name}`"),
        )
        .field("shared.group")
    };
    gid.map(Some).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(people: &[(&str, &str)]) -> Shared {
        let people = people
            .iter()
            .map(|(user, name)| (user.to_string(), name.to_string()))
            .collect();
        Shared {
            group: Some("staff".into()),
            people,
        }
    }

    #[test]
    fn a_project_that_is_not_shared_is_its_users_alone() {
        assert!(authenticate(&Shared::default(), 5, 5, "anybody").is_ok());
        assert_eq!(
            authenticate(&Shared::default(), 5, 6, "ann")
                .unwrap_err()
                .kind,
            ErrorKind::Denied
        );
        assert_eq!(
            authenticate(&Shared::default(), 5, 0, "ann")
                .unwrap_err()
                .kind,
            ErrorKind::Denied,
            "root neither"
        );
    }

    #[test]
    fn nobody_speaks_in_anothers_name() {
        let shared = shared(&[("1001", "ann"), ("1002", "bob")]);
        assert!(authenticate(&shared, 5, 1001, "ann").is_ok());
        let refused = authenticate(&shared, 5, 1001, "bob")
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("you are `ann`") && refused.contains("`bob`"),
            "{refused}"
        );
        assert!(
            authenticate(&shared, 5, 1003, "cem").is_err(),
            "who is not named does not come in"
        );
        assert!(
            authenticate(&shared, 5, 5, "ann").is_err(),
            "whose project it is neither"
        );
        assert!(authenticate(&shared, 5, 5, "maintainer").is_ok());
    }

    #[test]
    fn only_the_owner_of_a_project_does_what_is_theirs() {
        let refused = |access, is_owner, consents| {
            allowed(access, is_owner, || consents)
                .map_err(|p| p.kind)
                .err()
        };
        assert_eq!(refused(Access::Member, false, true), None);
        assert_eq!(refused(Access::Owner("import files"), true, true), None);
        assert_eq!(
            refused(Access::Owner("import files"), false, false),
            Some(ErrorKind::Denied)
        );
        assert_eq!(refused(Access::OwnerToConsent, false, false), None);
        assert_eq!(
            refused(Access::OwnerToConsent, false, true),
            Some(ErrorKind::Denied)
        );
        assert_eq!(refused(Access::OwnerToConsent, true, true), None);
    }

    #[test]
    fn users_go_by_name_or_number() {
        assert_eq!(annotator(&shared(&[("root", "ann")]), 0), Some("ann"));
        assert_eq!(annotator(&shared(&[("0", "bob")]), 0), Some("bob"));
        assert_eq!(annotator(&shared(&[("no-such-user", "bob")]), 0), None);
        assert_eq!(
            group(&Shared {
                group: Some("root".into()),
                ..Shared::default()
            })
            .unwrap(),
            Some(0)
        );
        assert!(
            group(&Shared {
                group: Some("no-such-group".into()),
                ..Shared::default()
            })
            .is_err()
        );
    }
}
