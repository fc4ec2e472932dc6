import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { innermostError, wasNeverSent } from '../../../src/lib/http.ts';
import { certificateWords, trustCertificates } from '../../../src/lib/network/certificates/certificates.ts';
import { certificateFaultWords } from '../../../src/lib/network/certificates/words.ts';
import { connectionFault } from '../../../src/lib/network/connection-fault.ts';
import { languages } from '../../../src/lib/words.ts';
import { ModelError } from '../../../src/models/language-model.ts';
import { openModels } from '../../../src/models/open-models.ts';
import { modelWords } from '../../../src/models/words.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { type TestCertificate, tlsFile, tlsServer } from '../../support/tls-server.ts';

afterEach(() => trustCertificates([]));

async function withServer<Result>(
  certificate: TestCertificate | 'none',
  work: (url: string, asked: () => number) => Promise<Result>,
): Promise<Result> {
  let asked = 0;
  const server = certificate === 'none' ? createServer() : tlsServer(certificate, (_, response) => response.end('yes'));
  server.on('connection', () => {
    asked += 1;
  });
  const port = await listenOnLoopback(server);
  try {
    return await work(`https://localhost:${port}/v1`, () => asked);
  } finally {
    await closeServer(server);
  }
}

type Fault = keyof typeof certificateFaultWords.en;

const cases: readonly (readonly [TestCertificate | 'none', trusted: readonly string[], Fault, code: RegExp])[] = [
  ['company', [], 'unknownAuthority', /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/],
  ['company', ['other-authority.pem'], 'unknownAuthority', /^UNABLE_TO_/],
  ['own', [], 'selfSigned', /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  ['expired', ['authority.pem'], 'expired', /^CERT_HAS_EXPIRED$/],
  ['future', ['authority.pem'], 'notYetValid', /^CERT_NOT_YET_VALID$/],
  ['other-name', ['authority.pem'], 'otherName', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['none', [], 'notHttps', /^ERR_SSL_[A-Z_]+$/],
];

/** The code in the brackets of the words. */
function codeIn(words = ''): string {
  return /\(([A-Z_]+)\)/.exec(words)?.[1] ?? '';
}

describe.each(cases)('the certificate "%s", with %j trusted', (certificate, trusted, key, pattern) => {
  test('is named by what fetch, and what a client of Node, fail with', async () => {
    trustCertificates(trusted.map(tlsFile));
    await withServer(certificate, async (url) => {
      const byFetch: unknown = await fetch(url).catch((error: unknown) => error);
      const byNode = await new Promise((resolve) => httpsRequest(url, resolve).on('error', resolve).end());
      for (const error of [byFetch, byNode]) {
        const fault = connectionFault(error, 'llm.example');
        const code = codeIn(fault?.wordsIn('en'));
        expect(code).toMatch(pattern);
        expect(fault?.wordsIn('en')).toBe(certificateFaultWords.en[key]({ place: 'llm.example', code }));
        expect(fault?.wordsIn('zh')).toBe(certificateFaultWords.zh[key]({ place: 'llm.example', code }));
        expect(fault?.isFinal).toBe(true);
        expect(wasNeverSent(innermostError(error))).toBe(true);
      }
    });
  });

  test('fails a model at once, with what to do', async () => {
    trustCertificates(trusted.map(tlsFile));
    await withServer(certificate, async (url, asked) => {
      // Its server is not asked what it can.
      const main = { key: 'main', provider: 'google', name: 'm', apiKey: 'k', baseUrl: url } as const;
      const { log } = new RecordingHost();
      const models = await openModels(
        { defaultName: 'main', models: new Map([['main', main]]) },
        { clock: systemClock, log },
      );
      const request = {
        system: '',
        messages: [{ role: 'user', text: '你好' } as const],
        tools: [],
        signal: new AbortController().signal,
      };
      const failure: unknown = await models
        .of(undefined)
        .stream(request)
        [Symbol.asyncIterator]()
        .next()
        .catch((error: unknown) => error);
      if (!(failure instanceof ModelError)) throw new Error('it did not fail');
      expect(failure.fault).toBe('unavailable');
      const refused = { place: new URL(url).host, code: codeIn(failure.message) };
      for (const language of languages) {
        const told = certificateFaultWords[language][key](refused);
        expect(failure.wordsIn(language)).toBe(modelWords[language].unreachable({ modelKey: 'main', told }));
      }
      expect(asked()).toBe(1);
    });
  });
});

test('what is trusted is trusted by every client, beside the usual, and no longer once it is not named', async () => {
  await withServer('company', async (url) => {
    trustCertificates([tlsFile('other-authority.pem'), tlsFile('authority.pem')]);
    expect(await fetch(url).then((answer) => answer.text())).toBe('yes');
    const status = await new Promise((resolve, reject) =>
      httpsRequest(url, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end(),
    );
    expect(status).toBe(200);
    trustCertificates([]);
    await expect(
      new Promise((_, reject) => httpsRequest(url, { agent: false }).on('error', reject).end()),
    ).rejects.toThrow(/certificate/);
  });
});

test.each([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
])('%s has words of its own', (code) => {
  const words = certificateWords({ name: 'Error', code, message: '' }, 'llm.example')?.('en');
  expect(words).toContain(`(${code})`);
  expect(words).toContain('llm.example');
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPROTO', undefined])(
  '%s is about something else',
  (code) => {
    expect(certificateWords({ name: 'Error', code, message: '' }, 'llm.example')).toBeUndefined();
  },
);
