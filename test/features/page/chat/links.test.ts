import { describe, expect, test } from 'vitest';
import { targetOf } from '../../../../packages/page/src/components/markdown/links.ts';
import { naughtyStrings } from '../../../support/markdown-examples.ts';

describe('a link in a text', () => {
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'javascript\u200b:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'vbscript:msgbox(1)',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'filesystem:http://x/y',
    'view-source:https://example.com',
    'intent://scan/#Intent;scheme=zxing;end',
    'about:blank',
    'ws://example.com',
    '/settings',
    '//example.com',
    '#ticket=x',
    'settings',
    '?a=b',
    '',
    'https://',
    'http://[::1',
  ])('to %j leads nowhere', (address) => {
    expect(targetOf(address, 'here')).toBeUndefined();
  });

  test('leads to nothing but the web and mail, whatever was written', () => {
    const leading = naughtyStrings().flatMap((text) => targetOf(text, text) ?? []);
    for (const { href } of leading) expect(href).toMatch(/^(?:https?|mailto):/);
  });

  test.each([
    ['https://evil.example/a', 'https://bank.example/', 'evil.example'],
    ['https://evil.example/a', 'bank.example', 'evil.example'],
    ['https://evil.example/a', 'Go to bank.example now', 'evil.example'],
    ['https://bank.example@evil.example/', 'bank.example', 'evil.example'],
    ['https://bank.example:pass@evil.example/', 'here', 'evil.example'],
    ['https://bank.example.evil.example/', 'bank.example', 'bank.example.evil.example'],
    ['https://xn--80ak6aa92e.com/', 'apple.com', 'xn--80ak6aa92e.com'],
    ['https://evil.example/', '银行。例子', 'evil.example'],
    ['https://evil.example/', '--bank.example--', 'evil.example'],
    ['https://evil.example/', 'to-.my-bank.example', 'evil.example'],
    ['mailto:eve@evil.example', 'ada@bank.example', 'eve@evil.example'],
    ['https://evil.example:8443/', 'https://evil.example', 'evil.example:8443'],
  ])('to %s that says %s says where it leads: %s', (address, words, place) => {
    expect(targetOf(address, words)?.hidden).toBe(place);
  });

  test('says where it leads if its words are too long to be read for places', () => {
    expect(targetOf('https://example.com/', 'a'.repeat(1_900))?.hidden).toBeUndefined();
    expect(targetOf('https://example.com/', 'a-'.repeat(30_000))?.hidden).toBe('example.com');
  });

  test.each([
    ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
    ['https://example.com/a', 'example.com'],
    ['https://www.example.com/a', 'example.com'],
    ['https://example.com/a', 'the page of Ada'],
    ['mailto:ada@example.com', 'ada@example.com'],
    ['https://例子.测试/', 'here'],
  ])('to %s that says %s needs nothing more', (address, words) => {
    expect(targetOf(address, words)).toMatchObject({ hidden: undefined });
  });
});
