// Who may sign up here. The page contains this, because a guest's page opens no socket.

export type Signups = "open" | "invite" | "closed";

export function signupOfPage(): Signups {
  const says = document.head.querySelector<HTMLMetaElement>('meta[name="mellow:signup"]')?.content;
  return says === "invite" || says === "closed" ? says : "open";
}
