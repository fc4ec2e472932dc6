import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../src/lib/json.ts';
import { type Answer, okAnswer, refusalAnswer } from './answer.ts';
import { doorNames, type TokenKind } from './call-log.ts';
import type { Method } from './method-table.ts';
import { Refusal } from './refusal.ts';
import { type ApiRequest, bearerOf, readApiRequest, readBytes, uploadedBytes } from './request-body.ts';
import type { SlackApp } from './slack-app.ts';
import type { Workspace } from './workspace.ts';

/** What a request is about, and what is to be done for it. */
export interface ReadRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly token: TokenKind;
  readonly teamId: string | undefined;
  readonly execute: () => Promise<Answer>;
}

interface Dependencies {
  readonly methods: ReadonlyMap<string, Method>;
  readonly workspaces: readonly Workspace[];
  readonly apps: readonly SlackApp[];
  /** What the tokens of apps are refused with. */
  readonly revocation: () => string | undefined;
}

type Holder =
  | { readonly kind: 'bot'; readonly workspace: Workspace }
  | { readonly kind: 'app'; readonly app: SlackApp }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

const loginPage =
  '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to see this file.</body></html>';

/** Finds out what requests want and whose they are. */
export class Requests {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async read(request: IncomingMessage): Promise<ReadRequest> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, place = '', rest = ''] = /^\/([^/]*)\/(.*)$/.exec(url.pathname) ?? [];
    switch (place) {
      case 'api':
        return this.#api(rest, request, url);
      case 'upload':
        return this.#upload(rest, request);
      case 'files-pri':
        return this.#download(rest, request);
      case 'respond':
        return this.#respond(rest, request, url);
      default:
        return doorRequest(url.pathname, {}, async () => missing());
    }
  }

  async #api(method: string, request: IncomingMessage, url: URL): Promise<ReadRequest> {
    const body = await bodyOf(request, url);
    const token = body instanceof Refusal ? bearerOf(request) : body.token;
    const holder = this.#holderOf(token);
    return {
      method,
      params: body instanceof Refusal ? {} : body.params,
      token: holder.kind,
      teamId: holder.kind === 'bot' ? holder.workspace.installation.teamId : undefined,
      execute: async () => this.#execute(method, body, holder),
    };
  }

  #execute(name: string, body: ApiRequest | Refusal, holder: Holder): Answer {
    const method = this.#dependencies.methods.get(name);
    const headers = headersOf(method, holder);
    try {
      if (method === undefined) throw new Refusal('unknown_method', { req_method: name });
      return okAnswer({ ok: true, ...this.#answer(method, body, holder) }, headers);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error, headers);
      throw error;
    }
  }

  #answer(method: Method, body: ApiRequest | Refusal, holder: Holder): JsonObject {
    if (holder.kind === 'none') throw new Refusal('not_authed');
    if (holder.kind === 'unknown') throw new Refusal('invalid_auth');
    if (holder.kind === 'app') return this.#answerApp(method, body, holder.app);
    const { workspace } = holder;
    if (workspace.revocation !== undefined) throw new Refusal(workspace.revocation);
    if (method.token !== 'bot') throw new Refusal('not_allowed_token_type');
    const { scopes } = method;
    if (scopes.length > 0 && !scopes.some((scope) => workspace.scopes.includes(scope))) {
      throw new Refusal('missing_scope', workspace.provided(scopes.join(',')));
    }
    if (body instanceof Refusal) throw body;
    return method.execute(workspace, body.params);
  }

  #answerApp(method: Method, body: ApiRequest | Refusal, app: SlackApp): JsonObject {
    const revocation = this.#dependencies.revocation();
    if (revocation !== undefined) throw new Refusal(revocation);
    if (method.token !== 'app') throw new Refusal('not_allowed_token_type');
    if (body instanceof Refusal) throw body;
    return method.execute(app, body.params);
  }

  #holderOf(token: string | undefined): Holder {
    const { workspaces, apps } = this.#dependencies;
    if (token === undefined || token === '') return { kind: 'none' };
    const workspace = workspaces.find(({ installation }) => installation.botToken === token);
    if (workspace !== undefined) return { kind: 'bot', workspace };
    const app = apps.find(({ appToken }) => appToken === token);
    return app === undefined ? { kind: 'unknown' } : { kind: 'app', app };
  }

  /** Everybody who knows the address may send the bytes. */
  async #upload(rest: string, request: IncomingMessage): Promise<ReadRequest> {
    const [teamId = '', id = ''] = rest.split('/');
    const bytes = await uploadedBytes(await readBytes(request), request.headers['content-type'] ?? '');
    const workspace = this.#workspaceOf(teamId);
    return doorRequest(doorNames.upload, { id, length: bytes.length }, async () => {
      if (!workspace?.files.receive(id, bytes)) return { ...missing(), status: 400 };
      return { status: 200, body: `OK - ${bytes.length}`, type: 'text/plain', outcome: 'ok' };
    });
  }

  /** Who may not have a file gets a page to sign in on, with status 200. */
  #download(rest: string, request: IncomingMessage): ReadRequest {
    const [, teamId = '', id = ''] = /^(\w+)-(F\w+)\//.exec(rest) ?? [];
    const holder = this.#holderOf(bearerOf(request));
    const workspace = this.#workspaceOf(teamId);
    return {
      ...doorRequest(doorNames.download, { id }, async () => {
        const isAllowed =
          holder.kind === 'bot' && holder.workspace === workspace && workspace.scopes.includes('files:read');
        const file = workspace?.bytesOf(id);
        if (!isAllowed) return { status: 200, body: loginPage, type: 'text/html; charset=utf-8', outcome: 'sign in' };
        return file === undefined ? missing() : { status: 200, body: file.bytes, type: file.mediaType, outcome: 'ok' };
      }),
      token: holder.kind,
    };
  }

  async #respond(rest: string, request: IncomingMessage, url: URL): Promise<ReadRequest> {
    const [teamId = '', id = ''] = rest.split('/');
    const body = await bodyOf(request, url);
    const params = body instanceof Refusal ? {} : body.params;
    return doorRequest(doorNames.respond, params, async () => {
      try {
        if (body instanceof Refusal) throw body;
        this.#workspaceOf(teamId)?.responseUrls.respond(id, params);
        return okAnswer({ ok: true });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { ...refusalAnswer(error), status: error.code.endsWith('_url') ? 404 : 200 };
      }
    });
  }

  #workspaceOf(teamId: string): Workspace | undefined {
    return this.#dependencies.workspaces.find(({ installation }) => installation.teamId === teamId);
  }
}

function doorRequest(method: string, params: ReadRequest['params'], execute: ReadRequest['execute']): ReadRequest {
  return { method, params, token: 'none', teamId: undefined, execute };
}

function headersOf(method: Method | undefined, holder: Holder): Readonly<Record<string, string>> {
  if (holder.kind !== 'bot') return {};
  const accepted = method?.token === 'bot' ? method.scopes.join(',') : '';
  return { 'x-oauth-scopes': holder.workspace.scopeHeader, 'x-accepted-oauth-scopes': accepted };
}

function missing(): Answer {
  return { status: 404, body: 'Not Found', type: 'text/plain', outcome: 'not found' };
}

async function bodyOf(request: IncomingMessage, url: URL): Promise<ApiRequest | Refusal> {
  try {
    return await readApiRequest(request, url);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
