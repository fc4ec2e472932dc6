import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { type Conversation, conversationId } from '../../../contract.ts';
import { accountOf, type Device, deviceChannel } from '../../../conversation/access/access.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Lockout } from '../../../lib/lockout.ts';
import { wordsIn } from '../../../lib/words.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { nameOfSource } from '../../../tools/registry.ts';
import type { GatewayParts } from './connection.ts';
import type { Connections } from './connections.ts';
import { credentialsOf, type Gate, onlyBrowsers, refusalOf, ticketLifetime } from './credentials.ts';
import type { DeviceFiles } from './device-files.ts';
import { fileFacts } from './frames.ts';
import { metrics, readinessOf } from './gateway-state.ts';
import { isSessionId } from './sessions.ts';
import type { SessionSummary, ShownFile } from './tables.ts';

/** `device`: of a request with a good token or ticket. `sessionId`: one of its person's. */
interface Environment {
  Bindings: HttpBindings;
  Variables: { device: Device; sessionId: string };
}

type RequestContext = Context<Environment>;

export interface RoutesParts extends GatewayParts {
  readonly connections: Connections;
  readonly gate: Gate;
  readonly lockout: Lockout;
}

export const socketPath = '/ws/chat';

/** No request needs a longer body. In bytes. */
const longestBody = 16 * 1024;
const mostSessions = 200;
const mostMessages = 1000;

/** The headers of every answer. */
const always = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
] as const;

type Middleware = MiddlewareHandler<Environment>;
type App = Hono<Environment>;

/** All HTTP routes, behind checks of `Host`, `Origin` and length. Every other path is a 404. */
export function gatewayApp(parts: RoutesParts): App {
  const app: App = new Hono();
  app.use(calledRightly(parts));
  // Other features limit what they read themselves.
  app.use(ofOtherFeatures(parts));
  app.use(redacted(parts));
  app.use(
    cors({
      // Unknown origins were refused above.
      origin: (origin) => origin,
      allowHeaders: ['Authorization', 'Content-Type', 'X-Pairing-Code'],
      allowMethods: ['GET', 'POST'],
    }),
  );
  app.use(short);
  addStateRoutes(app, parts);
  addDeviceRoutes(app, parts);
  addSessionRoutes(app, parts);
  app.notFound((context) => nothingHere(context, parts));
  app.onError((error, context) => {
    parts.log.error({ err: error, path: context.req.routePath }, 'a request could not be answered');
    return context.json({ error: 'Something went wrong inside Keyturn. It is in the log.' }, 500);
  });
  return app;
}

/** Who looks with a browser is told by the feature that shows pages, if there is one. */
async function nothingHere(context: RequestContext, { webRoutes }: RoutesParts): Promise<Response> {
  const page = webRoutes.get('');
  if (page !== undefined && isLookedAt(context.req.raw))
    return guarded(await page(context.req.raw, addressOf(context)));
  return context.json({ error: 'There is nothing here.' }, 404);
}

/** Whether a browser's window asks for it, and not a program. */
function isLookedAt({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.get('accept')?.includes('text/html') === true;
}

/** Refuses requests to another host, or from pages of another origin. */
function calledRightly({ own, counters }: RoutesParts): Middleware {
  return async (context, next) => {
    for (const [name, value] of always) context.header(name, value);
    const { host, origin } = context.req.header();
    const reason = refusalOf({ host, origin }, own.gateway);
    if (reason === undefined) return next();
    counters.refused += 1;
    return context.json({ error: reason }, 403);
  };
}

function ofOtherFeatures({ webRoutes }: RoutesParts): Middleware {
  return async (context, next) => {
    const [, first = ''] = context.req.path.split('/');
    const route = webRoutes.get(first);
    return route === undefined ? next() : guarded(await route(context.req.raw, addressOf(context)));
  };
}

/** Kept by nobody and taken for nothing else, unless the feature says so. */
function guarded(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of always) if (!headers.has(name)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/** Redacts every JSON response. Files are sent unchanged. */
function redacted({ redact }: RoutesParts): Middleware {
  return async (context, next) => {
    await next();
    if (!context.res.headers.get('content-type')?.startsWith('application/json')) return;
    context.res = new Response(redact(await context.res.text()), context.res);
  };
}

const short: Middleware = async (context, next) => {
  const headers = context.req.header();
  if (headers['transfer-encoding'] !== undefined) return context.json({ error: 'Say how long the body is.' }, 411);
  if (Number(headers['content-length'] ?? 0) > longestBody)
    return context.json({ error: 'The body is too long.' }, 413);
  return next();
};

/** Any device whose person may talk. */
function admitted({ gate, counters }: RoutesParts, ticketsToo = false): Middleware {
  return async (context, next) => {
    const admission = gate.admit(credentialsOf(context.req.raw), ticketsToo);
    if ('reason' in admission) {
      counters.refused += 1;
      return context.json({ error: admission.reason }, admission.status);
    }
    context.set('device', admission.device);
    return next();
  };
}

/** Another person's session gives the same 404 as an unknown one. */
function ofOwnSession({ sessions, stored }: RoutesParts): Middleware {
  return async (context, next) => {
    const sessionId = context.req.param('id') ?? '';
    const ownedBy = isSessionId(sessionId) ? await stored.sessions.ownerOf(sessionId) : undefined;
    if (ownedBy === undefined || !sessions.isOwn(context.var.device, ownedBy))
      return context.json({ error: 'You have no session of that name.' }, 404);
    context.set('sessionId', sessionId);
    return next();
  };
}

function addStateRoutes(app: App, parts: RoutesParts): void {
  const { rules, store } = parts;
  // As in `/readyz`, nothing is well if nothing can be stored; it says no more of that.
  app.on('GET', ['/healthz', '/health'], (context) => {
    const isOpen = store.isOpen() && !store.state.isLost;
    const status = isOpen ? wordsIn('en', store.state.trouble?.brief ?? 'ok') : 'closed';
    return context.json({ status, require_pairing: true }, status === 'ok' ? 200 : 503);
  });
  app.get('/readyz', (context) => {
    const { isReady, ...rest } = readinessOf(parts);
    return context.json({ status: isReady ? 'ready' : 'not ready', ...rest }, isReady ? 200 : 503);
  });
  app.get('/metrics', admitted(parts), (context) =>
    rules.isOwner(accountOf(context.var.device))
      ? context.text(metrics(parts), 200, { 'Content-Type': 'text/plain; version=0.0.4' })
      : context.json({ error: 'That is for the owners of this Keyturn.' }, 403),
  );
}

function addDeviceRoutes(app: App, parts: RoutesParts): void {
  const device = admitted(parts);
  app.post('/pair', (context) => pair(context, parts));
  app.get(socketPath, device, (context) =>
    context.json({ error: 'This is for WebSockets.' }, 426, { Upgrade: 'websocket' }),
  );
  app.post('/api/ticket', device, (context) =>
    context.json({ ticket: parts.gate.tickets.issue(context.var.device.id), expires_in: ticketLifetime / 1000 }),
  );
  app.get('/api/tools', device, async (context) => context.json({ tools: await toolsFor(context.var.device, parts) }));
}

function addSessionRoutes(app: App, parts: RoutesParts): void {
  const { sessions, stored } = parts;
  const [device, ownSession] = [admitted(parts), ofOwnSession(parts)];
  app.get('/api/sessions', device, (context) => listSessions(context, () => true, parts));
  app.get('/api/sessions/running', device, (context) =>
    listSessions(context, ({ id }) => sessions.isRunning(id), parts),
  );
  app.get('/api/sessions/:id/messages', device, ownSession, async (context) => {
    const { sessionId: session_id } = context.var;
    const said = await stored.sessions.messages(session_id, mostMessages);
    const messages = said.map(({ role, content, at }) => ({ role, content, created_at: iso(at) }));
    return context.json({ session_id, messages, session_persistence: true });
  });
  app.get('/api/sessions/:id/files', device, ownSession, async (context) => {
    const { sessionId: session_id } = context.var;
    const shown = await stored.files.shownIn(session_id);
    return context.json({ session_id, files: shown.map((file) => ({ ...fileFacts(file), created_at: iso(file.at) })) });
  });
  // With a ticket, a page without a token can show the file.
  app.get('/api/sessions/:id/files/:file', admitted(parts, true), ownSession, (context) =>
    bytesOf(context, stored.files),
  );
  app.post('/api/sessions/:id/abort', device, ownSession, async (context) =>
    context.json({ status: (await sessions.abort(context.var)) ? 'aborted' : 'no_active_response' }),
  );
}

async function listSessions(
  context: RequestContext,
  isMeant: (session: SessionSummary) => boolean,
  { accounts, stored }: RoutesParts,
): Promise<Response> {
  const all = await stored.sessions.list(accounts.accountsOf(accountOf(context.var.device)), mostSessions);
  const listed = all.filter(isMeant).map(({ id, createdAt, lastActivity, messageCount }) => ({
    session_id: id,
    created_at: iso(createdAt),
    last_activity: iso(lastActivity),
    message_count: messageCount,
  }));
  return context.json({ sessions: listed });
}

async function pair(context: RequestContext, { devices, lockout, counters, own }: RoutesParts): Promise<Response> {
  if (!own.gateway.enabled) {
    counters.refused += 1;
    return context.json({ error: onlyBrowsers }, 403);
  }
  const address = addressOf(context);
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

/** Of the connection: proxies' headers can be forged. */
function addressOf({ env }: RequestContext): string {
  return env.incoming.socket.remoteAddress ?? '';
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

async function bytesOf(context: RequestContext, files: DeviceFiles): Promise<Response> {
  const found = await files.shown(context.var.sessionId, context.req.param('file') ?? '');
  const opened = found && (await unless(['ENOENT'], open(found.path, 'r')));
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

/** The tools of a person, each as `GET /api/tools` shows it. */
async function toolsFor(device: Device, { registry, devices, workspaceOf }: RoutesParts) {
  const account = accountOf(device);
  // The direct chat named after the device stands for all chats of its person.
  const conversation: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  const scope = {
    ...conversation,
    conversationId: conversationId(conversation),
    workspace: workspaceOf(conversation, account),
    sender: { principal: account, name: device.personName },
  };
  const definitions = await registry.definitions(scope);
  const brought = new Map(registry.list(scope).map((tool) => [tool.name, tool]));
  return definitions.flatMap(({ name, description, parameters }) => {
    const tool = brought.get(name);
    if (tool === undefined) return [];
    const { source, category } = tool;
    const from = (source.type === 'remote' && devices.find(source.device)?.name) || nameOfSource(source);
    return [{ name, description, parameters, enabled: true, source_type: source.type, source: from, category }];
  });
}
