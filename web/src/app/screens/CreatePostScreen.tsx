// Writing a post, then home, where it already stands.

import { useLocation, useSearch } from "wouter";
import { PostComposer } from "../../features/posts/PostComposer";
import styles from "./screens.module.css";

export default function CreatePostScreen() {
  const [, navigate] = useLocation();
  const tag = new URLSearchParams(useSearch()).get("tag") ?? "";
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>Create Post</h1>
      <PostComposer
        tag={tag}
        onPosted={() => {
          navigate("/");
          scrollTo({ top: 0, behavior: "instant" });
        }}
        onCancel={() => navigate("/")}
      />
    </div>
  );
}
