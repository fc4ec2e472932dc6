import { expect, test } from 'vitest';
import { networkRules } from '../../../../src/tools/guard/network/network-rules.ts';
import { ask, clientWith, hasIpv6, homeServer } from './network-setting.ts';

/** Spellings that lead to this machine: by their text, or because every name does. */
const home: readonly string[] = [
  ...`http://127.0.0.1:{port}/ http://127.0.0.1.:{port}/ http://127.1:{port}/ HTTP://0177.1:{port}/
    HTTP://127.000.000.001:{port}/ http://127.0.1:{port}/ http://2130706433:{port}/ http://0x7f000001:{port}/
    http://0x7f.1:{port}/ http://0x7f.0x0.0x0.0x1:{port}/ http://0X7F.0.0.1:{port}/ http://0177.0.0.1:{port}/
    http://0177.0.0.01:{port}/ http://017700000001:{port}/ http://0177.0x0.0.1:{port}/
    http://127.0.0.0x1:{port}/ http://%31%32%37.0.0.1:{port}/ http://127%2e0%2e0%2e1:{port}/
    http://１２７.０.０.１:{port}/ http://①②⑦.⓪.⓪.①:{port}/ http://127。0。0。1:{port}/ http://127．0．0．1:{port}/
    http:127.0.0.1:{port}/ http:////127.0.0.1:{port}/ http://0.0.0.0:{port}/ http://0:{port}/ http://0x0:{port}/
    http://[::1]:{port}/ http://[0:0:0:0:0:0:0:1]:{port}/ http://[0000::0001]:{port}/ http://[::]:{port}/
    http://[::ffff:127.0.0.1]:{port}/ http://[::ffff:7f00:1]:{port}/ http://[0:0:0:0:0:ffff:7f00:0001]:{port}/
    http://[::FFFF:0.0.0.0]:{port}/ http://localhost:{port}/ http://LOCALHOST:{port}/ http://localhost.:{port}/
    http://localhost..:{port}/ http://%6cocalhost:{port}/ http://ｌｏｃａｌｈｏｓｔ:{port}/ http://a.b.localhost:{port}/
    http://localhost.localdomain:{port}/ http://nas.local:{port}/ http://NAS.Local.:{port}/
    http://vault.internal:{port}/ http://router.home.arpa:{port}/ http://router:{port}/
    http://ip6-loopback:{port}/ http://127.0.0.1.nip.example:{port}/ http://7f000001.rebind.example:{port}/
    http://www.example.com:{port}/ http://metadata.google.internal:{port}/computeMetadata/v1/
    http://metadata:{port}/ http://instance-data:{port}/latest/meta-data/`.split(/\s+/),
  'http:\\\\127.0.0.1:{port}\\',
  ' http://127.0.0.1:{port}/',
  'ht\ntp://127.0.0.1:{port}/',
  'http://127.0.\t0.1:{port}/',
  'http://loc\u00adalhost:{port}/',
  'http://www.example.com:{port}\\@127.0.0.1/',
];

/** Addresses elsewhere that are nobody's, the own network's, or a way around to one. */
const elsewhere: readonly string[] =
  `http://127.8.9.10/ http://127.255.255.254/ http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/
    http://172.31.255.254/ http://192.168.1.1/ http://3232235777/ http://169.254.169.254/latest/meta-data/
    http://0xa9fea9fe/ http://0251.0376.0251.0376/ http://169.254.170.2/v2/credentials
    http://100.100.100.200/latest/meta-data/ http://168.63.129.16/ http://100.64.0.1/ http://100.127.255.254/
    http://0.1.2.3/ http://192.0.0.1/ http://192.0.2.1/ http://192.88.99.1/ http://198.18.0.1/
    http://198.51.100.1/ http://203.0.113.1/ http://224.0.0.1/ http://239.255.255.250:1900/ http://240.0.0.1/
    http://255.255.255.255/ http://[fe80::1]/ http://[febf::1]/ http://[fec0::1]/ http://[fc00::1]/
    http://[fd00:ec2::254]/ http://[fdff::1]/ http://[ff02::1]/ http://[100::1]/ http://[2001:db8::1]/
    http://[3fff::1]/ http://[5f00::1]/ http://[4000::1]/ http://[::127.0.0.1]/ http://[::10.0.0.1]/
    http://[::ffff:0:127.0.0.1]/ http://[::ffff:169.254.169.254]/ http://[64:ff9b::127.0.0.1]/
    http://[64:ff9b::a9fe:a9fe]/ http://[64:ff9b:1::a00:1]/ http://[2002:7f00:1::]/ http://[2002:a9fe:a9fe::]/
    http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/ http://[2600:1:2:3::5efe:7f00:1]/
    http://[2600:1:2:3:200:5efe:a00:1]/`.split(/\s+/);

const everything = ['0.0.0.0/0', '::/0', 'metadata', 'metadata.google.internal', 'instance-data'];

test(`${home.length} spellings that lead to this machine open no connection`, async () => {
  const server = await homeServer((_, response) => response.end('secret'));
  const client = clientWith();
  for (const url of home) {
    await expect(ask(client, url.replace('{port}', `${server.port}`)), url).rejects.toMatchObject({ name: 'WebError' });
  }
  expect(server.connections()).toBe(0);
});

test('each way into the private network works without the guard', async () => {
  const server = await homeServer((_, response) => response.end('secret'));
  const client = clientWith({ allowPrivate: everything });
  const closed: string[] = [];
  const possible = home.filter((url) => hasIpv6() || !url.includes('['));
  for (const url of possible) {
    await ask(client, url.replace('{port}', `${server.port}`)).catch(() => closed.push(url));
  }
  expect(closed).toEqual([]);
  expect(server.connections()).toBeGreaterThanOrEqual(possible.length);
});

test(`${elsewhere.length} addresses of no public host are refused by their text, and as what a name leads to`, async () => {
  const rules = networkRules([]);
  for (const text of elsewhere) {
    expect(rules.refuse(text), text).toMatch(/so tools do not connect to it/);
    const address = new URL(text).hostname.replace(/^\[|\]$/g, '');
    expect(rules.permits(new URL('http://www.example.com/'), address), address).toBe(false);
  }
});

test('what no approval can open is known from the URL alone, before anyone is asked', () => {
  const rules = networkRules([]);
  const known = home.filter((url) => rules.refuse(url.replace('{port}', '8080')) !== undefined);
  expect(known.length).toBe(home.length - 6);
  expect(rules.refuse('not a URL')).toMatch(/is no complete URL, such as/);
  expect(rules.refuse('/page')).toMatch(/is no complete URL/);
  for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'data:text/plain,a', 'javascript:1', 'gopher://a/']) {
    expect(rules.refuse(url), url).toMatch(/Only http and https/);
  }
  expect(rules.refuse('http://a@example.com/')).toMatch(/before an "@"/);
  expect(rules.refuse('http://:b@example.com/')).toMatch(/before an "@"/);
});

test('public hosts pass, whatever they look like', () => {
  const rules = networkRules([]);
  for (const url of `https://example.com/ http://example.com:8080/a?b=127.0.0.1#localhost https://1.1.1.1/
      https://[2606:4700:4700::1111]/ https://[::ffff:8.8.8.8]/ https://localhost.example.com/
      https://internal.example.com/ https://mylocal/ https://bücher.example/`.split(/\s+/)) {
    expect(rules.refuse(url), url).toBeUndefined();
  }
  for (const address of `8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 11.0.0.1 2a00:1450::1 2606:4700::1`.split(/\s+/)) {
    expect(rules.permits(new URL('http://example.com/'), address), address).toBe(true);
  }
});

test('ports of services other than the web are refused', () => {
  const rules = networkRules(['mail.example.com:25']);
  for (const port of [1, 21, 22, 23, 25, 110, 143, 389, 445, 465, 587, 993]) {
    expect(rules.refuse(`http://example.com:${port}/`), `${port}`).toMatch(/belongs to another service/);
  }
  for (const port of [80, 443, 1024, 3000, 8080, 8443, 65_535]) {
    expect(rules.refuse(`http://example.com:${port}/`), `${port}`).toBeUndefined();
  }
  expect(rules.refuse('http://mail.example.com:25/')).toBeUndefined();
  expect(rules.refuse('http://mail.example.com:26/')).toMatch(/belongs to another service/);
});
