//! Requests that name another user's upload do not affect it.

use super::Scene;
use crate::support::uploads::post_with_pictures;
use crate::support::value::key_of;

#[tokio::test]
async fn requests_that_name_another_users_upload_do_not_affect_it() {
    let scene = Scene::new().await;
    let things = scene.things().await;
    let upload = key_of(things.upload);
    for other in [&scene.stranger, &scene.follower, &scene.followed] {
        other.cancels(&upload).await;
        other.is_refused("upload_gone", "posts.create", post_with_pictures("mine", &[(&upload, "")])).await;
    }
    scene.author.commits(&upload).await;
    for other in [&scene.stranger, &scene.follower, &scene.followed] {
        other.cancels(&upload).await;
        other.is_refused("upload_gone", "posts.create", post_with_pictures("mine", &[(&upload, "")])).await;
    }
    scene.author.posts_with_pictures("mine", &[(&upload, "")]).await;
}
