import { expect, test } from 'vitest';
import { serverWords } from '../../../src/cli/doctor/servers/words.ts';
import { doctorWords } from '../../../src/cli/doctor/words.ts';
import { certificateFaultWords } from '../../../src/lib/network/certificates/words.ts';
import type { Language } from '../../../src/lib/words.ts';
import type { TestCertificate } from '../../support/tls-server.ts';
import { type Answers, type Expected, examine, model, type Row, type Setup, testRows } from './setups.ts';

const name = 'main';
const list = { body: { data: [{ id: 'llama' }] } };

/** What is said of the model `main`, at this address of its server. */
function saysAt(status: number, key: 'needsKey' | 'noCredit' | 'tooMany' | 'noApi'): Expected {
  return (language, { url }) => {
    const values = { name, address: `${url}/v1`, status };
    const { what, mend } = serverWords[language][key];
    return { check: 'models', what: what(values), mend: mend(values) };
  };
}

function pathFault(key: 'pathTooLong' | 'pathTooShort', written: string, right: string): Expected {
  return (language, { url }) => {
    const values = { name, address: url + written, right: url + right };
    const { what, mend } = serverWords[language][key];
    return { check: 'models', what: what(values), mend: mend(values) };
  };
}

function window(
  key: 'windowOver' | 'windowSmall',
  of: { window: number; wanted: number; isOllama: boolean },
): Expected {
  return (language) => {
    const { what, mend } = serverWords[language][key];
    return { check: 'models', what: what({ name, ...of }), mend: mend({ name, ...of }) };
  };
}

/** What an Ollama tells of the model. */
function ollama(parameters: string, capabilities: readonly string[] = ['completion', 'tools']): Answers {
  return {
    '/v1/models': { body: { data: [{ id: 'llama', owned_by: 'library' }] } },
    '/api/show': { body: { details: {}, capabilities, parameters, model_info: { 'llama.context_length': 131_072 } } },
    '/api/ps': { body: { models: [] } },
  };
}

function llamaCpp(window: number): Answers {
  return {
    '/v1/models': { body: { data: [{ id: 'llama', owned_by: 'llamacpp' }] } },
    '/props': { body: { default_generation_settings: { n_ctx: window }, chat_template: '{{ tools }}' } },
  };
}

/** A model that the server of the test stands before, as a proxy. */
function behindProxy(status: number): Setup {
  const { config } = model({ base_url: 'http://models.example/v1' });
  return { config: { ...Object(config), network: { proxy: 'URL' } }, answers: { '/models': { status } } };
}

const unreached: Expected = (language: Language) => ({
  check: 'models',
  what: doctorWords[language].modelUnreached
    .what({ name, why: '', address: '', isHosted: false })
    .replace(/[\s.。]+$/, ''),
});

/** A certificate that this machine does not take. */
function untaken(tls: TestCertificate, key: keyof (typeof certificateFaultWords)['en'], code: string): Row {
  return [
    `a server with the certificate ${tls}`,
    { ...model({ base_url: 'TLS/v1' }, { '/models': list }), tls },
    (language, { tlsHost }) => {
      const why = certificateFaultWords[language][key]({ place: tlsHost, code });
      return {
        check: 'models',
        what: doctorWords[language].modelUnreached.what({ name, why, address: '', isHosted: false }),
      };
    },
  ];
}

const copied = ['/chat/completions', '/responses', '/completions', '/messages', '/models'];

const rows: readonly Row[] = [
  ...copied.map(
    (end): Row => [
      `a base_url that ends with ${end}`,
      model({ base_url: `URL/v1${end}` }, { '/models': list }),
      pathFault('pathTooLong', `/v1${end}`, '/v1'),
    ],
  ),
  [
    'a base_url that is the chat of Ollama itself',
    model({ base_url: 'URL/api/chat/' }, {}),
    pathFault('pathTooLong', '/api/chat', ''),
  ],
  [
    'a base_url without its version',
    model({ base_url: 'URL' }, { '/v1/models': list }),
    pathFault('pathTooShort', '', '/v1'),
  ],
  [
    'a base_url that lacks the version behind a path',
    model({ base_url: 'URL/openai/' }, { '/openai/v1/models': list }),
    pathFault('pathTooShort', '/openai', '/openai/v1'),
  ],
  [
    'a server that wants a key, and has none',
    model({ api_key: undefined }, { '/models': { status: 401 } }),
    saysAt(401, 'needsKey'),
  ],
  [
    'a server that forbids without a key',
    model({ api_key: undefined }, { '/models': { status: 403 } }),
    saysAt(403, 'needsKey'),
  ],
  ['an account without credit', model({}, { '/models': { status: 402 } }), saysAt(402, 'noCredit')],
  ['a server with too many requests', model({}, { '/models': { status: 429 } }), saysAt(429, 'tooMany')],
  [
    'a web page, no API',
    model({}, { '/models': { headers: { 'content-type': 'text/html' }, body: '<!doctype html><p>Welcome' } }),
    saysAt(200, 'noApi'),
  ],
  ['an empty answer, no API', model({}, { '/models': { body: '' } }), saysAt(200, 'noApi')],
  ...[301, 302, 307, 308].map(
    (status): Row => [
      `a server that has moved (${status})`,
      model({}, { '/models': { status, headers: { location: 'https://new.example/v1/models?s3cret=1' } } }),
      (language, { url }) => {
        const values = { name, address: `${url}/v1`, status, to: 'https://new.example' };
        const { what, mend } = serverWords[language].moved;
        return { check: 'models', what: what(values), mend: mend(values) };
      },
    ],
  ),
  [
    'a model without tools',
    model({}, ollama('num_ctx 32768', ['completion'])),
    (language) => ({ check: 'models', what: serverWords[language].noTools.what({ name, model: 'llama' }) }),
  ],
  [
    'an Ollama that serves less than the config says',
    model({ context_tokens: 32_000 }, ollama('num_ctx 8192')),
    window('windowOver', { window: 8192, wanted: 32_000, isOllama: true }),
  ],
  [
    'a llama.cpp that serves less than the config says',
    model({ context_tokens: 32_000 }, llamaCpp(16_384)),
    window('windowOver', { window: 16_384, wanted: 32_000, isOllama: false }),
  ],
  [
    'an Ollama with its usual small window',
    model({}, ollama('')),
    window('windowSmall', { window: 4096, wanted: 0, isOllama: true }),
  ],
  [
    'a llama.cpp with a small window',
    model({}, llamaCpp(2048)),
    window('windowSmall', { window: 2048, wanted: 0, isOllama: false }),
  ],
  untaken('own', 'selfSigned', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  untaken('company', 'unknownAuthority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  ['a proxy that wants a password', behindProxy(407), unreached],
];

testRows(rows);

test.each([
  ['an Ollama with a large window', model({}, ollama('num_ctx 32768'))],
  ['a llama.cpp with a large window', model({ context_tokens: 32_000 }, llamaCpp(32_768))],
  [
    'a model whose calls are read from its text',
    model({ tool_calls: 'text' }, ollama('num_ctx 32768', ['completion'])),
  ],
  ['a server with a list and nothing else', model({}, { '/models': list })],
  ['a path that only sounds like a request', model({ base_url: 'URL/models/v1' }, { '/models': list })],
])('%s is in order', async (_what, setup) => {
  const { reports } = await examine(setup, 'en');
  expect(reports.find((report) => report.name === 'models')).toMatchObject({ ok: true });
});
