import { describe, expect, test } from 'vitest';
import { content, quickWebFetchSetting } from './web-fetch-setting.ts';

const refresh = (value: string): string => `<meta http-equiv="refresh" content="${value}"><p>Moved.`;

describe('a page that leads on by itself', () => {
  test.each([
    ['0; url=/next'],
    ['0;url=/next'],
    ['0; URL=next'],
    ['0;URL=&#39;/next&#39;'],
    ["0;URL='/next'"],
    ['0, url=/next'],
    ['0 url=/next'],
    ['0;/next'],
    ['  3 ;  url = /next  '],
    ['0.5; url=/next'],
    ['5;url=HOST/next'],
    ['0;url=&quot;/next&quot;'],
    ['1;url=//127.0.0.1:PORT/next'],
    ['0;url=/next#part'],
    ["0;url='/next' and more"],
    ['10;url=./next'],
  ])('is followed: %s', async (value) => {
    const { fetch, serve, origin } = await quickWebFetchSetting();
    const given = value.replace('HOST', origin).replace('PORT', new URL(origin).port);
    serve('/', { body: refresh(given) });
    serve('/next', { body: '<p>Here it is.' });
    const output = await fetch({ url: `${origin}/` });
    expect(content(output)).toBe('Here it is.');
    expect(output.forLlm.split('\n')[0]).toContain(`${origin}/next`);
    expect(output.untrusted).toBe('127.0.0.1');
  });

  test.each([
    ['<html><head><META content="0; url=/next" http-equiv="REFRESH"></head></html>'],
    ['<noscript><meta http-equiv=refresh content="0;url=/next"></noscript><script>go()</script>'],
    ['<!-- <meta http-equiv=refresh content="0;url=/other"> --><meta http-equiv=Refresh content="0;url=/next">'],
    ['<meta http-equiv="refresh" content="30"><meta http-equiv="refresh" content="0;url=/next">'],
  ])('is followed wherever that stands: %s', async (body) => {
    const { fetch, serve, origin } = await quickWebFetchSetting();
    serve('/', { body });
    serve('/next', { body: '<p>Here it is.' });
    expect(content(await fetch({ url: `${origin}/` }))).toBe('Here it is.');
  });

  test.each([
    ['30'],
    ['0'],
    [''],
    ['0;url='],
    ['0;url=/'],
    ['0;url=#top'],
    ['0;url=javascript:go()'],
    ['0;url=data:text/html,<p>x'],
    ['0;url=mailto:a@b.example'],
    ['x;url=/next'],
  ])('is read itself if it leads to no other page: %s', async (value) => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting();
    serve('/', { body: refresh(value) });
    expect(content(await fetch({ url: `${origin}/` }))).toBe('Moved.');
    expect(asked).toEqual(['/']);
  });

  test('is followed twice and not in a circle; then the next address is named', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting();
    for (const [from, to] of [
      ['/1', '/2'],
      ['/2', '/3'],
      ['/3', '/4'],
      ['/a', '/b'],
      ['/b', '/a'],
    ] as const)
      serve(from, { body: refresh(`0;url=${to}`) });
    expect((await fetch({ url: `${origin}/1` })).forLlm).toContain(`leads on to ${origin}/4: read that.`);
    expect((await fetch({ url: `${origin}/a` })).forLlm).toContain(`leads on to ${origin}/a: read that.`);
    expect(asked).toEqual(['/1', '/2', '/3', '/a', '/b']);
  });

  test('is followed neither into the own network nor from a trusted host to others, and says so', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting({ trustedDomains: ['127.0.0.1'] });
    serve('/private', { body: refresh('0;url=http://192.168.0.1/router') });
    serve('/port', { body: refresh('0;url=http://example.com:25/') });
    serve('/login', { body: refresh('0;url=http://ada:secret@example.com/') });
    serve('/away', { body: refresh(`0;url=${origin.replace('127.0.0.1', 'localhost')}/there`) });
    const read = async (path: string) => (await fetch({ url: `${origin}${path}` })).forLlm;
    expect(await read('/private')).toMatch(
      /leads on to http:\/\/192\.168\.0\.1\/router.*without success.*private network/,
    );
    expect(await read('/port')).toMatch(/without success.*Port 25/);
    expect(await read('/login')).toMatch(/without success.*password/);
    expect(await read('/away')).toMatch(/without success.*no host that the operator trusts/);
    expect(asked).not.toContain('/there');
  });

  test('by a stranger, chooses what a trusted host says', async () => {
    const { fetch, serve, origin } = await quickWebFetchSetting({ trustedDomains: ['127.0.0.1'] });
    serve('/go', { body: refresh(`0;url=${origin}/?obey=me`) });
    serve('/?obey=me', { body: '<p>You said: obey me' });
    const output = await fetch({ url: `${origin.replace('127.0.0.1', 'localhost')}/go` });
    expect(content(output)).toBe('You said: obey me');
    expect(output.untrusted).toBe('localhost');
  });

  test('is read itself if it has a text, or leads on late', async () => {
    const { fetch, serve, origin, asked } = await quickWebFetchSetting();
    serve('/long', {
      body: `<meta http-equiv=refresh content="0;url=/next"><p>${'The harbour was built in 1874. '.repeat(20)}`,
    });
    serve('/late', { body: refresh('11;url=/next') });
    expect(content(await fetch({ url: `${origin}/long` }))).toMatch(/^The harbour/);
    expect((await fetch({ url: `${origin}/late` })).forLlm).toContain(`leads on to ${origin}/next: read that.`);
    expect(asked).toEqual(['/long', '/late']);
  });

  test('leads to what is missing there, and to documents', async () => {
    const { fetch, serve, origin } = await quickWebFetchSetting();
    serve('/', { body: refresh('0;url=/gone') });
    serve('/data', { body: refresh('0;url=/data.json') });
    serve('/data.json', { body: '{"a":1}', type: 'application/json' });
    expect((await fetch({ url: `${origin}/` })).forLlm).toContain('/gone answered with status 404');
    expect(content(await fetch({ url: `${origin}/data` }))).toBe('{"a":1}');
  });
});
