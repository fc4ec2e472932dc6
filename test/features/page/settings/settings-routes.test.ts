import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonWords } from '../../../../src/config/json/words.ts';
import { pageRoutes } from '../../../../src/features/page/routes.ts';
import { settingsRoutes } from '../../../../src/features/page/settings/routes.ts';
import { settingsRouteWords } from '../../../../src/features/page/settings/words.ts';
import type {
  CheckWire,
  ConfigTextWire,
  EditedWire,
  LogWire,
  SavedWire,
  SettingsWire,
  VersionsWire,
} from '../../../../src/features/page/wire/settings.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { deskSetting } from '../../../cli/desk/desk-setting.ts';
import { pageSetting } from '../../../support/page/page-setting.ts';
import { refused, told } from '../../../support/page/told.ts';

const { noFile, badRequest } = settingsRouteWords.en;
const wordsOfJson = jsonWords.en;
/** In the file, in a remark of it, in `.env`, and in the environment. */
const literal = '7000001:AAliteral-token-of-a-bot-0123456789ab';
const former = '7000002:AAformer-token-of-a-bot-0123456789ab';
const ofFile = 'sk-ant-canary-of-the-env-file-0123456789';
const ofProcess = 'canary-of-the-process-0123456789';
const ofHeader = 'hunter2-plain-pass';
const ofRemark = 'swordfish-9-plain';
const ofAddress = 'opensesame-7-plain';
const canaries = [literal, former, ofFile, ofProcess, ofHeader, ofRemark, ofAddress];

const text = `// mine
{
  "agent": { "max_turns": 20 },
  "model": "offline",
  "channels": {
    "terminal": { "enabled": true },
    // "token": "${former}"
    "telegram": { "enabled": false, "token": "${literal}" },
  },
  "mcp_servers": {
    "files": { "enabled": false, "command": "node", "args": ["${ofProcess}"] }, // MY_PASSWORD=${ofRemark}
    "far": { "enabled": false, "url": "http://127.0.0.1:9/mcp?k=${ofAddress}", "headers": { "X-Thing": "${ofHeader}" } },
  },
  // it was ${ofHeader}, and then ${ofAddress}
}
`;

/** A daemon with a file, and all that its log has said. */
async function withFile() {
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(`${JSON.stringify(fields)} ${message}`);
  const log = { ...silentLog, debug: write, info: write, warn: write, error: write };
  const file = await deskSetting({
    text,
    variables: `ANTHROPIC_API_KEY=${ofFile}\n`,
    env: { CANARY_TOKEN: ofProcess },
  });
  const setting = await pageSetting({ configDesk: file.desk, log });
  return { setting, file, logged, owner: await setting.browser() };
}

test('all that the settings answer is for owners', () => {
  const own = pageRoutes.filter(({ path }) => path.split('/')[0] === 'settings');
  expect(own).toEqual(settingsRoutes);
  expect(own.filter(({ forOwners }) => forOwners !== true)).toEqual([]);
});

describe('without a file', () => {
  test('the state says so, and nothing can be changed', async () => {
    const owner = await (await pageSetting()).browser();
    const state = await told<SettingsWire>(owner.get('settings'));
    expect(state).toMatchObject({ file: null, inForce: { agent: { max_turns: expect.any(Number) } } });
    for (const path of ['settings/text', 'settings/versions', 'settings/platforms', 'settings/schema'])
      expect(await refused(owner.get(path))).toEqual({ status: 404, error: noFile });
    for (const path of ['settings/doctor', 'settings/backup', 'settings/report'])
      expect(await refused(owner.post(path))).toEqual({ status: 404, error: noFile });
    expect(await refused(owner.post('settings/check', { text: '{}' }))).toEqual({ status: 404, error: noFile });
  });
});

describe('with a file', () => {
  test('no secret is in any answer, nor in the log', async () => {
    const { file, owner, logged } = await withFile();
    const { text: shown, stamp } = await told<ConfigTextWire>(owner.get('settings/text'));
    const edits = [{ path: ['agent', 'max_turns'], value: 7 }];
    const bodies: Readonly<Record<string, Parameters<typeof owner.post>[1]>> = {
      'settings/check': { text: shown },
      'settings/edit': { edits },
      'settings/save': { text: `${shown?.replace('max_turns', 'max_tuns')}`, stamp },
      'settings/restore': { version: 1, stamp },
      'settings/secret': { name: 'ANTHROPIC_API_KEY', value: ofFile, replaces: true },
      'settings/platforms/:name/try': { tokens: { token: '7:AA-another-token-0123456789' } },
      'settings/models/try': { provider: 'openai_compatible', baseUrl: 'http://127.0.0.1:9', apiKey: ofFile },
      'settings/log-level': { level: 'debug' },
    };
    for (const { method, path } of settingsRoutes) {
      const asked = path.replace(':name', 'telegram').replace(':number', '1');
      const answer = await (method === 'GET' ? owner.get(asked) : owner.post(asked, bodies[path] ?? {}));
      const said = await answer.text();
      for (const canary of canaries) expect(said, path).not.toContain(canary);
      expect([path, answer.status]).not.toEqual([path, 500]);
      expect([path, said.includes(badRequest)]).toEqual([path, false]);
    }
    const all = logged.join('\n');
    for (const canary of canaries) expect(all).not.toContain(canary);
    expect(file.written()).toBe(text);
  }, 60_000);

  test('the set-up says which fault of the file must be mended first', async () => {
    const { owner, file } = await withFile();
    writeFileSync(file.file, text.replace('max_turns', 'max_tuns'));
    for (const path of ['settings/platforms', 'settings/models'])
      expect(await refused(owner.get(path))).toEqual({ status: 409, error: expect.stringContaining('agent.max_tuns') });
  });

  test('a text or a value that is nested too deeply is said to be so', async () => {
    const { owner, file } = await withFile();
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const { stamp } = await told<ConfigTextWire>(owner.get('settings/text'));
    for (const nested of [deep, '['.repeat(100_000)]) {
      const { faults } = await told<CheckWire>(owner.post('settings/check', { text: nested }));
      expect(faults).toMatchObject([{ line: 1, text: wordsOfJson.tooDeep({ most: 100 }) }]);
      expect(await told<SavedWire>(owner.post('settings/save', { text: nested, stamp }))).toMatchObject({ faults });
    }
    let value: JsonValue = 1;
    for (let level = 0; level < 4_000; level += 1) value = [value];
    const edits = [{ path: ['agent'], value }];
    expect(await refused(owner.post('settings/edit', { edits }))).toEqual({ status: 400, error: badRequest });
    expect(file.written()).toBe(text);
    writeFileSync(file.file, deep);
    const found = await told<ConfigTextWire>(owner.get('settings/text'));
    expect(found).toMatchObject({ text: null, faults: [{ text: wordsOfJson.tooDeep({ most: 100 }) }] });
    expect(await told<VersionsWire>(owner.get('settings/versions'))).toEqual({ versions: [] });
    expect(await told<EditedWire>(owner.post('settings/edit', { edits: [{ path: ['a'], value: 1 }] }))).toMatchObject({
      text: null,
    });
  }, 60_000);

  test('what is written otherwise than the page writes it is refused', async () => {
    const { owner, file } = await withFile();
    for (const [path, body] of [
      ['settings/check', { text: 1 }],
      ['settings/edit', { edits: [] }],
      ['settings/edit', { edits: [{ path: [], value: {} }] }],
      ['settings/save', { text: '{}' }],
      ['settings/restore', { version: 0, stamp: '' }],
      ['settings/secret', { name: 'A', value: 'b' }],
      ['settings/log-level', { level: 'loud' }],
      ['settings/models/try', { provider: 'openai', more: true }],
    ] as const)
      expect(await refused(owner.post(path, body)), path).toEqual({ status: 400, error: badRequest });
    expect(file.written()).toBe(text);
  });

  test('the text comes as it is though it has words that are taken out of everything else', async () => {
    const file = await deskSetting({ text: '{ "model": "offline", "agent": { "max_turns": 3 } } // offline-word' });
    const setting = await pageSetting({ configDesk: file.desk, secrets: ['offline-word'] });
    const owner = await setting.browser();
    const { text: shown } = await told<ConfigTextWire>(owner.get('settings/text'));
    expect(shown).toBe(file.written());
  });

  test('a text is checked, drawn up by a form, and saved if nobody else has changed it', async () => {
    const { owner, file, setting } = await withFile();
    const { text: shown, stamp } = await told<ConfigTextWire>(owner.get('settings/text'));
    const wrong = { text: `${shown?.replace('max_turns', 'max_tuns')}` };
    const { faults } = await told<CheckWire>(owner.post('settings/check', wrong));
    expect(faults).toMatchObject([{ line: 3, column: 14, key: 'agent.max_tuns' }]);
    const edited = await told<EditedWire>(
      owner.post('settings/edit', { edits: [{ path: ['agent', 'max_turns'], value: 7 }] }),
    );
    expect(edited).toMatchObject({ before: { stamp }, check: { differences: [{ old: 20, now: 7 }] } });
    const other = await told<SavedWire>(owner.post('settings/save', { text: `${edited.text}`, stamp: 'other' }));
    expect(other).toMatchObject({ type: 'conflict', now: { stamp } });
    setting.daemon.configFault('not this one');
    const saved = await told<SavedWire>(owner.post('settings/save', { text: `${edited.text}`, stamp }));
    expect(saved).toMatchObject({ type: 'saved', outcome: { type: 'refused', fault: 'not this one' } });
    expect(file.written()).toBe(text.replace('20', '7'));
  }, 60_000);

  test('the level of the log is another one until it is as configured again', async () => {
    const { owner, logged } = await withFile();
    expect(await told<LogWire>(owner.post('settings/log-level', { level: 'debug' }))).toMatchObject({ level: 'debug' });
    const { level, configured } = await told<LogWire>(owner.post('settings/log-level', { level: 'default' }));
    expect(level).toBe(configured);
    expect(logged.filter((line) => line.includes('"from"'))).toHaveLength(2);
  });
});
