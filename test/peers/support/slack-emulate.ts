import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { describeDelivery } from '../../support/slack/deliveries.ts';
import { ScaledTime } from '../../support/slack/scaled-time.ts';
import { SlackApp } from '../../support/slack/slack-app.ts';
import { type Installation, installationOf } from '../../support/slack/workspace-options.ts';
import { Changes } from '../../support/wait-for.ts';
import { type EmulatedApi, EmulatedPerson, emulatedApi, type Spot } from './slack-emulate/emulated-person.ts';
import { createSocketDoor, type SocketDoor } from './slack-emulate/socket-door.ts';
import { type EmulatedSlack, startEmulator, tokenOf } from './slack-emulate/start-emulator.ts';

/** The workspace and the channel that emulate always has. */
const teamId = 'T000000001';
const general = 'C000000001';

const people = ['ann', 'ben'] as const;
type PersonName = (typeof people)[number];

interface Parts {
  readonly installation: Installation;
  readonly app: SlackApp;
  readonly time: ScaledTime;
  readonly changes: Changes;
  readonly slack: EmulatedSlack;
  /** Undefined where the app has no sockets. */
  readonly door: SocketDoor | undefined;
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
export class SlackEmulate {
  /** What the channel takes as `api_url`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string = teamId;
  /** How the bot is mentioned. */
  readonly mention: string;
  /** A channel that all are in, the bot as well. */
  readonly general: Spot = { channel: general };
  readonly #parts: Parts;
  readonly #people: ReadonlyMap<PersonName, EmulatedPerson>;

  private constructor(parts: Parts, root: string, people: ReadonlyMap<PersonName, EmulatedPerson>) {
    const { botToken, appToken, signingSecret, botUserId } = parts.installation;
    this.apiUrl = `${root}/api/`;
    this.botToken = botToken;
    this.appToken = appToken;
    this.signingSecret = signingSecret;
    this.mention = `<@${botUserId}>`;
    this.#parts = parts;
    this.#people = people;
  }

  /** With `sockets` there is Socket Mode; else `deliverTo` says where the app is. */
  static async start({ sockets }: { readonly sockets: boolean }): Promise<SlackEmulate> {
    const installation = installationOf({ teamId }, 0);
    const [time, changes] = [new ScaledTime(Date.now, 1), new Changes()];
    const app = new SlackApp({ installation, time, retryScale: 1, pingMs: 10_000, changes });
    const door = sockets ? createSocketDoor(app) : undefined;
    await door?.open();
    const slack = await startEmulator({ installation, people, ...(door && { root: door.root() }) });
    door?.stands(slack.port);
    const parts = { installation, app, time, changes, slack, door };
    const api = emulatedApi(slack.emulator.url);
    const all = await Promise.all(people.map(async (name) => [name, await makePerson(name, api, parts)] as const));
    await api(tokenOf('ann'), 'conversations.invite', { channel: general, users: installation.botUserId });
    if (door !== undefined) subscribe(slack, door.callbacks());
    return new SlackEmulate(parts, slack.emulator.url, new Map(all));
  }

  /** The app listens at this address from now on. Throws if it does not answer the challenge. */
  async deliverTo(url: string): Promise<void> {
    await this.#parts.app.deliverTo(url);
    subscribe(this.#parts.slack, url);
  }

  person(name: PersonName): EmulatedPerson {
    const person = this.#people.get(name);
    if (person === undefined) throw new Error(`There is no ${name}.`);
    return person;
  }

  /** What the app did not acknowledge when it was told of it first. */
  get refused(): readonly string[] {
    const { app, slack } = this.#parts;
    const callbacks = slack.webhooks.getDeliveries().filter(({ success }) => !success);
    const deliveries = app.deliveries.all.filter(({ state, attempts }) => state === 'lost' || attempts > 1);
    return [...callbacks.map((callback) => JSON.stringify(callback)), ...deliveries.map(describeDelivery)];
  }

  async close(): Promise<void> {
    const { app, time, slack, door } = this.#parts;
    time.close();
    await app.close();
    try {
      await door?.close();
    } finally {
      await slack.emulator.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** What the manifest subscribes to and emulate knows. */
function subscribe({ webhooks }: EmulatedSlack, url: string): void {
  webhooks.register({ url, events: ['message'], active: true, owner: 'slack' });
}

async function makePerson(name: PersonName, api: EmulatedApi, parts: Parts): Promise<EmulatedPerson> {
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
  return new EmulatedPerson({ api, token, userId, direct: channel.id, teamId, appId: app.appId, tell });
}
