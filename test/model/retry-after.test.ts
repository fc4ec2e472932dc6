import { expect, test } from 'vitest';
import { readRetryAfter } from '../../src/model/retry-after.ts';

const now = Date.parse('2026-11-21T10:00:00Z');

test.each([
  { headers: { 'retry-after': '7' }, body: undefined, expected: 7000 },
  { headers: { 'retry-after-ms': '250', 'retry-after': '7' }, body: undefined, expected: 250 },
  { headers: { 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' }, body: undefined, expected: 30_000 },
  { headers: { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, body: undefined, expected: 0 },
  { headers: { 'retry-after': 'soon' }, body: undefined, expected: undefined },
  { headers: { 'retry-after': '-5' }, body: undefined, expected: undefined },
  { headers: {}, body: '{"error":{"details":[{"retryDelay": "34.5s"}]}}', expected: 34_500 },
  { headers: undefined, body: undefined, expected: undefined },
])('$headers and $body ask for a wait of $expected', ({ headers, body, expected }) => {
  expect(readRetryAfter(headers, body, now)).toBe(expected);
});
