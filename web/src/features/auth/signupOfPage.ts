// Who may sign up here. The page contains this, because a guest's page opens no socket.

export type Signups = "open" | "invite" | "closed";

export function signupOfPage(): Signups {
  const content = document.head.querySelector<HTMLMetaElement>('meta[name="mellow:signup"]')?.content;
  return content === "invite" || content === "closed" ? content : "open";
}
