import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema } from '../../../src/models/schema.ts';
import { faultsIn, schemaStrategies, validators } from './checks.ts';

const validatorOf = validators();
let tools: readonly ServedTool[] = [];
beforeAll(async () => {
  tools = await everythingTools();
});

describe.each(schemaStrategies)('for %s', (strategy) => {
  test("each tool of MCP's reference server has a schema that the provider takes, for the same calls", () => {
    expect(tools.length).toBeGreaterThan(8);
    for (const { name, inputSchema } of tools) {
      const result = normaliseSchema(inputSchema, strategy);
      expect([name, faultsIn(result, strategy)]).toEqual([name, []]);
      expect([name, Object.keys(propertiesOf(result))]).toEqual([name, Object.keys(propertiesOf(inputSchema))]);
      for (const sample of samplesOf(inputSchema)) {
        const accepted = [inputSchema, result].map((schema) => validatorOf(schema)(sample));
        expect([name, sample, accepted]).toEqual([name, sample, [true, true]]);
      }
    }
  });
});

/** Calls that the schema accepts: with all parameters, and with what it requires. */
function samplesOf(schema: JsonObject): readonly JsonObject[] {
  const all = Object.entries(propertiesOf(schema)).map(([name, property]) => [name, sampleOf(property)] as const);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return [Object.fromEntries(all), Object.fromEntries(all.filter(([name]) => required.includes(name)))];
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function sampleOf(property: JsonValue | undefined): JsonValue {
  if (!isJsonObject(property)) return null;
  if (property.default !== undefined) return property.default;
  if (Array.isArray(property.enum)) return property.enum[0] ?? null;
  switch (property.type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'text';
  }
}

/** A tool as an MCP server tells of it. */
interface ServedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

const program = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

/** What MCP's reference server says that its tools are. Starts it, asks it once over stdio, and ends it. */
async function everythingTools(): Promise<readonly ServedTool[]> {
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
