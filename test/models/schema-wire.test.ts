import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import type { ModelDescription } from '../../src/models/model-description.ts';
import { failureOf, modelAt, request } from './ask.ts';
import { startWireServer } from './wire-server.ts';

const parameters: JsonObject = {
  type: 'object',
  properties: {
    place: { $ref: '#/$defs/Place' },
    kind: { const: 'visit' },
    note: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
  },
  $defs: { Place: { type: 'object', properties: { street: { type: 'string' } }, additionalProperties: false } },
};

const street = { type: 'object', properties: { street: { type: 'string' } } };
const closed = { ...street, additionalProperties: false };
const kind = { type: 'string', enum: ['visit'] };
const inWords = { type: 'string', description: 'At least 2 characters' };
const forAnthropic = { place: closed, kind, note: { ...inWords, type: ['string', 'null'] } };
const forGemini = { place: street, kind, note: { ...inWords, nullable: true } };
const forOpenai = { place: closed, kind, note: { type: ['string', 'null'], minLength: 2 } };
const forAnyServer = { place: street, kind, note: { anyOf: [inWords, { type: 'null' }] } };

/** What a provider is sent as the schema of the tool, each time that it is asked. */
async function sent(description: Partial<ModelDescription>): Promise<readonly unknown[]> {
  const server = await startWireServer((response) => response.writeHead(418).end());
  try {
    const model = await modelAt(server.url, description);
    const tools = [{ name: 'visit', description: 'Visits.', parameters }];
    await failureOf(model, request('hello', { tools }));
    await failureOf(model, request('hello again', { tools }));
    return server.requests.map(({ body }) => schemaIn(body));
  } finally {
    await server.stop();
  }
}

/** The schema, wherever the provider's dialect has it. */
function schemaIn(body: unknown): unknown {
  const found: unknown[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (/^(?:input_schema|parameters|parametersJsonSchema)$/.test(key)) found.push(value);
    return value;
  });
  return found[0];
}

test.each([
  { provider: 'anthropic', properties: forAnthropic },
  { provider: 'openai', properties: forOpenai },
  { provider: 'google', properties: forGemini },
  { provider: 'openai_compatible', properties: forAnyServer },
  { provider: 'openai_compatible', schemaStrategy: 'gemini', properties: forGemini },
] as const)('$provider is sent schemas as it takes them $schemaStrategy', async ({ properties, ...rest }) => {
  const { provider } = rest;
  const strategy = 'schemaStrategy' in rest ? { schemaStrategy: rest.schemaStrategy } : {};
  const [first, second] = await sent({ provider, ...strategy });
  expect(first).toEqual({ type: 'object', properties });
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
});

test('the schema of a tool is read for the first request, and for no other', async () => {
  let reads = 0;
  const counted = new Proxy(parameters, {
    getOwnPropertyDescriptor(target, key) {
      reads += 1;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
  const server = await startWireServer((response) => response.writeHead(418).end());
  const model = await modelAt(server.url);
  const ask = () =>
    failureOf(model, request('hello', { tools: [{ name: 'visit', description: 'Visits.', parameters: counted }] }));
  await ask();
  const atFirst = reads;
  await ask();
  await server.stop();
  expect([atFirst > 0, reads]).toEqual([true, atFirst]);
});
