//! Profiles: who somebody is to others.

use serde_json::json;

use crate::world::person::texts;
use crate::world::server::{MORNING_MS, World};

#[tokio::test]
async fn a_profile_says_who_somebody_is_and_nothing_more() {
    let world = World::told(&[]).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.follows(&ana).await;
    let profile = ben.visits(&ana).await;
    assert_eq!(
        profile,
        json!({
            "id": ana.id, "name": "Ana", "bio": "", "from_color": "blue", "to_color": "blue",
            "created_at_ms": MORNING_MS, "followers_count": 1, "following_count": 0, "followed": true,
        })
    );
    let own = ben.visits(&ben).await;
    assert_eq!((&own["following_count"], &own["followed"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn somebody_who_is_not_there_has_no_profile_and_no_posts() {
    let world = World::new().await;
    let ana = world.person("Ana").await;
    ana.is_refused("not_found", "profiles.get", json!({ "user_id": 7 })).await;
    ana.is_refused("not_found", "posts.by_author", json!({ "user_id": 7, "before": null })).await;
}

#[tokio::test]
async fn who_shows_a_profile_hears_its_posts_come_and_go_until_leaving_it() {
    let world = World::new().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ben.visits(&ana).await;
    let post_id = ana.posts("hello").await;
    ben.sees_post("hello").await;
    assert_eq!(texts(&ben.reads_posts_of(&ana).await), ["hello"]);
    ana.deletes(post_id).await;
    ben.hears_only(&world, &["posts.deleted"]).await;
    ben.asks("live.leave", json!({ "posts": [], "profiles": [ana.id] })).await;
    ana.posts("again").await;
    ben.hears_nothing(&world).await;
}
