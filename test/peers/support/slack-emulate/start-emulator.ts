import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createEmulator, defineEmulator, type Emulator, type EmulatorContext } from 'emulate';
import { z } from 'zod';
import type { Installation } from '../../../../packages/fakes/src/slack/workspace-options.ts';
import { freePort } from '../../../support/loopback.ts';

/** What sends event callbacks to their subscribers. */
export type Webhooks = EmulatorContext<object>['webhooks'];

export interface EmulatedSlack {
  readonly emulator: Emulator;
  readonly webhooks: Webhooks;
  /** Where it really listens, whatever it calls itself. */
  readonly port: number;
}

export interface EmulatorPlan {
  readonly installation: Installation;
  /** Names of people; the token of each is given by `tokenOf`. */
  readonly people: readonly string[];
  /** The address that it gives out in those of files, if it is not its own. */
  readonly root?: string;
}

const manifest = resolve(import.meta.dirname, '../../../../channels/slack/manifest.json');
const manifestShape = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) });

/** With what a person's requests are made. */
export function tokenOf(person: string): string {
  return `xoxp-${person}`;
}

/** Starts it with the people and the app, which was granted what its manifest asks for, and no more. */
export async function startEmulator({ installation, people, root }: EmulatorPlan): Promise<EmulatedSlack> {
  const port = await freePort();
  const { signingSecret: signing_secret, botUserId: bot_user_id, botId: bot_id, appId: app_id } = installation;
  const scopes = manifestShape.parse(JSON.parse(readFileSync(manifest, 'utf8'))).oauth_config.scopes.bot;
  const app = { app_id, bot_id, bot_user_id, scopes };
  const client = { client_id: '1.2', client_secret: 'none', redirect_uris: [] };
  const slack = {
    signing_secret,
    strict_scopes: true,
    users: people.map((name) => ({ name })),
    oauth_apps: [{ ...app, ...client, name: 'Keyturn', bot_name: installation.botName }],
    tokens: [
      { ...app, token: installation.botToken, type: 'bot', user_id: bot_user_id },
      ...people.map((name) => ({ token: tokenOf(name), type: 'user', user: name })),
    ],
  };
  const baseUrl = root ?? `http://127.0.0.1:${port}`;
  return { ...(await withWebhooks(() => createEmulator({ service: 'slack', port, baseUrl, seed: { slack } }))), port };
}

/**
 * Nothing that is public leads to the subscriptions of Slack's events: they are caught at the instant in which the Slack
 * of this call is made. Two must not be made at once.
 */
async function withWebhooks(start: () => Promise<Emulator>): Promise<Omit<EmulatedSlack, 'port'>> {
  const prototype = await webhooksPrototype();
  const caught: Webhooks[] = [];
  const original = prototype.setHeaderFactory;
  prototype.setHeaderFactory = function (this: Webhooks, factory) {
    caught.push(this);
    original.call(this, factory);
  };
  try {
    const emulator = await start();
    const [webhooks] = caught;
    if (webhooks === undefined) throw new Error('emulate does not say any more who sends its event callbacks.');
    return { emulator, webhooks };
  } finally {
    prototype.setHeaderFactory = original;
  }
}

/** Every emulator has the same kind of sender, and one of our own may look at its. */
async function webhooksPrototype(): Promise<Webhooks> {
  const seen: Webhooks[] = [];
  const probe = defineEmulator({ name: 'probe', state: () => ({}), setup: ({ webhooks }) => void seen.push(webhooks) });
  const { close } = await createEmulator({ service: probe, listen: false });
  await close();
  return Object.getPrototypeOf(seen[0]);
}
