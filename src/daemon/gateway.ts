import type { Origin } from '../approval/approval.ts';
import type { Config } from '../config/schema.ts';
import { type ChannelAdapter, type Conversation, conversationId } from '../contract.ts';
import type { Accounts } from '../conversation/access/accounts.ts';
import type { HouseRules } from '../conversation/access/house-rules.ts';
import type { DeviceDoor } from '../conversation/commands/device-commands.ts';
import { deviceChannel } from '../conversation/devices/device-accounts.ts';
import { DeviceBook } from '../conversation/devices/device-book.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import { type Gateway, type GatewayDependencies, makeGateway } from '../gateway/gateway.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Store } from '../store/index.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ScopedTools } from '../tools/scoped-tools.ts';
import type { ToolScope } from '../tools/tool.ts';
import { nameOfSource, type ToolSource } from '../tools/tool-source.ts';
import type { DaemonOptions } from './parts.ts';
import { makeRemoteTools } from './remote-tools.ts';

/** What is made after the door, and asked by it when somebody comes in. */
export interface BehindTheDoor {
  readonly accounts: () => Accounts;
  readonly rules: () => HouseRules;
  readonly registry: () => ToolRegistry;
  /** Aborts what goes on in a conversation. */
  readonly stop: (conversationId: string) => void;
  readonly workspaceOf: (conversation: Conversation) => string;
  readonly deliver: (conversationIds: readonly string[]) => void;
  readonly wake: (conversationIds: readonly string[]) => void;
}

export interface OpenGateway extends Gateway {
  readonly devices: DeviceBook;
  /** Its name and its adapter, as all channels are held. */
  readonly channel: readonly [string, ChannelAdapter];
  /** What commands need of it. */
  readonly door: DeviceDoor;
  /** What devices offer. */
  readonly tools: ScopedTools;
}

/** Makes the door for devices, which its channel opens. Called only where the config has one: it loads what that takes. */
export async function openGateway(options: DaemonOptions, store: Store, behind: BehindTheDoor): Promise<OpenGateway> {
  const { config, clock, log } = options;
  const { deliver, wake } = behind;
  const devices = new DeviceBook(await store.devices.all(), { store: store.devices, clock, deliver });
  const accountsOf = (account: string): readonly string[] => behind.accounts().accountsOf(account);
  const tools = makeRemoteTools(options, store, { accountsOf, registry: behind.registry });
  const gateway = makeGateway({
    devices,
    sessions: store.sessions,
    files: await store.deviceFiles(),
    tools,
    settings: settingsOf(config),
    accountsOf,
    mayTalk: (account) => behind.rules().mayTalk(account),
    isOwner: (account) => behind.rules().isOwner(account),
    approvalOf: (id) => store.approvals.find(id),
    toolsFor: (account, device) => toolsFor(scopeOf(account, device, behind), behind.registry(), devices),
    stopRun: stopRun(options, store, behind),
    wake,
    clock,
    log: log.child({ part: 'gateway' }),
  });
  const { code_secs, max_devices_per_person: most } = config.gateway;
  const { isOnline, codeGiven, review } = gateway;
  const door = { devices, codeLifetime: code_secs * 1000, most, isOnline, codeGiven, review };
  return { ...gateway, devices, channel: [gateway.name, gateway.adapter], door, tools };
}

function settingsOf({ gateway, attachments }: Config): GatewayDependencies['settings'] {
  return {
    host: gateway.host,
    port: gateway.port,
    allowedHosts: gateway.allowed_hosts,
    allowedOrigins: gateway.allowed_origins,
    maxFrame: gateway.max_frame_bytes,
    framesPerSecond: gateway.max_frames_per_sec,
    hello: gateway.hello_secs * 1000,
    ping: gateway.ping_secs * 1000,
    idle: gateway.idle_secs * 1000,
    most: gateway.max_connections,
    mostPerPerson: gateway.max_connections_per_person,
    maxFiles: attachments.max_bytes,
    mostSessions: gateway.max_sessions_per_person,
  };
}

/** As `/stop` does it, with its trace in the audit, but without words in the chat: the device is told by frames. */
function stopRun({ clock }: DaemonOptions, store: Store, { stop, deliver }: BehindTheDoor) {
  return async (origin: Origin): Promise<boolean> => {
    const at = clock.now();
    const obeyed = await store.inbox.obey({
      origin,
      name: 'stop',
      effect: { type: 'stop' },
      answer: () => undefined,
      at,
    });
    if (obeyed.status !== 'done') return false;
    for (const conversationId of [origin.conversationId, ...obeyed.subRuns]) stop(conversationId);
    deliver(obeyed.places);
    return obeyed.stopped || obeyed.cancelled > 0;
  };
}

/** The chat that is named as the device is: what there is in any of its person's chats there is in that one. */
function scopeOf(account: string, device: Device, { workspaceOf }: BehindTheDoor): ToolScope {
  const place: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  return {
    ...place,
    conversationId: conversationId(place),
    workspace: workspaceOf(place),
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
