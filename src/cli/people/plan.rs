//! A change of who works on a project: what it would do, and doing it.

use benchtop_files::project::Project;
use benchtop_files::share;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::config::Shared;
use benchtop_model::home::Home;
use benchtop_model::round::state::RoundState;
use benchtop_model::settings::{
    Access, ChangedSetting, People, PeopleChange, PeoplePlan, RoundPerson,
};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, ErrorKind, Result, name};
use benchtop_owner::{access, clock};
use benchtop_protocol::wire::request;
use benchtop_protocol::{Client, start};
use benchtop_store::settings::{self, NewValue, Setting, SettingsEdit};
use benchtop_tui::terminal::environment;
use benchtop_tui::user_settings::{self, Settings};

/// Who works on the project. `client` tells the people of open rounds.
///
/// # Errors
/// Those of the owner.
pub fn people(project: &Project, who: &str, client: Option<&Client>) -> Result<People> {
    let shared = &project.config().shared;
    let rounds = match client {
        Some(client) => {
            let (before, wait) = (clock::now(), false);
            let home = client.ask(request::Home { before, wait })?;
            of_rounds(&client.ask(request::Rounds)?, &home)
        }
        None => Vec::new(),
    };
    Ok(People {
        me: who.into(),
        group: shared.group.clone(),
        people: shared.people.clone(),
        rounds,
    })
}

/// The people of the open rounds, who has the most left first.
fn of_rounds(rounds: &[RoundState], home: &Home) -> Vec<RoundPerson> {
    let idle = |who: &str| {
        let person = home.people.iter().find(|person| person.who == who)?;
        let last = person
            .days
            .iter()
            .rev()
            .position(|verdicts| *verdicts > 0)?;
        Some(last as u64)
    };
    let mut all = Vec::new();
    for round in rounds.iter().filter(|round| round.closed.is_none()) {
        let here = |who: &str| !round.left.iter().any(|left| left == who);
        let people: Vec<_> = round.people.iter().filter(|(who, _)| here(who)).collect();
        let even = round.wanted.div_ceil(people.len().max(1) as u64);
        all.extend(people.into_iter().map(|(who, judged)| RoundPerson {
            round: round.name.clone(),
            who: who.clone(),
            judged: *judged,
            share: even.max(*judged).min(round.items),
            idle_days: idle(who),
        }));
    }
    sort_by_key(&mut all, |person| {
        std::cmp::Reverse(person.share.saturating_sub(person.judged))
    });
    all
}

/// What the change would do.
///
/// # Errors
/// A name that cannot be an annotator's (`me`), a group (`group`) or map (`people`) that would lock
/// this person out, and settings that would be invalid.
pub fn plan(
    project: &Project,
    who: &str,
    change: &PeopleChange,
    watch: ProgressSink<'_>,
) -> Result<PeoplePlan> {
    Ok(prepare(project, who, change, watch)?.0)
}

fn prepare(
    project: &Project,
    who: &str,
    change: &PeopleChange,
    watch: ProgressSink<'_>,
) -> Result<(PeoplePlan, SettingsEdit, Option<u32>)> {
    // The present file, not the one at the start of the program.
    let project = &Project::open(project.root())?;
    let mut plan = PeoplePlan::default();
    if let Some(me) = &change.me {
        plan.own = own(me)?;
    }
    let edit = settings::edit(project, &access_settings(change.access.as_ref()))?;
    let (before, after) = (&project.config().shared, &edit.config.shared);
    let mut group = None;
    if change.access.is_some() {
        check(before, after, who, &mut plan)?;
        group = access::group(after)?;
        if let Some(gid) = group {
            let shared = share::with_group(project.root(), gid, true, watch.cancel)?;
            (plan.permissions, plan.opened) = (shared.changed, shared.opened);
        }
    }
    plan.project.clone_from(&edit.changes);
    plan.restarts = !edit.changes.is_empty() && start::find(project)?.is_some();
    let client = Client::attach(project, who, |_| ())?;
    plan.people = people(project, who, client.as_ref())?;
    Ok((plan, edit, group))
}

/// The change of the person's own settings.
fn own(me: &str) -> Result<Option<(std::path::PathBuf, ChangedSetting)>> {
    name::check_annotator(me).map_err(|problem| problem.field("me"))?;
    let env = environment();
    let before = Settings::load(&env)?.annotator;
    let Some(path) = user_settings::path(&env).filter(|_| before.as_deref() != Some(me)) else {
        return Ok(None);
    };
    let changed = ChangedSetting {
        name: "annotator".into(),
        before,
        after: Some(me.into()),
    };
    Ok(Some((path, changed)))
}

fn access_settings(access: Option<&Access>) -> Vec<Setting> {
    let set = |key, value| Setting {
        table: "shared",
        key,
        value,
    };
    match access {
        None => Vec::new(),
        Some(Access::Private) => vec![
            set("group", NewValue::Unset),
            set("people", NewValue::Unset),
        ],
        Some(Access::Shared { group, people }) => {
            let pairs = people
                .iter()
                .map(|(user, name)| (user.clone(), name.clone()));
            vec![
                set("group", NewValue::Text(group.clone())),
                set("people", NewValue::Texts(pairs.collect())),
            ]
        }
    }
}

/// Checks that the project stays open for this person, and notes what a person should know.
fn check(before: &Shared, after: &Shared, who: &str, plan: &mut PeoplePlan) -> Result<()> {
    let uid = rustix::process::geteuid().as_raw();
    if before.group.is_some() && after.group.is_none() {
        let group = before.group.as_deref().unwrap_or_default();
        plan.notes.push(format!(
            "files that the group `{group}` can read stay readable for it: `chmod -R g-rwx .` closes them"
        ));
    }
    if after.group.is_none() {
        return Ok(());
    }
    if after.people.is_empty() {
        return Err(Error::usage("nobody is listed")
            .field("people")
            .help("list each Unix user with an annotator name: alice=ann"));
    }
    access::authenticate(after, uid, uid, who).map_err(|problem| {
        let what = format!(
            "you work as `{who}`, and this would keep you out: {}",
            problem.what
        );
        Error::new(ErrorKind::Conflict, what)
            .field("people")
            .help("list yourself under that name, or start benchtop with --as")
    })?;
    let mut names: Vec<&String> = after.people.values().collect();
    names.sort();
    if let Some(two) = names.windows(2).find(|two| two[0] == two[1]) {
        let what = format!("two Unix users would both be `{}`", two[0]);
        return Err(Error::usage(what).field("people"));
    }
    for user in after.people.keys().filter(|user| !access::is_user(user)) {
        plan.notes
            .push(format!("this machine has no user `{user}`"));
    }
    for user in after.people.keys() {
        if access::is_user(user) && !access::is_member(after, user) {
            let group = after.group.as_deref().unwrap_or_default();
            plan.notes.push(format!(
                "`{user}` is not in the group `{group}`: root adds them with `usermod -aG {group} {user}`"
            ));
        }
    }
    Ok(())
}

/// Makes the change, and stops the owner process if it has to restart. Clients start it again.
///
/// # Errors
/// Those of [`plan`], and of writing. `benchtop.toml` is written last.
pub fn apply(
    project: &Project,
    who: &str,
    change: &PeopleChange,
    watch: ProgressSink<'_>,
) -> Result<PeoplePlan> {
    let (plan, edit, group) = prepare(project, who, change, watch)?;
    if let Some(gid) = group {
        share::with_group(project.root(), gid, false, watch.cancel)?;
    }
    settings::write(project, &edit)?;
    if let (Some(_), Some(me)) = (&plan.own, &change.me) {
        user_settings::set_annotator(&environment(), me)?;
    }
    if plan.restarts
        && let Some(client) = Client::attach(project, who, |_| ())?
    {
        // The owner may end before its reply arrives.
        let _ = client.ask(request::Stop);
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::home::PersonActivity;
    use benchtop_model::round::Protocol;

    #[test]
    fn who_has_the_most_left_comes_first_with_the_days_since() {
        let round = RoundState {
            name: "pilot".into(),
            protocol: Protocol::default(),
            blind: true,
            overlap: 2,
            items: 10,
            missing: 0,
            people: vec![("ann".into(), 9), ("bob".into(), 2), ("cem".into(), 1)],
            judged: 11,
            wanted: 20,
            by_status: None,
            strangers: 0,
            created: 0,
            by: "ann".into(),
            closed: None,
            guidelines: None,
            notes: Vec::new(),
            left: vec!["cem".into()],
            left_out: 0,
        };
        let home = Home {
            people: vec![PersonActivity {
                who: "bob".into(),
                days: vec![0, 2, 0, 0],
                since: 0,
            }],
            ..Home::default()
        };
        let closed = RoundState {
            closed: Some(1),
            ..round.clone()
        };
        let all = of_rounds(&[round, closed], &home);
        let short: Vec<_> = all
            .iter()
            .map(|p| (p.who.as_str(), p.judged, p.share, p.idle_days))
            .collect();
        assert_eq!(short, [("bob", 2, 10, Some(2)), ("ann", 9, 10, None)]);
    }
}
