import { reservedNames } from '../../../config/tool-rules.ts';
import { deviceChannel } from '../../../conversation/devices/device.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import { schemaFault } from '../../../tools/json-validator.ts';
import { createDeviceBook } from '../device-book.ts';
import type { DeviceAccess } from '../device-commands.ts';
import { createRemoteTools } from '../remote/remote-tools.ts';
import { createConnections } from './connections.ts';
import { createGate, createLockout } from './credentials.ts';
import { deviceChannelAdapter, largestDeviceFile } from './device-channel.ts';
import { routesOf } from './routes.ts';
import { createGatewayServer } from './server.ts';
import { createSessions } from './sessions.ts';

/** Makes the gateway, which its channel opens. Called only where the config has one: it loads what that takes. */
export async function openGateway(core: FeatureCore) {
  const { accounts, adapters, clock, config, ownPaths, registry, rightsChanged, store } = core;
  const devices = createDeviceBook(await store.devices.all(), core);
  accounts.include(devices);
  const reserved = reservedNames(config);
  const tools = createRemoteTools({
    settings: config.remote_tools,
    accountsOf: accounts.accountsOf,
    // A builtin tool that is switched off leaves its name to nobody.
    isTaken: (name) => registry.has(name) || reserved.has(name.toLowerCase()),
    schemaFault,
    folder: '.keyturn/devices',
    workspaceAt: workspaces({ privatePaths: ownPaths }),
    files: store.files,
    fileLimitOf: (channel) =>
      channel === deviceChannel ? largestDeviceFile : (adapters.get(channel)?.capabilities.maxFileBytes ?? 0),
    clock,
  });
  registry.include(tools);
  const sessions = createSessions(core, devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const own = { ...core, log: core.log.child({ part: 'gateway' }), devices, sessions, tools, counters };
  const connections = createConnections(own);
  const lockout = createLockout(clock);
  const parts = { ...own, connections, gate: createGate(core, devices), lockout };
  const server = createGatewayServer({ ...parts, routes: routesOf(parts) });
  devices.onRevoked(({ id, settled }) => {
    connections.hangUpOn(id);
    sessions.aborted(settled);
  });
  const access: DeviceAccess = { devices, isOnline: connections.isOnline, codeGiven: lockout.forget };
  return {
    /** Where it listens; undefined while it does not. */
    address: server.address,
    /** Its name and its adapter, as all channels are held. Its start opens the port. */
    channel: [deviceChannel, deviceChannelAdapter(core, sessions, server)] as const,
    /** For commands. */
    access,
    /** Lets go of what it listens to, once its channel has ended. */
    close: rightsChanged.listen(() => connections.review()),
  };
}
