import type { Config } from '../../../config/schema.ts';
import { reservedNames } from '../../../config/tool-rules.ts';
import { type ChannelAdapter, type Conversation, conversationId } from '../../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../../../conversation/devices/device-stores.ts';
import type { Origin } from '../../../engine/message.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import { schemaFault } from '../../../tools/json-validator.ts';
import type { ToolRegistry } from '../../../tools/registry.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import { nameOfSource, type ToolSource } from '../../../tools/tool-source.ts';
import { DeviceBook } from '../device-book.ts';
import type { DeviceAccess } from '../device-commands.ts';
import { type RemoteSettings, RemoteTools } from '../remote/remote-tools.ts';
import { Connections } from './connections.ts';
import { Gate, Lockout, type People } from './credentials.ts';
import { DeviceChannel, largestDeviceFile } from './device-channel.ts';
import { readinessOf, routesOf } from './routes.ts';
import { GatewayServer } from './server.ts';
import { Sessions } from './sessions.ts';

interface OpenGateway {
  /** Where it listens; undefined while it does not. */
  readonly address: () => string | undefined;
  /** Its name and its adapter, as all channels are held. Its start opens the port. */
  readonly channel: readonly [string, ChannelAdapter];
  /** For commands. */
  readonly access: DeviceAccess;
  /** Lets go of what it listens to, once its channel has ended. */
  readonly close: () => void;
}

/** Makes the gateway, which its channel opens. Called only where the config has one: it loads what that takes. */
export async function openGateway(core: FeatureCore): Promise<OpenGateway> {
  const { config, store, accounts, rules, registry, adapters, health, clock, deliver, wake, redact, rightsChanged } =
    core;
  const log = core.log.child({ part: 'gateway' });
  const devices = new DeviceBook(await store.devices.all(), store.devices, clock, deliver);
  accounts.include(devices);
  const counters = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };
  const people: People = {
    accountsOf: accounts.accountsOf,
    mayTalk: (account) => rules.mayTalk(account),
    isOwner: (account) => rules.isOwner(account),
  };
  const { deviceFiles: files } = store;
  const tools = makeRemoteTools(core);
  registry.include(tools);
  const sessions = new Sessions({
    ...{ devices, files, people, wake, clock },
    store: store.sessions,
    most: () => config.gateway.max_sessions_per_person,
    stopRun: stopRun(core),
  });
  const connections = new Connections({ devices, sessions, tools, people, config, counters, redact, clock, log });
  const gate = new Gate(devices, people, clock);
  const lockout = new Lockout(clock);
  const routes = routesOf({
    ...{ devices, sessions, store: store.sessions, files, connections, gate, lockout, people, counters },
    readiness: () => {
      // One from elsewhere that is switched on may not run yet. The gateway itself is no channel that it speaks for.
      const enabled = Object.entries(config.channels).filter(
        ([, block]) => isJsonObject(block) && block.enabled === true,
      );
      const names = new Set([
        ...adapters.keys(),
        ...enabled.map(([name]) => name),
        ...health.all().map(({ name }) => name),
      ]);
      names.delete(deviceChannel);
      return readinessOf({ storage: store.state, health, adapters, names, config: core.configState, now: clock.now() });
    },
    toolsFor: (device) => toolsFor(scopeOf(device, core), registry, devices),
    isOpen: () => store.isOpen() && !store.state.isLost,
  });
  const server = new GatewayServer({ routes, gate, connections, config, counters, redact, log });
  const approvalOf = store.approvals.find.bind(store.approvals);
  const adapter = new DeviceChannel({ sessions, server, files, approvalOf, clock });
  devices.onRevoked(({ id, settled }) => {
    connections.hangUpOn(id);
    sessions.aborted(settled);
  });
  const close = rightsChanged.listen(() => connections.review());
  const access: DeviceAccess = {
    devices,
    get codeLifetime() {
      return config.gateway.code_secs * 1000;
    },
    get most() {
      return config.gateway.max_devices_per_person;
    },
    isOnline: (deviceId) => connections.isOnline(deviceId),
    codeGiven: () => lockout.forget(),
  };
  return { address: () => server.address, channel: [deviceChannel, adapter], access, close };
}

/** As `/stop` does it, with its trace in the audit, but without words in the chat: the device is told by frames. */
function stopRun({ clock, store, stop, deliver }: FeatureCore) {
  return async (origin: Origin, ended: () => void): Promise<boolean> => {
    const at = clock.now();
    const command = { origin, name: 'stop', effect: { type: 'stop' }, answer: () => undefined, at } as const;
    const obeyed = await store.inbox.obey(command, ({ subRuns, places, ...result }) => {
      if (endedAny(result)) ended();
      for (const conversationId of [origin.conversationId, ...subRuns]) stop(conversationId);
      deliver(places);
    });
    return obeyed.status === 'done' && endedAny(obeyed);
  };
}

function endedAny({ stopped, cancelled }: { readonly stopped: boolean; readonly cancelled: number }): boolean {
  return stopped || cancelled > 0;
}

/** The chat that is named as the device is: what there is in any of its person's chats there is in that one. */
function scopeOf(device: Device, { workspaceOf }: FeatureCore): ToolScope {
  const account = accountOf(device);
  const place: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  return {
    ...place,
    conversationId: conversationId(place),
    workspace: workspaceOf(place, account),
    sender: { principal: account, name: device.personName },
  };
}

async function toolsFor(scope: ToolScope, registry: ToolRegistry, devices: DeviceBook): Promise<readonly JsonObject[]> {
  const definitions = await registry.definitions(scope);
  const brought = new Map(registry.list(scope).map((tool) => [tool.name, tool]));
  return definitions.flatMap(({ name, description, parameters }) => {
    const tool = brought.get(name);
    if (tool === undefined) return [];
    const { source, category } = tool;
    const from = { source_type: source.type, source: nameOf(source, devices), category };
    return [{ name, description, parameters, enabled: true, ...from }];
  });
}

function nameOf(source: ToolSource, devices: DeviceBook): string {
  const name = nameOfSource(source);
  return source.type === 'remote' ? (devices.find(source.device)?.name ?? name) : name;
}

/** The tools that devices offer. */
function makeRemoteTools(core: FeatureCore): RemoteTools {
  const { config, store, accounts, registry, adapters, clock, ownPaths: privatePaths } = core;
  const reserved = reservedNames(config);
  return new RemoteTools({
    settings: remoteSettingsOf(config),
    accountsOf: accounts.accountsOf,
    // A builtin tool that is switched off leaves its name to nobody.
    isTaken: (name) => registry.has(name) || reserved.has(name.toLowerCase()),
    schemaFault,
    folder: '.keyturn/devices',
    workspaceAt: workspaces({ privatePaths }),
    files: store.files,
    fileLimitOf: (channel) =>
      channel === deviceChannel ? largestDeviceFile : (adapters.get(channel)?.capabilities.maxFileBytes ?? 0),
    clock,
  });
}

function remoteSettingsOf({ remote_tools: tools }: Config): RemoteSettings {
  const { enabled, allowed, categories, idempotent } = tools;
  const timeouts = Object.entries(tools.timeouts).map(([pattern, seconds]) => [pattern, seconds * 1000] as const);
  return {
    ...{ enabled, allowed, categories, idempotent },
    timeout: tools.timeout_secs * 1000,
    timeouts: Object.fromEntries(timeouts),
    maxResultBytes: tools.max_result_bytes,
  };
}
