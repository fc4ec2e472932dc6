import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

/** A tool as an MCP server tells of it. */
export interface ServedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

const program = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

/** What MCP's reference server says that its tools are. Starts it, asks it once over stdio, and ends it. */
export async function everythingTools(): Promise<readonly ServedTool[]> {
  const server = spawn(process.execPath, [program, 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const answers = answersOf(server);
    const clientInfo = { name: 'keyturn-test', version: '0' };
    tell(server, {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    await answerTo(1, answers);
    tell(server, { method: 'notifications/initialized' });
    tell(server, { id: 2, method: 'tools/list', params: {} });
    return toolList.parse(await answerTo(2, answers)).tools;
  } finally {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  }
}

type Server = ChildProcessByStdio<Writable, Readable, null>;
type Answer = z.output<typeof answer>;

const answer = z.object({ id: z.number().optional(), result: z.json().optional() });
const toolList = z.object({
  tools: z.array(z.object({ name: z.string(), inputSchema: z.record(z.string(), z.json()) })),
});

function tell(server: Server, message: JsonObject): void {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function* answersOf({ stdout }: Server): AsyncGenerator<Answer> {
  for await (const line of createInterface({ input: stdout })) yield answer.parse(JSON.parse(line));
}

/** Passes over what the server tells unasked. */
async function answerTo(id: number, answers: AsyncGenerator<Answer>): Promise<JsonValue | undefined> {
  for (;;) {
    const { value, done } = await answers.next();
    if (done === true) throw new Error('the server has ended');
    if (value.id === id) return value.result;
  }
}
