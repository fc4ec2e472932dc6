import { describe, expect, test } from 'vitest';
import {
  parseProxy,
  proxyFinder,
  proxySecrets,
  proxySettings,
  proxyWords,
} from '../../../src/lib/network/proxy-settings.ts';
import { proxyPhrases } from '../../../src/lib/settings/words.ts';

type Environment = Readonly<Record<string, string>>;

/** The address of the proxy to each URL, or "direct". */
function ways(environment: Environment, urls: readonly string[], written?: string | false): readonly string[] {
  const find = proxyFinder(proxySettings(written, environment).settings);
  return urls.map((url) => {
    const proxy = find(new URL(url));
    return proxy === undefined ? 'direct' : `${proxy.scheme} ${proxy.host}:${proxy.port} ${proxy.source}`;
  });
}

const [plain, secure] = ['http://a.example/', 'https://a.example/'];

test.each<[why: string, Environment, written: string | false | undefined, http: string, https: string]>([
  ['nothing is set', {}, undefined, 'direct', 'direct'],
  ['one for http', { HTTP_PROXY: 'http://p:1' }, undefined, 'http p:1 HTTP_PROXY', 'direct'],
  ['one for https', { HTTPS_PROXY: 'http://p:2' }, undefined, 'direct', 'http p:2 HTTPS_PROXY'],
  ['one for all', { ALL_PROXY: 'socks5://p:3' }, undefined, 'socks5 p:3 ALL_PROXY', 'socks5 p:3 ALL_PROXY'],
  [
    'one for all, and another for https',
    { all_proxy: 'socks5h://p:3', https_proxy: 'https://p:4' },
    undefined,
    'socks5 p:3 all_proxy',
    'https p:4 https_proxy',
  ],
  [
    'lower case wins',
    { http_proxy: 'http://low:1', HTTP_PROXY: 'http://up:1', https_proxy: 'http://low:2', HTTPS_PROXY: 'http://up:2' },
    undefined,
    'http low:1 http_proxy',
    'http low:2 https_proxy',
  ],
  [
    'lower case wins for all',
    { all_proxy: 'http://low:1', ALL_PROXY: 'http://up:1' },
    undefined,
    'http low:1 all_proxy',
    'http low:1 all_proxy',
  ],
  [
    'an empty one is not set',
    { http_proxy: '  ', HTTP_PROXY: 'http://up:1' },
    undefined,
    'http up:1 HTTP_PROXY',
    'direct',
  ],
  [
    'without a scheme',
    { HTTPS_PROXY: 'proxy.example:8080' },
    undefined,
    'direct',
    'http proxy.example:8080 HTTPS_PROXY',
  ],
  [
    'without a port',
    { HTTPS_PROXY: 'http://proxy.example', HTTP_PROXY: 'https://proxy.example/' },
    undefined,
    'https proxy.example:443 HTTP_PROXY',
    'http proxy.example:80 HTTPS_PROXY',
  ],
  [
    'as desktops write it',
    { ALL_PROXY: 'socks://127.0.0.1:7891/' },
    undefined,
    'socks5 127.0.0.1:7891 ALL_PROXY',
    'socks5 127.0.0.1:7891 ALL_PROXY',
  ],
  [
    'the config before the environment',
    { HTTPS_PROXY: 'http://p:1', http_proxy: 'http://p:2' },
    'http://[::1]:7890',
    'http ::1:7890 network.proxy',
    'http ::1:7890 network.proxy',
  ],
  ['the config says none', { ALL_PROXY: 'http://p:1' }, 'none', 'direct', 'direct'],
  ['the config says None', { ALL_PROXY: 'http://p:1' }, 'None', 'direct', 'direct'],
  ['the config says false', { ALL_PROXY: 'http://p:1' }, false, 'direct', 'direct'],
])('%s', (_why, environment, written, http, https) => {
  expect(ways(environment, [plain, secure, 'ws://a.example/', 'wss://a.example/'], written)).toEqual([
    http,
    https,
    http,
    https,
  ]);
});

const proxied = 'http p:1 ALL_PROXY';

test.each([
  'http://localhost:11434/v1',
  'http://LOCALHOST./',
  'http://api.localhost/',
  'https://127.0.0.1/',
  'http://127.8.9.1:80/',
  'http://[::1]:8080/',
  'http://0.0.0.0:8080/',
  'http://[::ffff:127.0.0.1]/',
])('this machine is reached directly, whatever NO_PROXY says: %s', (url) => {
  expect(ways({ ALL_PROXY: 'http://p:1' }, [url])).toEqual(['direct']);
  expect(ways({ ALL_PROXY: 'http://p:1', NO_PROXY: 'other.example' }, [url])).toEqual(['direct']);
});

test.each([
  ...[
    'http://10.1.2.3/',
    'http://192.168.1.7:11434/v1',
    'http://172.16.0.1/',
    'http://169.254.1.1/',
    'http://100.64.0.1/',
  ],
  ...['http://[fd00::1]/', 'http://[fe80::1]/', 'http://ollama:11434/v1', 'http://nas.local/', 'http://git.corp/'],
  ...['http://router.lan/', 'http://db.internal/', 'http://x.home.arpa/', 'https://wiki.intranet/'],
])('private hosts are reached directly unless NO_PROXY says what is: %s', (url) => {
  expect(ways({ ALL_PROXY: 'http://p:1' }, [url])).toEqual(['direct']);
  expect(ways({ ALL_PROXY: 'http://p:1', NO_PROXY: 'localhost' }, [url])).toEqual([proxied]);
});

test.each([
  'http://172.32.0.1/',
  'http://11.0.0.1/',
  'http://[2001:db8::1]/',
  'http://local.example/',
  'http://a.corporation/',
])('hosts that NO_PROXY does not name are reached through the proxy: %s', (url) =>
  expect(ways({ ALL_PROXY: 'http://p:1' }, [url])).toEqual([proxied]),
);

test.each<[noProxy: string, excepted: readonly string[], others: readonly string[]]>([
  ['*', ['http://a.example/', 'https://10.0.0.1/', 'http://[2001:db8::1]/'], []],
  [
    'example.com',
    ['http://example.com/', 'http://EXAMPLE.com./', 'https://www.example.com/'],
    ['http://notexample.com/', 'http://example.com.evil.test/'],
  ],
  ['.example.com', ['http://example.com/', 'https://a.b.example.com/'], ['http://badexample.com/']],
  ['*.example.com', ['https://a.b.example.com/'], ['http://example.org/']],
  ['Example.COM.', ['http://example.com/'], []],
  [
    'example.com:8080',
    ['http://example.com:8080/', 'http://a.example.com:8080/'],
    ['http://example.com/', 'https://example.com/'],
  ],
  ['example.com:443', ['https://example.com/', 'wss://example.com/'], ['http://example.com/']],
  ['*:8080', ['http://a.example:8080/'], ['http://a.example/']],
  ['10.0.0.0/8', ['http://10.255.0.1/', 'https://10.0.0.1:9/'], ['http://11.0.0.1/', 'http://a.example/']],
  ['192.168.1.7', ['http://192.168.1.7/'], ['http://192.168.1.70/', 'http://1.192.168.1.7.example/']],
  ['192.168.1.7:8080', ['http://192.168.1.7:8080/'], ['http://192.168.1.7/']],
  ['0.0.1', [], ['http://10.0.0.1/']],
  ['192.168.*', ['http://192.168.1.7:8080/'], ['http://192.16.8.1/', 'http://192.168.a.example/']],
  ['172.16.*.*', ['http://172.16.0.1/'], ['http://172.160.0.1/']],
  ['10.*;<local>', ['http://10.1.2.3/', 'http://nas:11434/'], ['http://100.1.2.3/', 'http://nas.example/']],
  ['"a.example"', ['http://a.example/'], ['http://b.example/']],
  ['fd00::/8', ['http://[fd12::1]/'], ['http://[2001:db8::1]/']],
  ['2001:db8::1', ['http://[2001:db8:0::1]/', 'http://[2001:db8::1]:9/'], ['http://[2001:db8::2]/']],
  ['[2001:db8::1]', ['http://[2001:db8::1]/'], ['http://[2001:db8::2]/']],
  ['[2001:db8::1]:8080', ['http://[2001:db8::1]:8080/'], ['http://[2001:db8::1]/']],
  [
    'a.example, b.example  c.example,,',
    ['http://a.example/', 'http://b.example/', 'http://c.example/'],
    ['http://d.example/'],
  ],
  ['bücher.example', ['http://xn--bcher-kva.example/', 'http://bücher.example/'], ['http://bucher.example/']],
  ['10.0.0.0/99', [], ['http://10.0.0.1/']],
])('NO_PROXY %s', (noProxy, excepted, others) => {
  const environment = { ALL_PROXY: 'http://p:1', no_proxy: noProxy, NO_PROXY: 'ignored.example' };
  expect(ways(environment, excepted)).toEqual(excepted.map(() => 'direct'));
  expect(ways(environment, others)).toEqual(others.map(() => proxied));
  expect(ways(environment, excepted, 'http://q:2')).toEqual(excepted.map(() => 'direct'));
});

test('the quotes that a file of variables keeps belong to no proxy', () => {
  const { settings, faults } = proxySettings(undefined, { HTTPS_PROXY: '"http://p:1"', HTTP_PROXY: "'http://p:1'" });
  expect([settings.https?.host, settings.http?.port, faults]).toEqual(['p', 1, []]);
});

test('a port alone is no proxy', () => {
  const { faults } = proxySettings(undefined, { HTTPS_PROXY: '7890' });
  expect(faults.map(({ source, text }) => [source, text('en')])).toEqual([['HTTPS_PROXY', proxyPhrases.en.lacksHost]]);
});

describe('the URL of a proxy', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['http://ada@p:1', 'ada', undefined],
    ['http://ada:secret@p:1', 'ada', 'secret'],
    ['http://ada:p%40ss%3A%2Fw%25rd@p:1', 'ada', 'p@ss:/w%rd'],
    ['http://DOM%5Cada:p@ss@p:1', 'DOM\\ada', 'p@ss'],
    ['socks5h://%E5%BC%A0:%E5%AF%86%E7%A0%81@p:1', '张', '密码'],
    ['http://:secret@p:1', undefined, 'secret'],
  ])('%s has its name and password decoded', (url, username, password) => {
    expect(parseProxy(url, 'network.proxy')).toMatchObject({
      host: 'p',
      port: 1,
      ...(username && { username }),
      ...(password && { password }),
    });
  });

  test.each([
    ['127.0.0.1:7890', /lacks what the proxy speaks.*"http:\/\/host:port"/],
    ['htp://p:1', /"htp" is no kind of proxy\. Did you mean "http"/],
    ['socks6://p:1', /"socks6" is no kind of proxy/],
    ['socks4://p:1', /SOCKS 4 is not supported/],
    ['http://p', /lacks the port/],
    ['http://p:0', /lacks the port/],
    ['http://p:', /lacks the port/],
    ['http://ada:hunter22@p', /lacks the port/],
    ['http://p:70000', /from 1 to 65535/],
    ['http://p:1/path', /nothing may follow the port/],
    ['http://p:1?x', /nothing may follow the port/],
    ['http://ada:hunter22#x@p:1', /percent-encoded/],
    ['http://ada:hunter22/x@p:1', /percent-encoded/],
    ['http://ada:hunter22%zz@p:1', /"%" in its name or password must be written as "%25"/],
    ['http://:1', /no complete address/],
    ['http://p p:1', /no complete address/],
    ['http://', /no complete address/],
    ['', /lacks what the proxy speaks/],
    ['hunter22://ada@p:1', /is no kind of proxy/],
  ])('%s is refused, with what is wrong', (url, words) => {
    const fault = parseProxy(url, 'network.proxy');
    const said = typeof fault === 'function' ? fault('en') : '';
    expect(said).toMatch(words);
    if (!url.startsWith('hunter22')) expect(said).not.toContain('hunter22');
  });

  test('is a fault of its variable, once', () => {
    const { settings, faults } = proxySettings(undefined, { ALL_PROXY: 'htp://p:1' });
    expect(settings).toMatchObject({ http: undefined, https: undefined });
    expect(faults.map(({ source, text }) => [source, text('en')])).toEqual([
      ['ALL_PROXY', proxyPhrases.en.unknownScheme({ name: 'htp', meant: 'http' })],
    ]);
  });
});

test.each<[Environment, string | undefined]>([
  [{}, undefined],
  [{ NO_PROXY: 'a' }, undefined],
  [{ ALL_PROXY: 'http://ada:secret@p:1' }, 'http://p:1 (ALL_PROXY); not for this machine and private hosts'],
  [
    { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1', NO_PROXY: 'a,b' },
    'http://p:1 (HTTPS_PROXY); not for this machine, a, b',
  ],
  [
    { HTTPS_PROXY: 'socks5://[::1]:1', HTTP_PROXY: 'http://p:2' },
    'socks5://[::1]:1 (HTTPS_PROXY) for https, http://p:2 (HTTP_PROXY) for http; not for this machine and private hosts',
  ],
  [
    { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a,b,c,d,e,f,g,h,i,j' },
    'http://p:1 (HTTPS_PROXY) for https; not for this machine, a, b, c, d, e, f, g, h …',
  ],
])('people read of %o: %s', (environment, words) => {
  expect(proxyWords(proxySettings(undefined, environment).settings)).toBe(words);
});

test('a password is a secret in each form in which it is written', () => {
  const { settings } = proxySettings('http://ada:p%40ss@p:1', {});
  expect(proxySecrets(settings)).toEqual(['p@ss', 'p%40ss', Buffer.from('ada:p@ss').toString('base64')]);
});
