import type { ChannelAdapter } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import { Lockout } from '../../../lib/lockout.ts';
import type { DeviceBook, DevicesCore } from '../device-book.ts';
import { createRemoteTools } from '../remote/remote-tools.ts';
import { createConnections } from './connections.ts';
import type { Gate } from './credentials.ts';
import { deviceChannelAdapter, type GatewayPort } from './device-channel.ts';
import type { Answering } from './port.ts';
import { createSessions } from './sessions.ts';

/** The chats of devices, and the tools that they offer. */
export interface Gateway {
  /** The channel's name and adapter. Starting the channel opens the port. */
  readonly channel: readonly [string, ChannelAdapter];
  isOnline(deviceId: string): boolean;
  /** Somebody got a pairing code. */
  codeGiven(): void;
  /** A device was revoked. */
  hangUpOn(deviceId: string): void;
  /** In these conversations a person has ended the run, and nothing is left to do. */
  aborted(conversationIds: readonly string[]): void;
  /** Loads what answers requests. */
  answering(): Promise<Answering>;
  /** Closes all sockets. */
  hangUp(): Promise<void>;
  /** Unsubscribes from changes of rights, after the channel has ended. */
  close(): void;
}

/** Who may come in. */
export interface Admitted {
  readonly devices: DeviceBook;
  readonly gate: Gate;
}

/** Builds the gateway; its channel opens the port. */
export function createGateway(core: DevicesCore, { devices, gate }: Admitted, port: GatewayPort): Gateway {
  const { clock, registry, rightsChanged } = core;
  const tools = createRemoteTools(core);
  registry.include(tools);
  const sessions = createSessions(core, devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const own = { ...core, log: core.log.child({ part: 'gateway' }), devices, sessions, tools, counters };
  const connections = createConnections(own);
  const lockout = new Lockout(clock);
  return {
    channel: [deviceChannel, deviceChannelAdapter(core, sessions, port)],
    isOnline: (deviceId) => connections.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
    hangUpOn: (deviceId) => connections.hangUpOn(deviceId),
    aborted: (conversationIds) => sessions.aborted(conversationIds),
    answering: async () => (await import('./answering.ts')).answering({ ...own, connections, gate, lockout }),
    hangUp: () => connections.close(),
    close: rightsChanged.listen(() => connections.review()),
  };
}
