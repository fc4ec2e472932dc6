import { describe, expect, test } from 'vitest';
import { plainHtml } from '../../../../src/tools/builtin/web/plain-html.ts';
import { freePort } from '../../../support/loopback.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { docxFile, paragraph } from '../../../support/office-files.ts';
import { pdfFile } from '../../../support/pdf-file.ts';
import { errorSaying, prepared } from '../../setting.ts';
import { content, quickWebFetchSetting } from './web-fetch-setting.ts';

describe('web_fetch', () => {
  test('says what a page is, where it came from, and that strangers wrote it', async () => {
    const { fetch, serve, origin } = await quickWebFetchSetting();
    serve('/old', { status: 302, headers: { location: '/new' } });
    serve('/new', { body: '<html><head><title>A\n] page</title></head><body><p>Hello.</p></body></html>' });
    expect(await fetch({ url: `${origin}/old` })).toEqual({
      isError: false,
      isAsync: false,
      untrusted: '127.0.0.1',
      forLlm: `["A ] page", ${origin}/new, status 200, web page, page 1 of 1]\nHello.`,
    });
  });

  test('reads JSON, text and XML as they are, and tables as tables', async () => {
    const { of } = await quickWebFetchSetting();
    expect(content(await of({ type: 'application/json', body: '{"a":[1]}' }))).toBe('{"a":[1]}');
    expect(content(await of({ type: 'application/ld+json', body: '{"a":' }))).toBe('{"a":');
    expect(content(await of({ type: 'text/plain; charset=utf-8', body: '<b>x</b>\r\ny' }))).toBe('<b>x</b>\ny');
    const feed = '<?xml version="1.0"?><rss><item><title>News</title></item></rss>';
    expect(content(await of({ type: 'application/rss+xml', body: feed }))).toBe(feed);
    expect(content(await of({ type: 'text/csv', body: 'a,b\n1,2\n' }))).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |');
  });

  test('reads documents by what they are, whatever the server calls them', async () => {
    const { of } = await quickWebFetchSetting();
    expect(content(await of({ type: 'text/plain', body: pdfFile(['Hello']) }))).toBe('[PDF page 1 of 1]\nHello');
    expect(content(await of({ type: 'application/zip', body: docxFile(paragraph('Hello')) }))).toBe('Hello');
    expect(await of({ type: '', body: pdfFile(['']) })).toMatchObject({
      isError: true,
      untrusted: '127.0.0.1',
      forLlm: expect.stringContaining('no text'),
    });
    expect(content(await of({ type: '', body: '<!DOCTYPE html><p>Hello</p>' }))).toBe('Hello');
  });

  test('says what is nothing to read', async () => {
    const { of } = await quickWebFetchSetting();
    expect(await of({ type: 'image/png', body: Buffer.alloc(2048, 1) })).toEqual(
      errorSaying(/cannot be read as text\. It is image\/png of 2\.0 KB/),
    );
    expect((await of({ type: '', body: Buffer.alloc(100) })).forLlm).toContain('It is something of 100 bytes');
    expect(content(await of({ body: '' }))).toContain('The page has no text');
  });

  test.each([
    ['the header', 'text/html; charset=ISO-8859-1', Buffer.from('<p>Grün</p>', 'latin1')],
    ['the byte order mark', 'text/html; charset=ISO-8859-1', Buffer.from('\ufeff<p>Grün</p>')],
    ['its meta element', 'text/html', Buffer.from('<meta charset="windows-1252"><p>Grün</p>', 'latin1')],
    [
      'its older meta element',
      'text/html',
      Buffer.from('<meta http-equiv=a content="text/html; charset=latin1"><p>Grün</p>', 'latin1'),
    ],
    ['its bytes, where nothing says it', 'text/plain', Buffer.from('Grün', 'latin1')],
    ['its bytes, where the charset is unknown', 'text/plain; charset=klingon', Buffer.from('Grün')],
  ])('takes the charset from %s', async (_, type, body) => {
    const { of } = await quickWebFetchSetting();
    expect(content(await of({ type, body }))).toBe('Grün');
  });

  test('gives the status of a failure and what the page says', async () => {
    const { of, fetch, origin } = await quickWebFetchSetting();
    const body = `<html><body><h1>Gone</h1><p>${'long words '.repeat(500)}</p></body></html>`;
    const output = await of({ status: 410, body });
    expect(output).toMatchObject({ isError: true, untrusted: '127.0.0.1' });
    expect(output.forLlm).toMatch(/answered with status 410 Gone\. It says:\n#+ Gone/);
    expect(output.forLlm.length).toBeLessThan(1200);
    expect((await fetch({ url: `${origin}/none` })).forLlm).toBe(`${origin}/none answered with status 404 Not Found.`);
  });

  test('says that the end is missing where a page is too long to be read', async () => {
    const { of } = await quickWebFetchSetting({ maxBytes: 5000 });
    const { forLlm, isError } = await of({ type: 'text/plain', body: 'word '.repeat(2000) });
    expect(isError).toBe(false);
    expect(forLlm.split('\n')[1]).toBe('[It was too long to be read whole: the end is missing.]');
    const pdf = pdfFile(Array.from({ length: 50 }, (_, index) => `page ${index}`));
    expect((await of({ type: 'application/pdf', body: pdf })).forLlm).toContain('too large to be read');
  });
});

describe('the pages of web_fetch', () => {
  const paragraphs = Array.from({ length: 100 }, (_, index) =>
    `Paragraph ${index}. ${'Some words. '.repeat(10)}`.trim(),
  );
  const body = `<html><head><title>Long</title></head><body><article>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></body></html>`;

  test('hold all of it, are cut at paragraphs, and are one download', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting({ pageChars: 2000 });
    serve('/long', { body });
    let output = await fetch({ url: `${origin}/long` });
    const read: string[] = [];
    let page = 1;
    for (; ; page += 1) {
      expect(output.forLlm).toMatch(
        new RegExp(`^\\["Long", ${origin}/long, status 200, web page, page ${page} of \\d+`),
      );
      expect(output.untrusted).toBe('127.0.0.1');
      expect(content(output).length).toBeLessThanOrEqual(2000);
      read.push(...content(output).split('\n\n'));
      if (!output.forLlm.includes(`; to go on, use page ${page + 1}]`)) break;
      output = await fetch({ url: `${origin}/long#part`, page: page + 1 });
    }
    expect(page).toBeGreaterThan(5);
    expect(read).toEqual(paragraphs);
    expect(asked).toEqual(['/long']);
    expect((await fetch({ url: `${origin}/long`, page: 99 })).forLlm).toBe(
      `There is no page 99: it has ${page} pages.`,
    );
    expect(asked).toHaveLength(1);
  });

  test('are fetched again after a quarter of an hour, for another conversation, and when one begins again', async () => {
    const clock = new ManualClock();
    const { fetch, serve, origin, asked } = await quickWebFetchSetting({ pageChars: 2000 }, { clock });
    serve('/long', { body });
    const url = `${origin}/long`;
    await fetch({ url });
    await fetch({ url, page: 2 });
    expect(asked).toHaveLength(1);
    await fetch({ url, page: 2 }, { conversationId: 'terminal:2' });
    expect(asked).toHaveLength(2);
    await fetch({ url, page: 1 });
    expect(asked).toHaveLength(3);
    clock.advance(15 * 60_000);
    await fetch({ url, page: 2 });
    expect(asked).toHaveLength(4);
  });

  test('are remembered of twenty documents', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting({ pageChars: 2000 });
    const text = paragraphs.join('\n\n');
    for (let index = 0; index < 21; index += 1) {
      serve(`/${index}`, { type: 'text/plain', body: text });
      await fetch({ url: `${origin}/${index}` });
    }
    await fetch({ url: `${origin}/1`, page: 2 });
    expect(asked).toHaveLength(21);
    await fetch({ url: `${origin}/0`, page: 2 });
    expect(asked).toHaveLength(22);
  });

  test('are remembered of at most ten megabytes', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting({ pageChars: 1_000_000 });
    for (const path of ['/a', '/b', '/c']) {
      serve(path, { type: 'text/plain', body: 'words '.repeat(320_000) });
      await fetch({ url: `${origin}${path}` });
    }
    await fetch({ url: `${origin}/c`, page: 2 });
    expect(asked).toHaveLength(3);
    await fetch({ url: `${origin}/a`, page: 2 });
    expect(asked).toHaveLength(4);
  });
});

describe('the guard of web_fetch', () => {
  test('shows an approver the whole URL as code, and of a giant one both ends', async () => {
    const { tool } = await quickWebFetchSetting();
    const shown = async (url: string): Promise<string> => (await prepared(tool, { url })).describe();
    expect(await shown('https://a.example/x?q=[b](c)')).toBe('read `https://a.example/x?q=[b](c)`');
    expect(await shown('https://a.example/`\u202e')).toBe('read ``https://a.example/`\\u202e``');
    const giant = await shown(`https://a.example/${'x'.repeat(1000)}/the-end`);
    expect(giant).toMatch(/^read `https:\/\/a\.example\/x+…x+\/the-end`$/);
    expect(giant.length).toBeLessThan(320);
    expect((await prepared(tool, { url: 'https://a.example/', page: 2 })).describe()).toMatch(/, page 2$/);
  });

  test('forbids by its text what leads into the own network, is no web page or holds a password', async () => {
    const { tool } = await quickWebFetchSetting();
    for (const url of [
      'http://10.0.0.1/',
      'file:///etc/passwd',
      'https://a:b@example.com/',
      'example.com',
      'http://[::1]/',
    ]) {
      expect((await prepared(tool, { url })).forbidden, url).toEqual(expect.any(String));
    }
    const call = await prepared(tool, { url: 'https://example.com/' });
    expect(call).toMatchObject({ category: 'network_read', facets: { trustedHost: false } });
    expect(call.forbidden).toBeUndefined();
  });

  test('says what the client refuses or cannot reach', async () => {
    const { fetch } = await quickWebFetchSetting();
    expect(await fetch({ url: 'http://127.0.0.1:9/' })).toEqual(errorSaying('127.0.0.1'));
    expect(await fetch({ url: 'http://192.168.0.1/' })).toEqual(errorSaying('private network'));
  });

  test.each([
    ['http://192.168.0.1/', true],
    ['http://nas.local/', true],
    ['http://[fd00::1]/', true],
    ['http://localhost:8080/', true],
    ['http://127.0.0.1:3000/', true],
    ['http://[::1]/', true],
    ['http://[::ffff:10.0.0.1]/', true],
    ['http://169.254.1.1/', true],
    ['http://nas/', true],
    ['http://printer.lan/', true],
    ['http://100.64.0.1/', true],
    ['https://example.com/', false],
    ['https://100.128.0.1/', false],
    ['https://lan.example/', false],
  ])('takes what %s says for private: %s', async (url, isPrivate) => {
    const { tool } = await quickWebFetchSetting();
    expect((await prepared(tool, { url })).facets).toMatchObject({ private: isPrivate });
  });

  test('trusts what the operator trusts, and is led by it to nobody else', async () => {
    const { tool, fetch, serve, origin } = await quickWebFetchSetting({ trustedDomains: ['127.0.0.1'] });
    serve('/', { body: '<p>Hello</p>' });
    serve('/away', { status: 302, headers: { location: `${origin.replace('127.0.0.1', 'localhost')}/` } });
    expect((await prepared(tool, { url: `${origin}/` })).facets).toMatchObject({ trustedHost: true });
    expect((await fetch({ url: `${origin}/` })).untrusted).toBeUndefined();
    expect(await fetch({ url: `${origin}/away` })).toEqual(errorSaying('no host that the operator trusts'));
  });

  test('that a rule lets run is led to no other origin: nobody was asked about that one', async () => {
    const { fetch, serve, origin } = await quickWebFetchSetting();
    const elsewhere = `${origin.replace('127.0.0.1', 'localhost')}/`;
    serve('/', { body: '<p>Hello</p>' });
    serve('/here', { status: 302, headers: { location: '/' } });
    serve('/away', { status: 302, headers: { location: elsewhere } });
    serve('/on', { body: `<meta http-equiv="refresh" content="0; url=${elsewhere}"><p>Wait.</p>` });
    const ruled = { isRuled: true };
    expect((await fetch({ url: `${origin}/here` }, ruled)).forLlm).toContain('Hello');
    const refused = await fetch({ url: `${origin}/away` }, ruled);
    expect(refused).toEqual(errorSaying('people let you read without asking'));
    expect(refused.forLlm).toContain(elsewhere);
    expect((await fetch({ url: `${origin}/on` }, ruled)).forLlm).not.toContain('Hello');
    expect((await fetch({ url: `${origin}/away` })).forLlm).toContain('Hello');
    expect((await fetch({ url: `${origin}/on` })).forLlm).toContain('Hello');
  });

  test.each([
    ['the page', { body: `<p>${'words '.repeat(2_000)}</p>` }, 1],
    ['its second part', { body: `<p>${'words '.repeat(2_000)}</p>` }, 2],
    ['a failure', { status: 500, body: 'broken' }, 1],
    ['a picture', { type: 'image/png', body: Buffer.alloc(100, 1) }, 1],
    ['a page behind a second redirect', { status: 302, headers: { location: '/elsewhere' } }, 1],
  ])('a stranger who redirects to a trusted host has chosen %s, and the words of its address', async (_, end, page) => {
    const { fetch, serve, origin } = await quickWebFetchSetting({ trustedDomains: ['127.0.0.1'], pageChars: 2_000 });
    serve('/go', { status: 302, headers: { location: `${origin}/?obey=me` } });
    serve('/?obey=me', end);
    serve('/elsewhere', { body: 'more' });
    const url = `${origin.replace('127.0.0.1', 'localhost')}/go`;
    expect((await fetch({ url })).untrusted).toBe('localhost');
    expect((await fetch({ url, page })).untrusted).toBe('localhost');
    expect((await fetch({ url: `${origin}/?obey=me` })).untrusted).toBeUndefined();
  });
});

test('leaves the text, with a line for each block', () => {
  const html = `<!doctype html><html><head><title>A &amp; B</title><meta name=x content="y"></head>
<body><h1>Hi</h1><p title="a>b" data-x='<i>'>one<br/>two  <b>three</b></p><ul><li>a<li>b</ul>5 < 6 &#x1F600; &lt;b&gt; &unknown;</body></html>`;
  expect(plainHtml(html)).toEqual({
    title: 'A & B',
    text: 'Hi\n\none\ntwo three\n\na\nb\n5 < 6 😀 <b> &unknown;',
  });
});

test('leaves out what is hidden, and all within it', () => {
  const html = `a<div style='display:none'>x<div>y</div>z</div>b<script>if (a<b) "</div>"</script><!-- <p>c</p> --><p hidden>d<p>e</p>`;
  expect(plainHtml(html).text).toBe('a\n\nb');
  expect(plainHtml('<div aria-hidden=true>x</div><input hidden>seen<p class=hidden>too').text).toBe('seen\ntoo');
});

test('takes no end for content that does not end', () => {
  expect(plainHtml('a<!-- b').text).toBe('a');
  expect(plainHtml('a<b c="d>e').text).toBe('a');
  expect(plainHtml('a<script>b').text).toBe('a');
  expect(plainHtml('a<').text).toBe('a<');
  expect(plainHtml('')).toEqual({ title: '', text: '' });
});

test('spaces between tags are no trap: what would take the square of their number outlasts the test', () => {
  expect(plainHtml(`a${'<b> '.repeat(125_000)}c`).text).toBe('a c');
});

test('where a page leads to in vain is a name that a stranger has chosen', async () => {
  const { serve, fetch: read, origin } = await quickWebFetchSetting();
  serve('/away', { status: 302, headers: { location: 'http://do-this.internal/' } });
  const output = await read({ url: `${origin}/away` });
  expect(output).toMatchObject({ isError: true, untrusted: '127.0.0.1' });
  expect(output.forLlm).toContain('do-this.internal');
});

test('nothing was read where nobody was reached, unless another page has led there', async () => {
  const { serve, fetch: read, origin } = await quickWebFetchSetting();
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  const failed = await read({ url: nobody });
  expect(failed).toEqual(errorSaying('takes no connections'));
  expect(failed.untrusted).toBeUndefined();
  serve('/away', { status: 302, headers: { location: nobody } });
  const led = await read({ url: `${origin}/away` });
  expect(led).toEqual(errorSaying('takes no connections'));
  expect(led.untrusted).toBe('127.0.0.1');
});
