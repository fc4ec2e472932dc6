import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { channelSettings } from '../../../channels/index.ts';
import { type CheckContext, type CheckReport, type FolderFacts, runChecks } from '../../../src/cli/doctor/check.ts';
import { checks } from '../../../src/cli/doctor/index.ts';
import type { ProblemWords } from '../../../src/cli/doctor/words.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import { protocolVersion } from '../../../src/daemon/local-socket/protocol.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openNetwork } from '../../../src/lib/network/open-network.ts';
import { type Language, languages } from '../../../src/lib/words.ts';
import { newFolder } from '../../support/new-folder.ts';
import { type TestCertificate, tlsFront } from '../../support/tls-server.ts';
import { featureParts } from '../../support/whole-schema.ts';

/** What a server answers at a path: by default 200 and JSON. */
export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Answers = Readonly<Record<string, Given>>;

/** Where nothing listens. */
export const nowhere = 'http://127.0.0.1:4';

export interface Setup {
  /** The address of the server is `URL` in it. */
  readonly config?: unknown;
  readonly answers?: Answers;
  /** The certificate of the same server for https, which is `TLS` in the config. */
  readonly tls?: TestCertificate;
  /** `FOLDER` in it is the folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** The modes of what is in the folder. */
  readonly modes?: Readonly<Record<string, number>>;
  readonly free?: number;
  /** What the system says of the data folder, besides what is usual. */
  readonly facts?: Partial<FolderFacts>;
  readonly user?: number;
  /** The content of files in the folder, by their names. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Done to the folder before it is looked at. */
  readonly prepare?: (folder: string) => void;
  readonly isRunning?: boolean;
  /** What a Keyturn that runs with the data answers, by the name of the request. */
  readonly daemon?: (loaded: LoadedConfig | undefined) => Readonly<Record<string, object>>;
}

/** What the doctor should say: of which check, in each language. `URL` and `HOST` are the server's. */
export type Expected = (
  language: Language,
  at: { readonly url: string; readonly host: string; readonly tlsHost: string; readonly folder: string },
) => {
  readonly check: string;
  readonly what: string;
  readonly mend?: string;
};

async function serverWith(answers: Answers): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const found = Object.entries(answers).find(([end]) => path.endsWith(end))?.[1];
    const { status = 200, headers = {}, body = {} } = found ?? { status: 404 };
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return server;
}

/** Answers the socket of a data folder, as a Keyturn does. */
async function listenAs(path: string, answers: Readonly<Record<string, object>>): Promise<void> {
  const socket = createSocketServer((connection) => {
    connection.setEncoding('utf8').on('data', (line: string) => {
      const { id, request } = JSON.parse(line);
      const result = answers[String(request)];
      const answer = result === undefined ? { ok: false, code: 'unknown-request', reason: '' } : { ok: true, result };
      connection.write(`${JSON.stringify({ v: protocolVersion, id, ...answer })}\n`);
    });
  });
  await new Promise<void>((done) => socket.listen(path, done));
  onTestFinished(() => void socket.close());
}

export async function examine(setup: Setup, language: Language) {
  const server = await serverWith(setup.answers ?? {});
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const host = `127.0.0.1:${port}`;
  const url = `http://${host}`;
  const front = setup.tls === undefined ? undefined : await tlsFront(setup.tls, port);
  if (front !== undefined) onTestFinished(() => front[Symbol.asyncDispose]());
  const tlsHost = `127.0.0.1:${front?.port ?? 0}`;
  const folder = await newFolder();
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder, { mode: 0o700 });
  const { config = {}, env = {}, modes = {} } = setup;
  const text = typeof config === 'string' ? config : JSON.stringify({ model: 'offline', ...Object(config) });
  writeFileSync(
    join(folder, 'config.json'),
    text.replaceAll('TLS', `https://${tlsHost}`).replaceAll('URL', url).replaceAll('"PORT"', String(port)),
    {
      mode: 0o600,
    },
  );
  writeFileSync(join(folder, '.env'), 'A=b\n', { mode: 0o600 });
  for (const [name, mode] of Object.entries(modes)) chmodSync(join(folder, name), mode);
  for (const [name, content] of Object.entries(setup.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  setup.prepare?.(folder);
  const named = Object.fromEntries(
    Object.entries(env).map(([key, value]) => [key, value.replaceAll('FOLDER', folder)]),
  );
  const place = { path: 'config.json', explicit: false, cwd: folder, home: folder, env: named };
  const loading = loadConfig({ ...place, channels: channelSettings, parts: featureParts });
  const loaded: LoadedConfig | undefined = await loading.catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
  if (setup.daemon !== undefined) await listenAs(join(dataFolder, 'control.sock'), setup.daemon(loaded));
  const context: CheckContext = {
    place,
    loaded,
    faults: loaded === undefined ? 1 : 0,
    dataFolder,
    isRunning: setup.isRunning ?? setup.daemon !== undefined,
    fetch: (await openNetwork(loaded?.network.proxies ?? {})).fetch,
    clock: systemClock,
    freeBytes: () => setup.free ?? 2 ** 40,
    folderFacts: () => ({ ...usualFacts, ...setup.facts }),
    user: setup.user ?? 1000,
  };
  const reports = await runChecks(checks, context, language);
  return { reports, at: { url, host, tlsHost, folder } };
}

export function problemsOf(reports: readonly CheckReport[], check: string): readonly ProblemWords[] {
  return reports.filter(({ name }) => name === check).flatMap(({ problems }) => problems);
}

/** Of a folder where all is well. */
const usualFacts: FolderFacts = {
  refusal: undefined,
  owner: 1000,
  user: 1000,
  fileSystem: 0xef53,
  freeFiles: 2 ** 20,
};

export const server = { provider: 'openai_compatible', name: 'llama', base_url: 'URL/v1', api_key: 'sk-own-key' };

export function model(own: object, answers: Answers = {}): Setup {
  return { config: { model: 'main', models: { main: { ...server, ...own } } }, answers };
}

const token = `1:${'A'.repeat(35)}`;
export const me = { ok: true, result: { id: 1, is_bot: true, username: 'ada_bot', can_read_all_group_messages: true } };
const noHook = { ok: true, result: { url: '', pending_update_count: 0 } };

export function telegram(answers: Answers, own: object = {}): Setup {
  return {
    config: { channels: { telegram: { enabled: true, token, api_root: 'URL', ...own } } },
    answers: {
      '/getMe': { body: me },
      '/getWebhookInfo': { body: noHook },
      '/getUpdates': { body: { ok: true, result: [] } },
      ...answers,
    },
  };
}

export const scopes =
  'app_mentions:read,channels:history,chat:write,commands,files:read,files:write,groups:history,im:history,im:write';

export function slack(answers: Answers, own: object = {}): Setup {
  const tokens = { bot_token: `xoxb-${'1'.repeat(12)}-abc`, app_token: `xapp-1-${'A'.repeat(10)}-1-abc` };
  return {
    config: { channels: { slack: { enabled: true, ...tokens, api_url: 'URL/api', ...own } } },
    answers: {
      '/auth.test': { body: { ok: true, user: 'keyturn' }, headers: { 'x-oauth-scopes': scopes } },
      '/apps.connections.open': { body: { ok: true, url: 'wss://x' } },
      ...answers,
    },
  };
}

export function discord(answer: Given, own: object = {}): Setup {
  const discordToken = `${'M'.repeat(24)}.${'G'.repeat(6)}.${'h'.repeat(27)}`;
  return {
    config: { channels: { discord: { enabled: true, token: discordToken, api_url: 'URL/api', ...own } } },
    answers: { '/applications/@me': answer },
  };
}

/** A set-up that is broken, in words, and what the doctor should say of it. */
export type Row = readonly [what: string, setup: Setup, expected: Expected];

/** A test for each set-up, in each language: what is told of it, and that it has no secret. */
export function testRows(rows: readonly Row[]): void {
  for (const language of languages)
    test.each(rows)(
      `%s is told in ${language}, with why it matters and what mends it`,
      async (_what, setup, expected) => {
        const { reports, at } = await examine(setup, language);
        const { check, what, mend } = expected(language, at);
        const problems = problemsOf(reports, check);
        const found = problems.find((problem) => problem.what.startsWith(what));
        expect(found, JSON.stringify(reports, undefined, 1)).toBeDefined();
        if (mend !== undefined) expect(found?.mend).toBe(mend);
        expect(found?.why).toMatch(/\S/);
        expect(found?.mend).toMatch(/\S/);
        expect(JSON.stringify(reports)).not.toMatch(/sk-own-key|xoxb-|xapp-|s3cret|AAAAAAA/);
      },
    );
}
