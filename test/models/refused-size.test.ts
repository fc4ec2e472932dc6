import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sizesIn } from '../../src/models/refused-size.ts';
import { failureOf, modelWith, request } from './ask.ts';

/** Texts with which servers refuse a request that is too long, and the numbers in them. */
const refusalSchema = z.strictObject({
  server: z.string(),
  text: z.string(),
  window: z.number().optional(),
  size: z.number().optional(),
});

const refusals = readFileSync(new URL('refused-sizes.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => refusalSchema.parse(JSON.parse(line)));

describe('what a refusal tells of sizes', () => {
  test.each(refusals)('$server', async ({ text, window, size }) => {
    expect(sizesIn(text)).toEqual({ window, size });
    const { model } = await modelWith((response) => {
      const body = JSON.stringify({ error: { message: text, type: 'invalid_request_error' } });
      response.writeHead(400, { 'content-type': 'application/json' }).end(body);
    });
    const { error } = await failureOf(model, request('hello'));
    expect([error.fault, error.window, error.size]).toEqual(['too-long', window, size]);
  });

  test.each([
    'The model is overloaded, try again in 20 seconds',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    'Rate limit reached: Limit 30000, Used 29000, Requested 2000 tokens per minute',
    'your account has 12 credits',
  ])('is nothing where it is no refusal of the length: %s', async (text) => {
    const { model } = await modelWith((response) => {
      const status = text.startsWith('Rate') ? 429 : 400;
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: text } }));
    });
    const { error } = await failureOf(model, request('hello'));
    expect([error.fault === 'too-long', error.window, error.size]).toEqual([false, undefined, undefined]);
  });
});
