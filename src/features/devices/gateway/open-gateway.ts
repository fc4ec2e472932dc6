import { deviceChannel } from '../../../conversation/access/access.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { createDeviceBook, type DeviceAccess } from '../device-book.ts';
import { createRemoteTools } from '../remote/remote-tools.ts';
import { createConnections } from './connections.ts';
import { createGate, createLockout } from './credentials.ts';
import { deviceChannelAdapter } from './device-channel.ts';
import { createGatewayServer } from './server.ts';
import { createSessions } from './sessions.ts';

/** Builds the gateway; its channel opens the port. Loaded and called only if the config enables it. */
export async function openGateway(core: FeatureCore) {
  const { accounts, clock, registry, rightsChanged, store } = core;
  const devices = createDeviceBook(await store.devices.all(), core);
  accounts.include(devices);
  const tools = createRemoteTools(core);
  registry.include(tools);
  const sessions = createSessions(core, devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const own = { ...core, log: core.log.child({ part: 'gateway' }), devices, sessions, tools, counters };
  const connections = createConnections(own);
  const lockout = createLockout(clock);
  const server = createGatewayServer({ ...own, connections, gate: createGate(core, devices), lockout });
  devices.onRevoked(({ id, settled }) => {
    connections.hangUpOn(id);
    sessions.aborted(settled);
  });
  const access: DeviceAccess = { devices, isOnline: connections.isOnline, codeGiven: lockout.forget };
  return {
    /** The base URL; undefined while it is not listening. */
    address: server.address,
    /** The channel's name and adapter. Starting the channel opens the port. */
    channel: [deviceChannel, deviceChannelAdapter(core, sessions, server)] as const,
    access,
    /** Unsubscribes from changes of rights, after the channel has ended. */
    close: rightsChanged.listen(() => connections.review()),
  };
}
