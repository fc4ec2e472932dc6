import type { FeatureCore } from '../../../feature-points.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { Perishable } from '../../../lib/remembered.ts';
import { longestToolName, markedName } from '../../../tools/foreign-tool.ts';
import { matchesAny, type ScopedTool, settingsFor } from '../../../tools/registry.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import { type DeviceSettings, deviceSettings } from '../settings.ts';
import {
  createDeviceConnection,
  type DeviceConnection,
  type DeviceLink,
  type DeviceTool,
  deviceCalls,
  type OfferedTool,
  type ToolSpec,
} from './device-calls.ts';
import { type RejectedTool, readSpec, remoteTool, schemaCheck } from './remote-tool.ts';

interface PersonsTool extends NamedTool {
  readonly offered: OfferedTool;
  readonly order: number;
}

const mostTools = 64;
/** Further entries of an offer are ignored. */
const mostEntries = 256;
/** How long the tools of an absent device stay callable, though not offered, in ms; and of how many devices. */
const rememberedFor = 1_800_000;
const rememberedDevices = 100;

export type RemoteTools = ReturnType<typeof createRemoteTools>;

/**
 * The tools that devices offer, each to the device's owner in all their chats. A socket is attached, offers tools, is
 * called (see `deviceCalls`) and detached when it closes. All synchronous.
 */
export function createRemoteTools(core: FeatureCore) {
  const { store, accounts, adapters, registry, workspaceAt, clock } = core;
  const own = core.settings(deviceSettings);
  const keeping = { files: store.files, adapters, folder: '.keyturn/devices', workspaceAt };
  const sockets = new Set<DeviceConnection>();
  const calls = deviceCalls(clock, (id) => [...sockets].filter(({ link }) => link.device.id === id).reverse());
  /** By device: its last socket that closed with tools. Calls may wait until the device is back. */
  const away = new Perishable<string, DeviceConnection>({ clock, most: rememberedDevices });
  const schemaFault = schemaCheck(clock);
  let orders = 0;

  /** Takes an entry, or returns why it is refused. An unchanged tool stays as it is. */
  function take(
    socket: DeviceConnection,
    entry: JsonValue,
    accepted: Set<string>,
  ): Omit<RejectedTool, 'index'> | undefined {
    const { link, tools } = socket;
    const spec = readSpec(entry, (schema) => schemaFault(schema, link.device.id));
    if ('code' in spec) return spec;
    const { name, fingerprint } = spec;
    if (!isAllowed(name, link.device, own.remote_tools)) {
      const message = 'The operator does not let this device offer it: see remote_tools.allowed.';
      return { name, code: 'NOT_ALLOWED', message };
    }
    if (registry.isTaken(name))
      return { name, code: 'NAME_RESERVED', message: 'Another tool has this name. Choose another one.' };
    if (!tools.has(name) && tools.size >= mostTools)
      return { name, code: 'TOO_MANY', message: `A socket offers at most ${mostTools} tools.` };
    if (tools.get(name)?.spec.fingerprint !== fingerprint) tools.set(name, offeredTool(spec, link.device));
    accepted.add(name);
    return undefined;
  }

  function offeredTool(spec: ToolSpec, device: OfferedTool['device']): OfferedTool {
    // Patterns match the devices' names for tools.
    const { timeout_secs, timeouts, categories, idempotent } = own.remote_tools;
    const tool: DeviceTool = {
      spec,
      device,
      // Hardware unless the operator says otherwise, so that a person is asked.
      category: settingsFor(spec.name, categories)[0] ?? 'hardware',
      timeout: (settingsFor(spec.name, timeouts)[0] ?? timeout_secs) * 1000,
      isIdempotent: matchesAny(idempotent, spec.name),
    };
    const made = new Map<string, ReturnType<typeof remoteTool>>();
    const registeredAs = (name: string): ReturnType<typeof remoteTool> => {
      const registration = made.get(name) ?? remoteTool(name, tool, calls.run, keeping);
      made.set(name, registration);
      return registration;
    };
    orders += 1;
    return { ...tool, order: orders, registeredAs };
  }

  /** The person's tools on these sockets: each of a device once, from its newest socket, ordered by first offer. */
  function toolsOn(among: readonly DeviceConnection[], { sender }: ToolScope): readonly PersonsTool[] {
    if (among.length === 0) return [];
    const own = accounts.accountsOf(sender.principal);
    const tools = new Map<string, PersonsTool>();
    for (const { link, tools: all } of among) {
      if (!own.includes(link.device.principal)) continue;
      for (const [tool, offered] of all) {
        const key = `${link.device.id}/${tool}`;
        const order = Math.min(offered.order, tools.get(key)?.order ?? offered.order);
        tools.set(key, { device: link.device, tool, offered, order });
      }
    }
    return [...tools.values()].sort((one, other) => one.order - other.order);
  }

  return {
    attach(link: DeviceLink): DeviceConnection {
      const socket = createDeviceConnection(link, own.remote_tools.max_result_bytes);
      sockets.add(socket);
      return socket;
    },

    /** Removes a closed socket and its tools at once. */
    detach(socket: DeviceConnection): void {
      sockets.delete(socket);
      if (socket.tools.size > 0) away.set(socket.link.device.id, socket, rememberedFor);
      socket.close();
    },

    /** Takes the valid entries of an offer, in addition to the socket's earlier tools. */
    offer(socket: DeviceConnection, specs: readonly JsonValue[]) {
      const accepted = new Set<string>();
      const rejected: RejectedTool[] = [];
      for (const [index, entry] of specs.slice(0, mostEntries).entries()) {
        const fault = take(socket, entry, accepted);
        if (fault !== undefined) rejected.push({ index, ...fault });
      }
      if (specs.length > mostEntries) {
        const message = `Only the first ${mostEntries} entries of an offer are looked at.`;
        rejected.push({ index: mostEntries, code: 'TOO_MANY', message });
      }
      if (accepted.size > 0) {
        const { id } = socket.link.device;
        away.delete(id);
        // After the device has got the reply to its offer.
        setImmediate(() => calls.offered(id));
      }
      return { count: specs.length, registered: socket.tools.size, accepted: [...accepted], rejected };
    },

    toolsFor: (scope: ToolScope): readonly ScopedTool[] =>
      [...nameTools(toolsOn([...sockets], scope), registry.isTaken)].map(([name, tool]) => scopedTool(name, tool)),

    toolFor(name: string, scope: ToolScope): ScopedTool | undefined {
      const tools = toolsOn([...sockets], scope);
      // Also former names: before another device offered the same tool, or while the device was connected.
      const called = (one: NamedTool): boolean => mayBeCalled(one, name);
      const tool =
        nameTools(tools, registry.isTaken).get(name) ??
        tools.find(called) ??
        toolsOn(away.values(), scope).find(called);
      return tool && scopedTool(name, tool);
    },
  };
}

function scopedTool(name: string, { device, offered }: PersonsTool): ScopedTool {
  return { registration: offered.registeredAs(name), source: { type: 'remote', device: device.id } };
}

/** Whether the device may offer this tool. Rules for its id win over rules for its name, and those over `*`. */
function isAllowed(
  tool: string,
  device: NamedTool['device'],
  { enabled, allowed }: DeviceSettings['remote_tools'],
): boolean {
  const named = [device.id, device.name, '*'].find((key) => Object.hasOwn(allowed, key));
  return enabled && named !== undefined && matchesAny(allowed[named] ?? [], tool);
}

export interface NamedTool {
  readonly device: { readonly id: string; readonly name: string };
  /** The device's name for it. */
  readonly tool: string;
}

const longestDevice = 24;

/**
 * The names of one person's device tools for the model: the device's own name; `device__tool` if several devices have
 * it; or that with a hash suffix if it is ambiguous too. Tools whose own name is taken are left out. Names are unique.
 */
export function nameTools<Tool extends NamedTool>(
  tools: readonly Tool[],
  isTaken: (name: string) => boolean,
): ReadonlyMap<string, Tool> {
  const plain = Map.groupBy(tools, ({ tool }) => tool);
  const long = Map.groupBy(tools, longName);
  const named = new Map<string, Tool>();
  for (const tool of tools.filter((one) => !isTaken(one.tool))) {
    const wanted = longName(tool);
    const isLongFree = wanted !== undefined && long.get(wanted)?.length === 1 && !plain.has(wanted) && !isTaken(wanted);
    const name = plain.get(tool.tool)?.length === 1 ? tool.tool : isLongFree ? wanted : nameWithMark(tool);
    if (!named.has(name)) named.set(name, tool);
  }
  return named;
}

/** Whether the model may know the tool by this name from earlier. */
export function mayBeCalled(tool: NamedTool, name: string): boolean {
  return name === tool.tool || name === longName(tool) || name === nameWithMark(tool);
}

function longName({ device, tool }: NamedTool): string | undefined {
  const name = `${spelled(device.name)}__${tool}`;
  return name.length <= longestToolName ? name : undefined;
}

function nameWithMark({ device, tool }: NamedTool): string {
  return markedName(`${spelled(device.name)}__${tool}`, `${device.id}/${tool}`);
}

/** The device's name in characters that all models accept, starting with a letter. */
function spelled(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-zA-Z0-9-]+/g, '_')
    .replaceAll(/^[_-]+|[_-]+$/g, '')
    .slice(0, longestDevice);
  if (plain === '') return 'device';
  return /^[a-zA-Z]/.test(plain) ? plain : `device_${plain}`;
}
