import { describe, expect, test } from 'vitest';
import { type CredentialPlaces, credentialOf } from '../../src/gateway/credentials.ts';
import { chunkOf, resultOf } from '../../src/gateway/tool-result.ts';
import type { JsonObject } from '../../src/lib/json.ts';

function places(authorization?: string, protocols?: string, query = ''): CredentialPlaces {
  return { authorization, protocols, query: new URLSearchParams(query) };
}

describe('a credential', () => {
  test.each<[string, CredentialPlaces, object]>([
    ['a header', places('Bearer abc'), { type: 'token', token: 'abc' }],
    ['a subprotocol', places(undefined, 'clawseed.v1, bearer.abc'), { type: 'token', token: 'abc' }],
    ['a ticket', places(undefined, undefined, 'ticket=t1'), { type: 'ticket', ticket: 't1' }],
    ['the header before the subprotocol', places('Bearer abc', 'bearer.def'), { type: 'token', token: 'abc' }],
    ['the subprotocol before the ticket', places(undefined, 'bearer.def', 'ticket=t'), { type: 'token', token: 'def' }],
    ['an empty header, which does not count', places('Bearer ', 'bearer.def'), { type: 'token', token: 'def' }],
    ['an empty subprotocol, which does not count', places('', 'bearer.', 'ticket=t'), { type: 'ticket', ticket: 't' }],
    ['another scheme, which does not count', places('Basic abc'), { type: 'none' }],
    ['nothing', places(), { type: 'none' }],
    ['an empty token in the address, which does not count', places(undefined, undefined, 'token='), { type: 'none' }],
    ['a token in the address, whatever else there is', places('Bearer abc', '', 'token=x'), { type: 'token-in-url' }],
  ])('is %s', (_name, given, found) => {
    expect(credentialOf(given)).toEqual(found);
  });
});

describe('a result of a device', () => {
  test.each<[string, JsonObject, object | undefined]>([
    [
      'a success',
      { type: 'tool_result', id: 'a', output: 'x', success: true },
      { id: 'a', success: true, output: 'x' },
    ],
    [
      'a success if it does not say',
      { type: 'tool_result', id: 'a', output: 'x' },
      { id: 'a', success: true, output: 'x' },
    ],
    ['empty without an output', { type: 'tool_result', id: 'a' }, { id: 'a', success: true, output: '' }],
    [
      'a failure with its reason',
      { type: 'tool_result', id: 'a', output: 'half', success: false, error: 'why' },
      { id: 'a', success: false, output: 'half', error: 'why' },
    ],
    [
      'a failure without a reason',
      { type: 'tool_result', id: 'a', output: 'x', success: false },
      { id: 'a', success: false, output: 'x' },
    ],
    ['JSON', { type: 'tool_result', id: 'a', output: { n: 1 } }, { id: 'a', success: true, output: { n: 1 } }],
    ['an error', { type: 'tool_error', id: 'a', error: 'no' }, { id: 'a', success: false, output: 'no', error: 'no' }],
    [
      'an error without words',
      { type: 'tool_error', id: 'a' },
      { id: 'a', success: false, output: 'Unknown error', error: 'Unknown error' },
    ],
    [
      'an error, even if it calls itself a success',
      { type: 'tool_error', id: 'a', success: true },
      { id: 'a', success: false, output: 'Unknown error', error: 'Unknown error' },
    ],
    ['nothing without an id', { type: 'tool_result', output: 'x' }, undefined],
    ['nothing with an empty id', { type: 'tool_result', id: '' }, undefined],
    ['nothing with an id that is no text', { type: 'tool_result', id: 7 }, undefined],
    [
      'with what comes beside it',
      { type: 'tool_result', id: 'a', output: 'x', content: [{ type: 'text' }] },
      { id: 'a', success: true, output: 'x', content: [{ type: 'text' }] },
    ],
  ])('is %s', (_name, frame, result) => {
    expect(resultOf(frame)).toEqual(result);
  });

  test.each<[string, JsonObject]>([
    ['without an id', { part: 'p', index: 0, data: '' }],
    ['without a part', { id: 'a', index: 0, data: '' }],
    ['before the first', { id: 'a', part: 'p', index: -1, data: '' }],
    ['between two', { id: 'a', part: 'p', index: 0.5, data: '' }],
    ['without data', { id: 'a', part: 'p', index: 0 }],
  ])('has no chunk %s', (_name, frame) => {
    expect(chunkOf(frame)).toBeUndefined();
    expect(chunkOf({ id: 'a', part: 'p', index: 0, data: 'AA==', ...frame })).toEqual(
      'index' in frame && (frame.index === -1 || frame.index === 0.5)
        ? undefined
        : expect.objectContaining({ id: 'a' }),
    );
  });
});
