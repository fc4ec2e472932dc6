import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deskWords } from '../../../src/cli/desk/words.ts';
import { keepGood } from '../../../src/config/last-good.ts';
import { Changes } from '../../support/wait-for.ts';
import { deskFor, deskSetting, holding } from './desk-setting.ts';

const say = deskWords.en;
/** In the file itself, in a remark, in `.env`, and in the environment of the process. */
const literal = '7000001:AAliteral-token-of-a-bot-0123456789ab';
const former = '7000002:AAformer-token-of-a-bot-0123456789ab';
const ofFile = 'sk-ant-canary-of-the-env-file-0123456789';
const ofProcess = 'canary-of-the-process-0123456789';
const secrets = [literal, former, ofFile, ofProcess];

const text = `// mine
{
  "agent": { "max_turns": 20 }, // how long it works
  "model": "offline",
  "channels": {
    "terminal": { "enabled": true },
    // "token": "${former}"
    "telegram": { "enabled": false, "token": "${literal}" },
  },
  "mcp_servers": {
    "files": { "enabled": false, "command": "node", "args": ["--key", "${ofProcess}"], "env": { "A": "${'$'}{ANTHROPIC_API_KEY}" } },
  },
}
`;
const variables = `# mine\nANTHROPIC_API_KEY=${ofFile}\n`;
const env = { CANARY_TOKEN: ofProcess };

const setting = () => deskSetting({ text, variables, env });
const held = holding({});

/** The text of the file, as the desk shows it. */
async function shownBy({ desk }: Pick<Awaited<ReturnType<typeof deskSetting>>, 'desk'>) {
  const { text: shown, ...rest } = await desk.text('en');
  if (shown === undefined) throw new Error('the text is not shown');
  return { ...rest, text: shown };
}

describe('a text at the desk', () => {
  test('has no secret, keeps everything else, and comes back as it was, byte for byte', async () => {
    const here = await setting();
    const { text: shown, stamp } = await shownBy(here);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toContain('// how long it works');
    expect(shown).toContain('${'.concat('ANTHROPIC_API_KEY}'));
    const saved = await here.desk.save({ text: shown, stamp, language: 'en', held });
    expect(saved).toMatchObject({ type: 'saved', differences: [] });
    expect(here.written()).toBe(text);
  });

  test.each([
    ['absolute', undefined],
    ['relative', 'config.json'],
    ['winding', './data/../config.json'],
  ])('has no value of the .env beside it, wherever it stands, with an %s path', async (_name, path) => {
    // Only the file tells that this is a secret.
    const said = 'the grey heron of the pond';
    const written = text.replace('how long it works', said);
    const here = await deskSetting({ text: written, variables: `${variables}POND_TOKEN=${said}\n`, env, path });
    const { text: shown } = await shownBy(here);
    expect(shown).toContain('// mine');
    expect(shown).not.toContain(said);
  });

  test.each([
    ['a byte order mark and Windows line ends', `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['escapes in a secret', text.replace(literal, literal.replace('A', '\\u0041').replace('-', '\\u002d'))],
    ['no file', ''],
  ])('comes back the same with %s', async (_name, before) => {
    const here = await deskSetting({ text: before, variables, env });
    const { text: shown, stamp } = await shownBy(here);
    await here.desk.save({ text: shown, stamp, language: 'en', held });
    expect(here.written()).toBe(before);
  });

  test('that is no JSON is not shown, and its faults are', async () => {
    const here = await deskSetting({ text: text.replace('"model": "offline",', '"model": "offline"'), variables });
    const found = await here.desk.text('en');
    expect(found.text).toBeUndefined();
    expect(found.faults).toMatchObject([{ line: 5, column: 3 }]);
    for (const secret of secrets) expect(JSON.stringify(found)).not.toContain(secret);
  });

  test('that is not UTF-8 is not shown', async () => {
    const here = await deskSetting({ text: Buffer.from([0x7b, 0xff, 0x7d]) });
    expect(await here.desk.text('en')).toMatchObject({ text: undefined, faults: [{ key: '' }] });
  });

  test('takes a mark at no other place, in no other text, and in no key', async () => {
    const here = await setting();
    const { text: shown, stamp } = await shownBy(here);
    const mark = /"token": ("[^"]+")/.exec(shown)?.[1] ?? '';
    const moved = [
      shown.replace('"offline"', mark),
      shown.replace('"offline"', `"x ${mark.slice(1)}`),
      shown.replace('"files"', mark),
      shown.replace('"telegram"', '"discord"'),
    ];
    for (const wrong of moved) {
      expect(await here.desk.save({ text: wrong, stamp, language: 'en', held })).toMatchObject({
        type: 'faulty',
        faults: expect.arrayContaining([expect.objectContaining({ text: say.misplacedMark })]),
      });
      expect((await here.desk.check(wrong, 'en')).faults).not.toEqual([]);
    }
    expect(here.written()).toBe(text);
    // Of another process: its marks stand for nothing here.
    const other = deskFor(here.folder, env);
    const { stamp: otherStamp } = await other.text('en');
    expect(await other.save({ text: shown, stamp: otherStamp, language: 'en', held })).toMatchObject({
      type: 'faulty',
    });
  });
});

describe('a literal that is a secret', () => {
  const password = 'hunter2-plain-pass';
  const open = `// it is ${password}
{
  "agent": { "max_turns": 20 },
  "model": "offline",
  "channels": { "terminal": { "enabled": true } },
  "mcp_servers": {
    "far": { "enabled": false, "url": "http://127.0.0.1:9/mcp", "headers": { "X-Thing": "${password}" } },
  },
}
`;

  test('is in no difference, and in no remark that a form leaves without it', async () => {
    const here = await deskSetting({ text: open });
    const edits = [
      { path: ['mcp_servers', 'far', 'headers'], value: undefined },
      { path: ['agent', 'max_turns'], value: 7 },
    ];
    const edited = await here.desk.edited(edits, 'en');
    expect(edited.check.differences.map(({ key }) => key)).toEqual([
      'agent.max_turns',
      'mcp_servers.far.headers.X-Thing',
    ]);
    const saved = await here.desk.save({ text: edited.text ?? '', stamp: edited.before.stamp, language: 'en', held });
    expect(saved.type).toBe('saved');
    expect(JSON.stringify([edited, saved.type === 'saved' && saved.differences])).not.toContain(password);
    expect(here.written()).toContain(`// it is ${password}\n`);
    expect(here.written()).not.toContain('X-Thing');
  });

  test('is in no version, nor in what differs there', async () => {
    const here = await deskSetting({ text: open });
    mkdirSync(join(here.folder, 'data'));
    await keepGood(join(here.folder, 'data'), open.replace('20', '30'), 1_000);
    const version = await here.desk.version(1, 'en');
    expect(version).toMatchObject({ lacking: [], differences: [{ old: 20, now: 30 }] });
    expect(JSON.stringify(version)).not.toContain(password);
  });

  test.each([
    ['arguments that are no list', `"args": "--password ${password}"`],
    ['an address that is none', `"url": "ftp://u:${password}@h.example/"`],
    ['an unknown key', `"url": "http://127.0.0.1:9/", "header": "${password}"`],
    ['a switch that is none', `"url": "http://127.0.0.1:9/", "enabled": "${password}"`],
    ['a number in a variable', `"command": "node", "env": { "A": 48151623 }`],
  ])('is quoted by no fault: %s', async (_name, member) => {
    const here = await deskSetting({ text: open.replace('"far": {', `"far": { ${member} }, "b": {`) });
    const found = await here.desk.text('en');
    const { faults } = await here.desk.check(found.text ?? '', 'en');
    expect(faults).not.toEqual([]);
    expect(JSON.stringify(faults)).not.toMatch(`${password.slice(0, 8)}|48151623`);
  });
});

describe('saving', () => {
  test('writes only what can be used, and what there was is among the versions or beside', async () => {
    const here = await setting();
    const { text: shown, stamp } = await shownBy(here);
    const faulty = await here.desk.save({ text: shown.replace('max_turns', 'max_tuns'), stamp, language: 'en', held });
    expect(faulty).toMatchObject({ type: 'faulty', faults: [{ line: 3, key: 'agent.max_tuns' }] });
    const broken = await here.desk.save({ text: shown.replace('{', ''), stamp, language: 'en', held });
    expect(broken.type).toBe('faulty');
    expect(here.written()).toBe(text);
    const saved = await here.desk.save({ text: shown.replace('20', '30'), stamp, language: 'en', held });
    expect(saved).toMatchObject({
      type: 'saved',
      differences: [{ key: 'agent.max_turns', old: 20, now: 30, isLate: false }],
      kept: expect.stringContaining('.edits'),
    });
    expect(here.written()).toBe(text.replace('20', '30'));
    expect(saved.type === 'saved' && readFileSync(saved.kept ?? '', 'utf8')).toBe(text);
  });

  test('refuses what was made from another text than the one that is there', async () => {
    const here = await setting();
    const { text: shown, stamp } = await shownBy(here);
    writeFileSync(here.file, text.replace('20', '25'));
    const saved = await here.desk.save({ text: shown.replace('20', '30'), stamp, language: 'en', held });
    expect(saved).toMatchObject({ type: 'conflict', now: { text: shown.replace('20', '25') } });
    expect(here.written()).toBe(text.replace('20', '25'));
    const [first, second] = await Promise.all(
      ['31', '32'].map(async (turns) => {
        const now = await shownBy(here);
        return here.desk.save({ text: now.text.replace('25', turns), stamp: now.stamp, language: 'en', held });
      }),
    );
    expect([first?.type, second?.type].toSorted()).toEqual(['conflict', 'saved']);
  });

  test('tells what the running Keyturn made of it', async () => {
    const here = await setting();
    const { text: shown, stamp } = await shownBy(here);
    const fault = { config: {}, fault: 'It cannot.', isFollowed: true };
    const saved = await here.desk.save({ text: shown.replace('20', '30'), stamp, language: 'en', held: () => fault });
    expect(saved).toMatchObject({ type: 'saved', outcome: { type: 'refused', fault: 'It cannot.' } });
  });

  test('keeps to comments, order and layout where a form sets keys', async () => {
    const here = await setting();
    const { text: edited, before } = await here.desk.edited([{ path: ['agent', 'max_turns'], value: 7 }], 'en');
    const saved = await here.desk.save({ text: edited ?? '', stamp: before.stamp, language: 'en', held });
    expect(saved.type).toBe('saved');
    expect(here.written()).toBe(text.replace('20', '7'));
  });

  test('killed at any moment leaves the old text or the new one', async () => {
    const here = await setting();
    const saver = join(import.meta.dirname, '../../support/saving-main.ts');
    const seen = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const child = spawn(process.execPath, [saver, here.folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      const changes = new Changes();
      let rounds = 0;
      child.stdout.on('data', (chunk) => {
        rounds += String(chunk).length;
        changes.notify();
      });
      await changes.waitFor(() => rounds > round, { what: 'a text to be saved' });
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(here.written().replace(/"max_turns": \d+/, '"max_turns": 20')).toBe(text);
      seen.add(here.written());
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});
