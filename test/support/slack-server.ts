import type { JsonObject } from '../../src/lib/json.ts';
import type { ActiveFault } from './fault-rules.ts';
import { type Delivery, type DeliveryKind, describeDelivery, type EventPosts } from './slack/deliveries.ts';
import { type ApiCall, createHttpDoor, describeCall, type FaultKind, type FaultRule } from './slack/http-door.ts';
import type { Interaction, PressOptions } from './slack/interactions.ts';
import type { Said, SayOptions, SlackPeople } from './slack/people.ts';
import { createRequests } from './slack/requests.ts';
import { Identifiers } from './slack/rooms.ts';
import { ScaledTime } from './slack/scaled-time.ts';
import type { ShownMessage, WantedMessage } from './slack/shown-message.ts';
import { SlackApp } from './slack/slack-app.ts';
import type { Sockets } from './slack/sockets.ts';
import { SlackState } from './slack/state.ts';
import { createWorkspace, type Workspace } from './slack/workspace.ts';
import { allScopes, installationOf, type WorkspaceOptions } from './slack/workspace-options.ts';
import { Changes, type Found, type WaitOptions } from './wait-for.ts';

export interface SlackServerOptions {
  /** One, if not set. Those with the same app token have one app. */
  readonly workspaces?: readonly WorkspaceOptions[];
  /** Slack's seconds last so many of ours: 0.01 makes 30 ms of the 3 s in which an event must be acknowledged. */
  readonly timeScale?: number;
  /** The same for the pauses before it delivers an event again; `timeScale` if not set. */
  readonly retryScale?: number;
  /** How often the server pings a socket. Not scaled. */
  readonly pingMs?: number;
  /** In milliseconds since 1970. Messages are named after it, and what holds for a while goes by it. */
  readonly now?: () => number;
}

type ServerParts = ReturnType<typeof makeParts>;

function makeParts(options: SlackServerOptions) {
  const { workspaces: wanted = [{}], timeScale = 1, retryScale = timeScale, pingMs = 10_000, now = Date.now } = options;
  const address = { port: 0 };
  const root = (): string => `http://127.0.0.1:${address.port}`;
  const [time, identifiers, changes] = [new ScaledTime(now, timeScale), new Identifiers(now), new Changes()];
  const apps: SlackApp[] = [];
  const states = wanted.map(({ scopes = allScopes, ...given }, index) => {
    const installation = installationOf(given, index);
    const known = apps.find(({ appToken }) => appToken === installation.appToken);
    const app = known ?? new SlackApp({ installation, time, retryScale, pingMs, changes });
    if (known === undefined) apps.push(app);
    return new SlackState({ installation, app, identifiers, time, changes, root }, scopes);
  });
  const read = createRequests(states, apps, () => `ws://127.0.0.1:${address.port}/link/`);
  return { address, root, time, apps, states, door: createHttpDoor({ read, apps, changes, now }) };
}

const callsToTell = 12;

/**
 * A Slack of our own, as strict as the real one, with the people at the other end: Web API, Socket Mode and Events API.
 * It listens on this machine only; each test starts its own. What concerns one workspace is meant of the first.
 */
export class SlackServer {
  readonly root: string;
  /** What the channel takes as `api_url`. */
  readonly apiUrl: string;
  readonly workspaces: readonly Workspace[];
  /** The first workspace. */
  readonly home: Workspace;
  readonly #parts: ServerParts;
  readonly #app: SlackApp;

  private constructor(parts: ServerParts) {
    const [first] = parts.states;
    if (first === undefined) throw new Error('A Slack without a workspace is none.');
    const describe = (): string => this.#describe();
    this.root = parts.root();
    this.apiUrl = `${this.root}/api/`;
    this.home = createWorkspace(first, describe);
    this.workspaces = [this.home, ...parts.states.slice(1).map((state) => createWorkspace(state, describe))];
    this.#parts = parts;
    this.#app = first.parts.app;
  }

  static async start(options: SlackServerOptions = {}): Promise<SlackServer> {
    const parts = makeParts(options);
    parts.address.port = await parts.door.server.open();
    return new SlackServer(parts);
  }

  /** Breaks every connection, and leaves neither a timer nor a request behind. */
  async close(): Promise<void> {
    const { apps, door, time } = this.#parts;
    const { server } = door;
    time.close();
    await Promise.all(apps.map((app) => app.close()));
    await server.close();
    if (server.mistakes.length > 0) throw new AggregateError(server.mistakes, 'The fake Slack is wrong.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get botToken(): string {
    return this.home.installation.botToken;
  }

  get appToken(): string {
    return this.home.installation.appToken;
  }

  get people(): SlackPeople {
    return this.home.people;
  }

  /** What a conversation shows now, answers in threads included, the oldest first. */
  chat(channel: string): readonly ShownMessage[] {
    return this.home.chat(channel);
  }

  say(channel: string, text: string, options: SayOptions = {}): Said {
    return this.home.say(channel, text, options);
  }

  edit(channel: string, ts: string, text: string): Said {
    return this.home.edit(channel, ts, text);
  }

  press(channel: string, ts: string, wanted: string, options: PressOptions = {}): Interaction {
    return this.home.press(channel, ts, wanted, options);
  }

  waitForMessage(channel: string, wanted: WantedMessage, timeoutMs?: number): Promise<ShownMessage> {
    return this.home.waitForMessage(channel, wanted, timeoutMs);
  }

  /** Looks again after every request, every acknowledgement and everything that a person does. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.home.waitFor(look, options);
  }

  /** The Socket Mode connections: disconnect, drop, silence them; how many there are. */
  get sockets(): Sockets {
    return this.#app.sockets;
  }

  /** Everything that the app was told, and how far that has come. */
  get deliveries(): readonly Delivery[] {
    return this.#parts.apps.flatMap((app) => app.deliveries.all);
  }

  /** What is neither acknowledged nor given up. */
  get pending(): readonly Delivery[] {
    return this.deliveries.filter(({ state }) => state === 'waiting');
  }

  /** What was given up, or is not tried again. */
  get lost(): readonly Delivery[] {
    return this.deliveries.filter(({ state }) => state === 'lost');
  }

  /** Waits until the app has said something to it; fails if it is given up before. Resolves with what was said. */
  async acknowledged(delivery: Delivery): Promise<Delivery> {
    await this.waitFor(() => delivery.state !== 'waiting', { what: 'an acknowledgement' });
    if (delivery.state === 'lost') throw new Error(`It was given up:\n${describeDelivery(delivery)}`);
    return delivery;
  }

  /** Delivers it once more, whether or not it was acknowledged. */
  redeliver(delivery: Delivery): Delivery {
    const app = this.#parts.apps.find(({ deliveries }) => deliveries.all.includes(delivery)) ?? this.#app;
    return app.deliveries.repeat(delivery);
  }

  /** Delivers whatever is given, as no sound Slack does. */
  deliver(kind: DeliveryKind, payload: JsonObject): Delivery {
    return this.#app.deliveries.deliver(kind, payload);
  }

  /** Delivers to this address from now on, and not through sockets. Throws if it does not answer the challenge. */
  deliverTo(url: string): Promise<void> {
    return this.#app.deliverTo(url);
  }

  /** For requests to the app's address that do not come from Slack, or that Slack has sent long ago. */
  postsTo(url: string): EventPosts {
    return this.#app.postsTo(url);
  }

  get calls(): readonly ApiCall[] {
    return this.#parts.door.calls.all;
  }

  callsOf(method: string): readonly ApiCall[] {
    return this.#parts.door.calls.of(method);
  }

  /** How many connections the app has made so far, whatever for. */
  get connections(): number {
    return this.#parts.door.server.connections;
  }

  /** Makes requests go wrong. The rules are tried in the order in which they came. */
  fault(rule: FaultRule): ActiveFault {
    return this.#parts.door.faults.add(rule);
  }

  clearFaults(): void {
    this.#parts.door.faults.clear();
  }

  /** How many requests went wrong in that way. */
  faultsFired(kind: FaultKind): number {
    return this.#parts.door.faults.fired(kind);
  }

  /** Answers the requests that hang. */
  release(): void {
    this.#parts.door.release();
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#parts.door.server.outage(on);
  }

  /** Takes connections and answers nothing, neither requests nor pings. What was open stays dumb when it is over. */
  silence(on: boolean): void {
    this.#parts.door.silence(on);
    if (on) for (const { sockets } of this.#parts.apps) sockets.fallSilent();
  }

  /** Refuses new sockets with that status, until the fault is removed. */
  refuseSockets(status = 503): ActiveFault {
    return this.fault({ method: 'socket', kind: 'status', status });
  }

  /** Refuses every token from now on, and ends the sockets. */
  revoke(): void {
    for (const workspace of this.workspaces) workspace.revoke();
    for (const app of this.#parts.apps) {
      app.revocation = 'token_revoked';
      app.sockets.drop();
    }
  }

  /** Takes every token again. */
  restore(): void {
    for (const workspace of this.workspaces) workspace.restore();
    for (const app of this.#parts.apps) app.revocation = undefined;
  }

  /** Forgets what stands in conversations, what was uploaded, told and asked for. What is not acknowledged stays. */
  forget(): void {
    for (const state of this.#parts.states) state.forget();
    for (const { deliveries } of this.#parts.apps) deliveries.forget();
    this.#parts.door.calls.forget();
  }

  #describe(): string {
    const { mistakes } = this.#parts.door.server;
    return [
      ...['Told:', ...this.deliveries.slice(-callsToTell).map(describeDelivery)],
      ...['Last calls:', ...this.calls.slice(-callsToTell).map(describeCall)],
      ...mistakes.map((mistake) => `The fake itself failed: ${mistake}`),
    ].join('\n');
  }
}
