import type { Approval, Origin } from '../approval/approval.ts';
import type { ChannelHost } from '../contract.ts';
import { accountOf, deviceChannel } from '../conversation/devices/device-accounts.ts';
import type { DeviceBook } from '../conversation/devices/device-book.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { DeviceTools } from '../tools/sources/remote/device-link.ts';
import { ChatDesk } from './chat-desk.ts';
import { DeviceChannel } from './device-channel.ts';
import { Door, type DoorSettings } from './door.ts';
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
  readonly tools: DeviceTools;
  readonly settings: DoorSettings & SwitchboardSettings & { readonly mostSessions: number };
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
  const { devices, settings, clock, log, accountsOf, mayTalk } = dependencies;
  const isSamePerson = (account: string, other: string): boolean => accountsOf(account).includes(other);
  let host: ChannelHost | undefined;
  const adapter = new DeviceChannel({ entrance: () => door, approvalOf: dependencies.approvalOf, clock });
  const { sessions } = adapter;
  const store = dependencies.sessions;
  const owners = new SessionOwners({ store, accountsOf, most: settings.mostSessions, clock });
  const desk = new ChatDesk({ ...dependencies, host: () => host, sessions, store, owners });
  const metrics = new Metrics();
  const tickets = new Tickets(clock);
  const lockout = new Lockout(clock);
  const { tools } = dependencies;
  const switchboard = new Switchboard({
    devices,
    sessions,
    store,
    owners,
    tools,
    desk,
    isSamePerson,
    mayTalk,
    settings,
    metrics,
    clock,
    log,
  });
  const gate = new PeopleGate({ ...dependencies, tickets });
  const routes = [
    ...plainRoutes({
      toolsFor: (device) => dependencies.toolsFor(accountOf(device), device),
      metrics: () => metrics.render(gaugesOf(switchboard, devices)),
    }),
    ...pairingRoutes({ devices, lockout, tickets, metrics }),
    ...sessionRoutes({ store, sessions, desk, accountsOf }),
  ];
  const app = webApp({ routes, gate, settings, metrics, log });
  const opened = (now: ChannelHost | undefined): void => {
    host = now;
  };
  const door = new Door({ app, gate, switchboard, settings, opened });
  return {
    name: deviceChannel,
    adapter,
    routes,
    address: () => door.address,
    isOnline: (deviceId) => switchboard.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
    review: () => switchboard.review(),
  };
}

function gaugesOf(switchboard: Switchboard, devices: DeviceBook) {
  return [
    { name: 'gateway_sockets', help: 'WebSockets that are open.', value: switchboard.size },
    { name: 'gateway_devices', help: 'Devices that are paired.', value: devices.all().length },
    { name: 'resident_bytes', help: 'Resident memory of the process.', value: process.memoryUsage.rss() },
  ];
}
