import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelCall } from '../support/model-reply.ts';
import { modelKey } from './daemon-config.ts';
import { TelegramSetting } from './telegram-setting.ts';

// Nobody is asked and there is no sandbox: nothing but what is taken out of texts keeps the secrets in. What is written
// backwards, cut in pieces or packed by a command cannot be caught in that way, and is not tried here.

const canaries = {
  inEnvironment: 'canary-environment-5f1d0c77',
  inDotEnv: 'canary/dot+env "quoted" 9a31',
  inConfig: 'canary-typed-into-config-e4b2',
  inAddress: 'canary-password-71c8',
  modelKey,
  // Nobody has told the daemon of this one: its shape gives it away.
  inDataFile: `ghp_${'Ab3dE6gH9jK2'.repeat(3)}`,
};

const files = ['../config.json', '../.env', '../data/notes.txt'];

/** What commands show of the environment, of files and of the daemon's own process; what is behind the path can be seen. */
const commands = [
  'env; set; printenv; export -p',
  ...files.map((file) => `cat ${file}; sed -n 1,99p ${file}; grep -n . ${file}`),
  'cat /proc/$PPID/environ',
  "tr '\\0' '\\n' </proc/$PPID/environ | sort",
  'cat /proc/self/environ',
  'for file in /proc/$PPID/environ ../.env ../config.json; do base64 $file; base64 -w 20 $file; base64 -w 0 $file; done',
  'for file in /proc/$PPID/environ ../.env ../config.json; do od -An -v -tx1 $file; od -v -tx1 $file; done',
  'for file in /proc/$PPID/environ ../.env ../config.json; do xxd $file; xxd -p $file; hexdump -vC $file; done 2>&1',
  'for file in /proc/$PPID/environ ../.env ../config.json; do tr "[:cntrl:]" " " <$file | fold -w 11; done',
  'cat ../data/keyturn.db ../data/keyturn.db-wal | strings -n 4',
  'cat $(yes ../.env ../config.json | head -n 400)',
  'cat ../.env >&2; exit 3',
  'cp ../.env stolen.txt; cp ../config.json stolen.json; ln -s ../.env link; ln ../.env hard',
];

/**
 * They have no secret to show, or are not there on every system. Where commands have a namespace of processes, the daemon's own
 * process is not in it.
 */
const mayShowNone = /^env;|\/self\/|^(?:cat|tr) .*\$PPID\/environ(?: \| sort)?$|xxd|strings|^cp /;

const paths = ['../.env', '../config.json', '/proc/self/environ', 'stolen.txt', 'stolen.json', 'link', 'hard', '.env'];

const reading: readonly ModelCall[] = [
  ...paths.map((path) => ({ name: 'read_file', arguments: { path } })),
  ...['..', '../data', '.'].map((path) => ({ name: 'list_dir', arguments: { path } })),
  { name: 'search_files', arguments: { pattern: 'canary|sk-' } },
  { name: 'echo', arguments: { message: 'hello' } },
];

test('secrets that tools come upon reach no model, log, database, chat or kept result', async () => {
  await using setting = await startWithCanaries();
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  const calls: readonly ModelCall[] = [
    ...commands.map((command) => ({ name: 'shell', arguments: { command } })),
    ...reading,
  ];
  model
    .onUser('steal', { calls: calls.slice(0, 12) })
    .onRequest(({ lastResults }) => lastResults.length === 12, { calls: calls.slice(12) });
  // It says all that it has read.
  model.onRequest(
    ({ lastResults }) => lastResults.length > 0,
    ({ messages }) => ({ text: `${messages.map(({ text }) => text).join('\n')}\nThat is all.` }),
  );
  telegram.say(chat, 'steal');
  await telegram.waitFor(() => everythingIn(setting, chat).includes('That is all.'), {
    what: 'what the model has read',
  });

  const results = model.requests.flatMap(({ lastResults }) => lastResults);
  expect(results).toHaveLength(calls.length);
  const kept = readdirSync(join(daemon.workspace, '.keyturn/results'));
  const places = {
    requests: model.requests.map(({ body }) => everyTextIn(body).join('\n')).join('\n'),
    log: daemon.output,
    // The files of what was just sent go meanwhile. Copies for /undo are those of workspace files, whatever these hold.
    database: globSync(['keyturn.db*', '*/**'], { cwd: daemon.dataDir, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(daemon.dataDir, 'undo')))
      .map((entry) => readIfThere(join(entry.parentPath, entry.name)))
      .join('\n'),
    chat: everythingIn(setting, chat),
    kept: kept.map((name) => readFileSync(join(daemon.workspace, '.keyturn/results', name), 'utf8')).join('\n'),
  };
  expect(found(places, { ...canaries, botToken: telegram.token })).toEqual([]);

  // They were there to be found: what was taken out left its mark.
  const unmarked = commands.filter((_, index) => results[index]?.includes('[secret') !== true);
  expect(unmarked.filter((command) => !mayShowNone.test(command))).toEqual([]);
  for (const place of [places.requests, places.chat, places.kept, places.database]) expect(place).toContain('[secret]');
  expect(places.requests).toContain('[secret: GitHub token]');
});

async function startWithCanaries(): Promise<TelegramSetting> {
  const setting = await TelegramSetting.start({
    config: {
      log: { level: 'debug' },
      // All results are to be seen whole.
      agent: { context_tokens: 1_000_000 },
      approval: { policy: 'always_allow' },
      security: { taint: 'off' },
      // Nothing is forbidden, and so nobody is asked about what cannot be read.
      tools: { shell: { sandbox: 'off', deny: [] } },
      delivery: { max_messages: 2 },
    },
    channel: { request_timeout_secs: 5 },
    env: {
      SOME_API_KEY: canaries.inEnvironment,
      DATABASE_URL: `postgres://app:${canaries.inAddress}@127.0.0.1/app`,
    },
  });
  const { daemon } = setting;
  writeFileSync(join(daemon.folder, '.env'), `OTHER_PASSWORD='${canaries.inDotEnv}'\n`);
  mkdirSync(daemon.dataDir, { recursive: true });
  writeFileSync(join(daemon.dataDir, 'notes.txt'), `token: ${canaries.inDataFile}\n`);
  const config = JSON.parse(readFileSync(daemon.configFile, 'utf8'));
  config.models.spare = { provider: 'openai', name: 'spare', api_key: canaries.inConfig };
  daemon.writeConfig(config);
  await setting.restart();
  return setting;
}

/** All that people see in the chat, files included. */
function everythingIn({ telegram }: TelegramSetting, chat: number): string {
  return telegram
    .chat(chat)
    .map(({ text, file }) => `${text}\n${file?.bytes.toString() ?? ''}`)
    .join('\n');
}

/** Every string in a value: within JSON, quotes and line ends would stand as something else. */
function everyTextIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(everyTextIn) : [];
}

/** Which canary stands where, as it is or in bytes written down, on one line or on several. */
function found(places: Readonly<Record<string, string>>, secrets: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(places).flatMap(([place, text]) => {
    const packed = text.replaceAll(/\s/g, '');
    return Object.entries(secrets).flatMap(([name, canary]) =>
      shapesOf(canary).flatMap(([shape, wanted]) => (packed.includes(wanted) ? [`${name} ${shape} in ${place}`] : [])),
    );
  });
}

function shapesOf(canary: string): readonly (readonly [string, string])[] {
  const bytes = Buffer.from(canary);
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [
    ['as it is', canary.replaceAll(/\s/g, '')],
    ['in JSON', JSON.stringify(canary).slice(1, -1).replaceAll(/\s/g, '')],
    ['in hexadecimal digits', bytes.toString('hex')],
    ...inBase64.map((core) => ['in base64', core] as const),
  ];
}

/** What is kept for a message is gone once the message was sent. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
