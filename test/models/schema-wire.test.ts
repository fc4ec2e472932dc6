import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { failureOf, modelWith, request, sentFor } from './ask.ts';
import { refusing } from './wire-server.ts';

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
  const tools = [{ name: 'visit', description: 'Visits.', parameters }];
  const asked = ['hello', 'hello again'].map((words) => request(words, { tools }));
  const [first, second] = (await sentFor({ provider, ...strategy }, ...asked)).map(schemaIn);
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
  const { model } = await modelWith(refusing);
  const ask = () =>
    failureOf(model, request('hello', { tools: [{ name: 'visit', description: 'Visits.', parameters: counted }] }));
  await ask();
  const atFirst = reads;
  await ask();
  expect([atFirst > 0, reads]).toEqual([true, atFirst]);
});
