import { Suspense, lazy } from "react";
import { useLanguage } from "../say";
import { LiveRegions } from "../ui/LiveRegions";
import { createPortal } from "react-dom";
import { Router } from "wouter";
import { Boundary } from "./Boundary";
import { Layout } from "./Layout";
import { LoginEnded } from "./LoginEnded";
import { Routes } from "./Routes";
import { aroundNav, useShownLocation } from "./leaveGuard";
import { fetchUntilLoaded } from "./retry";
import { useLogOut } from "./useLogOut";

// Nobody has done anything yet that has a message.
const Toasts = lazy(
  fetchUntilLoaded(() => import("../ui/Toasts").then(({ Toasts }) => ({ default: Toasts }))),
);

/**
 * The whole page. Toasts and live regions are outside the app's element, so a dialog never makes them inert.
 */
export function App() {
  useLanguage();
  const [logOut, question] = useLogOut();
  return (
    <Router hook={useShownLocation} aroundNav={aroundNav}>
      <Boundary>
        <Layout onLogOut={logOut}>
          <Routes />
        </Layout>
        <LoginEnded onLogOut={logOut} />
        {question}
      </Boundary>
      {createPortal(
        <>
          <Suspense fallback={null}>
            <Toasts />
          </Suspense>
          <LiveRegions />
        </>,
        document.body,
      )}
    </Router>
  );
}
