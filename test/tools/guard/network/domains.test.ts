import { expect, test } from 'vitest';
import { fitsDomains } from '../../../../src/tools/guard/network/domains.ts';

test.each([
  ['api.example.com', 'api.example.com'],
  ['API.Example.COM.', 'api.example.com'],
  ['api.example.com', 'API.example.com'],
  ['a.myco.com', '*.myco.com'],
  ['a.b.c.myco.com.', '*.MyCo.com'],
  ['anything.example', '*'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'bücher.example'],
  ['a.bücher.example', '*.bücher.example'],
  ['10.0.0.1', '10.0.0.1'],
  ['[::1]', '::1'],
  ['my_host.example', 'my_host.example'],
])('%s fits %s', (host, pattern) => {
  expect(fitsDomains(host, ['other.example', pattern])).toBe(true);
});

test.each([
  ['myco.com', '*.myco.com'],
  ['evilmyco.com', '*.myco.com'],
  ['myco.com.evil.example', '*.myco.com'],
  ['.myco.com', '*.myco.com'],
  ['a.example.com', 'example.com'],
  ['example.com', 'a.example.com'],
  ['example.comm', 'example.com'],
  ['exampleXcom', 'example.com'],
  ['', '*.myco.com'],
  ['a/b', '*'],
  ['evil.example#.myco.com', '*.myco.com'],
  ['evil.example/.myco.com', '*.myco.com'],
  ['evil@a.myco.com', '*.myco.com'],
  ['a.myco.com:8080', '*.myco.com'],
])('%s does not fit %s', (host, pattern) => {
  expect(fitsDomains(host, [pattern])).toBe(false);
});

test('nothing fits an empty list', () => {
  expect(fitsDomains('example.com', [])).toBe(false);
});
