import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cardWords } from '../../../src/approval/asking/words.ts';
import { ruleWords } from '../../../src/approval/rules/words.ts';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { engineWords } from '../../../src/engine/words.ts';
import { rulesWords } from '../../../src/features/rules/words.ts';
import { group } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import { homeServer } from '../../tools/guard/network/network-setting.ts';
import { notes, offerOn, type RulesSetting, rulesSetting, savedWords } from './rules-setting.ts';

const words = rulesWords.en;

const inNotes = {
  toolName: 'write_file',
  scope: { of: 'folder', folder: 'notes', ending: '.md', isDeep: false },
} as const;
const what = ruleWords.en.rule(inNotes);
const inGroup: Deed = { in: group, by: 'ada', addressed: true };

/** Eight approvals, and a ninth card. */
async function withOffer(options: Parameters<typeof rulesSetting>[0] = {}, deed: Deed = {}) {
  const setting = await rulesSetting(options);
  await setting.allows(notes(8), deed);
  const card = await setting.wantsToWrite('notes/9.md', deed);
  return { setting, card };
}

/** The rule is allowed. */
async function withRule(options: Parameters<typeof rulesSetting>[0] = {}): Promise<RulesSetting> {
  const { setting, card } = await withOffer(options);
  await setting.presses(await setting.asksAbout(card), words.buttonAllow);
  return setting;
}

describe('after eight equal approvals', () => {
  test('the ninth card offers a rule, and none before it', async () => {
    const setting = await rulesSetting();
    for (const path of notes(8)) {
      const card = await setting.wantsToWrite(path);
      expect(offerOn(card)).toBeUndefined();
      await setting.presses(card, cardWords.en.buttonApprove);
    }
    const card = await setting.wantsToWrite('notes/9.md');
    const offered = card?.buttons.flat().find(({ actionId }) => actionId === offerOn(card));
    expect(offered?.label).toBe(ruleWords.en.buttonRule(inNotes));
  });

  test('a press asks with the scope and the figures, and decides nothing', async () => {
    const { setting, card } = await withOffer();
    const asked = await setting.asksAbout(card);
    expect(asked.text).toContain(words.question(inNotes));
    expect(asked.text).toContain(savedWords(8));
    expect(setting.grants()).toEqual([]);
    expect(setting.open?.ref).toBe(card?.ref);
    await setting.presses(asked, words.buttonNo);
    expect(setting.now(asked)?.text).toBe(words.left);
    expect(setting.open?.ref).toBe(card?.ref);
  });

  test('the second press allows it with its card: no more cards, until it is revoked', async () => {
    const { setting, card } = await withOffer();
    const { folder } = setting.daemon;
    const asked = await setting.asksAbout(card);
    await setting.presses(asked, words.buttonAllow);
    expect(existsSync(join(folder, 'workspace/notes/9.md'))).toBe(true);
    expect(card && setting.now(card)?.text).toContain(words.alsoAlways(inNotes));
    expect(setting.now(asked)?.text).toContain(what);

    expect(await setting.wantsToWrite('notes/10.md')).toBeUndefined();
    expect(existsSync(join(folder, 'workspace/notes/10.md'))).toBe(true);
    const list = await setting.says('/grants');
    expect(list.text).toContain(`always ${what}`);
    expect(list.text).toContain('used once');
    const why = await setting.says('/why');
    expect(why.text).toContain(`“${what}”`);

    const [{ id = '' } = {}] = setting.grants();
    expect((await setting.says(`/revoke ${String(id)}`)).text).toBe(commandWords.en.revoked({ count: 1 }));
    const again = await setting.wantsToWrite('notes/11.md');
    expect(again).toBeDefined();
    expect(offerOn(again)).toBeUndefined();
  });

  test('what else the tool does is asked for', async () => {
    const setting = await withRule();
    for (const path of [
      'notes/run.sh',
      'notes2/1.md',
      'notes/deep/1.md',
      'notes/.hidden.md',
      'Notes/1.md',
      'other.md',
    ]) {
      const card = await setting.wantsToWrite(path);
      expect(card, path).toBeDefined();
      await setting.presses(card, cardWords.en.buttonDeny);
    }
  });

  test('it is there in the next process, which opens the same database', async () => {
    const setting = await withRule();
    await setting.daemon.restart();
    expect(await setting.wantsToWrite('notes/10.md')).toBeUndefined();
  });

  test('a press that comes again, and one after a kill, count once', async () => {
    const { setting, card } = await withOffer();
    const asked = await setting.asksAbout(card);
    const allow = asked.buttons.flat().find(({ label }) => label === words.buttonAllow)?.actionId ?? '';
    await setting.does(allow, { key: 'press-1' });
    await setting.daemon.dies();
    await setting.daemon.start();
    await setting.does(allow, { key: 'press-1' });
    await setting.does(allow, { key: 'press-2' });
    expect(setting.grants()).toHaveLength(1);
    expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'approval-decided'`)).toHaveLength(9);
    expect(setting.now(asked)?.text).toContain(what);
  });

  test('two owners who press at once give one rule, and both read what is so', async () => {
    const { setting, card } = await withOffer({ config: { owners: ['test:ada', 'test:bob'] } }, inGroup);
    const asked = await setting.asksAbout(card, inGroup);
    const allow = asked.buttons.flat().find(({ label }) => label === words.buttonAllow)?.actionId ?? '';
    await Promise.all([setting.does(allow, inGroup), setting.does(allow, { ...inGroup, by: 'bob' })]);
    expect(setting.grants()).toHaveLength(1);
    expect(setting.now(asked)?.text).toContain(what);
    expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'approval-decided'`)).toHaveLength(9);
  });

  test('the question is void once the card is decided otherwise', async () => {
    const { setting, card } = await withOffer();
    const asked = await setting.asksAbout(card);
    await setting.presses(card, cardWords.en.buttonApprove);
    await setting.presses(asked, words.buttonAllow);
    expect(setting.grants()).toEqual([]);
    expect(setting.now(asked)?.text).toBe(words.over);
  });

  test('it holds only while who allowed it may decide', async () => {
    const setting = await withRule();
    setting.daemon.tamper(`UPDATE grants SET granted_by = 'test:bob'`);
    const card = await setting.wantsToWrite('notes/10.md');
    expect(card).toBeDefined();
    await setting.presses(card, cardWords.en.buttonDeny);
    expect((await setting.says('/grants')).text).toContain('Not in force: `test:bob`');
    await setting.daemon.edit({ owners: ['test:ada', 'test:bob'] });
    expect(await setting.wantsToWrite('notes/11.md')).toBeUndefined();
  });

  test('where there are no buttons, what is typed does the same', async () => {
    const { setting, card } = await withOffer();
    const list = await setting.says('/rule');
    expect(list.text).toContain(words.entry(inNotes));
    const id = /^ap:(.*):p$/.exec(offerOn(card) ?? '')?.[1] ?? '';
    const asked = await setting.says(`/rule ${id}`);
    const [, typed = ''] = /`(\/rule \S+ \S+)`/.exec(asked.text) ?? [];
    expect((await setting.says(`/rule ${id} 000000`)).text).toContain(words.changed);
    expect(setting.grants()).toEqual([]);
    await setting.says(typed);
    expect(setting.grants()).toHaveLength(1);
    expect((await setting.says('/rule')).text).toBe(words.none);
    expect((await setting.says('/rule abcd1234')).text).toBe(words.unknown);
  });
});

test('a redirect does not lead a call that a rule lets run to a host about which nobody was asked', async () => {
  const server = await homeServer(({ headers: { host = '' }, url }, response) => {
    const to = url === '/away' ? host.replace('docs.', 'other.') : undefined;
    if (to === undefined) response.end(`This is ${host}.`);
    else response.writeHead(302, { location: `http://${to}/` }).end();
  });
  const hosts = ['docs.example.com', 'other.example.com'];
  const setting = await rulesSetting({
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    config: {
      approval: { dangerous_tools: ['web_fetch'] },
      tools: { network: { allow_private: hosts, trusted_domains: hosts } },
    },
  });
  const { model } = setting.daemon;
  const reads = (path: string) => setting.wants('web_fetch', { url: `http://docs.example.com:${server.port}${path}` });
  for (let time = 0; time < 8; time += 1) await setting.presses(await reads('/'), cardWords.en.buttonApprove);
  // As long as a person decides about each address, redirects are followed.
  const asked = await setting.asksAbout(await reads('/away'));
  await setting.presses(setting.open, cardWords.en.buttonApprove);
  expect(server.requests.at(-1)?.headers.host).toContain('other.');
  expect(asked.text).toContain('docs.example.com');
  await setting.presses(await setting.asksAbout(await reads('/')), words.buttonAllow);
  expect(await reads('/')).toBeUndefined();
  expect(await reads('/away')).toBeUndefined();
  expect(server.requests.at(-1)?.headers.host).toContain('docs.');
  expect(JSON.stringify(model.requests.at(-1))).toContain('people let you read without asking');
  expect(await setting.wants('web_fetch', { url: `http://other.example.com:${server.port}/` })).toBeDefined();
});

describe('no rule is offered', () => {
  test('after a denial among the equal calls', async () => {
    const setting = await rulesSetting();
    await setting.allows(notes(4));
    await setting.presses(await setting.wantsToWrite('notes/5.md'), cardWords.en.buttonDeny);
    await setting.allows(notes(8, 6));
    expect(offerOn(await setting.wantsToWrite('notes/20.md'))).toBeUndefined();
  });

  test('about what was denied once, also after a rule about such calls was revoked', async () => {
    const setting = await rulesSetting();
    await setting.presses(await setting.wantsToWrite('docs/1.md'), cardWords.en.buttonDeny);
    await setting.allows(notes(8));
    await setting.presses(await setting.asksAbout(await setting.wantsToWrite('notes/9.md')), words.buttonAllow);
    await setting.says('/revoke all');
    setting.daemon.clock.advance(1000);
    await setting.allows(notes(8).map((path) => path.replace('notes', 'docs')));
    expect(offerOn(await setting.wantsToWrite('docs/1.md'))).toBeUndefined();
  });

  test('if a denial comes after it was offered: the question then says so', async () => {
    const { setting, card } = await withOffer();
    const asked = await setting.asksAbout(card);
    const allow = asked.buttons.flat().find(({ label }) => label === words.buttonAllow)?.actionId ?? '';
    setting.daemon.tamper(`UPDATE approvals SET state = 'denied' WHERE ruled LIKE '%notes/3.md%'`);
    await setting.does(allow);
    expect(setting.grants()).toEqual([]);
    expect(setting.now(asked)?.text).toBe(words.denied);
  });

  test('by figures that have changed: they are shown anew', async () => {
    const { setting, card } = await withOffer();
    const asked = await setting.asksAbout(card);
    // What was said of another card in between, in the same second.
    setting.daemon.tamper(`UPDATE approvals SET decided_at = decided_at - 86400000 WHERE ruled LIKE '%notes/1.md%'`);
    await setting.presses(asked, words.buttonAllow);
    expect(setting.grants()).toEqual([]);
    const anew = setting.now(asked);
    expect(anew?.text).toContain(words.changed);
    await setting.presses(anew, words.buttonAllow);
    expect(setting.grants()).toHaveLength(1);
  });

  test('for files at the top of the workspace', async () => {
    const setting = await rulesSetting();
    await setting.allows(notes(8).map((path) => path.replace('notes/', 'top-')));
    expect(offerOn(await setting.wantsToWrite('top-9.md'))).toBeUndefined();
  });

  test('once something of others was read: it is asked, whatever was allowed', async () => {
    const setting = await withRule();
    setting.daemon.tamper(
      `UPDATE conversations SET tainted = 1, taint_reads = 1, taint_sources = '["example.com"]' WHERE id LIKE '%ada%'`,
    );
    await setting.daemon.restart();
    const card = await setting.wantsToWrite('notes/12.md');
    expect(card).toBeDefined();
    expect(offerOn(card)).toBeUndefined();
  });
});

describe('in a group', () => {
  test('a friend can neither open nor accept what a card offers; an owner can, and it holds for the friend there', async () => {
    const setting = await rulesSetting({ allowFrom: ['bob'] });
    const { model, channel } = setting.daemon;
    model.next('Hello.');
    await channel.say('hello', { in: group, by: 'ada', addressed: true });
    await channel.whenIdle(group);
    const there = { in: group, by: 'bob', addressed: true } as const;
    await setting.allows(notes(8), { ...there });
    const card = await setting.wantsToWrite('notes/9.md', there);
    const offer = offerOn(card) ?? '';
    expect(await setting.does(offer, there)).toBe(engineWords.en.toastNotYours);
    expect(setting.last().ref).toBe(card?.ref);
    const asked = await setting.asksAbout(card, { in: group, by: 'ada' });
    await setting.presses(asked, words.buttonAllow, there);
    expect(setting.grants()).toEqual([]);
    const still = setting.now(asked);
    expect(still?.text).toContain(engineWords.en.toastNotYours);
    expect(still?.text).toContain(words.question(inNotes));
    await setting.presses(still, words.buttonNo, there);
    expect(setting.now(asked)?.text).toContain(words.question(inNotes));
    await setting.presses(still, words.buttonAllow, { in: group, by: 'ada' });
    expect(setting.grants()).toHaveLength(1);
    expect(await setting.wantsToWrite('notes/10.md', there)).toBeUndefined();
    // The owner's own calls there are another matter, and so are the friend's elsewhere.
    expect(await setting.wantsToWrite('notes/11.md', { in: group, by: 'ada', addressed: true })).toBeDefined();
  });
});
