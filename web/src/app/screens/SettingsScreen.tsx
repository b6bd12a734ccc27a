// Settings: the viewer's account, and the appearance of Mellow on this device.

import { Account } from "../../features/settings/Account";
import { ExportButton } from "../../features/settings/ExportButton";
import { HiddenPeople } from "../../features/settings/HiddenPeople";
import { Help } from "../../features/settings/Help";
import { Invitations } from "../../features/settings/Invitations";
import { Logins } from "../../features/settings/Logins";
import { AppearanceChoice } from "../../features/settings/AppearanceChoice";
import { Privacy } from "../../features/settings/Privacy";
import { Section } from "../../features/settings/Section";
import { ShortcutsChoice } from "../../features/shortcuts/ShortcutsChoice";
import { data, titles } from "../../features/settings/words";
import styles from "./screens.module.css";

export default function SettingsScreen() {
  return (
    <div className={styles.column}>
      <h1 className={styles.title}>{titles.settings}</h1>
      <Account />
      <Logins />
      <Privacy />
      <HiddenPeople />
      <Invitations />
      <AppearanceChoice>
        <ShortcutsChoice />
      </AppearanceChoice>
      <Section title={titles.data}>
        <p>{data.lead}</p>
        <ExportButton />
      </Section>
      <Help />
    </div>
  );
}
