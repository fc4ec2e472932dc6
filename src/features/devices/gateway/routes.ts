import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { type Conversation, conversationId } from '../../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../../../conversation/devices/device.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { SessionSummary } from '../../../store/devices.ts';
import type { DeviceFiles, ShownFile } from '../../../store/files.ts';
import { nameOfSource, type ToolSource } from '../../../tools/registry.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import type { DeviceBook } from '../device-book.ts';
import type { Connections, Counters } from './connections.ts';
import { type Gate, type Lockout, ticketLifetime } from './credentials.ts';
import { fileFacts } from './frames.ts';
import { isSessionId, type Sessions } from './sessions.ts';

export type RequestContext = Context<{ Bindings: HttpBindings }>;

type Answer = Promise<Response> | Response;

type DeviceHandler = (context: RequestContext, device: Device) => Answer;

/** `device`: any token whose person may talk · `owner`: an owner's token. `takesTickets`: a ticket works too. */
export type Route = { readonly method: 'GET' | 'POST'; readonly path: string } & (
  | { readonly who: 'anybody'; readonly handle: (context: RequestContext) => Answer }
  | { readonly who: 'device' | 'owner'; readonly takesTickets?: true; readonly handle: DeviceHandler }
);

export interface RoutesParts extends FeatureCore {
  readonly devices: DeviceBook;
  readonly sessions: Sessions;
  readonly connections: Connections;
  readonly gate: Gate;
  readonly lockout: Lockout;
  readonly counters: Counters;
}

export const socketPath = '/ws/chat';

const mostSessions = 200;
const mostMessages = 1000;

/** All HTTP routes. Every other path is a 404. */
export function routesOf(parts: RoutesParts): readonly Route[] {
  const { sessions, gate } = parts;
  const own = forOwnSession(parts);
  // 503 if the database is closed, or unusable until a restart.
  const health = (context: RequestContext): Response =>
    parts.store.isOpen() && !parts.store.state.isLost
      ? context.json({ status: 'ok', require_pairing: true })
      : context.json({ status: 'closed', require_pairing: true }, 503);
  const list = async (context: RequestContext, device: Device, isMeant: (session: SessionSummary) => boolean) => {
    const all = await parts.store.sessions.list(parts.accounts.accountsOf(accountOf(device)), mostSessions);
    return context.json({ sessions: all.filter(isMeant).map(listedSession) });
  };
  const ready = (context: RequestContext): Response => {
    const { isReady, ...rest } = readinessOf(parts);
    return context.json({ status: isReady ? 'ready' : 'not ready', ...rest }, isReady ? 200 : 503);
  };
  const counted = (context: RequestContext): Response =>
    context.text(metrics(parts), 200, { 'Content-Type': 'text/plain; version=0.0.4' });
  const toGet = (path: string, handle: DeviceHandler) => ({ method: 'GET', path, who: 'device', handle }) as const;
  const toPost = (path: string, handle: DeviceHandler) => ({ method: 'POST', path, who: 'device', handle }) as const;
  return [
    { method: 'GET', path: '/readyz', who: 'anybody', handle: ready },
    { method: 'GET', path: '/healthz', who: 'anybody', handle: health },
    { method: 'GET', path: '/health', who: 'anybody', handle: health },
    { method: 'GET', path: '/metrics', who: 'owner', handle: counted },
    { method: 'POST', path: '/pair', who: 'anybody', handle: (context) => pair(context, parts) },
    toGet(socketPath, (context) => context.json({ error: 'This is for WebSockets.' }, 426, { Upgrade: 'websocket' })),
    toPost('/api/ticket', (context, { id }) =>
      context.json({ ticket: gate.tickets.issue(id), expires_in: ticketLifetime / 1000 }),
    ),
    toGet('/api/tools', async (context, device) => context.json({ tools: await toolsFor(device, parts) })),
    toGet('/api/sessions', (context, device) => list(context, device, () => true)),
    toGet('/api/sessions/running', (context, device) => list(context, device, ({ id }) => sessions.isRunning(id))),
    toGet(
      '/api/sessions/:id/messages',
      own(async (context, { sessionId: session_id }) => {
        const said = await parts.store.sessions.messages(session_id, mostMessages);
        const messages = said.map(({ role, content, at }) => ({ role, content, created_at: iso(at) }));
        return context.json({ session_id, messages, session_persistence: true });
      }),
    ),
    toGet(
      '/api/sessions/:id/files',
      own(async (context, { sessionId: session_id }) => {
        const shown = await parts.store.deviceFiles.shownIn(session_id);
        const files = shown.map((file) => ({ ...fileFacts(file), created_at: iso(file.at) }));
        return context.json({ session_id, files });
      }),
    ),
    {
      ...toGet(
        '/api/sessions/:id/files/:file',
        own((context, { sessionId }) => bytesOf(context, sessionId, parts.store.deviceFiles)),
      ),
      // Lets a page without a token show the file.
      takesTickets: true,
    },
    toPost(
      '/api/sessions/:id/abort',
      own(async (context, speaker) =>
        context.json({ status: (await sessions.abort(speaker)) ? 'aborted' : 'no_active_response' }),
      ),
    ),
  ];
}

/** Wraps handlers of session routes. Another person's session gives the same 404 as an unknown one. */
function forOwnSession({ store, sessions }: RoutesParts) {
  return (handle: (context: RequestContext, speaker: { device: Device; sessionId: string }) => Answer) =>
    async (context: RequestContext, device: Device): Promise<Response> => {
      const sessionId = context.req.param('id') ?? '';
      const owner = isSessionId(sessionId) ? await store.sessions.ownerOf(sessionId) : undefined;
      if (owner !== undefined && sessions.isOwn(device, owner)) return handle(context, { device, sessionId });
      return context.json({ error: 'You have no session of that name.' }, 404);
    };
}

async function pair(context: RequestContext, { devices, lockout, counters }: RoutesParts): Promise<Response> {
  // The address of the connection: proxies' headers can be forged.
  const address = context.env.incoming.socket.remoteAddress ?? '';
  const wait = lockout.waitOf(address);
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000);
    context.header('Retry-After', String(seconds));
    return context.json({ error: `Too many wrong codes. Try again in ${seconds} s.` }, 429);
  }
  const code = context.req.header('x-pairing-code') ?? '';
  // Before the first await, so that parallel guesses count too.
  lockout.take(address);
  const body = parseJson(await context.req.text());
  const name = isJsonObject(body) && typeof body.device_name === 'string' ? body.device_name : undefined;
  const paired = code === '' ? undefined : await devices.pair(code, name);
  if (paired === undefined) {
    counters.pairing_failures += 1;
    return context.json({ error: 'This code is not good, or no longer. Ask for another: /device in the chat.' }, 403);
  }
  lockout.forgive(address);
  const { device, token } = paired;
  const message = `Paired as "${device.name}". Keep the token: it is shown once.`;
  return context.json({ paired: true, persisted: true, token, device_id: device.id, message });
}

function listedSession({ id, createdAt, lastActivity, messageCount }: SessionSummary) {
  return {
    session_id: id,
    created_at: iso(createdAt),
    last_activity: iso(lastActivity),
    message_count: messageCount,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

async function bytesOf(context: RequestContext, sessionId: string, files: DeviceFiles): Promise<Response> {
  const found = await files.shown(sessionId, context.req.param('file') ?? '');
  const opened = found === undefined ? undefined : await openIfThere(found.path);
  if (found === undefined || opened === undefined)
    return context.json({ error: 'There is no such file here, or no longer.' }, 404);
  if (context.req.method === 'GET')
    return context.body(Readable.toWeb(opened.createReadStream()), 200, headersOf(found.file));
  // A HEAD request has no reader that would close the file.
  await opened.close();
  return context.body(null, 200, headersOf(found.file));
}

function headersOf({ name, mediaType, size }: ShownFile): Record<string, string> {
  return {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream',
    'Content-Length': String(size),
    // Never rendered as a page of this origin.
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Content-Security-Policy': 'sandbox',
  };
}

async function openIfThere(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function metrics({ counters, connections, devices }: RoutesParts): string {
  const { pairing_failures, refused, connections: opened, frames_in } = counters;
  const rows = [
    ['gateway_pairing_failures_total', 'counter', 'Wrong pairing codes.', pairing_failures],
    ['gateway_refused_total', 'counter', 'Requests that were not let in.', refused],
    ['gateway_connections_total', 'counter', 'WebSockets that were opened.', opened],
    ['gateway_frames_in_total', 'counter', 'Frames that devices have sent.', frames_in],
    ['gateway_sockets', 'gauge', 'WebSockets that are open.', connections.count()],
    ['gateway_devices', 'gauge', 'Devices that are paired.', devices.all().length],
    ['resident_bytes', 'gauge', 'Resident memory of the process.', process.memoryUsage.rss()],
  ] as const;
  const lines = rows.map(
    ([name, type, help, value]) =>
      `# HELP keyturn_${name} ${help}\n# TYPE keyturn_${name} ${type}\nkeyturn_${name} ${value}\n`,
  );
  return lines.join('');
}

/** The direct chat named after the device stands for all chats of its person. */
function scopeOf(device: Device, workspaceOf: FeatureCore['workspaceOf']): ToolScope {
  const account = accountOf(device);
  const place: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  return {
    ...place,
    conversationId: conversationId(place),
    workspace: workspaceOf(place, account),
    sender: { principal: account, name: device.personName },
  };
}

/** The tools of a person, each as `GET /api/tools` shows it. */
async function toolsFor(device: Device, { registry, devices, workspaceOf }: RoutesParts) {
  const scope = scopeOf(device, workspaceOf);
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

/** How late a channel's heartbeat may be, in ms. */
const grace = 15_000;

/**
 * Whether messages can come in and be stored, without details of the machine or of any conversation. Each channel is
 * `connected`, `connecting`, `failing`, `dead`, or `silent` if its heartbeat is overdue.
 */
function readinessOf({ config, store, health, adapters, configState, clock }: RoutesParts) {
  const { trouble } = store.state;
  // An enabled third-party channel may not have started yet.
  const enabled = Object.entries(config.channels).filter(([, block]) => isJsonObject(block) && block.enabled === true);
  const names = new Set([
    ...adapters.keys(),
    ...enabled.map(([name]) => name),
    ...health.all().map(({ name }) => name),
  ]);
  // Excludes the gateway itself.
  names.delete(deviceChannel);
  const now = clock.now();
  const channels = Object.fromEntries(
    [...names].map((name) => {
      const state = health.of(name);
      const status = state?.health.status ?? 'connecting';
      const heartbeat = adapters.get(name)?.capabilities.heartbeat ?? Number.POSITIVE_INFINITY;
      return [name, status === 'connected' && now > (state?.heardAt ?? now) + heartbeat + grace ? 'silent' : status];
    }),
  );
  const areConnected = Object.values(channels).every((status) => status === 'connected');
  return {
    isReady: trouble === undefined && areConnected,
    storage: trouble?.brief ?? 'ok',
    config: configState.fault === undefined ? 'ok' : 'its file is faulty: the last one that worked holds',
    channels,
  };
}
