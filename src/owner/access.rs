//! Authenticates clients and authorizes requests.
//!
//! A private project serves only its own user, under any annotator name. A shared project names a
//! Unix group whose members can reach the socket, and assigns each Unix user an annotator name. No
//! user can act under the name of another.

use crate::context::OwnerContext;
use benchtop_model::config::Shared;
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{Access, AnyRequest};

/// Checks that the Unix user `peer` may act as the annotator `said`. `me` is the project's owner.
///
/// # Errors
/// [`Error::denied`] for a user who is not in the project or has another name in it.
pub fn authenticate(shared: &Shared, me: u32, peer: u32, claimed: &str) -> Result<()> {
    let denied = |what: String| Error::denied(what);
    if shared.people.is_empty() {
        return match peer == me {
            true => Ok(()),
            false => Err(denied(format!(
                "this project belongs to user {me}, but you are user {peer}"
            ))),
        };
    }
    match annotator(shared, peer) {
        Some(name) if name == claimed => Ok(()),
        Some(name) => Err(denied(format!("you are `{name}` in this project and cannot act as `{claimed}`"))
            .help(format!("omit `--as`, or use `--as {name}`"))),
        None if peer == me && !shared.people.values().any(|name| name == claimed) => Ok(()),
        None if peer == me => Err(denied(format!("`{claimed}` is the name of another user in this project"))
            .help("see [shared] in benchtop.toml for the names of all users")),
        None => Err(denied(format!("user {peer} is not a member of this project"))
            .help("ask the project's owner to add you to [shared] in benchtop.toml and to restart the owner process")),
    }
}

/// Checks that the Unix user `peer` may send this request now.
///
/// # Errors
/// [`Error::denied`] if only the project's owner may, and the reason if the project is
/// read-only.
pub fn authorize(shared: &OwnerContext, peer: u32, ask: &AnyRequest) -> Result<()> {
    let (me, access) = (rustix::process::geteuid().as_raw(), ask.name().row().access);
    allowed(access, peer == me)?;
    if ask.writes() {
        shared.writable.may_write()
    } else {
        Ok(())
    }
}

/// Whether a request with this access rule is allowed. Some requests are reserved for the project's
/// owner, because the owner process reads files with that user's rights, uses the keys in that
/// user's environment, accepts journals of any annotator, and is restarted only by that user.
/// Whether a request of a member is a consent depends on the job, so the engine checks it.
pub fn allowed(access: Access, is_owner: bool) -> Result<()> {
    let what = match access {
        _ if is_owner => return Ok(()),
        Access::Member | Access::OwnerToConsent => return Ok(()),
        Access::Owner(what) => what,
    };
    Err(Error::denied(format!(
        "only the project's owner may {what} in a shared project"
    ))
    .help("ask the owner, or use a project of your own"))
}

/// The annotator name of a Unix user; `None` if the project does not assign one.
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

fn user(user: &str) -> Option<uzers::User> {
    match user.parse() {
        Ok(uid) => uzers::get_user_by_uid(uid),
        Err(_) => uzers::get_user_by_name(user),
    }
}

/// Whether this machine has a Unix user of this name or number.
pub fn is_user(name: &str) -> bool {
    user(name).is_some()
}

/// Whether a Unix user is in the group of a shared project.
pub fn is_member(shared: &Shared, name: &str) -> bool {
    let (Some(user), Ok(Some(gid))) = (user(name), group(shared)) else {
        return false;
    };
    let groups = uzers::get_user_groups(user.name(), user.primary_group_id());
    let is_in = groups
        .unwrap_or_default()
        .iter()
        .any(|group| group.gid() == gid);
    is_in || user.primary_group_id() == gid
}

/// Id of the group whose members can reach the owner process; `None` for a private project.
///
/// # Errors
/// [`Error::not_found`] if this machine has no such group.
pub fn group(shared: &Shared) -> Result<Option<u32>> {
    let Some(name) = &shared.group else {
        return Ok(None);
    };
    let gid = name
        .parse()
        .ok()
        .or_else(|| uzers::get_group_by_name(name).map(|g| g.gid()));
    let none = || {
        Error::not_found(format!("unknown group `{name}` on this machine")).field("shared.group")
    };
    gid.map(Some).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

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
    fn a_private_project_serves_only_its_user() {
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
            "not even root"
        );
    }

    #[test]
    fn nobody_acts_under_the_name_of_another_user() {
        let shared = shared(&[("1001", "ann"), ("1002", "bob")]);
        assert!(authenticate(&shared, 5, 1001, "ann").is_ok());
        let refused = authenticate(&shared, 5, 1001, "bob").unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Denied);
        assert!(refused.what.contains("`ann`") && refused.what.contains("`bob`"));
        assert!(
            authenticate(&shared, 5, 1003, "cem").is_err(),
            "not a member"
        );
        assert!(
            authenticate(&shared, 5, 5, "ann").is_err(),
            "not even the project's owner"
        );
        assert!(authenticate(&shared, 5, 5, "maintainer").is_ok());
    }

    #[test]
    fn owner_only_requests_are_denied_to_members() {
        let refused = |access, is_owner| allowed(access, is_owner).map_err(|p| p.kind).err();
        assert_eq!(refused(Access::Member, false), None);
        assert_eq!(refused(Access::Owner("import files"), true), None);
        assert_eq!(
            refused(Access::Owner("import files"), false),
            Some(ErrorKind::Denied)
        );
        assert_eq!(refused(Access::OwnerToConsent, false), None);
    }

    #[test]
    fn users_go_by_name_or_number() {
        assert_eq!(annotator(&shared(&[("root", "ann")]), 0), Some("ann"));
        assert_eq!(annotator(&shared(&[("0", "bob")]), 0), Some("bob"));
        assert_eq!(annotator(&shared(&[("no-such-user", "bob")]), 0), None);
        assert!(is_user("root") && is_user("0") && !is_user("no-such-user"));
        let root = Shared {
            group: Some("root".into()),
            ..Shared::default()
        };
        assert!(is_member(&root, "root") && !is_member(&root, "no-such-user"));
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
