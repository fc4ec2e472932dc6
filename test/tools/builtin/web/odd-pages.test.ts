import { createServer } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeText } from '../../../../src/lib/charset/text-charset.ts';
import type { RunInWorker } from '../../../../src/tools/guard/worker/run-in-worker.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { content, quickWebFetchSetting, webFetchSetting } from './web-fetch-setting.ts';

function inCharset(text: string, charset: string): Buffer {
  const bytes = writeText(text, charset);
  if (!Buffer.isBuffer(bytes)) throw new Error(`${charset} has no ${bytes.impossible}`);
  return bytes;
}

describe('the charset of a page', () => {
  const chinese = '上证指数收盘上涨，成交额扩大。';
  const japanese = '吾輩は猫である。名前はまだ無い。';
  test.each([
    ['nothing says it', 'text/html', `<p>${chinese}`, 'GBK', chinese],
    [
      'only the header is wrong',
      'text/html; charset=utf-8',
      `<meta charset="Shift_JIS"><p>${japanese}`,
      'Shift_JIS',
      japanese,
    ],
    ['only the page is wrong', 'text/html; charset=gb2312', `<meta charset="utf-8"><p>${chinese}`, 'GBK', chinese],
    ['both are wrong', 'text/html; charset=iso-8859-1', `<meta charset="utf-8"><p>${japanese}`, 'EUC-JP', japanese],
    [
      'it is called by a name of Windows',
      'text/html; charset=cp949',
      '<p>안녕하세요, 반갑습니다',
      'EUC-KR',
      '안녕하세요, 반갑습니다',
    ],
    [
      'it is called by a name of nobody',
      'text/html; charset=none',
      '<p>Привет, как дела?',
      'windows-1251',
      'Привет, как дела?',
    ],
    ['a text says nothing', 'text/plain', '加權指數收盤上漲，成交量擴大', 'Big5', '加權指數收盤上漲，成交量擴大'],
    ['it is UTF-8 and called otherwise', 'text/html; charset=gbk', `<p>${chinese}`, 'UTF-8', chinese],
    ['it is UTF-16 with a mark', 'text/html', `\ufeff<p>${chinese}`, 'UTF-16LE', chinese],
  ])('is found where %s', async (_, type, body, charset, text) => {
    const { of } = await quickWebFetchSetting();
    expect(content(await of({ type, body: inCharset(body, charset) }))).toBe(text);
  });
});

describe('a compressed page', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('in %s is read (%#)', async (encoding, compress) => {
    const { of } = await quickWebFetchSetting();
    const body = Buffer.from(compress(Buffer.from(`<p>${'Hello. '.repeat(2000)}`)));
    expect(content(await of({ body, headers: { 'content-encoding': encoding } }))).toContain('Hello. Hello.');
  });
});

test('a page whose connection ends too early is read as far as it came, and says so', async () => {
  const { fetch } = await quickWebFetchSetting();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 5000 });
    response.write('<p>The beginning.</p>', () => response.socket?.end());
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  const { forLlm, isError } = await fetch({ url: `http://127.0.0.1:${port}/` });
  expect(isError).toBe(false);
  expect(forLlm).toContain('[The connection ended before the answer was complete');
  expect(forLlm).toContain('The beginning.');
});

describe('a page with little to read says why, and what can be tried', () => {
  const script = '<script src="/a.js"></script>';
  const state = JSON.stringify({ props: { title: 'A harbour town', body: 'The harbour was built in 1874.' } });
  test.each([
    ['needs JavaScript', `<div id="root"></div>${script}`, /built by JavaScript/],
    [
      'needs JavaScript and says so',
      `<div id="app"></div>${script}<noscript>Please enable scripts.</noscript>`,
      /built by JavaScript[\s\S]*Please enable scripts\./,
    ],
    ['has one line besides its scripts', `<div id="__next">Loading…</div>${script}`, /built by JavaScript/],
    [
      'leads on late',
      '<meta http-equiv="refresh" content="30; url=/next?a=1"><p>Moved',
      /leads on to http:\S+\/next\?a=1/,
    ],
    [
      'leads on late, in quotes',
      `<META HTTP-EQUIV=Refresh CONTENT="60;URL='https://b.example/x'">`,
      /leads on to https:\/\/b\.example\/x/,
    ],
    ['loads itself again', '<meta http-equiv="refresh" content="30"><img src=a.png>', /^(?!.*leads on).*has no text/s],
    [
      'has its data in a script of Next',
      `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${state}</script>`,
      /harbour was built in 1874/,
    ],
    [
      'has its data as JSON-LD',
      `<script type="application/ld+json">${state}</script>`,
      /data in its scripts[\s\S]*harbour was built/,
    ],
    [
      'has its data in a state',
      `<div id=app></div><script>window.__INITIAL_STATE__ = ${state};</script>`,
      /harbour was built in 1874/,
    ],
    [
      'is a check for people',
      '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>',
      /checks that a person/,
    ],
    ['is a captcha', '<div class="g-recaptcha"></div><p>One more step', /checks that a person/],
    ['is a Chinese captcha', '<p>请完成安全验证后继续访问', /checks that a person/],
    ['is a login', '<form><input name=u><input type="password"></form><p>Sign in', /is a login/],
    ['asks about cookies', '<p>We use cookies. Accept all or reject.', /about cookies or consent/],
    [
      'is a frameset',
      '<frameset><frame src="/menu.html"><frame src="main.html"></frameset>',
      /frames\. Read them: http:\S+\/menu\.html , http:\S+\/main\.html/,
    ],
    ['is empty', '', /has no text/],
    ['has only pictures', '<img src="/a.png">', /has no text/],
  ])('%s', async (_, html, words) => {
    const { of } = await quickWebFetchSetting();
    const { forLlm, isError } = await of({ body: html });
    expect(isError).toBe(false);
    expect(forLlm).toMatch(/^\[.*status 200, web page, page 1 of 1\]\n\[/);
    expect(forLlm).toMatch(words);
  });

  test('and a short page that is whole says nothing of it', async () => {
    const { of } = await quickWebFetchSetting();
    expect(content(await of({ body: '<p>Hello.</p><script>count()</script>' }))).toBe('Hello.');
  });
});

test('a small page is read though no worker has come to it', async () => {
  const none: RunInWorker = async () => ({ type: 'timed-out' });
  const { of } = await webFetchSetting({}, { runInWorker: none });
  const { forLlm } = await of({ body: '<title>T</title><p>Hello.</p>' });
  expect(forLlm).toContain('\nHello.');
  expect(forLlm).toContain('Fetch it again for the rest.');
});
