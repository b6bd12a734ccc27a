import { LiveRegions } from "../ui/LiveRegions";
import { Toasts } from "../ui/Toasts";
import { Suspense, lazy } from "react";
import { createPortal } from "react-dom";
import { Router } from "wouter";
import { useSession } from "../store/session";
import { Layout } from "./Layout";
import { Routes, loadEnded } from "./Routes";
import { aroundNav, useShownLocation } from "./door";
import { insist } from "./insist";
import { useLogOut } from "./useLogOut";

const EndedDialog = lazy(insist(loadEnded));

/** The whole page. Messages and live regions stand beside the app, so that a dialog never shuts them off. */
export function App() {
  const { phase } = useSession();
  const [logOut, question] = useLogOut();
  return (
    <Router hook={useShownLocation} aroundNav={aroundNav}>
      <Layout onLogOut={logOut}>
        <Routes />
      </Layout>
      {phase === "ended" && (
        <Suspense fallback={null}>
          <EndedDialog onLogOut={logOut} />
        </Suspense>
      )}
      {question}
      {createPortal(
        <>
          <Toasts />
          <LiveRegions />
        </>,
        document.body,
      )}
    </Router>
  );
}
