import { methodFaults } from '../method-faults.ts';
import { Changes } from '../wait-for.ts';
import { makeCallLog } from './call-log.ts';
import type { Fault } from './faults.ts';
import { HttpDoor } from './http-door.ts';
import { Identifiers } from './identifiers.ts';
import { methodTable } from './method-table.ts';
import { Requests } from './requests.ts';
import { ScaledTime } from './scaled-time.ts';
import { SlackApp } from './slack-app.ts';
import { Workspace } from './workspace.ts';
import { allScopes, installationOf, type WorkspaceOptions } from './workspace-options.ts';

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

/** What a server is made of. The port is known once the door is open. */
export type ServerParts = ReturnType<typeof makeParts>;

/** What all tokens are refused with, if they are. */
interface Revocation {
  code?: string;
}

export function makeParts({
  workspaces: wanted = [{}],
  timeScale = 1,
  retryScale = timeScale,
  pingMs = 10_000,
  now = Date.now,
}: SlackServerOptions) {
  const address = { port: 0 };
  const root = (): string => `http://127.0.0.1:${address.port}`;
  const time = new ScaledTime(now, timeScale);
  const identifiers = new Identifiers(now);
  const [faults, calls, changes] = [methodFaults<Fault>(), makeCallLog(), new Changes()];
  const apps: SlackApp[] = [];
  const workspaces = wanted.map((options, index) => {
    const installation = installationOf(options, index);
    const known = apps.find(({ appToken }) => appToken === installation.appToken);
    const app = known ?? new SlackApp({ installation, time, retryScale, pingMs, changes });
    if (known === undefined) apps.push(app);
    const { scopes = allScopes, messagesTab: hasMessagesTab = true } = options;
    return new Workspace({ installation, app, identifiers, time, changes, root, scopes, hasMessagesTab });
  });
  const methods = methodTable(() => `ws://127.0.0.1:${address.port}/link/`);
  const revocation: Revocation = {};
  const requests = new Requests({ methods, workspaces, apps, revocation: () => revocation.code });
  const door = new HttpDoor({ requests, apps: () => apps, faults, calls, changes, now });
  return { address, root, time, faults, calls, changes, apps, workspaces, door, revocation };
}
