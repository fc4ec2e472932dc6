import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reportSections, reportWords } from '../../src/cli/commands/report/words.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { waitUntil } from '../support/wait-for.ts';

const projectFolder = join(import.meta.dirname, '..', '..');

/** What must not be found, by where it stands. */
const marks = {
  token: '7319042:AAmarked-token-of-the-bot-8fQ2zL01xY',
  key: 'sk-marked-key-4410ab',
  envKey: 'sk-marked-env-5521cd',
  password: 'markedpassword66',
  header: 'marked-header-value-77',
  urlQuery: 'markedquery88',
  instructions: 'Ada likes marked instructions',
  person: 'MarkedAda',
  model: 'marked_model_name',
  agent: 'marked_agent',
  host: 'marked.example.org',
  owner: '99887766',
  group: '-1009988776655',
  slack: 'U0MARKED12',
  message: 'the marked message of ada',
  logText: 'marked text in a log',
  logToken: 'xoxb-123456789012-markedlogtoken',
  mail: 'ada@marked.example',
  address: '203.0.113.77',
  file: 'marked-file-of-ada',
  shortName: '家',
  twoLetters: '张伟',
  shortLatin: 'qz',
  firm: 'zorblatt-clinic',
  doctor: 'dr-quimbledon',
  tuned: 'ftzabc',
  fork: 'grufflewick',
  sickness: 'gloomitis',
  plugin: 'familie-quimbledon',
  ourWords: 'please tell the owner that my home is empty',
} as const;

function configText(folder: string): string {
  return `{
  // ${marks.person} wrote this
  "data_dir": ${JSON.stringify(join(folder, 'daten 数据'))},
  "workspace": ${JSON.stringify(join(folder, marks.file))},
  "model": "offline",
  "owners": ["telegram:${marks.owner}"],
  "people": { "${marks.person}": ["telegram:${marks.owner}", "slack:${marks.slack}"] },
  "models": {
    "${marks.model}": {
      "provider": "openai_compatible", "name": "gpt-x", "base_url": "http://127.0.0.1:4/v1",
      "api_key": "${marks.key}", "headers": { "X-Team": "${marks.header}" }
    },
    "${marks.shortName}": { "provider": "openai_compatible", "name": "qwen3:8b", "base_url": "http://127.0.0.1:4/v1" },
    "${marks.shortLatin}": {
      "provider": "openai_compatible", "name": "ft:gpt-4o-mini:${marks.firm}:${marks.doctor}:${marks.tuned}",
      "base_url": "http://127.0.0.1:4/v1"
    },
    "fork": {
      "provider": "openai_compatible", "name": "${marks.fork}/llama3.1-70b-${marks.doctor}", "base_url": "http://127.0.0.1:4/v1"
    }
  },
  "agent": { "instructions": "${marks.instructions}", "max_turns": 21 },
  "approval": { "policy": "always_require" },
  "channels": {
    "terminal": { "enabled": true },
    "telegram": {
      "enabled": false, "token": "${marks.token}", "groups": { "${marks.group}": { "require_mention": false } }
    }
  },
  "agents": { "${marks.agent}": { "description": "${marks.logText}", "prompt": "." } },
  "mcp_servers": { "m": { "url": "https://${marks.host}/mcp?key=${marks.urlQuery}" } }
}`;
}

const manyLines = [
  'the first line',
  ` at last I told Doctor Quimbledon about my ${marks.sickness}`,
  `    at home (node:${marks.sickness}:1:2)`,
  `    at ${marks.sickness} (node:fs:3:4)`,
].join('\n');

/** Lines as no part of Keyturn should write them. */
const hostileLines = [
  {
    level: 30,
    msg: 'something planned was due',
    conversation: `telegram:${marks.group}`,
    outcome: 'answered',
    ms: 12_345,
  },
  { level: 40, msg: `a channel failed at https://u:${marks.password}@${marks.host}/bot${marks.token}/getMe` },
  { level: 40, msg: `${marks.logToken} was refused for ${marks.mail} at ${marks.address}`, reason: marks.logText },
  { level: 30, msg: `telegram:${marks.owner} and @${marks.person} wrote in ${marks.group}`, text: marks.message },
  { level: 50, msg: 'it broke', err: { type: 'TypeError', code: 'ERR_X', message: marks.message, stack: stackOf() } },
  {
    level: 30,
    msg: 'something planned was due',
    conversation: `telegram:${marks.group}`,
    [marks.person]: marks.message,
  },
  { level: 30, msg: `${marks.twoLetters} 说：${marks.shortName}里没有人`, kind: marks.sickness, event: marks.tuned },
  { level: 40, msg: 'a channel from elsewhere runs', channel: marks.plugin },
  { level: 40, msg: 'a channel from elsewhere runs', channel: 'telegram' },
  // Each word of it is one of ours, as a sentence it is not.
  { level: 40, msg: marks.ourWords },
  { level: 50, msg: 'it broke', err: { type: 'RangeError', message: manyLines, stack: `RangeError: ${manyLines}` } },
];

function stackOf(): string {
  const frames = [
    `work (/home/${marks.person}/My Files/${marks.file}/x.ts:1:2)`,
    `async sent (${join(projectFolder, 'src', 'delivery', 'send.ts')}:144:5)`,
    `${marks.sickness} (${pathToFileURL(join(projectFolder, 'src', 'main.ts')).href}:1:2)`,
    `own (${join(projectFolder, 'mine', marks.file)}.ts:1:2)`,
    'new Promise (node:internal/promises:5:6)',
  ];
  return `TypeError: ${marks.message}${frames.map((frame) => `\n    at ${frame}`).join('')}`;
}

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly log: string;
  /** Folders in front of the others of PATH. */
  readonly programs?: readonly string[];
}

/** A home of a person with a name, in it a folder with blanks and Chinese, where Keyturn runs and writes its log to a file. */
async function running(): Promise<Place> {
  const home = join(await newFolder(), marks.person);
  const folder = join(home, '我的 助手');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), configText(folder), { mode: 0o600 });
  writeFileSync(join(folder, '.env'), `OPENAI_API_KEY=${marks.envKey}\n`, { mode: 0o600 });
  const log = join(folder, 'log.txt');
  const file = openSync(log, 'a');
  const child = spawn(process.execPath, [daemonEntry()], {
    cwd: folder,
    env: envOf(home, folder),
    stdio: ['pipe', 'pipe', file],
  });
  closeSync(file);
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  child.stdin?.write(`hello, this is ${marks.message}\n`);
  await waitUntil(() => said.includes(marks.message), { describe: () => said + readFileSync(log, 'utf8') });
  await waitUntil(() => existsSync(join(folder, 'daten 数据', 'control.sock')), { what: 'the socket' });
  return { home, folder, log };
}

const envOf = (home: string, folder: string) => ({
  PATH: process.env.PATH,
  HOME: home,
  USER: marks.person,
  KEYTURN_HOME: folder,
  LANG: 'en_GB.UTF-8',
});

async function report(place: Pick<Place, 'home' | 'folder' | 'programs'>, ...args: readonly string[]) {
  const { home, folder, programs = [] } = place;
  const env = envOf(home, folder);
  const PATH = [...programs, env.PATH].join(':');
  const child = spawn(process.execPath, [daemonEntry(), 'report', ...args], { cwd: folder, env: { ...env, PATH } });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

describe('keyturn report', () => {
  test('has nothing of anybody in it, wherever it stands, and what is needed to find a fault', async () => {
    const place = await running();
    appendFileSync(place.log, `${marks.message} ${marks.token}\n`);
    for (const line of hostileLines)
      appendFileSync(place.log, `${JSON.stringify({ time: 1_790_000_000_000, ...line })}\n`);
    const { code, stdout, stderr } = await report(place, '--print');
    expect([code, stderr]).toEqual([0, '']);
    const found = Object.entries(marks).filter(([, mark]) => stdout.toLowerCase().includes(mark.toLowerCase()));
    expect(found, stdout).toEqual([]);
    expect(stdout).not.toMatch(/我的|数据|\/home\//);
    // Of the config its form, and what the schema itself says.
    expect(stdout).toContain('"max_turns": 21');
    expect(stdout).toContain('"policy": "always_require"');
    expect(stdout).toContain('"name": "gpt-x"');
    expect(stdout).toContain('"name": "qwen3:8b"');
    expect(stdout).toContain('"name": "ft:gpt-4o-mini:<text>"');
    expect(stdout).toContain('"name": "<text>/llama3.1-70b-<text>-<text>"');
    expect(stdout).toContain('"base_url": "<http://this machine:4>"');
    expect(stdout).toContain('"token": "<secret>"');
    // Of the log, what happened.
    expect(stdout).toContain('"outcome":"answered","ms":12345');
    const frames = [
      'at <elsewhere>',
      'at sent (<keyturn>/src/delivery/send.ts:144:5)',
      'at <word> (<keyturn>/src/main.ts:1:2)',
      'at <elsewhere>',
      'at new Promise (node:internal/promises:5:6)',
    ];
    expect(stdout).toContain(`"type":"TypeError","code":"ERR_X","stack":${JSON.stringify(frames)}`);
    expect(stdout).toContain('"type":"RangeError","stack":[]');
    expect(stdout).toMatch(/"msg":"a channel from elsewhere runs","channel":"#[\da-f]{6}"/);
    expect(stdout).toContain('"msg":"a channel from elsewhere runs","channel":"telegram"');
    const ids = [...stdout.matchAll(/"msg":"something planned was due","conversation":"(#[\da-f]{6})"/g)].map(
      ([, id]) => id,
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(stdout).toMatch(/^- inbox: 1$/m);
    expect(stdout).toMatch(/^- models: fault: .* 127\.0\.0\.1:4 /m);
    expect(stdout).toContain('"terminal": "connected"');
    // Another report has other ones: nobody can look for an id.
    const again = await report(place, '--print');
    expect(again.stdout).not.toContain(`"conversation":"${ids[0]}"`);
  });

  test('is a file for its owner alone, which replaces nothing; also of a config and data that cannot be read', async () => {
    const folder = await newFolder();
    writeFileSync(join(folder, 'config.json'), `{ "api_key": "${marks.key}", `);
    const place = { home: folder, folder };
    const written = await report(place, 'mine.md');
    const file = join(folder, 'mine.md');
    expect(written.stdout).toContain(reportWords.en.wrote({ file, size: '' }).split(' (')[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const content = readFileSync(file, 'utf8');
    expect(content).toContain(reportSections.noJson);
    expect(content).toContain(reportSections.notRunning);
    expect(content.split(reportSections.noDatabase)).toHaveLength(3);
    expect(content).not.toContain(marks.key);
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data', 'keyturn.db'), 'no database');
    expect((await report(place, '--print')).stdout).toContain(reportSections.failed({ why: '' }));
    const again = await report(place, 'mine.md');
    expect(again).toEqual({ code: 1, stdout: '', stderr: `${reportWords.en.isThere({ file })}\n` });
    expect(readFileSync(file, 'utf8')).toBe(content);
    const nowhere = join(folder, 'none', 'mine.md');
    expect(await report(place, nowhere)).toMatchObject({
      code: 1,
      stderr: `${reportWords.en.notWritten({ file: nowhere, code: 'ENOENT' })}\n`,
    });
  });

  test('has the version of a program that looks as an address does', async () => {
    const folder = await newFolder();
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'socat'), '#!/bin/sh\necho socat version 1.7.4.4 on x\n', { mode: 0o755 });
    const { stdout } = await report({ home: folder, folder, programs: [programs] }, '--print');
    expect(stdout).toMatch(/^- socat: 1\.7\.4\.4$/m);
  });
});
