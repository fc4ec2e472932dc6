import { Changes } from './changes.ts';
import type { ActiveFault } from './fault-rules.ts';
import type { JsonObject } from './json.ts';
import { type Delivery, type DeliveryKind, describeDelivery, type EventPosts } from './slack/deliveries.ts';
import { type ApiCall, describeCall, type FaultKind, type FaultRule, HttpDoor } from './slack/http-door.ts';
import { createRequests } from './slack/requests.ts';
import { Identifiers } from './slack/rooms.ts';
import { ScaledTime } from './slack/scaled-time.ts';
import { SlackApp } from './slack/slack-app.ts';
import { SlackState } from './slack/state.ts';
import { createWorkspace } from './slack/workspace.ts';
import { allScopes, installationOf, type WorkspaceOptions } from './slack/workspace-options.ts';

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
  /** The host that it says it has, behind https: its own address if not set. */
  readonly shownAs?: string;
}

const callsToTell = 12;

export type SlackServer = Awaited<ReturnType<typeof start>>;
export const SlackServer = { start } as const;

/**
 * A Slack of our own, as strict as the real one, with the people at the other end: Web API, Socket Mode and Events API.
 * It listens on this machine only; each test starts its own. What concerns one workspace is meant of the first.
 */
async function start(options: SlackServerOptions = {}) {
  const { workspaces: wanted = [{}], timeScale = 1, retryScale = timeScale, pingMs = 10_000, now = Date.now } = options;
  const [time, identifiers, changes] = [new ScaledTime(now, timeScale), new Identifiers(now), new Changes()];
  let host = '';
  const { shownAs } = options;
  const root = (): string => (shownAs === undefined ? `http://${host}` : `https://${shownAs}`);
  const apps: SlackApp[] = [];
  const states = wanted.map(({ scopes = allScopes, ...given }, index) => {
    const installation = installationOf(given, index);
    const known = apps.find(({ appToken }) => appToken === installation.appToken);
    const app = known ?? new SlackApp({ installation, time, retryScale, pingMs, changes });
    if (known === undefined) apps.push(app);
    return new SlackState({ installation, app, identifiers, time, changes, root }, scopes);
  });
  const read = createRequests(states, apps, () => `${root().replace(/^http/, 'ws')}/link/`);
  const door = new HttpDoor({ read, apps, changes, now });
  const port = await door.server.open();
  host = `127.0.0.1:${port}`;
  const workspaces = states.map((state) => createWorkspace(state, describe));
  const [home] = workspaces;
  const [app] = apps;
  if (home === undefined || app === undefined) throw new Error('A Slack without a workspace is none.');
  const { server, faults } = door;

  /** Everything that the app was told, and how far that has come. */
  function deliveries(): readonly Delivery[] {
    return apps.flatMap(({ deliveries: own }) => own.all);
  }

  function describe(): string {
    return [
      'Told:',
      ...deliveries().slice(-callsToTell).map(describeDelivery),
      'Last calls:',
      ...door.calls.all.slice(-callsToTell).map(describeCall),
      ...server.mistakes.map((mistake) => `The fake itself failed: ${mistake}`),
    ].join('\n');
  }

  /** Breaks every connection, and leaves neither a timer nor a request behind. */
  async function close(): Promise<void> {
    time.close();
    await Promise.all(apps.map((one) => one.close()));
    await server.close();
  }

  return {
    ...home,
    home,
    workspaces,
    root: root(),
    /** What the channel takes as `api_url`. */
    port,
    apiUrl: `${root()}/api/`,
    botToken: home.installation.botToken,
    appToken: home.installation.appToken,
    close,
    [Symbol.asyncDispose]: close,
    /** The Socket Mode connections: disconnect, drop, silence them; how many there are. */
    sockets: app.sockets,

    get deliveries(): readonly Delivery[] {
      return deliveries();
    },

    /** What is neither acknowledged nor given up. */
    get pending(): readonly Delivery[] {
      return deliveries().filter(({ state }) => state === 'waiting');
    },

    /** What was given up, or is not tried again. */
    get lost(): readonly Delivery[] {
      return deliveries().filter(({ state }) => state === 'lost');
    },

    /** Waits until the app has said something to it; fails if it is given up before. Resolves with what was said. */
    async acknowledged(delivery: Delivery): Promise<Delivery> {
      await home.waitFor(() => delivery.state !== 'waiting', { what: 'an acknowledgement' });
      if (delivery.state === 'lost') throw new Error(`It was given up:\n${describeDelivery(delivery)}`);
      return delivery;
    },

    /** Delivers it once more, whether or not it was acknowledged. */
    redeliver: (delivery: Delivery): Delivery =>
      (apps.find(({ deliveries: own }) => own.all.includes(delivery)) ?? app).deliveries.repeat(delivery),
    /** Delivers whatever is given, as no sound Slack does. */
    deliver: (kind: DeliveryKind, payload: JsonObject): Delivery => app.deliveries.deliver(kind, payload),
    /** Delivers to this address from now on, and not through sockets. Throws if it does not answer the challenge. */
    deliverTo: (url: string): Promise<void> => app.deliverTo(url),
    /** For requests to the app's address that do not come from Slack, or that Slack has sent long ago. */
    postsTo: (url: string): EventPosts => app.postsTo(url),

    get calls(): readonly ApiCall[] {
      return door.calls.all;
    },
    callsOf: (method: string): readonly ApiCall[] => door.calls.of(method),

    /** How many connections the app has made so far, whatever for. */
    get connections(): number {
      return server.connections;
    },

    /** Makes requests go wrong. The rules are tried in the order in which they came. */
    fault: (rule: FaultRule): ActiveFault => faults.add(rule),
    clearFaults: (): void => faults.clear(),
    /** How many requests went wrong in that way. */
    faultsFired: (kind: FaultKind): number => faults.fired(kind),
    /** Answers the requests that hang. */
    release: (): void => door.release(),
    /** Resets every connection, old and new, until it is over. */
    outage: (on: boolean): void => server.outage(on),

    /** Takes connections and answers nothing, neither requests nor pings. What was open stays dumb when it is over. */
    silence(on: boolean): void {
      door.silence(on);
      if (on) for (const { sockets } of apps) sockets.fallSilent();
    },

    /** Refuses new sockets with that status, until the fault is removed. */
    refuseSockets: (status = 503): ActiveFault => faults.add({ method: 'socket', kind: 'status', status }),

    /** Refuses every token from now on, and ends the sockets. */
    revoke(): void {
      for (const workspace of workspaces) workspace.revoke();
      for (const one of apps) {
        one.revocation = 'token_revoked';
        one.sockets.drop();
      }
    },

    /** Takes every token again. */
    restore(): void {
      for (const workspace of workspaces) workspace.restore();
      for (const one of apps) one.revocation = undefined;
    },

    /** Forgets what stands in conversations, what was uploaded, told and asked for. What is not acknowledged stays. */
    forget(): void {
      for (const state of states) state.forget();
      for (const { deliveries: own } of apps) own.forget();
      door.calls.forget();
    },
  };
}
