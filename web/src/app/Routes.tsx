// Which screen an address shows, and to whom. Screens for signed-in users are loaded when they are needed.
// A guest's page loads none of these screens and opens no socket.

import { say } from "../say";
import "./startChunk";
import { Fragment, useEffect, useLayoutEffect } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { readHint } from "../engine/loginHint";
import { fetchClient, useSession } from "../engine/session";
import { store, useStore } from "../engine/store";
import { Boundary } from "./Boundary";
import { endedDialog } from "./LoginEnded";
import { LoadingScreen } from "./LoadingScreen";
import { SignInPrompt } from "./SignInPrompt";
import { idOf, isAway, logInPath, addressOf } from "./paths";
import type { Screen } from "./screen";
import { screen } from "./screen";
import { logOutQuestions } from "./useLogOut";
import { useQuery } from "./useQuery";

const HomeScreen = screen(() => import("./screens/HomeScreen"));
const PostScreen = screen(() => import("./screens/PostScreen"));
const ProfileScreen = screen(() => import("./screens/ProfileScreen"));
const SearchScreen = screen(() => import("./screens/SearchScreen"));
const CreatePostScreen = screen(() => import("./screens/CreatePostScreen"));
const NotificationsScreen = screen(() => import("./screens/NotificationsScreen"));
const SavedScreen = screen(() => import("./screens/SavedScreen"));
const SettingsScreen = screen(() => import("./screens/SettingsScreen"));
const ImportScreen = screen(() => import("./screens/ImportScreen"));
const AdminScreen = screen(() => import("./screens/AdminScreen"));
const GroupsScreen = screen(() => import("./screens/GroupsScreen"));
const GroupScreen = screen(() => import("./screens/GroupScreen"));
const OfflineScreen = screen(() => import("./offline/OfflineScreen"));
const WelcomeScreen = screen(() => import("./screens/WelcomeScreen"));
const LoginScreen = screen(() => import("./screens/LoginScreen"));
const SignupScreen = screen(() => import("./screens/SignupScreen"));
const InviteScreen = screen(() => import("./screens/InviteScreen"));
const NotFoundScreen = screen(() => import("./screens/NotFoundScreen"));
const MailScreen = screen(() => import("./screens/MailScreen"));
const AwayScreen = screen(() => import("./screens/AwayScreen"));

/**
 * A guest's first screens. theme/early.js has requested their files already, so the first paint shows them.
 */
const GUESTS = [WelcomeScreen, LoginScreen, SignupScreen];
// The page fetches them again when it shows them, and then shows a failure.
if (readHint() === null) for (const one of GUESTS) void one.fetch().catch(() => undefined);

/** What signed-in people may open next, log-out included. */
const AHEAD = [
  HomeScreen,
  PostScreen,
  ProfileScreen,
  SearchScreen,
  CreatePostScreen,
  NotificationsScreen,
  SavedScreen,
  SettingsScreen,
  GroupsScreen,
  GroupScreen,
  OfflineScreen,
  AwayScreen,
  ...GUESTS,
  endedDialog,
  logOutQuestions,
];

/**
 * How long the app waits before it fetches the other screens, so that the first screen's files come first.
 */
const FETCH_AHEAD_DELAY_MS = 3_000;

const toLogIn = (): ReactNode => <ToLogIn />;

/** A screen of signed-in people, and what a guest sees there. `offline`: see {@link Members}. */
const forMembers =
  (One: Screen<object>, guest: () => ReactNode, offline = false) =>
  (): ReactNode => (
    <Members needs={One} guest={guest()} offline={offline}>
      <One />
    </Members>
  );

/**
 * The screens by their addresses. `:id` is the second part of an address, as it is written there. Capitals in the first
 * part and a slash at the end do not count.
 */
const SCREENS: Record<string, (id: string) => ReactNode> = {
  "/": forMembers(HomeScreen, () => <WelcomeScreen />),
  "/login": () => <LoginScreen />,
  "/signup": () => <SignupScreen />,
  "/invite/:id": (code) => <InviteScreen code={code} />,
  "/forgot": () => <MailScreen page="forgot" />,
  "/reset": () => <MailScreen page="reset" />,
  "/verify": () => <MailScreen page="verify" />,
  "/away": () => <AwayScreen />,
  "/notifications": forMembers(NotificationsScreen, () => <SignInPrompt title={say("Notifications")} />),
  "/saved": forMembers(SavedScreen, () => <SignInPrompt title={say("Saved")} />),
  "/settings": forMembers(SettingsScreen, toLogIn),
  "/import": forMembers(ImportScreen, toLogIn),
  "/admin": () => <AdminScreen />,
  "/groups": forMembers(GroupsScreen, toLogIn),
  "/groups/:id": (id) => (
    <Members needs={GroupScreen} guest={<NotFoundScreen />}>
      <GroupScreen groupId={idOf(id)} />
    </Members>
  ),
  "/search": forMembers(SearchScreen, toLogIn),
  "/create-post": forMembers(CreatePostScreen, toLogIn, true),
  "/profile/:id": (id) => (
    <Members needs={ProfileScreen} guest={<SignInPrompt title={say("Profile")} />}>
      <ProfileScreen userId={idOf(id)} />
    </Members>
  ),
  "/post/:id": (id) => (
    <Members needs={PostScreen} guest={<SignInPrompt title={say("Post")} />}>
      <SomePost id={id} />
    </Members>
  ),
};

function screenOf(path: string): ReactNode {
  const [, first = "", id] = /^(\/[^/]*)(?:\/([^/]+))?\/?$/u.exec(path) ?? [];
  return SCREENS[first.toLowerCase() + (id === undefined ? "" : "/:id")]?.(id ?? "") ?? <NotFoundScreen />;
}

export function Routes() {
  const [path] = useLocation();
  const away = isAway(path);
  useFetchAhead(away);
  useReturn(away);
  return <Boundary key={path}>{screenOf(path)}</Boundary>;
}

/** Shows a screen to signed-in people. It stays when their login ends, so that typed text is kept. */
function Members({
  guest,
  needs,
  offline = false,
  children,
}: {
  guest: ReactNode;
  /** The screen also works while only this browser knows who the person is, as without a network. */
  offline?: boolean;
  needs: { fetch(): Promise<unknown> };
  children: ReactNode;
}) {
  const { phase, me } = useSession();
  // `kept` is undefined until the client is loaded, because it registers the features.
  const isKept = useStore((s) => Boolean(s.kept));
  // The screen's file is fetched while the server is still being asked who this is.
  useEffect(() => {
    // The screen itself fetches it again.
    if (phase === "unknown") void needs.fetch().catch(() => undefined);
  }, [phase, needs]);
  if (phase === "unknown" && !(offline && me !== null)) return isKept ? <OfflineScreen /> : <LoadingScreen />;
  // The key resets the screen for another person, who sees nothing that the last one typed or opened.
  return phase === "guest" ? guest : <Fragment key={me?.id}>{children}</Fragment>;
}

/**
 * Fetches the other screens in a quiet moment, so that a press shows them at once on a slow connection too.
 */
function useFetchAhead(away: boolean): void {
  const { phase } = useSession();
  useEffect(() => {
    // Nothing is loaded on `/away`.
    if (phase !== "signed-in" || away) return;
    const timer = setTimeout(() => {
      // Each is fetched again when it is opened.
      for (const part of AHEAD) void part.fetch().catch(() => undefined);
      // Pages without HTTPS have no service workers, and the development server has no file for one.
      if (import.meta.env.PROD) void worker().catch(() => undefined);
    }, FETCH_AHEAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [phase, away]);
}

/**
 * Fetches the client when `/away` is left (D-U6). If that was the first page of the tab, it is still unknown who is here.
 */
function useReturn(away: boolean): void {
  useEffect(() => {
    if (!away) return undefined;
    return () => {
      if (!isAway() && store.getState().session.phase === "unknown") fetchClient();
    };
  }, [away]);
}

/** Registers the service worker. The browser may refuse by throwing; Mellow then does not open without a network. */
const worker = async (): Promise<unknown> => navigator.serviceWorker?.register("/sw.js");

function ToLogIn() {
  const [path] = useLocation();
  const search = useQuery();
  return <GoTo path={logInPath(addressOf(path, search))} />;
}

function SomePost({ id }: { id: string }) {
  const postId = idOf(id);
  return postId === null ? <GoTo path="/" /> : <PostScreen postId={postId} />;
}

/** Goes to another address, in place of this one. */
function GoTo({ path }: { path: string }) {
  const [, navigate] = useLocation();
  useLayoutEffect(() => navigate(path, { replace: true }), [navigate, path]);
  return null;
}
