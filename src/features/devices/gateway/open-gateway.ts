import { reservedNames } from '../../../config/tool-rules.ts';
import { deviceChannel } from '../../../conversation/devices/device-stores.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import { schemaFault } from '../../../tools/json-validator.ts';
import { DeviceBook } from '../device-book.ts';
import type { DeviceAccess } from '../device-commands.ts';
import { RemoteTools } from '../remote/remote-tools.ts';
import { Connections } from './connections.ts';
import { createGate, Lockout } from './credentials.ts';
import { DeviceChannel, largestDeviceFile } from './device-channel.ts';
import { routesOf } from './routes.ts';
import { GatewayServer } from './server.ts';
import { Sessions } from './sessions.ts';

/** Makes the gateway, which its channel opens. Called only where the config has one: it loads what that takes. */
export async function openGateway(core: FeatureCore) {
  const { store, accounts, registry, rightsChanged } = core;
  const devices = new DeviceBook(await store.devices.all(), core);
  accounts.include(devices);
  const tools = makeRemoteTools(core);
  registry.include(tools);
  const sessions = new Sessions(core, devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const own = { ...core, log: core.log.child({ part: 'gateway' }), devices, sessions, tools, counters };
  const connections = new Connections(own);
  const gate = createGate(core, devices);
  const lockout = new Lockout(core.clock);
  const parts = { ...own, connections, gate, lockout };
  const server = new GatewayServer({ ...parts, routes: routesOf(parts) });
  devices.onRevoked(({ id, settled }) => {
    connections.hangUpOn(id);
    sessions.aborted(settled);
  });
  const access: DeviceAccess = {
    devices,
    isOnline: (deviceId) => connections.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
  };
  return {
    /** Where it listens; undefined while it does not. */
    address: () => server.address,
    /** Its name and its adapter, as all channels are held. Its start opens the port. */
    channel: [deviceChannel, new DeviceChannel(core, sessions, server)] as const,
    /** For commands. */
    access,
    /** Lets go of what it listens to, once its channel has ended. */
    close: rightsChanged.listen(() => connections.review()),
  };
}

/** The tools that devices offer. */
function makeRemoteTools({ config, store, accounts, registry, adapters, clock, ownPaths }: FeatureCore): RemoteTools {
  const reserved = reservedNames(config);
  return new RemoteTools({
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
}
