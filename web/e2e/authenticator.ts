// A device with passkeys, by Chromium's own tools: it makes passkeys, keeps them and verifies its user, without a finger.

import type { CDPSession, Page } from "@playwright/test";

import { chromiumTools } from "./chromium";

export class Authenticator {
  private constructor(
    private readonly tools: CDPSession,
    private readonly id: string,
  ) {}

  /** Gives the page a device. Nobody touches it yet, so it answers no question. */
  static async of(page: Page): Promise<Authenticator> {
    const tools = await chromiumTools(page);
    await tools.send("WebAuthn.enable", { enableUI: false });
    const { authenticatorId } = await tools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    });
    return new Authenticator(tools, authenticatorId);
  }

  /** Somebody touches the device, or does so no more. This counts for the questions that begin afterwards. */
  async touched(enabled: boolean): Promise<void> {
    await this.tools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId: this.id, enabled });
  }

  /** Its user is the right one, or another one. */
  async knowsUser(isUserVerified: boolean): Promise<void> {
    await this.tools.send("WebAuthn.setUserVerified", { authenticatorId: this.id, isUserVerified });
  }

  /** Does what begins a question, and answers it. */
  async answers(begin: () => Promise<unknown>): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.tools.once("WebAuthn.credentialAdded", () => resolve());
      this.tools.once("WebAuthn.credentialAsserted", () => resolve());
    });
    await this.touched(true);
    await begin();
    await answered;
    await this.touched(false);
  }

  /** Returns its passkeys. */
  async passkeys() {
    return (await this.tools.send("WebAuthn.getCredentials", { authenticatorId: this.id })).credentials;
  }

  /** Has these passkeys from now on, and no other. */
  async keeps(passkeys: Awaited<ReturnType<Authenticator["passkeys"]>>): Promise<void> {
    await this.tools.send("WebAuthn.clearCredentials", { authenticatorId: this.id });
    for (const credential of passkeys)
      await this.tools.send("WebAuthn.addCredential", { authenticatorId: this.id, credential });
  }
}
