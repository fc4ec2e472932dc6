import type { Approval, Origin } from '../approval/approval.ts';
import type { ChannelHost } from '../contract.ts';
import { accountOf, deviceChannel } from '../conversation/devices/device-accounts.ts';
import type { DeviceBook } from '../conversation/devices/device-book.ts';
import type { DeviceFiles } from '../conversation/devices/device-files.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { DeviceTools } from '../tools/sources/remote/device-link.ts';
import { ChatDesk } from './chat-desk.ts';
import { DeviceChannel } from './device-channel.ts';
import { fileRoutes } from './file-routes.ts';
import { GatewayServer, type GatewayServerSettings } from './gateway-server.ts';
import { Lockout } from './lockout.ts';
import { Metrics } from './metrics.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { PeopleGate } from './people-gate.ts';
import { plainRoutes } from './plain-routes.ts';
import type { Route } from './routes.ts';
import { SessionOwners } from './session-owners.ts';
import { sessionRoutes } from './session-routes.ts';
import { Switchboard, type SwitchboardSettings } from './switchboard.ts';
import { Tickets } from './tickets.ts';
import { webApp } from './web-app.ts';

export interface GatewayDependencies {
  readonly devices: DeviceBook;
  readonly sessions: SessionStore;
  readonly files: DeviceFiles;
  readonly tools: DeviceTools;
  readonly settings: GatewayServerSettings & SwitchboardSettings & { readonly mostSessions: number };
  /** All accounts of a person, his devices' among them. */
  readonly accountsOf: (account: string) => readonly string[];
  readonly mayTalk: (account: string) => boolean;
  readonly isOwner: (account: string) => boolean;
  readonly approvalOf: (id: string) => Promise<Approval | undefined>;
  /** What is to be had for a person, each as `GET /api/tools` says it. */
  readonly toolsFor: (account: string, device: Device) => Promise<readonly JsonObject[]>;
  /** Ends the run of a conversation, as `/stop` does. Whether there was anything to end. */
  readonly stopRun: (origin: Origin) => Promise<boolean>;
  /** Something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The door for devices: as a channel for the core, and as what commands ask about it. */
export interface Gateway {
  readonly name: string;
  readonly adapter: DeviceChannel;
  readonly routes: readonly Route[];
  /** Where it listens; undefined while it does not. */
  readonly address: () => string | undefined;
  readonly isOnline: (deviceId: string) => boolean;
  /** Somebody was given a code for a device. */
  readonly codeGiven: () => void;
  /** Who may talk, or who is one person, was changed: closes the sockets that may not stay. */
  readonly review: () => void;
}

/** Puts the door together. It is opened when its channel is started. */
export function makeGateway(dependencies: GatewayDependencies): Gateway {
  const { devices } = dependencies;
  let host: ChannelHost | undefined;
  const adapter = new DeviceChannel({ ...dependencies, entrance: () => server });
  const parts = makeParts(dependencies, adapter, () => host);
  const { switchboard, lockout, gate } = parts;
  const routes = routesOf(dependencies, parts);
  const app = webApp({ ...dependencies, ...parts, routes });
  const opened = (now: ChannelHost | undefined): void => {
    host = now;
  };
  const server = new GatewayServer({ app, gate, switchboard, settings: dependencies.settings, opened });
  devices.onRevoked(({ id, settled }) => {
    switchboard.hangUpOn(id);
    adapter.sessions.aborted(settled);
  });
  return {
    name: deviceChannel,
    adapter,
    routes,
    address: () => server.address,
    isOnline: (deviceId) => switchboard.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
    review: () => switchboard.review(),
  };
}

/** What stands behind the door. */
function makeParts(
  dependencies: GatewayDependencies,
  { sessions }: DeviceChannel,
  host: () => ChannelHost | undefined,
) {
  const { devices, sessions: store, settings, clock, accountsOf } = dependencies;
  const isSamePerson = (account: string, other: string): boolean => accountsOf(account).includes(other);
  const owners = new SessionOwners({ store, accountsOf, most: settings.mostSessions, clock });
  const isPaired = ({ id }: Device): boolean => devices.find(id) !== undefined;
  const desk = new ChatDesk({ ...dependencies, host, sessions, store, owners, isPaired });
  const metrics = new Metrics();
  const tickets = new Tickets(clock);
  const gate = new PeopleGate({ ...dependencies, tickets });
  const lockout = new Lockout(clock);
  const switchboard = new Switchboard({ ...dependencies, sessions, store, owners, desk, isSamePerson, metrics });
  return { sessions, store, desk, metrics, tickets, gate, lockout, switchboard };
}

function routesOf(dependencies: GatewayDependencies, parts: ReturnType<typeof makeParts>): readonly Route[] {
  const { devices, files, accountsOf } = dependencies;
  const { switchboard, metrics, store } = parts;
  return [
    ...plainRoutes({
      toolsFor: (device) => dependencies.toolsFor(accountOf(device), device),
      metrics: () => metrics.render(gaugesOf(switchboard, devices)),
    }),
    ...pairingRoutes({ ...parts, devices }),
    ...sessionRoutes({ ...parts, accountsOf }),
    ...fileRoutes({ store, files, accountsOf }),
  ];
}

function gaugesOf(switchboard: Switchboard, devices: DeviceBook) {
  return [
    { name: 'gateway_sockets', help: 'WebSockets that are open.', value: switchboard.size },
    { name: 'gateway_devices', help: 'Devices that are paired.', value: devices.all().length },
    { name: 'resident_bytes', help: 'Resident memory of the process.', value: process.memoryUsage.rss() },
  ];
}
