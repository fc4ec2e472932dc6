import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { webFetch } from '../../../../src/tools/builtin/web/web-fetch.ts';
import { webAccess } from '../../../../src/tools/guard/network/web-client.ts';
import { type RunInWorker, workerProcesses } from '../../../../src/tools/guard/worker/run-in-worker.ts';
import type { ToolOutput } from '../../../../src/tools/output.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import type { ToolContext } from '../../../../src/tools/tool.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { runHere } from '../../../support/run-here.ts';
import { contextIn, prepared } from '../../setting.ts';

export interface Answer {
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WebFetchSetting = Awaited<ReturnType<typeof webFetchSetting>>;

interface WebFetchChanges {
  readonly trustedDomains?: readonly string[];
  readonly pageChars?: number;
  readonly maxBytes?: number;
  /** For one answer, by the clock. Default: 5. */
  readonly timeoutSecs?: number;
}

export interface WebFetchOptions {
  readonly clock?: Clock;
  /** By which a worker is given up. Default: one that stands, so that a busy machine ends none. */
  readonly workerClock?: Clock;
  /** Default: in threads, as in the daemon. */
  readonly runInWorker?: RunInWorker;
}

/** For pages that are harmless: they are taken apart in the thread of the test, which is quicker. */
export function quickWebFetchSetting(
  changed: WebFetchChanges = {},
  options: WebFetchOptions = {},
): Promise<WebFetchSetting> {
  return webFetchSetting(changed, { ...options, runInWorker: runHere });
}

/** The tool with the real client, which may reach nothing but a site on this machine. */
export async function webFetchSetting(changed: WebFetchChanges = {}, options: WebFetchOptions = {}) {
  const {
    clock = systemClock,
    workerClock = new ManualClock(),
    runInWorker = workerProcesses({ clock: workerClock }),
  } = options;
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    respond(answers.get(request.url ?? '') ?? { status: 404 }, request, response);
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  const allowPrivate = ['127.0.0.1', 'localhost'];
  const { trustedDomains = [], pageChars = 20_000, maxBytes = 4_000_000, timeoutSecs = 5 } = changed;
  const tool = webFetch(
    async () => webAccess(allowPrivate, systemClock),
    { runInWorker, clock },
    {
      web_fetch: { timeout_secs: timeoutSecs, max_bytes: maxBytes, page_chars: pageChars },
      network: { trusted_domains: trustedDomains, allow_private: allowPrivate },
      read_document: { max_bytes: maxBytes, timeout_secs: 5, page_chars: pageChars },
    },
  );
  const runner = createToolRunner({ clock: systemClock });
  const origin = `http://127.0.0.1:${port}`;
  const fetch = async (args: JsonObject, surroundings?: Partial<ToolContext>): Promise<ToolOutput> =>
    (await runner.run(await prepared(tool, args), contextIn('/', surroundings))).output;
  return {
    tool,
    origin,
    /** The paths that were asked for. */
    asked,
    /** What the site answers at a path from now on. */
    serve: (path: string, answer: Answer) => answers.set(path, answer),
    fetch,
    /** Serves this at a path of its own and reads it. */
    of: (answer: Answer, page = 1) => {
      const path = `/${answers.size}`;
      answers.set(path, answer);
      return fetch({ url: `${origin}${path}`, page });
    },
  };
}

function respond(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  const { body = '', type = 'text/html', status = 200, headers = {} } = answer;
  request.resume();
  response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...headers });
  response.end(body);
}

/** What follows the first line. */
export function content({ forLlm }: ToolOutput): string {
  return forLlm.slice(forLlm.indexOf('\n') + 1);
}
