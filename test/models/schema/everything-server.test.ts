import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema } from '../../../src/models/schema.ts';
import { faultsIn, schemaStrategies, validators } from './checks.ts';

const validatorOf = validators();
let tools: Awaited<ReturnType<typeof everythingTools>> = [];
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

/** What MCP's reference server says that its tools are. */
async function everythingTools() {
  const program = fileURLToPath(
    new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  );
  const client = new Client({ name: 'keyturn-test', version: '0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'stdio'], stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name, inputSchema }) => ({
      name,
      inputSchema: z.record(z.string(), z.json()).parse(inputSchema),
    }));
  } finally {
    await client.close();
  }
}
