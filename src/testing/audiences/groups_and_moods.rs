//! Tests that the SQL of groups and moods decides as `authz` does.

use crate::authz::{self, GroupFacts, MoodFacts};
use crate::db::readers::Snapshot;
use crate::features::{groups, moods};
use crate::ids::{GroupId, UserId};
use crate::testing::audiences::{BENS, CLEOS, GONE, PEOPLE, follows, has_all, is_in};
use crate::testing::database::{BEN, CLEO, NOW_MS, viewer, with_database};

#[test]
fn groups_are_listed_and_shown_as_authz_allows() {
    with_database(|db| async move {
        has_all(&db);
        for who in PEOPLE {
            let list = move |Snapshot { sql, seq }: Snapshot<'_>| groups::store::read::list(sql, who, seq);
            let listed: Vec<GroupId> = db.read(list).await.groups.iter().map(|group| group.id).collect();
            let may = |owner_id, group_id| {
                let facts = GroupFacts { owner_id, is_member: is_in(who, Some(group_id)) };
                authz::may_see_group(viewer(who), &facts)
            };
            let expected: Vec<GroupId> = [(CLEO, CLEOS), (BEN, BENS)]
                .into_iter()
                .filter(|(owner_id, group_id)| may(*owner_id, *group_id))
                .map(|(_, group_id)| group_id)
                .collect();
            assert_eq!(listed, expected, "{who:?}");
            for group_id in [BENS, CLEOS, GONE] {
                let one = move |Snapshot { sql, seq }: Snapshot<'_>| {
                    groups::store::read::one(sql, viewer(who), group_id, seq)
                };
                assert_eq!(db.read(one).await.is_some(), expected.contains(&group_id), "{who:?}");
            }
        }
    });
}

#[test]
fn moods_are_listed_as_authz_allows_until_their_day_ends() {
    with_database(|db| async move {
        has_all(&db);
        for who in PEOPLE {
            db.execute(&format!(
                "insert into moods (user_id, local_date, slot, mood, made_at_ms, expires_at_ms)
                   values ({}, '2025-04-11', 'morning', 'Cozy', 0, 1)",
                who.0
            ))
            .unwrap();
        }
        for expires_at_ms in [NOW_MS - 1, NOW_MS, NOW_MS + 1] {
            db.execute(&format!("update moods set expires_at_ms = {expires_at_ms}")).unwrap();
            for who in PEOPLE {
                let zone = crate::zones::Zone::named("UTC").unwrap();
                let today = move |Snapshot { sql, seq }: Snapshot<'_>| {
                    moods::store::today(sql, who, &zone, NOW_MS, seq)
                };
                let listed: Vec<UserId> =
                    db.read(today).await.moods.iter().map(|mood| mood.user_id).collect();
                let may = |owner_id: &UserId| {
                    let (owner_id, is_followed) = (*owner_id, follows(who, *owner_id));
                    let facts =
                        MoodFacts { owner_id, may_meet: true, is_followed, is_over: expires_at_ms <= NOW_MS };
                    authz::may_see_mood(viewer(who), &facts)
                };
                let expected: Vec<UserId> =
                    PEOPLE.into_iter().filter(|owner| *owner != who).filter(may).collect();
                assert_eq!(listed, expected, "{who:?}");
            }
        }
    });
}
