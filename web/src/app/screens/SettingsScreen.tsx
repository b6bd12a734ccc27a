// Settings: what others may see and do, the appearance of Mellow on this device, and the viewer's account.
//
// What is changed often comes first. The account is last, and its deletion at the very end.

import { Account } from "../../features/settings/Account";
import { ExportButton } from "../../features/settings/ExportButton";
import { HiddenPeople } from "../../features/settings/HiddenPeople";
import { Help } from "../../features/settings/Help";
import { ImportLink } from "../../features/settings/ImportLink";
import { Invitations } from "../../features/settings/Invitations";
import { LanguageChoice } from "../../features/settings/LanguageChoice";
import { Logins } from "../../features/settings/Logins";
import { AppearanceChoice } from "../../features/settings/AppearanceChoice";
import { Privacy } from "../../features/settings/Privacy";
import { QuietHours } from "../../features/settings/QuietHours";
import { Section, Waits } from "../../features/settings/Section";
import { Sections } from "../../features/settings/Sections";
import { NotesChoice } from "../../features/posts/NotesChoice";
import { ShortcutsChoice } from "../../features/shortcuts/ShortcutsChoice";
import { Passkeys } from "../../features/passkeys/Passkeys";
import { passkeyPlace } from "../../features/shared/passkeys/place";
import { TimeHereChoice } from "../../features/timeHere/TimeHereChoice";
import { data, titles } from "../../features/settings/words";
import { say } from "../../say";
import { common } from "../../text";

export default function SettingsScreen() {
  return (
    <Sections>
      <Privacy />
      <QuietHours />
      <HiddenPeople />
      <Invitations />
      <LanguageChoice />
      <Section title={titles.timeHere}>
        <TimeHereChoice />
      </Section>
      <AppearanceChoice>
        <NotesChoice />
        <ShortcutsChoice />
      </AppearanceChoice>
      <Logins />
      {passkeyPlace() !== "off" && (
        <Section title={titles.passkeys}>
          <Passkeys loading={<Waits>{say(common.loading)}</Waits>} />
        </Section>
      )}
      <Section title={titles.data}>
        <p>{say(data.lead)}</p>
        <ExportButton />
        <ImportLink />
      </Section>
      <Help />
      <Account />
    </Sections>
  );
}
