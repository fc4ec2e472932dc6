import { APICallError, TypeValidationError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import type { FailureContext } from '../../src/models/fault-table.ts';
import { modelErrorOf } from '../../src/models/sdk-failure.ts';
import { modelWords } from '../../src/models/words.ts';

const context: FailureContext = {
  modelKey: 'main',
  modelName: 'm-1',
  baseUrl: 'https://api.example.com/v1',
  serverKind: 'compatible',
  secrets: ['hunter2-hunter2'],
};

function errorFor(thrown: unknown) {
  return modelErrorOf(thrown, context, Date.parse('2026-11-21T10:00:00Z'));
}

interface Response {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function refusedWith(status: number | undefined, message: string, { headers, body }: Response = {}) {
  const url = 'https://api.example.com/v1';
  const sent = { url, requestBodyValues: {}, responseHeaders: { ...headers }, responseBody: body ?? '' };
  const thrown = status === undefined ? message : new APICallError({ ...sent, message, statusCode: status });
  const error = errorFor(thrown);
  if (error === undefined) throw new Error('It is taken for a bug.');
  return error;
}

describe('a refusal', () => {
  test.each([
    [400, "This model's maximum context length is 8192 tokens.", 'too-long'],
    [400, 'The input token count (90000) exceeds the maximum number of tokens allowed (8192).', 'too-long'],
    [400, 'input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000', 'too-long'],
    [400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 'too-long'],
    [400, 'Please reduce the length of the messages or completion.', 'too-long'],
    [413, 'Payload', 'too-long'],
    [429, 'Request too large for m-1 on tokens per min', 'too-long'],
    [429, 'Too many tokens, please wait before trying again.', 'transient'],
    [429, 'You exceeded your current quota: insufficient_quota', 'unavailable'],
    [400, 'Your credit balance is too low to access the API.', 'unavailable'],
    [402, 'Payment required', 'unavailable'],
    [403, 'forbidden', 'auth'],
    [400, 'API key not valid. API_KEY_INVALID', 'auth'],
    [408, 'timeout', 'transient'],
    [409, 'conflict', 'transient'],
    [529, 'overloaded', 'transient'],
    [502, '<html>Bad gateway</html>', 'transient'],
    [undefined, 'something', 'faulty'],
    [undefined, 'Overloaded', 'transient'],
    [500, 'boom', 'faulty'],
    [501, 'not here', 'faulty'],
    [522, 'Connection timed out', 'transient'],
    [400, 'tools.0: schema is wrong', 'permanent'],
    [400, 'library/gemma:2b does not support tools', 'unavailable'],
    [404, 'No endpoints found that support tool use.', 'unavailable'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 'unavailable'],
    [500, 'tools param requires --jinja flag', 'unavailable'],
    [400, 'Function calling is not enabled for models/gemma-3-27b-it', 'unavailable'],
  ] as const)('%s "%s" is %s', (status, message, fault) => {
    expect(refusedWith(status, message).fault).toBe(fault);
  });

  test('for a model that cannot call tools says what to set', () => {
    const { message } = refusedWith(400, 'm-1 does not support tools');
    expect(message).toContain(modelWords.en.noTools({ modelKey: 'main' }));
  });

  test.each([
    ['{"error":"no such knob"}', 'no such knob'],
    ['{"detail":[{"msg":"extra fields not permitted","input":"hello"}]}', 'extra fields not permitted'],
    ['{"message":{"error":"deep"}}', 'deep'],
    ['plain words', 'plain words'],
    ['<html><h1>no</h1></html>', 'Bad Request'],
    ['{"error":', '{"error":'],
    ['{}', 'Bad Request'],
    ['', 'Bad Request'],
    ['x'.repeat(30_000), 'Bad Request'],
  ])('is told in the words of the server, wherever they stand: %s', (responseBody, words) => {
    const { message } = refusedWith(400, 'Bad Request', { body: responseBody });
    expect(message).toBe(modelWords.en.refused({ modelKey: 'main', status: 400, told: words }));
  });

  test('shows the words of the provider on one line, cut, without secrets', () => {
    const { message } = refusedWith(400, `bad\nheader hunter2-hunter2 ${'x'.repeat(5000)}`);

    expect(message).toContain('bad ⏎ header … ');
    expect(message.length).toBeLessThan(400);
  });

  test.each([
    [{ 'retry-after': '1' }, undefined, 1000, 'in a moment'],
    [{ 'retry-after': '7' }, undefined, 7000, 'in 7 s'],
    [{ 'retry-after-ms': '2500', 'retry-after': '7' }, undefined, 2500, 'in 3 s'],
    [{ 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' }, undefined, 30_000, 'in 30 s'],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, undefined, 0, 'in a moment'],
    [{ 'retry-after': 'soon' }, undefined, undefined, 'in a moment'],
    [{ 'retry-after': '-5' }, undefined, undefined, 'in a moment'],
    [{}, '{"error":{"details":[{"retryDelay": "150.5s"}]}}', 150_500, 'in 3 min'],
    [{ 'retry-after': '100000' }, undefined, 100_000_000, 'in 27 h 47 min'],
    [undefined, undefined, undefined, 'in a moment'],
  ])('says how long to wait: %j and %j', (headers, body, retryAfter, words) => {
    const error = refusedWith(429, '', { ...(headers && { headers }), ...(body && { body }) });
    expect([error.retryAfter, error.message]).toEqual([retryAfter, expect.stringContaining(`Try again ${words}.`)]);
  });
});

describe('what a package throws or sends', () => {
  test.each([
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 'transient'],
    [{ message: 'no', code: 401 }, 'auth'],
    [{ message: 'too much', type: 'invalid_request_error', code: 'context_length_exceeded' }, 'too-long'],
    [{ message: 'odd', type: 'invalid_request_error' }, 'permanent'],
    ['just words', 'faulty'],
    [Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'transient'],
    [new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }), 'transient'],
    [new TypeError('terminated'), 'transient'],
    [new RangeError('Maximum call stack size exceeded'), 'faulty'],
    [new TypeValidationError({ value: { error: 'The context size is exceeded' }, cause: undefined }), 'too-long'],
    [new TypeValidationError({ value: { error: { code: 401 } }, cause: undefined }), 'auth'],
    [new TypeValidationError({ value: { odd: true }, cause: undefined }), 'faulty'],
    [new UnsupportedFunctionalityError({ functionality: 'images' }), 'permanent'],
  ] as const)('%o is %s', (thrown, fault) => {
    expect(errorFor(thrown)?.fault).toBe(fault);
  });

  test('is a bug if it is neither of the provider nor of the network', () => {
    expect(errorFor(new TypeError('x is not a function'))).toBeUndefined();
    expect(errorFor(new RangeError('Invalid array length'))).toBeUndefined();
    expect(errorFor(undefined)).toBeUndefined();
  });

  test('names an address that cannot be found', () => {
    const thrown = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    expect(errorFor(thrown)?.message).toContain('https://api.example.com/v1');
  });
});
