import { z } from 'zod';
import { describeDelivery } from '../../../packages/fakes/src/slack/deliveries.ts';
import { ScaledTime } from '../../../packages/fakes/src/slack/scaled-time.ts';
import { SlackApp } from '../../../packages/fakes/src/slack/slack-app.ts';
import { type Installation, installationOf } from '../../../packages/fakes/src/slack/workspace-options.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { Changes } from '../../support/wait-for.ts';
import { type EmulatedApi, type EmulatedPerson, emulatedApi, emulatedPerson } from './slack-emulate/emulated-person.ts';
import { createSocketDoor } from './slack-emulate/socket-door.ts';
import { type EmulatedSlack, startEmulator, tokenOf } from './slack-emulate/start-emulator.ts';

/** The workspace and the channel that emulate always has. */
const teamId = 'T000000001';
const general = 'C000000001';

const people = ['ann', 'ben'] as const;

export type SlackEmulate = Awaited<ReturnType<typeof startSlackEmulate>>;

interface Parts {
  readonly installation: Installation;
  readonly app: SlackApp;
  readonly changes: Changes;
}

/**
 * A Slack that others have written, in this process on a free port, with two people and an app that was granted what its
 * manifest asks for. It checks scopes, and tells of messages, their edits and files by signed callbacks. It knows neither
 * Socket Mode nor presses of buttons: the first is added by a door before it, the second is told of beside it, both in the
 * way of our own fake. It has no streams, no status of threads, no `app_mention` and no slash commands: what it does not
 * know it answers with 404, which Slack does not. It does not say which scopes were granted, nor of which kind a
 * conversation is; it ignores `oldest` and, in threads, `limit`; it never repeats a callback, and waits for the answer to
 * it before it answers who has caused it. An unknown token counts as one of its administrator's, and each may make 5,000
 * requests. Start one at a time.
 */
export async function startSlackEmulate({ sockets }: { readonly sockets: boolean }) {
  const installation = installationOf({ teamId }, 0);
  const { botToken, appToken, signingSecret, botUserId } = installation;
  const [time, changes] = [new ScaledTime(Date.now, 1), new Changes()];
  const app = new SlackApp({ installation, time, retryScale: 1, pingMs: 10_000, changes });
  const door = sockets ? createSocketDoor(app) : undefined;
  await door?.open();
  const slack = await startEmulator({ installation, people, ...(door && { root: door.root() }) });
  door?.stands(slack.port);
  const { emulator, webhooks } = slack;
  const api = emulatedApi(emulator.url);
  const parts = { installation, app, changes };
  const [ann, ben] = [await makePerson('ann', api, parts), await makePerson('ben', api, parts)];
  await api(tokenOf('ann'), 'conversations.invite', { channel: general, users: botUserId });
  if (door !== undefined) subscribe(slack, door.callbacks());
  return {
    /** What the channel takes as `api_url`. */
    apiUrl: `${emulator.url}/api/`,
    ...{ botToken, appToken, signingSecret, teamId, ann, ben },
    /** How the bot is mentioned. */
    mention: `<@${botUserId}>`,
    /** A channel that all are in, the bot as well. */
    general: { channel: general },

    /** The app listens at this address from now on. Throws if it does not answer the challenge. */
    async deliverTo(url: string): Promise<void> {
      await app.deliverTo(url);
      subscribe(slack, url);
    },

    /** What the app did not acknowledge when it was told of it first. */
    refused(): readonly string[] {
      const callbacks = webhooks.getDeliveries().filter(({ success }) => !success);
      const deliveries = app.deliveries.all.filter(({ state, attempts }) => state === 'lost' || attempts > 1);
      return [...callbacks.map((callback) => JSON.stringify(callback)), ...deliveries.map(describeDelivery)];
    },

    async close(): Promise<void> {
      time.close();
      await app.close();
      try {
        await door?.close();
      } finally {
        await emulator.close();
      }
    },
  };
}

/** What the manifest subscribes to and emulate knows. */
function subscribe({ webhooks }: EmulatedSlack, url: string): void {
  webhooks.register({ url, events: ['message'], active: true, owner: 'slack' });
}

async function makePerson(name: string, api: EmulatedApi, parts: Parts): Promise<EmulatedPerson> {
  const { installation, app, changes } = parts;
  const token = tokenOf(name);
  const ask = (method: string, args: JsonObject): Promise<JsonObject> => api(token, method, args);
  const { user_id } = await ask('auth.test', {});
  await ask('conversations.join', { channel: general });
  const opened = await ask('conversations.open', { users: installation.botUserId });
  const { channel } = z.object({ channel: z.object({ id: z.string() }) }).parse(opened);
  const tell = async (payload: JsonObject): Promise<void> => {
    const delivery = app.deliveries.deliver('interactive', payload);
    const describe = (): string => describeDelivery(delivery);
    await changes.waitFor(() => delivery.state === 'acknowledged', { what: 'an acknowledgement', describe });
  };
  const userId = z.string().parse(user_id);
  return emulatedPerson({ api, token, userId, direct: channel.id, teamId, appId: app.appId, tell });
}
