// Which screen an address shows, and to whom. Screens for signed-in people come when they are needed;
// a guest's page carries none of them and opens no socket.

import { Fragment, Suspense, lazy, useEffect } from "react";
import type { ReactNode } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useSession } from "../store/session";
import { Boundary } from "./Boundary";
import { endedDialog } from "./Ended";
import { Quiet } from "./Quiet";
import { SignInPrompt } from "./SignInPrompt";
import { idOf, logInPath, placeOf } from "./paths";
import LoginScreen from "./screens/LoginScreen";
import SignupScreen from "./screens/SignupScreen";
import WelcomeScreen from "./screens/WelcomeScreen";
import { useQuery } from "./useQuery";

const load = {
  home: () => import("./screens/HomeScreen"),
  post: () => import("./screens/PostScreen"),
  profile: () => import("./screens/ProfileScreen"),
  search: () => import("./screens/SearchScreen"),
  createPost: () => import("./screens/CreatePostScreen"),
  notifications: () => import("./screens/NotificationsScreen"),
  settings: () => import("./screens/SettingsScreen"),
};
const HomeScreen = lazy(load.home);
const PostScreen = lazy(load.post);
const ProfileScreen = lazy(load.profile);
const SearchScreen = lazy(load.search);
const CreatePostScreen = lazy(load.createPost);
const NotificationsScreen = lazy(load.notifications);
const SettingsScreen = lazy(load.settings);
const ForgotScreen = lazy(() => import("./screens/ForgotScreen"));
const ResetScreen = lazy(() => import("./screens/ResetScreen"));
const VerifyScreen = lazy(() => import("./screens/VerifyScreen"));

/** How long a signed-in person's first screen has the line for itself before the others are fetched. */
const REST_MS = 3_000;

export function Routes() {
  const [path] = useLocation();
  useFetchAhead();
  return (
    <Boundary key={path}>
      <Suspense fallback={<Quiet />}>
        <Switch>
          <Route path="/">
            <Members needs={load.home} guest={<WelcomeScreen />}>
              <HomeScreen />
            </Members>
          </Route>
          <Route path="/login">
            <LoginScreen />
          </Route>
          <Route path="/signup">
            <SignupScreen />
          </Route>
          <Route path="/forgot">
            <ForgotScreen />
          </Route>
          <Route path="/reset">
            <ResetScreen />
          </Route>
          <Route path="/verify">
            <VerifyScreen />
          </Route>
          <Route path="/notifications">
            <Members needs={load.notifications} guest={<SignInPrompt title="Notifications" />}>
              <NotificationsScreen />
            </Members>
          </Route>
          <Route path="/settings">
            <Members needs={load.settings} guest={<ToLogIn />}>
              <SettingsScreen />
            </Members>
          </Route>
          <Route path="/groups">
            <Members needs={load.home} guest={<ToLogIn />}>
              <Redirect to="/" replace />
            </Members>
          </Route>
          <Route path="/search">
            <Members needs={load.search} guest={<ToLogIn />}>
              <SearchScreen />
            </Members>
          </Route>
          <Route path="/create-post">
            <Members needs={load.createPost} guest={<ToLogIn />}>
              <CreatePostScreen />
            </Members>
          </Route>
          <Route path="/profile/:id">
            {({ id }) => (
              <Members needs={load.profile} guest={<SignInPrompt title="Profile" />}>
                <Known id={id}>{(userId) => <ProfileScreen userId={userId} />}</Known>
              </Members>
            )}
          </Route>
          <Route path="/post/:id">
            {({ id }) => (
              <Members needs={load.post} guest={<SignInPrompt title="Post" />}>
                <Known id={id}>{(postId) => <PostScreen postId={postId} />}</Known>
              </Members>
            )}
          </Route>
          <Route>
            <Redirect to="/" replace />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

/** What signed-in people see; also after their login has ended, so that typed words stay. */
function Members({ guest, needs, children }: { guest: ReactNode; needs: () => Promise<unknown>; children: ReactNode }) {
  const { phase, me } = useSession();
  // The screen's file travels while the server is still being asked who this is.
  useEffect(() => {
    if (phase === "unknown") void needs().catch(() => undefined);
  }, [phase, needs]);
  if (phase === "unknown") return <Quiet />;
  // Nothing that one person typed or opened is there for the next.
  return phase === "guest" ? guest : <Fragment key={me?.id}>{children}</Fragment>;
}

/** Fetches the other screens in a quiet moment: a press then shows them at once, also from a poor line. */
function useFetchAhead(): void {
  const { phase } = useSession();
  useEffect(() => {
    if (phase !== "signed-in") return;
    const timer = setTimeout(() => {
      for (const fetch of [...Object.values(load), endedDialog.fetch]) void fetch().catch(() => undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [phase]);
}

function ToLogIn() {
  const [path] = useLocation();
  const search = useQuery();
  return <Redirect to={logInPath(placeOf(path, search))} replace />;
}

function Known({ id, children }: { id: string | undefined; children: (id: number) => ReactNode }) {
  const known = idOf(id);
  return known === null ? <Redirect to="/" replace /> : children(known);
}
