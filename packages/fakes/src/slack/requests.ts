import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { respond } from './interactions.ts';
import { type Method, methodTable } from './methods.ts';
import { type Params, Refusal } from './parameters.ts';
import type { SlackApp } from './slack-app.ts';
import type { SlackState } from './state.ts';

/** What a request showed for itself. */
export type TokenKind = 'bot' | 'app' | 'none' | 'unknown';

/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log of calls. */
  readonly outcome: string;
}

/** What a request is about, and what is to be done for it. What is no method of the Web API has a name, too. */
export interface ReadRequest {
  readonly method: string;
  /** Without the token. */
  readonly params: Params;
  readonly token: TokenKind;
  readonly teamId?: string | undefined;
  readonly execute: () => Answer;
}

type Headers = Readonly<Record<string, string>>;

/** What methods answer with, whether it went well or not. */
function answerOf(body: JsonObject, headers: Headers = {}): Answer {
  const outcome = body.ok === false ? String(body.error) : 'ok';
  return { status: 200, body: JSON.stringify(body), type: 'application/json; charset=utf-8', headers, outcome };
}

/** HTTP 200 and what is wrong. */
export function refusalAnswer({ code, details }: Refusal, headers: Headers = {}): Answer {
  return answerOf({ ok: false, error: code, ...details }, headers);
}

export function pageAnswer(status: number, body: string | Buffer, type = 'text/html; charset=utf-8'): Answer {
  return { status, body, type, outcome: `HTTP ${status}` };
}

const missing = pageAnswer(404, 'Not Found', 'text/plain');
const loginPage =
  '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to see this file.</body></html>';

type Holder =
  | { readonly kind: 'bot'; readonly state: SlackState }
  | { readonly kind: 'app'; readonly app: SlackApp }
  | { readonly kind: 'none' | 'unknown' };

/** Finds out what a request wants, and whose it is. */
export type ReadsRequests = (request: IncomingMessage) => Promise<ReadRequest>;

/** What requests are read with. */
interface Desk {
  readonly states: readonly SlackState[];
  readonly apps: readonly SlackApp[];
  readonly methods: Readonly<Record<string, Method>>;
}

/** `socketUrl` is where a Socket Mode connection is opened. */
export function createRequests(
  states: readonly SlackState[],
  apps: readonly SlackApp[],
  socketUrl: () => string,
): ReadsRequests {
  const desk: Desk = { states, apps, methods: methodTable(socketUrl) };
  return (request) => readRequest(request, desk);
}

async function readRequest(request: IncomingMessage, desk: Desk): Promise<ReadRequest> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [, place = '', rest = ''] = /^\/([^/]*)\/(.*)$/.exec(pathname) ?? [];
  switch (place) {
    case 'api':
      return readCall(rest, request, desk);
    case 'upload':
      return readUpload(rest, request, desk);
    case 'files-pri':
      return readDownload(rest, request, desk);
    case 'respond':
      return readResponse(rest, request, desk);
    default:
      return { method: pathname, params: {}, token: 'none', execute: () => missing };
  }
}

function holderOf({ headers }: IncomingMessage, { states, apps }: Desk): Holder {
  const [, token = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (token === '') return { kind: 'none' };
  const state = states.find(({ parts }) => parts.installation.botToken === token);
  if (state !== undefined) return { kind: 'bot', state };
  const app = apps.find(({ appToken }) => appToken === token);
  return app === undefined ? { kind: 'unknown' } : { kind: 'app', app };
}

function stateOf(teamId: string, { states }: Desk): SlackState | undefined {
  return states.find(({ parts }) => parts.installation.teamId === teamId);
}

async function readCall(method: string, request: IncomingMessage, desk: Desk): Promise<ReadRequest> {
  const params = await bodyOf(request);
  const holder = holderOf(request, desk);
  const teamId = holder.kind === 'bot' ? holder.state.parts.installation.teamId : undefined;
  const execute = (): Answer => {
    const headers = headersOf(desk.methods[method], holder);
    try {
      return answerOf({ ok: true, ...resultOf(desk.methods[method], { name: method, params, holder }) }, headers);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error, headers);
      throw error;
    }
  };
  return { method, params: params ?? {}, token: holder.kind, teamId, execute };
}

interface Wanted {
  readonly name: string;
  readonly params: Params | undefined;
  readonly holder: Holder;
}

function resultOf(method: Method | undefined, { name, params, holder }: Wanted): JsonObject {
  if (method === undefined) throw new Refusal('unknown_method', { req_method: name });
  if (params === undefined) throw new Refusal('invalid_form_data');
  if (holder.kind === 'app') {
    if (holder.app.revocation !== undefined) throw new Refusal(holder.app.revocation);
    if (method.token !== 'app') throw new Refusal('not_allowed_token_type');
    return method.execute(holder.app);
  }
  if (holder.kind !== 'bot') throw new Refusal(holder.kind === 'none' ? 'not_authed' : 'invalid_auth');
  const { revocation, scopes: granted } = holder.state;
  if (revocation !== undefined) throw new Refusal(revocation);
  if (method.token !== 'bot') throw new Refusal('not_allowed_token_type');
  const { scopes } = method;
  if (scopes.length > 0 && !scopes.some((scope) => granted.includes(scope)))
    throw new Refusal('missing_scope', { needed: scopes.join(','), provided: granted.join(',') });
  return method.execute(holder.state, params);
}

/** Everybody who knows the address may send the bytes. */
async function readUpload(rest: string, request: IncomingMessage, desk: Desk): Promise<ReadRequest> {
  const [teamId = '', id = ''] = rest.split('/');
  const bytes = await buffer(request);
  const execute = (): Answer => {
    const upload = stateOf(teamId, desk)?.uploads.get(id);
    if (upload?.length !== bytes.length) return { ...missing, status: 400 };
    upload.bytes = bytes;
    return pageAnswer(200, `OK - ${bytes.length}`, 'text/plain');
  };
  return { method: 'upload', params: { id, length: bytes.length }, token: 'none', execute };
}

/** Who may not have a file gets a page to sign in on, with status 200. */
function readDownload(rest: string, request: IncomingMessage, desk: Desk): ReadRequest {
  const [, teamId = '', id = ''] = /^(\w+)-(F\w+)\//.exec(rest) ?? [];
  const holder = holderOf(request, desk);
  const execute = (): Answer => {
    const state = stateOf(teamId, desk);
    const isAllowed = holder.kind === 'bot' && holder.state === state && state.scopes.includes('files:read');
    if (!isAllowed) return pageAnswer(200, loginPage);
    const file = state.files.get(id);
    return file === undefined ? missing : pageAnswer(200, file.bytes, file.mediaType);
  };
  return { method: 'download', params: { id }, token: holder.kind, execute };
}

async function readResponse(rest: string, request: IncomingMessage, desk: Desk): Promise<ReadRequest> {
  const [teamId = '', id = ''] = rest.split('/');
  const params = (await bodyOf(request)) ?? {};
  const execute = (): Answer => {
    const state = stateOf(teamId, desk);
    if (state === undefined) return missing;
    try {
      respond(state, id, params);
      return answerOf({ ok: true });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...refusalAnswer(error), status: error.code.endsWith('_url') ? 404 : 200 };
    }
  };
  return { method: 'response_url', params, token: 'none', execute };
}

function headersOf(method: Method | undefined, holder: Holder): Headers {
  if (holder.kind !== 'bot') return {};
  const accepted = method?.token === 'bot' ? method.scopes.join(',') : '';
  return { 'x-oauth-scopes': holder.state.scopes.join(','), 'x-accepted-oauth-scopes': accepted };
}

/** What the body holds, as JSON or a form. Undefined if it is neither. */
async function bodyOf(request: IncomingMessage): Promise<Params | undefined> {
  const text = String(await buffer(request));
  if (request.headers['content-type']?.startsWith('application/json') !== true)
    return Object.fromEntries(new URLSearchParams(text));
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
