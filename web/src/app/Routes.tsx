// Which screen an address shows, and to whom. Screens for signed-in people come when they are needed;
// a guest's page carries none of them and opens no socket.

import { lazy, Suspense } from "react";
import type { ReactNode } from "react";
import { Redirect, Route, Switch, useLocation, useSearch } from "wouter";
import { useSession } from "../store/session";
import { Boundary } from "./Boundary";
import { Quiet } from "./Quiet";
import { SignInPrompt } from "./SignInPrompt";
import { idOf, logInPath } from "./paths";
import LoginScreen from "./screens/LoginScreen";
import SignupScreen from "./screens/SignupScreen";
import WelcomeScreen from "./screens/WelcomeScreen";

const HomeScreen = lazy(() => import("./screens/HomeScreen"));
const PostScreen = lazy(() => import("./screens/PostScreen"));
const ProfileScreen = lazy(() => import("./screens/ProfileScreen"));
const SearchScreen = lazy(() => import("./screens/SearchScreen"));
const CreatePostScreen = lazy(() => import("./screens/CreatePostScreen"));

export function Routes() {
  const [path] = useLocation();
  return (
    <Boundary key={path}>
      <Suspense fallback={<Quiet />}>
        <Switch>
          <Route path="/">
            <Members guest={<WelcomeScreen />}>
              <HomeScreen />
            </Members>
          </Route>
          <Route path="/login">
            <LoginScreen />
          </Route>
          <Route path="/signup">
            <SignupScreen />
          </Route>
          <Route path="/search">
            <Members guest={<ToLogIn />}>
              <SearchScreen />
            </Members>
          </Route>
          <Route path="/create-post">
            <Members guest={<ToLogIn />}>
              <CreatePostScreen />
            </Members>
          </Route>
          <Route path="/profile/:id">
            {({ id }) => (
              <Members guest={<SignInPrompt title="Profile" />}>
                <Known id={id}>{(userId) => <ProfileScreen userId={userId} />}</Known>
              </Members>
            )}
          </Route>
          <Route path="/post/:id">
            {({ id }) => (
              <Members guest={<SignInPrompt title="Post" />}>
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
function Members({ guest, children }: { guest: ReactNode; children: ReactNode }) {
  const { phase } = useSession();
  if (phase === "unknown") return <Quiet />;
  return phase === "guest" ? guest : children;
}

function ToLogIn() {
  const [path] = useLocation();
  const search = useSearch();
  return <Redirect to={logInPath(search === "" ? path : `${path}?${search}`)} replace />;
}

function Known({ id, children }: { id: string | undefined; children: (id: number) => ReactNode }) {
  const known = idOf(id);
  return known === null ? <Redirect to="/" replace /> : children(known);
}
