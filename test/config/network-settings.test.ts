import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { configWords } from '../../src/config/words.ts';
import { proxyPhrases } from '../../src/lib/settings/words.ts';
import { wordsIn } from '../../src/lib/words.ts';
import { tlsFile } from '../support/tls-server.ts';
import { faultsOf, loadText, type Surroundings } from './load-text.ts';

const authority = tlsFile('authority.pem');
const other = tlsFile('other-authority.pem');

const variable = (name: string): string => `\${${name}}`;

/** With these files beside the config. */
const withFiles = (files: Readonly<Record<string, string>>, around: Surroundings = {}): Surroundings => ({
  ...around,
  files,
});

test.each([
  [
    '"htp://ada:hunter22@p:1"',
    /^config\.json:1:\d+ {2}network\.proxy: "htp" is no kind of proxy\. Did you mean "http"/,
  ],
  ['"http://ada:hunter22@proxy.example"', /network\.proxy: it lacks the port/],
  ['"127.0.0.1:7890"', /network\.proxy: it lacks what the proxy speaks\. Write it as "http:\/\/host:port"/],
  ['"socks4://p:1"', /network\.proxy: SOCKS 4 is not supported/],
  ['"http://ada:hunter22/@p:1"', /network\.proxy: .*percent-encoded/],
  ['""', /network\.proxy: it lacks what the proxy speaks/],
  ['8080', /network\.proxy: /],
  ['true', /network\.proxy: /],
  ['{"host":"p"}', /network\.proxy: /],
  [`"${variable('NO_SUCH_PROXY')}"`, /network\.proxy: the variable NO_SUCH_PROXY is not set/],
])('network.proxy %s is refused with its place, and without its password', async (written, words) => {
  const fault = await faultsOf(`{"network":{"proxy":${written}}}`);
  expect(fault).toMatch(words);
  expect(fault.split('\n')).toHaveLength(1);
  expect(fault).not.toContain('hunter22');
});

test('a key that is misspelt is answered with the nearest one', async () => {
  expect(await faultsOf('{"network":{"proxi":"http://p:1"}}')).toMatch(/network\.proxi: .*proxy/);
  expect(await faultsOf('{"network":{"ca":"x"}}')).toMatch(/network\.ca: /);
});

test.each(['HTTPS_PROXY', 'http_proxy', 'ALL_PROXY'])('%s that cannot be used is refused by its name', async (name) => {
  const fault = await faultsOf('{}', { env: { [name]: 'htp://ada:hunter22@p:1' } });
  const unknown = proxyPhrases.en.unknownScheme({ name: 'htp', meant: 'http' });
  expect(fault).toBe(configWords.en.badVariable({ name, fault: unknown }));
  expect(fault).not.toContain('hunter22');
  const loaded = await loadText('{"network":{"proxy":"none"}}', { env: { [name]: 'htp://p:1' } });
  expect(loaded.network.proxies).toEqual({});
});

test('.env may hold the proxy, and the config may name it', async () => {
  const envFile = 'HTTPS_PROXY=http://ada:hunter22@p:1\nNO_PROXY=a.example\nMINE=socks5h://ada:hunter33@q:2';
  const fromFile = await loadText('{}', { envFile });
  expect(fromFile.network.proxies).toMatchObject({ https: { host: 'p', port: 1 }, exceptions: ['a.example'] });
  const named = await loadText(`{"network":{"proxy":"${variable('MINE')}"}}`, { envFile });
  expect(named.network.proxies).toMatchObject({ http: { scheme: 'socks5', host: 'q', port: 2 } });
  expect(named.secrets).toEqual(expect.arrayContaining(['hunter33', Buffer.from('ada:hunter33').toString('base64')]));
});

test('certificates that Node brings itself are no more than usual', async () => {
  const bundle = [...rootCertificates.slice(0, 3), authority].join('\n').replaceAll('\n', '\r\n');
  const around = withFiles({ '/etc/bundle.pem': bundle }, { env: { SSL_CERT_FILE: '/etc/bundle.pem' } });
  const { network } = await loadText('{}', around);
  expect(network.certificates.map((pem) => pem.replaceAll('\r', ''))).toEqual([authority.trim()]);
});

test('certificates come from the config and from the variables of other programs, each once', async () => {
  const files = { 'ca.pem': `a comment\n${authority}\n${other}`, '/etc/extra.pem': authority };
  const around = withFiles(files, { env: { SSL_CERT_FILE: '/etc/extra.pem', NODE_EXTRA_CA_CERTS: '/etc/extra.pem' } });
  const { network, warnings } = await loadText('{"network":{"ca_file":"./ca.pem"}}', around);
  expect(network.certificates).toEqual([authority.trim(), other.trim()]);
  expect(warnings).toEqual([]);
});

test.each([
  ['is missing', undefined, /there is no such file/],
  ['is empty', '', /holds no certificate in PEM form/],
  ['is no PEM', '\u0000\u0001binary', /holds no certificate in PEM form.*openssl x509/],
  ['is a key', tlsFile('server.key'), /holds a private key and no certificate/],
  ['is damaged', authority.replace(/.{20}\n-----END/, '\n-----END'), /certificate 1 of 1 in it is damaged/],
  [
    'has a damaged second certificate',
    `${authority}${other.replace(/\n.{20}/, '\nAAAA')}`,
    /certificate 2 of 2 in it is damaged/,
  ],
])('a ca_file that %s is a fault with its place', async (_what, content, words) => {
  const around = content === undefined ? {} : withFiles({ 'ca.pem': content });
  const fault = await faultsOf('{\n  "network": {\n    "ca_file": "ca.pem"\n  }\n}', around);
  expect(fault).toMatch(/^config\.json:3:16 {2}network\.ca_file: /);
  expect(fault).toMatch(words);
});

test.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
  'a file that %s names and that cannot be used is warned of',
  async (name) => {
    const { network, warnings } = await loadText('{}', { env: { [name]: '/etc/none.pem' } });
    expect(network.certificates).toEqual([]);
    const said = warnings.map((warning) => wordsIn('en', warning));
    const fault = configWords.en.noSuchFile;
    expect(said).toEqual([configWords.en.variableIdle({ name, path: '/etc/none.pem', fault })]);
  },
);
