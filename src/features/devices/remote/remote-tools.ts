import type { FeatureCore } from '../../../feature-points.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { Perishable } from '../../../lib/remembered.ts';
import { longestToolName, markedName } from '../../../tools/foreign-tool.ts';
import { matchesAny, type ScopedTool, settingsFor, type ToolRegistration } from '../../../tools/registry.ts';
import type { KeepFilesDependencies } from '../../../tools/sources/keep-files.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import { type DeviceSettings, deviceSettings } from '../settings.ts';
import type { DeviceTool, OfferedTool, ToolSpec } from './device-call.ts';
import { createDeviceCalls, type DeviceCalls } from './device-calls.ts';
import { DeviceConnection, type DeviceLink } from './device-connection.ts';
import { type RejectedTool, readSpec, remoteTool, type SchemaCheck, schemaCheck } from './remote-tool.ts';

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

/**
 * The tools that devices offer, each to the device's owner in all their chats. A socket is attached, offers tools, is
 * called (see `DeviceCalls`) and detached when it closes. All synchronous.
 */
export interface RemoteTools {
  attach(link: DeviceLink): DeviceConnection;
  /** Removes a closed socket and its tools at once. */
  detach(socket: DeviceConnection): void;
  /** Takes the valid entries of an offer, in addition to the socket's earlier tools. */
  offer(socket: DeviceConnection, specs: readonly JsonValue[]): TakenOffer;
  toolsFor(scope: ToolScope): readonly ScopedTool[];
  toolFor(name: string, scope: ToolScope): ScopedTool | undefined;
}

/** What became of an offer. */
export interface TakenOffer {
  /** The entries of the offer. */
  readonly count: number;
  /** The tools of the socket now. */
  readonly registered: number;
  readonly accepted: readonly string[];
  readonly rejected: readonly RejectedTool[];
}

interface RemoteContext {
  readonly core: Pick<FeatureCore, 'accounts' | 'registry'>;
  readonly own: DeviceSettings;
  readonly keeping: KeepFilesDependencies;
  readonly sockets: Set<DeviceConnection>;
  readonly calls: DeviceCalls;
  /** By device: its last socket that closed with tools. Calls may wait until the device is back. */
  readonly away: Perishable<string, DeviceConnection>;
  readonly schemaFault: SchemaCheck;
  readonly nextOrder: () => number;
}

export function createRemoteTools(core: FeatureCore): RemoteTools {
  const { store, adapters, workspaceAt, clock } = core;
  const sockets = new Set<DeviceConnection>();
  let orders = 0;
  const context: RemoteContext = {
    core,
    own: core.settings(deviceSettings),
    keeping: { files: store.files, adapters, folder: '.keyturn/devices', workspaceAt },
    sockets,
    calls: createDeviceCalls(clock, (id) => [...sockets].filter(({ link }) => link.device.id === id).reverse()),
    away: new Perishable({ clock, most: rememberedDevices }),
    schemaFault: schemaCheck(clock),
    nextOrder: () => (orders += 1),
  };
  return {
    attach: (link) => attach(link, context),
    detach: (socket) => detach(socket, context),
    offer: (socket, specs) => offer(socket, specs, context),
    toolsFor: (scope) => toolsFor(scope, context),
    toolFor: (name, scope) => toolFor(name, scope, context),
  };
}

function attach(link: DeviceLink, { own, sockets }: RemoteContext): DeviceConnection {
  const socket = new DeviceConnection(link, own.remote_tools.max_result_bytes);
  sockets.add(socket);
  return socket;
}

function detach(socket: DeviceConnection, { sockets, away }: RemoteContext): void {
  sockets.delete(socket);
  if (socket.tools.size > 0) away.set(socket.link.device.id, socket, rememberedFor);
  socket.close();
}

function offer(socket: DeviceConnection, specs: readonly JsonValue[], context: RemoteContext): TakenOffer {
  const { away, calls } = context;
  const accepted = new Set<string>();
  const rejected: RejectedTool[] = [];
  for (const [index, entry] of specs.slice(0, mostEntries).entries()) {
    const fault = take(socket, entry, accepted, context);
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
}

/** Takes an entry, or returns why it is refused. An unchanged tool stays as it is. */
function take(
  { link, tools }: DeviceConnection,
  entry: JsonValue,
  accepted: Set<string>,
  context: RemoteContext,
): Omit<RejectedTool, 'index'> | undefined {
  const { own, core, schemaFault } = context;
  const spec = readSpec(entry, (schema) => schemaFault(schema, link.device.id));
  if ('code' in spec) return spec;
  const { name, fingerprint } = spec;
  if (!isAllowed(name, link.device, own.remote_tools)) {
    const message = 'The operator does not let this device offer it: see remote_tools.allowed.';
    return { name, code: 'NOT_ALLOWED', message };
  }
  if (core.registry.isTaken(name))
    return { name, code: 'NAME_RESERVED', message: 'Another tool has this name. Choose another one.' };
  if (!tools.has(name) && tools.size >= mostTools)
    return { name, code: 'TOO_MANY', message: `A socket offers at most ${mostTools} tools.` };
  if (tools.get(name)?.spec.fingerprint !== fingerprint) tools.set(name, offeredTool(spec, link.device, context));
  accepted.add(name);
  return undefined;
}

function offeredTool(spec: ToolSpec, device: OfferedTool['device'], context: RemoteContext): OfferedTool {
  // Patterns match the devices' names for tools.
  const { timeout_secs, timeouts, categories, idempotent } = context.own.remote_tools;
  const tool: DeviceTool = {
    spec,
    device,
    // Hardware unless the operator says otherwise, so that a person is asked.
    category: settingsFor(spec.name, categories)[0] ?? 'hardware',
    timeout: (settingsFor(spec.name, timeouts)[0] ?? timeout_secs) * 1000,
    isIdempotent: matchesAny(idempotent, spec.name),
  };
  return { ...tool, order: context.nextOrder(), registeredAs: registrations(tool, context) };
}

/** Makes one registration for each name. */
function registrations(tool: DeviceTool, { calls, keeping }: RemoteContext): OfferedTool['registeredAs'] {
  const made = new Map<string, ToolRegistration>();
  return (name) => {
    const registration = made.get(name) ?? remoteTool(name, tool, calls, keeping);
    made.set(name, registration);
    return registration;
  };
}

function toolsFor(scope: ToolScope, context: RemoteContext): readonly ScopedTool[] {
  const named = nameTools(toolsOn([...context.sockets], scope, context), context.core.registry.isTaken);
  return [...named].map(([name, tool]) => scopedTool(name, tool));
}

function toolFor(name: string, scope: ToolScope, context: RemoteContext): ScopedTool | undefined {
  const tools = toolsOn([...context.sockets], scope, context);
  // Also former names: before another device offered the same tool, or while the device was connected.
  const called = (one: NamedTool): boolean => mayBeCalled(one, name);
  const tool =
    nameTools(tools, context.core.registry.isTaken).get(name) ??
    tools.find(called) ??
    toolsOn(context.away.values(), scope, context).find(called);
  return tool && scopedTool(name, tool);
}

/** The person's tools on these sockets: each of a device once, from its newest socket, ordered by first offer. */
function toolsOn(
  among: readonly DeviceConnection[],
  { sender }: ToolScope,
  { core }: RemoteContext,
): readonly PersonsTool[] {
  if (among.length === 0) return [];
  const own = core.accounts.accountsOf(sender.principal);
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
