import { LiveRegions } from "../ui/LiveRegions";
import { Toasts } from "../ui/Toasts";
import { createPortal } from "react-dom";
import { Router } from "wouter";
import { Boundary } from "./Boundary";
import { Layout } from "./Layout";
import { LoginEnded } from "./LoginEnded";
import { Routes } from "./Routes";
import { aroundNav, useShownLocation } from "./leaveGuard";
import { useLogOut } from "./useLogOut";

/**
 * The whole page. Toasts and live regions are outside the app's element, so a dialog never makes them inert.
 */
export function App() {
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
          <Toasts />
          <LiveRegions />
        </>,
        document.body,
      )}
    </Router>
  );
}
