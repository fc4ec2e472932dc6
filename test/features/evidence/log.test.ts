import { describe, expect, test } from 'vitest';
import { periodOf } from '../../../src/features/evidence/period.ts';
import { evidenceWords } from '../../../src/features/evidence/words.ts';
import { pathsPutBack, putBackEvent } from '../../../src/words/model-words.ts';
import { group } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { evidenceSetting } from './evidence-setting.ts';

const words = evidenceWords.en;
const day = 86_400_000;
const free = { approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } };

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('- '));
}

describe('/log', () => {
  test('says in a line each what was changed or asked for, and counts what was only read', async () => {
    const it = await evidenceSetting({ files: { 'a.txt': 'a' } });
    const read = ['read_file', { path: 'a.txt' }] as const;
    await it.does([read, read, ['write_file', { path: 'b.txt', content: 'b' }]]);
    await it.does([['write_file', { path: 'c.txt', content: 'c' }]], { button: 1 });
    const { text } = await it.says('/log');
    expect(text).toContain('2 actions');
    const [newest = '', older = ''] = linesOf(text);
    expect(newest).toContain('write c.txt');
    expect(newest).toMatch(/· denied by `Ada` · `\w+`$/);
    expect(older).toMatch(/write b\.txt \(1 byte\).* · allowed by `Ada` · `\w+`$/);
    expect(text).toContain('`read_file` ×2');
    expect(it.daemon.rows(`SELECT * FROM audit WHERE kind = 'command'`)).toHaveLength(1);
  });

  test('tells what was refused, failed, went on without asking, and was undone', async () => {
    const it = await evidenceSetting({ files: { 'a.txt': 'a' }, config: free });
    await it.does([
      ['write_file', { path: '../out.txt', content: 'x' }],
      ['write_file', { path: 'a.txt', content: 'b' }],
    ]);
    const card = await it.says('/undo');
    await it.daemon.channel.press(card.buttons.flat()[0]?.actionId ?? '');
    await it.daemon.channel.whenIdle();
    const lines = linesOf((await it.says('/log')).text);
    expect(lines[0]).toContain(words.logUndone({ paths: ['a.txt'] }));
    expect(lines[1]).toMatch(/a\.txt.* · done without asking · `\w{6}`$/);
    expect(lines[2]).toMatch(/out\.txt.* · failed · `\w{6}`$/);
  });

  test('has ten lines, and the rest behind a button, which works after a restart', async () => {
    const it = await evidenceSetting({ config: free });
    await it.does(Array.from({ length: 12 }, (_, n) => ['write_file', { path: `${n}.txt`, content: 'x' }] as const));
    const first = await it.says('/log');
    expect(linesOf(first.text)).toHaveLength(10);
    await it.daemon.restart();
    const second = await it.presses(first, words.buttonOlder);
    expect(linesOf(second.text)).toHaveLength(2);
    expect(linesOf(second.text).at(-1)).toContain('0.txt');
    expect(linesOf((await it.presses(second, words.buttonNewer)).text)).toHaveLength(10);
  });

  test('knows days: yesterday, the last seven, and nothing else', async () => {
    const it = await evidenceSetting({ config: free });
    await it.does([['write_file', { path: 'old.txt', content: 'x' }]]);
    it.daemon.clock.advance(day);
    await it.does([['write_file', { path: 'new.txt', content: 'x' }]]);
    expect(linesOf((await it.says('/log')).text).join()).toContain('new.txt');
    const yesterday = linesOf((await it.says('/log yesterday')).text);
    expect(yesterday).toHaveLength(1);
    expect(yesterday[0]).toContain('old.txt');
    expect(linesOf((await it.says('/log 7d')).text)).toHaveLength(2);
    for (const wrong of ['for ever', '0d', '91d', 'today x', 'today 0', '-1d'])
      expect((await it.says(`/log ${wrong}`)).text).toBe(words.wrongPeriod);
    it.daemon.clock.advance(3 * day);
    expect(linesOf((await it.says('/log today 7')).text)).toEqual([]);
  });

  test('shows an owner all conversations in their own chat, and everybody else only the one where they ask', async () => {
    const it = await evidenceSetting({
      allowFrom: ['bob'],
      config: { ...free, channels: { test: { groups: { team: { allow_from: ['bob', 'ada'] } } } } },
    });
    const bobs = { by: 'bob', in: direct('test', 'bob') };
    await it.does([['write_file', { path: 'bobs.txt', content: 'x' }]], { deed: bobs });
    await it.does([['write_file', { path: 'adas.txt', content: 'x' }]]);
    await it.does([['write_file', { path: 'teams.txt', content: 'x' }]], { deed: { by: 'bob', in: group } });

    const all = (await it.says('/log')).text;
    for (const name of ['bobs.txt', 'adas.txt', 'teams.txt']) expect(all).toContain(name);
    expect(linesOf(all).filter((line) => line.includes('`Bob`'))).toHaveLength(2);
    const bob = (await it.says('/log', bobs)).text;
    expect(linesOf(bob)).toHaveLength(1);
    expect(bob).toContain('bobs.txt');
    for (const by of ['bob', 'ada']) {
      const { text } = await it.says('/log', { by, in: group });
      expect(linesOf(text)).toHaveLength(1);
      expect(text).toContain('`write_file`');
      // Nobody was asked there: what was written is not told to all.
      expect(text).not.toContain('.txt');
    }
  });

  test('shows words of others and of models as they are, without secrets', async () => {
    const it = await evidenceSetting({ config: free, secrets: ['hunter2-hunter2'] });
    const path = '**x**](https://evil.example) <b> `hunter2-hunter2`\n> [!details]- no';
    await it.does([['write_file', { path, content: 'x' }]]);
    const { text } = await it.says('/log');
    expect(linesOf(text)).toHaveLength(1);
    expect(text).not.toContain('hunter2');
    expect(text).not.toMatch(/^> /m);
    expect(text).toMatch(/``+ ?\*\*x\*\*\]\(https:\/\/evil\.example\)/);
  });
});

test('a day begins at midnight where its reader is, also when clocks are set', () => {
  const zone = { timeZone: 'Europe/Berlin', isNamed: false };
  const noon = Date.parse('2026-03-30T12:00:00+02:00');
  const iso = (at: number | undefined): string => new Date(at ?? 0).toISOString();
  expect(iso(periodOf('today', noon, zone)?.from)).toBe('2026-03-29T22:00:00.000Z');
  expect(iso(periodOf('yesterday', noon, zone)?.from)).toBe('2026-03-28T23:00:00.000Z');
  expect(iso(periodOf('yesterday', noon, zone)?.until)).toBe('2026-03-29T22:00:00.000Z');
  expect(iso(periodOf('7d', noon, zone)?.from)).toBe('2026-03-23T23:00:00.000Z');
});

test('the paths of an undo are found in what the model was told', () => {
  expect(pathsPutBack(putBackEvent(['a.txt', 'sub/b.txt', 'o"dd']))).toEqual(['a.txt', 'sub/b.txt']);
  expect(pathsPutBack('<keyturn kind="message_edited">"x"</keyturn>')).toBeUndefined();
});

test('a call that was allowed and failed then says both', async () => {
  const it = await evidenceSetting({ files: { 'a.txt': 'a' } });
  await it.does([['edit_file', { path: 'a.txt', old_text: 'not there', new_text: 'x' }]]);
  expect(linesOf((await it.says('/log')).text)[0]).toMatch(/ · failed, allowed by `Ada` · `\w+`$/);
});

test('ten thousand calls are read back to the day that is asked for', async () => {
  const it = await evidenceSetting({ config: free });
  await it.does([['write_file', { path: 'old.txt', content: 'x' }]]);
  it.daemon.clock.advance(10 * day);
  const now = it.daemon.clock.now();
  await it.daemon.stop();
  it.daemon.tamper(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO turns (conversation_id, run_id, principal, seen_seq, created_at, kind, parts, model, input_tokens, output_tokens)
      SELECT (SELECT id FROM conversations LIMIT 1), 'r', 'test:ada', 1, ${now} - 20000 + i, 'turn', '[]', 'm', 0, 0 FROM n;
    INSERT INTO calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, category, state, outcome)
      SELECT 'call' || id, id, 0, conversation_id, 'r', principal, 'write_file', '{"path":"new.txt"}', 'filesystem_write', 'done', 'success'
      FROM turns WHERE run_id = 'r'`);
  await it.daemon.start();
  const { text } = await it.says('/log');
  expect(text).toContain('10000 actions');
  expect(linesOf(text)).toHaveLength(10);
  expect(text).not.toContain('old.txt');
  expect((await it.says('/log 30d 1001')).text).toContain('old.txt');
  expect((await it.says('/why')).text).toContain('new.txt');
});
