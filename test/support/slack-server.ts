import type { ActiveFault } from './fault-rules.ts';
import { type ApiCall, doorNames } from './slack/call-log.ts';
import type { Delivery } from './slack/deliveries.ts';
import { describeCall, describeDelivery } from './slack/describe.ts';
import type { EventPosts } from './slack/event-posts.ts';
import type { FaultKind, FaultRule } from './slack/faults.ts';
import type { Interaction, PressOptions } from './slack/interactions.ts';
import type { People, Said, SayOptions } from './slack/people.ts';
import { makeParts, type ServerParts, type SlackServerOptions } from './slack/server-parts.ts';
import type { ShownMessage, WantedMessage } from './slack/shown-message.ts';
import type { SlackApp } from './slack/slack-app.ts';
import type { Sockets } from './slack/sockets.ts';
import type { Workspace } from './slack/workspace.ts';
import { WorkspaceView } from './slack/workspace-view.ts';
import type { Found, WaitOptions } from './wait-for.ts';

export type { SlackServerOptions };

const callsToTell = 12;

/**
 * A Slack of our own, as strict as the real one, with the people at the other end: Web API, Socket Mode and Events API.
 * It listens on this machine only; each test starts its own. What concerns one workspace is meant of the first.
 */
export class SlackServer {
  readonly root: string;
  /** What the channel takes as `api_url`. */
  readonly apiUrl: string;
  readonly workspaces: readonly WorkspaceView[];
  /** The first workspace. */
  readonly home: WorkspaceView;
  readonly #parts: ServerParts;
  readonly #app: SlackApp;

  private constructor(parts: ServerParts) {
    const [first] = parts.workspaces;
    if (first === undefined) throw new Error('A Slack without a workspace is none.');
    const describe = (): string => this.#describe();
    const view = (workspace: Workspace): WorkspaceView =>
      new WorkspaceView({ workspace, changes: parts.changes, describe });
    this.root = parts.root();
    this.apiUrl = `${this.root}/api/`;
    this.home = view(first);
    this.workspaces = [this.home, ...parts.workspaces.slice(1).map(view)];
    this.#parts = parts;
    this.#app = first.app;
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

  get people(): People {
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
    return this.#parts.apps.flatMap((app) => app.deliveries.pending);
  }

  /** What was given up, or is not tried again. */
  get lost(): readonly Delivery[] {
    return this.#parts.apps.flatMap((app) => app.deliveries.lost);
  }

  /** Waits until the app has said something to it; fails if it is given up before. Resolves with what was said. */
  async acknowledged(delivery: Delivery, timeoutMs?: number): Promise<Delivery> {
    const options = { what: 'an acknowledgement', ...(timeoutMs !== undefined && { timeoutMs }) };
    await this.waitFor(() => delivery.state !== 'waiting', options);
    if (delivery.state === 'lost') throw new Error(`It was given up:\n${describeDelivery(delivery)}`);
    return delivery;
  }

  /** Delivers it once more, whether or not it was acknowledged. */
  redeliver(delivery: Delivery): Delivery {
    const app = this.#parts.apps.find(({ deliveries }) => deliveries.all.includes(delivery)) ?? this.#app;
    return app.deliveries.repeat(delivery);
  }

  /** Delivers whatever is given, as no sound Slack does. */
  deliver(...[kind, payload]: Parameters<SlackApp['deliveries']['deliver']>): Delivery {
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
    return this.#parts.calls.all;
  }

  callsOf(method: string): readonly ApiCall[] {
    return this.#parts.calls.of(method);
  }

  /** How many connections the app has made so far, whatever for. */
  get connections(): number {
    return this.#parts.door.server.connections;
  }

  /** Makes requests go wrong. The rules are tried in the order in which they came. */
  fault(rule: FaultRule): ActiveFault {
    return this.#parts.faults.add(rule);
  }

  clearFaults(): void {
    this.#parts.faults.clear();
  }

  /** How many requests went wrong in that way. */
  faultsFired(kind: FaultKind): number {
    return this.#parts.faults.fired(kind);
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
    return this.fault({ method: doorNames.socket, kind: 'status', status });
  }

  /** Refuses every token from now on, and ends the sockets. */
  revoke(code = 'token_revoked'): void {
    this.#parts.revocation.code = code;
    for (const workspace of this.workspaces) workspace.revoke(code);
    for (const { sockets } of this.#parts.apps) sockets.drop();
  }

  /** Takes every token again. */
  restore(): void {
    delete this.#parts.revocation.code;
    for (const workspace of this.workspaces) workspace.restore();
  }

  /** Forgets what stands in conversations, what was uploaded, told and asked for. What is not acknowledged stays. */
  forget(): void {
    for (const workspace of this.#parts.workspaces) workspace.forget();
    for (const { deliveries } of this.#parts.apps) deliveries.forget();
    this.#parts.calls.forget();
  }

  #describe(): string {
    const { apps, calls, door } = this.#parts;
    const deliveries = apps
      .flatMap((app) => app.deliveries.all)
      .slice(-callsToTell)
      .map(describeDelivery);
    const mistakes = door.server.mistakes.map((mistake) => `The fake itself failed: ${mistake}`);
    return [
      'Told:',
      ...deliveries,
      'Last calls:',
      ...calls.all.slice(-callsToTell).map(describeCall),
      ...mistakes,
    ].join('\n');
  }
}
