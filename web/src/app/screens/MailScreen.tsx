// The screens for a forgotten password and behind mailed links. They are one file, so that the start of the page
// names one and not three.

import ForgotScreen from "./ForgotScreen";
import ResetScreen from "./ResetScreen";
import VerifyScreen from "./VerifyScreen";

const SCREENS = { forgot: ForgotScreen, reset: ResetScreen, verify: VerifyScreen };

export default function MailScreen({ page }: { page: keyof typeof SCREENS }) {
  const Screen = SCREENS[page];
  return <Screen />;
}
