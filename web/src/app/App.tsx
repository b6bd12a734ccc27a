import { LiveRegions } from "../ui/LiveRegions";
import { Toasts } from "../ui/Toasts";
import { createPortal } from "react-dom";
import { EndedDialog } from "../features/auth/EndedDialog";
import { Layout } from "./Layout";
import { Routes } from "./Routes";

/** The whole page. Messages and live regions stand beside the app, so that a dialog never shuts them off. */
export function App() {
  return (
    <>
      <Layout>
        <Routes />
      </Layout>
      <EndedDialog />
      {createPortal(
        <>
          <Toasts />
          <LiveRegions />
        </>,
        document.body,
      )}
    </>
  );
}
