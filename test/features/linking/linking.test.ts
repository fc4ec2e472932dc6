import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/contract.ts';
import { strangerWords } from '../../../src/conversation/access/words.ts';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { linkingWords } from '../../../src/features/linking/words.ts';
import { group } from '../../support/daemon-setting.ts';
import {
  codeOf,
  linked,
  linkedAs,
  minute,
  pair,
  toStranger,
  twoChannels,
  u1,
  unpaired,
} from '../../support/link-setting.ts';
import { failingInsert, tamperWith } from '../../support/store-setting.ts';
import { yourAccounts } from './your-accounts.ts';

const links = 'SELECT principal FROM links ORDER BY principal';
const thereTeam: Conversation = { ...group, channel: 'other' };

const said = linkingWords.en;
const linkedNotice = said.linkedNotice({ account: u1, undo: '`/unlink other:u1`' });

/** What shows a code. */
function codeMessage(code: string, letsIn: boolean): string {
  return said.code({ command: '`/link CODE`', code: `\`${code}\``, lifetime: '10 min', letsIn });
}

describe('/link', () => {
  test('shows a code of 49 bits, good for ten minutes, of which the database has no copy to type', async () => {
    const { setting, here } = await twoChannels();
    const code = await codeOf(here, 'ada');
    expect(code).toMatch(/^[23456789abcdefghjkmnpqrstuvwxy]{10}$/);
    const { text } = await here.sees('The code:', 'test:ada');
    expect(text).toBe(codeMessage(code, true));
    expect(JSON.stringify(setting.rows('SELECT * FROM link_codes'))).not.toContain(code);
    expect(JSON.stringify(setting.rows('SELECT * FROM inbox'))).not.toContain(code);
    expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).not.toContain(code);
    expect(setting.model.requests).toEqual([]);
  });

  test('typed with the other account, links both: both are told, at once and after a restart', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'ada');
    await there.ask(
      `/link \`${code.slice(0, 5).toUpperCase()}-${code.slice(5)}\``,
      said.joined({ account: '`test:ada` (`Ada`)' }),
      { by: 'u1', at: 'other:u1' },
    );
    await here.sees(linkedNotice, 'test:ada');
    expect(setting.rows(links)).toEqual([{ principal: 'other:u1' }, { principal: 'test:ada' }]);
    expect(setting.rows("SELECT actor, detail FROM audit WHERE kind = 'account-linked'")).toEqual([
      { actor: 'other:u1', detail: '{"with":"test:ada"}' },
    ]);
    await setting.restart();
    await there.ask('hello', 'echo: hello', { by: 'u1', at: 'other:u1' });
    const { text } = await there.ask('/links', yourAccounts, { by: 'u1', at: 'other:u1' });
    expect(text).toMatch(/- `other:u1` \(`U1`\), since 1[45] Nov 2023 \(this one\)\n- `test:ada` \(`Ada`\), since/);
  });

  test('is good after a restart, and what is written right behind it is heard', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'ada');
    await setting.restart();
    await Promise.all([there.say(`/link ${code}`, { by: 'u1' }), there.say('hello', { by: 'u1' })]);
    await there.sees('echo: hello', 'other:u1');
  });

  test('is used once: of two accounts at once, one is linked', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'ada');
    await Promise.all(['u1', 'u2'].map((by) => there.say(`/link ${code}`, { by })));
    await there.sees(said.wrongCode);
    expect(setting.rows(links)).toHaveLength(2);
    await there.ask(`/link ${code}`, said.wrongCode, { by: 'u3', at: 'other:u3' });
    expect(setting.rows(links)).toHaveLength(2);
  });

  test('delivered twice, it acts once', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'ada');
    await Promise.all([1, 2].map(() => there.say(`/link ${code}`, { by: 'u1', key: 'same' })));
    await here.sees(linkedNotice, 'test:ada');
    expect(here.textsIn('test:ada').filter((text) => text === linkedNotice)).toHaveLength(1);
    expect(setting.rows("SELECT 1 FROM audit WHERE kind = 'account-linked'")).toHaveLength(1);
  });

  test('is no longer valid after ten minutes, nor when another one was asked for', async () => {
    const { setting, here, there, clock } = await twoChannels();
    const first = await codeOf(here, 'ada');
    const second = await codeOf(here, 'ada');
    await there.ask(`/link ${first}`, said.wrongCode, { by: 'u1', at: 'other:u1' });
    clock.advance(10 * minute);
    await there.ask(`/link ${second}`, said.wrongCode, { by: 'u2', at: 'other:u2' });
    expect(setting.rows(links)).toEqual([]);
    await linked([here, 'ada'], [there, 'u1']);
    expect(setting.rows('SELECT * FROM link_codes')).toEqual([]);
  });

  test('is looked at five times an hour when it is wrong, of a stranger and of others', async () => {
    const { setting, here, there, clock } = await twoChannels();
    const codes = [await codeOf(here, 'ada'), await codeOf(here, 'bob')];
    const guesses = ['0', 'wrong', 'ⅷ', `${codes[0]}x`, codes[0]?.slice(1)];
    for (const guess of guesses) await there.say(`/link ${guess}`, { by: 'u1' });
    for (const guess of guesses) await here.say(`/link ${guess}`, { by: 'bob' });
    for (const more of [1, 2]) {
      await there.say(`/link ${codes[0]}`, { by: 'u1', key: `a${more}` });
      await here.say(`/link ${codes[0]}`, { by: 'bob', key: `b${more}` });
    }
    await there.sees(commandWords.en.tooManyGuesses, 'other:u1');
    await here.sees(commandWords.en.tooManyGuesses, 'test:bob');
    expect(there.textsIn('other:u1').filter((text) => text === said.wrongCode)).toHaveLength(1 + 4);
    expect(there.textsIn('other:u1')).toHaveLength(6);
    expect(setting.rows(links)).toEqual([]);
    clock.advance(60 * minute);
    await linked([here, 'ada'], [there, 'u1']);
  });

  test('of a stranger that fails by itself is answered once, and they are heard again', async () => {
    const { setting, here, there } = await twoChannels();
    tamperWith(join(setting.folder, 'data', 'keyturn.db'), failingInsert('links'));
    const stranger = { by: 'u1', at: 'other:u1' };
    await there.ask(`/link ${await codeOf(here, 'ada')}`, commandWords.en.commandFailed, stranger);
    await there.ask('/link abcdefghjk', said.wrongCode, stranger);
    expect(there.screen.filter(({ text }) => text === commandWords.en.commandFailed)).toHaveLength(1);
  });

  test('of a stranger that is wrong leaves nothing of them but that it was answered', async () => {
    const { setting, there } = await twoChannels();
    await there.ask('/link wrong', said.wrongCode, { by: 'u1', at: 'other:u1' });
    expect(setting.rows('SELECT * FROM inbox')).toEqual([]);
    expect(setting.rows('SELECT * FROM participants')).toEqual([]);
    expect(setting.rows("SELECT seen_at FROM conversations WHERE id = 'other:u1'")).toEqual([{ seen_at: 0 }]);
    await there.ask('/link', toStranger, { by: 'u2', at: 'other:u2' });
  });
});

describe('a code', () => {
  test('is not shown in a group, and one that is typed there is no longer valid', async () => {
    const { setting, here, there } = await twoChannels();
    await here.ask('/link', said.notHere, { in: group, at: 'test:team' });
    expect(setting.rows('SELECT * FROM link_codes')).toEqual([]);
    const code = await codeOf(here, 'ada');
    await here.say(`/link ${code}`, { in: group });
    await there.ask(`/link ${code}`, said.wrongCode, { by: 'u1', at: 'other:u1' });
    expect(setting.rows(links)).toEqual([]);
  });

  test('typed in a group by a stranger, within other words, by a press or by its own account links nobody', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'ada');
    const receipt = await there.say(`/link ${code}`, { by: 'u1', in: thereTeam });
    expect(receipt.notice).toBe(strangerWords.en.turnedAway({ id: '`other:u1`' }));
    await there.say(`see: /link ${code}`, { by: 'u1' });
    await there.pressToSee(`/link ${code}`, 'people I know', { by: 'u1', at: 'other:u1' });
    await here.ask(`/link ${code}`, said.ownCode, { at: 'test:ada' });
    expect(setting.rows(links)).toEqual([]);
  });

  test('typed by a bot, a webhook or an anonymous admin links nobody, and none of them is given one', async () => {
    const { setting, here, there } = await twoChannels({
      config: { channels: { test: { allow_from: ['helper'] }, other: { allow_from: ['helper'] } } },
    });
    const code = await codeOf(here, 'ada');
    for (const by of ['u1', 'helper', 'ada']) await there.say(`/link ${code}`, { by, isPerson: false });
    await here.say('/link', { by: 'helper', isPerson: false });
    await here.say(`/link ${code}`, { by: 'ada', in: group, isPerson: false });
    expect(setting.rows(links)).toEqual([]);
    expect(setting.rows('SELECT principal FROM link_codes')).toEqual([{ principal: 'test:ada' }]);
  });

  test('takes no rights from a person who is talked into typing it: neither an owner nor an approver', async () => {
    const { setting, here } = await twoChannels({
      config: {
        channels: { test: { allow_from: ['bob', 'carl'] }, other: {} },
        approval: { approvers: ['owner', 'test:carl'] },
      },
    });
    const code = await codeOf(here, 'bob');
    for (const by of ['ada', 'carl']) {
      await here.ask(`/link ${code}`, said.fromTheOther, { by, at: `test:${by}` });
    }
    expect(setting.rows(links)).toEqual([]);
    await linked([here, 'carl'], [here, 'bob']);
  });

  test('only because everybody may there where its maker may talk only since everybody may, and links those who may talk', async () => {
    const { setting, here, there } = await twoChannels({
      config: { channels: { test: { allow_from: ['*'] }, other: { allow_from: ['u2'] } } },
    });
    const code = await codeOf(here, 'eve');
    expect((await here.sees('The code:', 'test:eve')).text).toBe(codeMessage(code, false));
    await there.ask(`/link ${code}`, said.cannotLetIn, { by: 'u1', at: 'other:u1' });
    await there.say('hello', { by: 'u1' });
    expect(setting.rows(links)).toEqual([]);
    await there.ask(`/link ${code}`, 'same person', { by: 'u2', at: 'other:u2' });
  });

  test('ends when its maker is let in no longer, though they are let in again', async () => {
    const { setting, here, there } = await twoChannels();
    await pair(here, 'pia');
    const code = await codeOf(here, 'pia');
    await here.ask('/unpair pia', unpaired('pia'), { at: 'test:ada' });
    await pair(here, 'pia');
    await there.ask(`/link ${code}`, said.wrongCode, { by: 'u1', at: 'other:u1' });
    expect(setting.rows(links)).toEqual([]);
  });

  test('of somebody whom the config lets in no longer is no good, no matter who types it', async () => {
    const { setting, here, there } = await twoChannels();
    const code = await codeOf(here, 'bob');
    await setting.restart({ channels: { test: {}, other: { allow_from: ['u1'] } } });
    for (const by of ['u1', 'u2']) {
      await there.ask(`/link ${code}`, said.wrongCode, { by, at: `other:${by}` });
    }
    expect(setting.rows(links)).toEqual([]);
  });

  test('is the one that counts where an account types two at once: it joins one person', async () => {
    const { setting, here } = await twoChannels({
      config: { channels: { test: { allow_from: ['bob', 'carl', 'dora'] }, other: {} } },
    });
    const codes = [await codeOf(here, 'bob'), await codeOf(here, 'carl')];
    await Promise.all(codes.map((code) => here.say(`/link ${code}`, { by: 'dora' })));
    await here.sees('same person', 'test:dora');
    expect(setting.rows(links)).toEqual([{ principal: 'test:bob' }, { principal: 'test:dora' }]);
  });

  test('adds one account at a time: an account that is linked already is told how to go on', async () => {
    const { setting, here, there } = await linkedAs('ada');
    await here.ask(`/link ${await codeOf(here, 'bob')}`, said.alreadyElsewhere, { at: 'test:ada' });
    await here.ask(`/link ${await codeOf(there, 'u1')}`, said.alreadyTogether, { at: 'test:ada' });
    await linked([there, 'u1'], [here, 'bob']);
    expect(setting.rows('SELECT count(DISTINCT person) AS persons, count(*) AS accounts FROM links')).toEqual([
      { persons: 1, accounts: 3 },
    ]);
  });

  test('of one who has asked for the other, typed by both at once, links them once', async () => {
    const { setting, here } = await twoChannels({ config: { channels: { test: { allow_from: ['bob', 'carl'] } } } });
    const [bobs, carls] = [await codeOf(here, 'bob'), await codeOf(here, 'carl')];
    await Promise.all([here.say(`/link ${bobs}`, { by: 'carl' }), here.say(`/link ${carls}`, { by: 'bob' })]);
    expect(setting.rows(links)).toHaveLength(2);
    expect(setting.rows("SELECT 1 FROM audit WHERE kind = 'account-linked'")).toHaveLength(1);
    expect(setting.rows('SELECT * FROM link_codes')).toEqual([]);
  });

  test('is good for ten accounts of one person, and no more', async () => {
    const { here, there } = await twoChannels();
    for (let index = 0; index < 9; index++) await linked([here, 'ada'], [there, `u${index}`]);
    await there.ask(`/link ${await codeOf(here, 'ada')}`, said.full, {
      by: 'u9',
      at: 'other:u9',
    });
  });
});

describe('/unlink', () => {
  test('takes the own account out: it is a stranger again, and linked again it is not', async () => {
    const { setting, here, there } = await linkedAs('ada');
    await there.ask('/unlink', said.takenOut({ account: undefined }), { by: 'u1', at: 'other:u1' });
    await there.ask('hello', toStranger, { by: 'u1', at: 'other:u1' });
    expect(setting.rows(links)).toEqual([]);
    expect(setting.rows("SELECT actor, detail FROM audit WHERE kind = 'account-unlinked'")).toEqual([
      { actor: 'other:u1', detail: '{"account":"other:u1"}' },
    ]);
    await here.ask('/unlink', said.notLinked, { at: 'test:ada' });
    await setting.restart();
    await there.say('hello?', { by: 'u1' });
    expect(setting.model.requests).toEqual([]);
    await linked([here, 'ada'], [there, 'u1']);
  });

  test('takes another account of the same person out, which is told so, and ends the codes of both', async () => {
    const { setting, here, there } = await linkedAs('bob', {
      config: { channels: { test: { allow_from: ['bob'] }, other: { allow_from: ['u1'] } } },
    });
    await linked([here, 'bob'], [there, 'u2']);
    const codes = [await codeOf(there, 'u1'), await codeOf(here, 'bob')];
    await there.ask('/unlink u1', said.unlinkedNotice, { by: 'u2', at: 'other:u1' });
    await there.sees(said.takenOut({ account: u1 }), 'other:u2');
    expect(setting.rows(links)).toEqual([{ principal: 'other:u2' }, { principal: 'test:bob' }]);
    for (const code of codes) await there.say(`/link ${code}`, { by: 'u3' });
    expect(there.textsIn('other:u3').filter((text) => text === said.wrongCode)).toHaveLength(2);
    expect(setting.rows(links)).toHaveLength(2);
  });

  test('of an owner takes anybody out; of anybody else, nobody but their own, and tells nothing of others', async () => {
    const { setting, here } = await linkedAs('bob', {
      config: { channels: { test: { allow_from: ['bob', 'carl'] } } },
    });
    for (const command of ['/unlink other:u1', '/unlink u1', '/unlink test:bob'])
      await here.say(command, { by: 'carl' });
    await here.ask('/links', said.notLinked, { by: 'carl', at: 'test:carl' });
    expect(here.textsIn('test:carl').join()).not.toMatch(/u1|bob/i);
    expect(setting.rows(links)).toHaveLength(2);
    expect((await here.ask('/links', said.otherPeople({ people: [] }), { at: 'test:ada' })).text).toContain(
      '- `other:u1` (`U1`)',
    );
    await here.ask('/unlink other:u1', said.takenOut({ account: u1 }), { at: 'test:ada' });
    expect(setting.rows(links)).toEqual([]);
  });

  test('asks which where several have the id, and says so where there is none', async () => {
    const { here } = await linkedAs('bob', { config: { channels: { test: { allow_from: ['bob', 'u1'] } } } });
    await linked([here, 'bob'], [here, 'u1']);
    await here.ask('/unlink u1', said.several({ accounts: ['`other:u1`', '`test:u1`'] }), {
      by: 'bob',
      at: 'test:bob',
    });
    await here.ask('/unlink nobody', said.notFound, { by: 'bob', at: 'test:bob' });
  });
});
