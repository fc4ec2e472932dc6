import { describe, expect, test } from 'vitest';
import { strangerWords } from '../../../src/conversation/access/words.ts';
import { languageWords } from '../../../src/conversation/commands/language/words.ts';
import { peopleWords } from '../../../src/conversation/commands/people/words.ts';
import { linkingWords } from '../../../src/features/linking/words.ts';
import { group } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { linked, linkedAs, pair, toStranger, twoChannels, u1, unpaired } from '../../support/link-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { yourAccounts } from './your-accounts.ts';

const said = linkingWords.en;
const nobodyLetIn = peopleWords.en.letInList({ people: [] });
const thereTeam = { ...group, channel: 'other' };
const members = { team: { allow_from: ['bob'] } };

describe('an account that is linked with an owner’s', () => {
  test('is an owner, in direct chats and in groups, until it is taken out', async () => {
    const { setting, there } = await linkedAs('ada');
    await there.ask('/people', nobodyLetIn, { by: 'u1', at: 'other:u1' });
    await there.ask('hello', 'echo: [U1] hello', { by: 'u1', in: thereTeam, at: 'other:team' });
    await setting.restart();
    await there.ask('/unlink', said.takenOut({ account: undefined }), { by: 'u1', at: 'other:u1' });
    for (const place of [direct('other', 'u1'), thereTeam]) await there.say('hello again', { by: 'u1', in: place });
    await there.say('/people', { by: 'u1' });
    expect(setting.model.requests).toHaveLength(1);
    expect(there.textsIn('other:u1').filter((text) => text.includes(nobodyLetIn))).toHaveLength(1);
  });

  test('decides about what others ask for, and no more when it is taken out', async () => {
    const deploy = new RecordingTool('deploy', 'shell');
    const { setting, here, there } = await linkedAs('ada', { tools: [deploy.registration] });
    setting.model.next([call('deploy', { what: 'one' })], 'done');
    await here.say('deploy', { by: 'bob' });
    await there.press(await there.card('other:u1'), { by: 'u1' });
    await deploy.ran(1);
    await here.whenIdle(direct('test', 'bob'));
    setting.model.next([call('deploy', { what: 'two' })], 'done');
    await here.say('deploy again', { by: 'bob' });
    const card = await there.card('other:u1');
    await here.ask('/unlink other:u1', 'no longer linked', { at: 'test:ada' });
    const receipt = await there.press(card, { by: 'u1' });
    expect(receipt.notice).toMatch(/may not/i);
    expect(deploy.executed).toEqual(['one']);
  });

  test('decides where the config names an approver instead', async () => {
    const deploy = new RecordingTool('deploy', 'shell');
    const channels = { test: { allow_from: ['bob', 'carl'] }, other: {} };
    const { setting, here, there } = await linkedAs('carl', {
      tools: [deploy.registration],
      config: { channels, approval: { approvers: ['test:carl'] } },
    });
    setting.model.next([call('deploy', { what: 'one' })], 'done');
    await here.say('deploy', { by: 'bob' });
    await there.press(await there.card('other:u1'), { by: 'u1' });
    await deploy.ran(1);
  });

  test('is one, too, if its owner has claimed Keyturn after they were linked', async () => {
    const { here, there } = await linkedAs('bob', { config: { owners: [] } });
    await here.ask('/claim k3f9abcd', 'yours now', { by: 'bob', at: 'test:bob' });
    await there.ask('/people', nobodyLetIn, { by: 'u1', at: 'other:u1' });
  });

  test('makes others owners no more than that: who claims is one, an account that is linked later, too', async () => {
    const { setting, there } = await linkedAs('ada');
    await linked([there, 'u1'], [there, 'u2']);
    await there.ask('/unlink other:u1', said.takenOut({ account: u1 }), { by: 'u2', at: 'other:u2' });
    await there.ask('/people', toStranger, { by: 'u1', at: 'other:u1' });
    expect(setting.rows('SELECT principal FROM owners')).toEqual([]);
  });
});

test('an account that is taken out is told in its own language', async () => {
  const { setting, here, there } = await linkedAs('bob');
  await there.ask('/language en', languageWords.en.set, { by: 'u1', at: 'other:u1' });
  await here.say('/language zh');
  await here.sees(languageWords.zh.set, 'test:ada');
  await here.say('/unlink other:u1');
  await there.sees(linkingWords.en.unlinkedNotice, 'other:u1');
  expect(setting.model.requests).toEqual([]);
});

describe('an account that is linked with that of somebody who may talk', () => {
  test('may talk directly, and the owners are told who was let in; not so if they let them in themselves', async () => {
    const { here, there } = await twoChannels();
    await here.say('hello');
    await linked([here, 'bob'], [there, 'u1']);
    await here.sees(
      said.ownersNotice({ account: u1, linked: '`test:bob` (`Bob`)', undo: '`/unlink other:u1`' }),
      'test:ada',
    );
    await linked([here, 'ada'], [there, 'u2']);
    await there.ask('hello', 'echo: hello', { by: 'u1', at: 'other:u1' });
    expect(here.textsIn('test:ada').join()).not.toContain('other:u2`) may talk');
  });

  test.each(['bob', 'pia'])('(%s) is turned away from the groups of its own platform', async (maker) => {
    // There, somebody else has the id that Bob has here, and may talk.
    const channels = { test: { allow_from: ['bob'] }, other: { allow_from: ['bob', 'pia'] } };
    const { setting, here, there } = await twoChannels({ config: { channels } });
    if (maker === 'pia') await pair(here, 'pia');
    await linked([here, maker], [there, 'u1']);
    const receipt = await there.say('hello', { by: 'u1', in: thereTeam });
    expect(receipt.notice).toBe(strangerWords.en.turnedAway({ id: '`other:u1`' }));
    expect(setting.model.requests).toEqual([]);
  });

  test('of the same platform may talk in the groups in which that one may', async () => {
    const { here, setting } = await twoChannels({
      config: { channels: { test: { allow_from: ['carl'], groups: { ...members, club: {} } }, other: {} } },
    });
    await linked([here, 'carl'], [here, 'bob2']);
    const club = { ...group, chatId: 'club' };
    await here.ask('in the club', 'echo: [Bob2] in the club', { by: 'bob2', in: club, at: 'test:club' });
    await here.ask('/unlink bob2', 'no longer linked', { by: 'carl', at: 'test:carl' });
    await here.say('again', { by: 'bob2', in: club });
    expect(setting.model.requests).toHaveLength(1);
  });

  test('asks to be let in no longer', async () => {
    const { setting, here, there } = await twoChannels();
    await there.ask('hello', '/pair', { by: 'u1', at: 'other:u1' });
    await linked([here, 'bob'], [there, 'u1']);
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
    expect(
      (await here.ask('/people', peopleWords.en.holderList({ holders: [] }), { at: 'test:ada' })).text,
    ).not.toContain('u1');
  });

  test('may talk no more when that one is let in no longer, and the owner who ends it is told what is left', async () => {
    const { setting, here, there } = await twoChannels();
    await pair(here, 'pia');
    await linked([here, 'pia'], [there, 'u1']);
    await here.ask('/unpair pia', unpaired('pia'), { at: 'test:ada' });
    await there.ask('still there?', toStranger, { by: 'u1', at: 'other:u1' });
    expect(setting.model.requests).toEqual([]);
  });

  test('keeps it let in when that one was not the only one, and the owner is told so', async () => {
    const { here, there } = await twoChannels({ config: { channels: { test: {}, other: { allow_from: ['u1'] } } } });
    await pair(here, 'pia');
    await linked([here, 'pia'], [there, 'u1']);
    await here.ask('/unpair pia', unpaired('pia', true), { at: 'test:ada' });
    await here.ask('hello again', 'echo: hello again', { by: 'pia', at: 'test:pia' });
  });

  test('gives a bot nothing that has its id', async () => {
    const { setting, there } = await linkedAs('bob');
    await there.say('hello', { by: 'u1', isPerson: false });
    expect(setting.model.requests).toEqual([]);
  });
});

describe('people in the config', () => {
  const people = { ada: ['test:ada', 'other:u1'], bob: ['test:bob', 'other:u2'] };

  test('are one person each, and no command undoes that', async () => {
    const { here, there } = await twoChannels({ config: { people } });
    await there.ask('/people', nobodyLetIn, { by: 'u1', at: 'other:u1' });
    await there.ask('hello', 'echo: hello', { by: 'u2', at: 'other:u2' });
    for (const command of ['/unlink', '/unlink test:bob']) await there.say(command, { by: 'u2' });
    await here.ask('/unlink other:u2', said.inConfig, { at: 'test:ada' });
    expect(there.textsIn('other:u2').filter((text) => text === said.inConfig)).toHaveLength(2);
    const { text } = await there.ask('/links', yourAccounts, { by: 'u2', at: 'other:u2' });
    expect(text).toContain('- `other:u2`, by the config (this one)\n- `test:bob`, by the config');
  });

  test('can link further accounts, and lose what the config says when it says it no more', async () => {
    const { setting, here, there } = await twoChannels({ config: { people } });
    await linked([there, 'u2'], [there, 'u3']);
    expect((await here.ask('/links', yourAccounts, { by: 'bob', at: 'test:bob' })).text).toContain('`other:u3` (`U3`)');
    await setting.restart({ people: {} });
    for (const by of ['u1', 'u2', 'u3']) {
      await there.ask('hello', toStranger, { by, at: `other:${by}` });
    }
    expect(setting.model.requests).toEqual([]);
  });

  test('end the knocking of whom they let in', async () => {
    const { setting, there } = await twoChannels();
    await there.ask('hello', '/pair', { by: 'u2', at: 'other:u2' });
    await setting.restart({ people });
    expect(setting.rows('SELECT * FROM pairing_codes')).toEqual([]);
  });
});
