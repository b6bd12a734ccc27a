//! Signing up, in and out.

use serde_json::json;

use crate::world::server::World;

#[tokio::test]
async fn ana_signs_up_and_another_tab_knows_her() {
    let world = World::new().await;
    let ana = world.person("Ana").await;
    let tab = ana.opens_another_tab().await;
    let hello = tab.socket.hello().await;
    assert_eq!(hello["me"], json!({ "id": ana.id, "name": "Ana", "email": "ana@people.example.org" }));
    ana.hears_nothing(&world).await;
}
