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

const place = { type: 'object', properties: { street: { type: 'string' } } };
const note = { description: 'At least 2 characters', anyOf: [{ type: 'string' }, { type: 'null' }] };
const sent = { type: 'object', properties: { place, kind: { type: 'string', enum: ['visit'] }, note } };

/** The schema, wherever the provider's dialect has it. */
function schemaIn(body: unknown): unknown {
  const found: unknown[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (/^(?:input_schema|parameters|parametersJsonSchema)$/.test(key)) found.push(value);
    return value;
  });
  return found[0];
}

test.each(['anthropic', 'openai', 'google', 'openai_compatible'] as const)(
  '%s is sent schemas in the form that all providers take, the same bytes each time',
  async (provider) => {
    const tools = [{ name: 'visit', description: 'Visits.', parameters }];
    const asked = ['hello', 'hello again'].map((words) => request(words, { tools }));
    const [first, second] = (await sentFor({ provider }, ...asked)).map(schemaIn);
    expect(first).toEqual(sent);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  },
);

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
