/**
 * An MCP server on standard input and output that does what a test says. It has the tools of `tools.json` in the folder of
 * its first argument, writes down there what it hears, and says when told by SIGUSR2 that its tools have changed, by SIGHUP how far it is.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: Record<string, unknown>;
    readonly inputResponses?: { readonly form?: unknown };
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly result?: unknown;
}

const [, , folder = '.', habit = ''] = process.argv;
const pageSize = 2;
/** What stands in every answer since 2026-07-28. */
const complete = habit === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
let waiting: ((answer: unknown) => void) | undefined;
let token: number | undefined;
let progress = 0;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function report(): void {
  progress += 1;
  send({ method: 'notifications/progress', params: { progressToken: token, progress, total: 3, message: 'digging' } });
}

function text(words: string): object {
  return { content: [{ type: 'text', text: words }] };
}

function toolsFrom(cursor: string): object {
  const all: unknown[] = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8'));
  const start = Number(cursor);
  // However many there are, it has not more pages than clients read.
  const next = start + Math.max(pageSize, Math.ceil(all.length / 20));
  return { tools: all.slice(start, next), ...(next < all.length ? { nextCursor: `${next}` } : {}) };
}

/** Since 2026-07-28, a server that wants to know something answers that it does, and is called once more. */
function askedModernly({ params = {} }: Message): object {
  if (params.inputResponses !== undefined) return text(JSON.stringify(params.inputResponses.form));
  const form = { method: 'elicitation/create', params: { mode: 'form', ...params.arguments } };
  return { resultType: 'input_required', inputRequests: { form }, requestState: 'asked' };
}

async function answerOf(message: Message): Promise<object | undefined> {
  const { params = {} } = message;
  const { name, arguments: args = {}, _meta } = params;
  switch (name) {
    case 'crash':
      process.stderr.write('boom\n');
      process.exit(3);
      break;
    case 'hang':
      // Nothing else is done any more: neither is a signal heard, nor the end of the input.
      for (;;);
    case 'wait':
      token = _meta?.progressToken;
      report();
      return undefined;
    case 'family': {
      const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
      return text(`${process.pid} ${child.pid}`);
    }
    case 'touch':
      try {
        writeFileSync(String(args.path), '');
        return text('written');
      } catch (cause) {
        return text(String(cause));
      }
    case 'show':
      return { content: args.content, ...Object(args.result) };
    case 'env':
      return text(JSON.stringify(process.env));
    case 'ask': {
      if (habit === 'modern') return askedModernly(message);
      send({ id: 'form', method: 'elicitation/create', params: args });
      const answer = await new Promise((resolve) => {
        waiting = resolve;
      });
      return text(JSON.stringify(answer));
    }
    default:
      return text(JSON.stringify({ tool: name, args }));
  }
}

async function hear(message: Message): Promise<void> {
  appendFileSync(join(folder, 'heard.jsonl'), `${JSON.stringify(message)}\n`);
  const { id, method } = message;
  if (method === undefined) return waiting?.(message.result);
  if (id === undefined) return;
  switch (method) {
    case 'server/discover':
      if (habit === 'ends-when-probed') process.exit(1);
      if (habit === 'modern') {
        return send({ id, result: { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } });
      }
      return send({ id, error: { code: -32_601, message: 'no such method' } });
    case 'initialize': {
      const serverInfo = { name: 'scripted', version: '1' };
      const capabilities = { tools: { listChanged: true } };
      return send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
    }
    case 'tools/list':
      return send({ id, result: { ...complete, ...toolsFrom(message.params?.cursor ?? '0') } });
    case 'tools/call': {
      const result = await answerOf(message);
      if (result !== undefined) send({ id, result: { ...complete, ...result } });
      return;
    }
    default:
      return send({ id, error: { code: -32_601, message: 'no such method' } });
  }
}

process.on('SIGHUP', report);
process.on('SIGUSR2', () => send({ method: 'notifications/tools/list_changed' }));
writeFileSync(join(folder, 'pid'), `${process.pid}`);
process.stdout.write('This line is no message.\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const message: Message = JSON.parse(line);
  void hear(message);
});
