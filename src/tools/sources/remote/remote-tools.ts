import type { JsonValue } from '../../../lib/json.ts';
import type { ScopedTool, ScopedTools } from '../../scoped-tools.ts';
import type { ToolScope } from '../../tool.ts';
import { DeviceCalls, type DeviceCallsDependencies } from './device-calls.ts';
import { DeviceConnection } from './device-connection.ts';
import type {
  DeviceLink,
  DeviceResult,
  DeviceTools,
  RejectedTool,
  ResultChunk,
  ResultStatus,
  ToolsOffered,
} from './device-link.ts';
import { type OfferedTool, offeredTool } from './offered-tool.ts';
import { isAllowed, type RemoteSettings, rulesFor } from './remote-settings.ts';
import { type RemoteToolDependencies, remoteTool } from './remote-tool.ts';
import { SchemaCheck, type SchemaCheckDependencies } from './schema-check.ts';
import { mayBeCalled, type NamedTool, nameTools } from './tool-names.ts';
import { readSpec, type ToolSpec } from './tool-spec.ts';

export interface RemoteToolsDependencies
  extends Pick<DeviceCallsDependencies, 'clock'>,
    Omit<RemoteToolDependencies, 'call'>,
    SchemaCheckDependencies {
  readonly settings: RemoteSettings;
  /** All accounts of the person to whom this one belongs. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** Whether a name is another tool's, or left to nobody. */
  readonly isTaken: (name: string) => boolean;
}

/** The tools of a device that was disconnected: what was asked of it may wait until it is back. */
interface AwayTools {
  readonly link: DeviceLink;
  readonly tools: ReadonlyMap<string, OfferedTool>;
  readonly since: number;
}

interface PersonsTool extends NamedTool {
  readonly link: DeviceLink;
  readonly offered: OfferedTool;
}

const mostTools = 64;
/** More entries of one offer are not looked at. */
const mostEntries = 256;
/** A device that is away is waited for, though not offered, for so long, in milliseconds; and so many of them. */
const rememberedFor = 1_800_000;
const rememberedDevices = 100;

/** The tools that devices offer: each is to be had for the person whose device it is, wherever he talks. */
export class RemoteTools implements DeviceTools, ScopedTools {
  readonly #dependencies: RemoteToolsDependencies;
  readonly #connections = new Map<string, DeviceConnection>();
  readonly #calls: DeviceCalls;
  /** By device, the last one that went away at the end. */
  readonly #away = new Map<string, AwayTools>();
  readonly #schemas: SchemaCheck;
  #orders = 0;

  constructor(dependencies: RemoteToolsDependencies) {
    this.#dependencies = dependencies;
    this.#schemas = new SchemaCheck(dependencies);
    this.#calls = new DeviceCalls({ clock: dependencies.clock, socketsOf: (id) => this.#socketsOf(id) });
  }

  attach(link: DeviceLink): void {
    const { maxResultBytes } = this.#dependencies.settings;
    this.#connections.set(link.connection, new DeviceConnection({ link, maxBytes: maxResultBytes }));
  }

  offer(connection: string, specs: readonly JsonValue[]): ToolsOffered {
    const socket = this.#connections.get(connection);
    const accepted = new Set<string>();
    const rejected: RejectedTool[] = [];
    for (const [index, entry] of specs.slice(0, mostEntries).entries()) {
      const fault = socket === undefined ? undefined : this.#take(socket, entry, accepted);
      if (fault !== undefined) rejected.push({ index, ...fault });
    }
    if (specs.length > mostEntries) {
      const message = `Only the first ${mostEntries} entries of an offer are looked at.`;
      rejected.push({ index: mostEntries, code: 'TOO_MANY', message });
    }
    if (socket !== undefined && accepted.size > 0) this.#isBack(socket.link.device.id);
    return { count: specs.length, registered: socket?.tools.size ?? 0, accepted: [...accepted], rejected };
  }

  withdraw(connection: string, names: readonly string[]) {
    const socket = this.#connections.get(connection);
    const removed = [...new Set(names)].filter((name) => socket?.tools.delete(name) === true);
    return { removed, registered: socket?.tools.size ?? 0 };
  }

  offered(connection: string) {
    const tools = this.#connections.get(connection)?.tools.values() ?? [];
    return [...tools].map(({ spec: { name, description, parameters } }) => ({ name, description, parameters }));
  }

  settle(connection: string, result: DeviceResult): ResultStatus {
    return this.#connections.get(connection)?.settle(result) ?? 'unknown';
  }

  chunk(connection: string, chunk: ResultChunk): ResultStatus {
    return this.#connections.get(connection)?.chunk(chunk) ?? 'unknown';
  }

  progress(connection: string, id: string, message: string): void {
    this.#connections.get(connection)?.progress(id, message);
  }

  detach(connection: string): void {
    const socket = this.#connections.get(connection);
    if (socket === undefined) return;
    this.#connections.delete(connection);
    if (socket.tools.size > 0) this.#remember(socket);
    socket.close();
  }

  toolsFor(scope: ToolScope): readonly ScopedTool[] {
    if (this.#connections.size === 0) return [];
    const named = nameTools(this.#toolsOf(scope), this.#dependencies.isTaken);
    return [...named].map(([name, tool]) => scopedTool(name, tool));
  }

  toolFor(name: string, scope: ToolScope): ScopedTool | undefined {
    const tools = this.#toolsOf(scope);
    // What was called so lately: before another device had the same, or while the device was there.
    const called = (one: NamedTool): boolean => mayBeCalled(one, name);
    const tool =
      nameTools(tools, this.#dependencies.isTaken).get(name) ??
      tools.find(called) ??
      this.#toolsAway(scope).find(called);
    return tool === undefined ? undefined : scopedTool(name, tool);
  }

  #remember({ link, tools }: DeviceConnection): void {
    this.#away.delete(link.device.id);
    this.#away.set(link.device.id, { link, tools, since: this.#dependencies.clock.now() });
    const [oldest] = this.#away.keys();
    if (oldest !== undefined && this.#away.size > rememberedDevices) this.#away.delete(oldest);
  }

  #isBack(deviceId: string): void {
    this.#away.delete(deviceId);
    // It is to know what became of its offer before it is asked for something of it.
    setImmediate(() => this.#calls.offered(deviceId));
  }

  /** Says why an entry is not taken. One that is the same as before stays what it is. */
  #take(socket: DeviceConnection, entry: JsonValue, accepted: Set<string>): Omit<RejectedTool, 'index'> | undefined {
    const reading = readSpec(entry, (schema) => this.#schemas.fault(schema, socket.link.device.id));
    if (!reading.usable) return reading.fault;
    const { spec } = reading;
    const known = socket.tools.get(spec.name);
    const fault = this.#refusal(socket, spec.name, known !== undefined);
    if (fault !== undefined) return { name: spec.name, ...fault };
    if (known?.spec.fingerprint !== spec.fingerprint) socket.tools.set(spec.name, this.#offeredTool(spec, socket));
    accepted.add(spec.name);
    return undefined;
  }

  #refusal(
    { link, tools }: DeviceConnection,
    name: string,
    isKnown: boolean,
  ): Pick<RejectedTool, 'code' | 'message'> | undefined {
    const { settings, isTaken } = this.#dependencies;
    if (!isAllowed(name, link.device, settings))
      return {
        code: 'NOT_ALLOWED',
        message: 'The operator does not let this device offer it: see remote_tools.allowed.',
      };
    if (isTaken(name)) return { code: 'NAME_RESERVED', message: 'Another tool has this name. Choose another one.' };
    if (!isKnown && tools.size >= mostTools)
      return { code: 'TOO_MANY', message: `A socket offers at most ${mostTools} tools.` };
    return undefined;
  }

  #offeredTool(spec: ToolSpec, { link: { device } }: DeviceConnection): OfferedTool {
    const rules = rulesFor(spec.name, this.#dependencies.settings);
    const dependencies = { ...this.#dependencies, call: this.#calls.run.bind(this.#calls) };
    this.#orders += 1;
    return offeredTool(spec, this.#orders, (name) => remoteTool(name, { spec, device, rules }, dependencies));
  }

  #socketsOf(deviceId: string): readonly DeviceConnection[] {
    return [...this.#connections.values()].filter(({ link }) => link.device.id === deviceId).reverse();
  }

  /** Each tool of a device once, though several of its sockets offer it: as the newest does. The longest known first. */
  #toolsOf({ sender }: ToolScope): readonly PersonsTool[] {
    if (this.#connections.size === 0) return [];
    const accounts = this.#dependencies.accountsOf(sender.principal);
    const tools = new Map<string, PersonsTool & { readonly since: number }>();
    for (const { link, tools: all } of this.#connections.values()) {
      if (!accounts.includes(link.principal)) continue;
      for (const [tool, offered] of all) {
        const key = `${link.device.id}/${tool}`;
        const since = Math.min(offered.order, tools.get(key)?.since ?? offered.order);
        tools.set(key, { device: link.device, tool, link, offered, since });
      }
    }
    return [...tools.values()].sort((one, other) => one.since - other.since);
  }

  #toolsAway({ sender }: ToolScope): readonly PersonsTool[] {
    if (this.#away.size === 0) return [];
    const { accountsOf, clock } = this.#dependencies;
    const accounts = accountsOf(sender.principal);
    const isRecent = ({ since }: AwayTools): boolean => clock.now() - since <= rememberedFor;
    return [...this.#away.values()]
      .filter((away) => accounts.includes(away.link.principal) && isRecent(away))
      .flatMap(({ link, tools }) =>
        [...tools].map(([tool, offered]) => ({ device: link.device, tool, link, offered })),
      );
  }
}

function scopedTool(name: string, { link, offered }: PersonsTool): ScopedTool {
  const source = { type: 'remote', device: link.device.id, connection: link.connection } as const;
  return { registration: offered.registeredAs(name), source };
}
