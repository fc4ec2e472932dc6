import { describe, expect, test } from 'vitest';
import { cardWords } from '../../../src/approval/asking/words.ts';
import { approvalWords } from '../../../src/approval/words.ts';
import { evidenceWords } from '../../../src/features/evidence/words.ts';
import { group } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { evidenceSetting } from './evidence-setting.ts';

const words = evidenceWords.en;
const free = { approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } };
const write = (path: string) => ['write_file', { path, content: 'secret plan' }] as const;

/** The lines that stand before the fold. */
function shownIn(text: string): readonly string[] {
  return text.split('\n\n')[0]?.split('\n') ?? [];
}

describe('/why', () => {
  test('says of the last call what asked, who allowed it, for which words, and which model made it', async () => {
    const it = await evidenceSetting();
    await it.does([write('a.txt')], { said: 'keep my **plan**' });
    const { text } = await it.says('/why');
    const lines = shownIn(text);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^🔍 .*write a\.txt.* · allowed$/);
    const reason = approvalWords.en.reason({ because: 'dangerous-tool', tool: 'write_file' });
    expect(lines[1]).toContain(words.whyRule({ rule: 'asked', reason }));
    expect(lines[2]).toMatch(/^- Allowed by `Ada` at /);
    expect(lines[3]).toContain(cardWords.en.asked({ said: 'keep my \\*\\*plan\\*\\*', asker: undefined }).trim());
    expect(lines[4]).toBe(`- ${words.whyModel({ model: '`scripted`', isClean: true })}`);
    expect(text).toContain('"content": "secret plan"');
  });

  test.each([
    ['policy-off', { approval: { policy: 'always_allow' } }],
    ['autonomous', { agent: { mode: 'autonomous' } }],
    ['not-dangerous', { approval: { policy: 'require_for_tools', require_for: ['deploy'] } }],
  ] as const)('says which rule let a call run without asking: %s', async (rule, config) => {
    const it = await evidenceSetting({ config });
    await it.does([write('a.txt')]);
    expect(shownIn((await it.says('/why')).text)[1]).toBe(`- ${words.whyRule({ rule })}`);
  });

  test('says which permission let a call run, and whose', async () => {
    const it = await evidenceSetting();
    const always = cardWords.en.buttonAlwaysCall;
    await it.allows(write('a.txt'), always);
    await it.does([write('a.txt')]);
    const [grant] = it.daemon.all('grants');
    const id = `\`${String(grant?.id)}\``;
    expect(shownIn((await it.says('/why')).text)[1]).toBe(
      `- ${words.whyRule({ rule: 'grant', giver: '`Ada`', id, isAlways: true })}`,
    );
  });

  test('answers a reply to a card, an id of the log, and goes back call by call', async () => {
    const it = await evidenceSetting();
    await it.does([write('first.txt')]);
    await it.does([write('second.txt')], { button: 1 });
    const card = it.daemon.channel.screen.find(({ text }) => text.includes('first.txt'));
    expect((await it.says('/why', { answersTo: card?.ref ?? '' })).text).toContain('first.txt');
    const id = /`(\w+)`$/.exec((await it.says('/log')).text.split('\n').at(-1) ?? '')?.[1] ?? '';
    expect((await it.says(`/why ${id}`)).text).toContain('first.txt');
    const last = await it.says('/why');
    expect(last.text).toContain('second.txt');
    expect(last.text).toMatch(/Denied by `Ada`/);
    await it.daemon.restart();
    expect((await it.presses(last, words.buttonEarlier)).text).toContain('first.txt');
  });

  test('answers a reply to an answer of the model with the call before it', async () => {
    const it = await evidenceSetting({ config: free });
    await it.does([write('first.txt')]);
    const answer = it.daemon.channel.screen.at(-1);
    it.daemon.clock.advance(60_000);
    await it.does([write('second.txt')]);
    expect((await it.says('/why', { answersTo: answer?.ref ?? '' })).text).toContain('first.txt');
  });

  test('names what strangers may have written and had been read before', async () => {
    const it = await evidenceSetting({ config: free, files: { 'in.txt': 'x' } });
    await it.does([['read_file', { path: 'in.txt' }]]);
    it.daemon.tamper(`UPDATE conversations SET tainted = 1, taint_sources = '["evil.example"]', taint_reads = 1`);
    await it.does([write('a.txt')]);
    const { text } = await it.says('/why');
    expect(shownIn(text).join('\n')).toContain('`evil.example`');
    expect(text).not.toContain(words.whyModel({ model: '`scripted`', isClean: true }));
  });

  test('tells only who may read the conversation, and owners in their own chat', async () => {
    const it = await evidenceSetting({
      allowFrom: ['bob'],
      config: { ...free, channels: { test: { groups: { team: { allow_from: ['bob', 'ada'] } } } } },
    });
    const bobs = { by: 'bob', in: direct('test', 'bob') };
    await it.does([write('adas.txt')]);
    await it.does([write('teams.txt')], { deed: { by: 'bob', in: group } });
    const [ada = '', team = ''] = it.daemon.rows('SELECT id FROM calls ORDER BY turn_id').map(({ id }) => String(id));
    for (const id of [ada, team, 'nothing'])
      expect((await it.says(`/why ${id}`, bobs)).text).toBe(words.whyUnknown(`\`${id}\``));
    expect((await it.says(`/why ${ada}`, { by: 'ada', in: group })).text).toBe(words.whyUnknown(`\`${ada}\``));
    expect((await it.says('/why', bobs)).text).toBe(words.whyNone);
    expect((await it.says(`/why ${team}`)).text).toContain('teams.txt');
    const there = (await it.says('/why', { by: 'ada', in: group })).text;
    expect(there).toContain('`write_file`');
    expect(there).not.toContain('secret plan');
    expect(there).not.toContain('teams.txt');
  });

  test('says what a rule has forbidden, and why a call was none', async () => {
    const it = await evidenceSetting({ config: { agent: { mode: 'observer' } } });
    await it.does([write('a.txt')]);
    const { text } = await it.says('/why');
    expect(shownIn(text)[0]).toContain('write_file');
    expect(shownIn(text)[1]).toMatch(/^- It /);
    expect((await it.says('/why the last one?')).text).toBe(words.whyHow);
  });

  test('explains calls of an older Keyturn, which noted less', async () => {
    const it = await evidenceSetting({ config: free });
    await it.does([write('a.txt')]);
    it.daemon.tamper(
      `DROP TRIGGER audit_is_not_changed; UPDATE audit SET detail = json_remove(detail, '$.why'); UPDATE turns SET model = NULL`,
    );
    const { text } = await it.says('/why');
    expect(shownIn(text)[1]).toBe(`- ${words.whyRule({ rule: 'unknown' })}`);
    expect(text).toContain('a.txt');
  });
});
