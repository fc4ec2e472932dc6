import { describe, expect, test } from 'vitest';
import { createClaimCode } from '../../src/conversation/access/claim.ts';
import { approveButton, deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { call } from '../support/scripted-model.ts';

const hour = 3_600_000;

describe('the code', () => {
  test('is right however it is typed, and nothing else is', () => {
    const claim = createClaimCode('k3f9abcd', new ManualClock());
    expect(claim.attempt('test:ada', ' K3F9ABCD\n')).toBe('right');
    for (const [index, code] of ['', 'k3f9abc', 'k3f9abcde', 'k3f9abcc', '天天天天'].entries())
      expect(claim.attempt(`test:${index}`, code)).toBe('wrong');
  });

  test('may be guessed five times an hour by one person, and the right one does not count then', () => {
    const clock = new ManualClock();
    const claim = createClaimCode('k3f9abcd', clock);
    for (let guess = 0; guess < 5; guess++) expect(claim.attempt('test:eve', 'wrong')).toBe('wrong');
    expect(claim.attempt('test:eve', 'k3f9abcd')).toBe('too-many');
    expect(claim.attempt('test:ada', 'k3f9abcd')).toBe('right');
    clock.advance(hour - 1);
    expect(claim.attempt('test:eve', 'k3f9abcd')).toBe('ignored');
    clock.advance(1);
    expect(claim.attempt('test:eve', 'k3f9abcd')).toBe('right');
  });

  test('a crowd does not fill the memory, nor free those who have guessed lately', () => {
    const claim = createClaimCode('k3f9abcd', new ManualClock());
    for (let person = 0; person < 3000; person++) claim.attempt(`test:${person}`, 'wrong');
    for (let guess = 0; guess < 5; guess++) claim.attempt('test:eve', 'wrong');
    for (let person = 0; person < 900; person++) claim.attempt(`test:x${person}`, 'wrong');
    expect(claim.attempt('test:eve', 'k3f9abcd')).toBe('too-many');
  });
});

describe('/claim', () => {
  test('makes the first who shows the code the owner, for good', async () => {
    const { channel, ...setting } = await unclaimed();
    await channel.ask('hello', 'your id here is `test:eve`', { by: 'eve', at: 'test:eve' });
    await channel.ask('/claim wrong', 'That is not the code', { by: 'eve', at: 'test:eve' });
    await channel.ask('/claim k3f9abcd', 'This Keyturn is yours now', { at: 'test:ada' });
    await channel.say('/claim k3f9abcd', { by: 'eve' });
    await setting.restart();
    await channel.ask('still me', 'echo: still me');
    expect(channel.textsIn('test:eve').join()).not.toContain('yours');
    expect(setting.rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
  });

  test('of two at once, one becomes the owner, and the other is told', async () => {
    const { channel, rows } = await unclaimed();
    await Promise.all(['ada', 'bob'].map((by) => channel.say('/claim k3f9abcd', { by })));
    await channel.sees('yours now', 'test:ada');
    await channel.sees('already has an owner', 'test:bob');
    expect(rows('SELECT principal FROM owners')).toHaveLength(1);
  });

  test('works for somebody who may talk anyway', async () => {
    const { channel } = await unclaimed(['*']);
    await channel.ask('/claim k3f9abcd', 'This Keyturn is yours now');
  });

  test('is over once the config names the owners: who has claimed it is none any more, and nobody can', async () => {
    const { setting, channel, model, deploy } = await deploySetting({ config: { owners: [] } });
    await channel.ask('/claim k3f9abcd', 'This Keyturn is yours now');
    model.next([call('deploy', { what: 'site' })]);
    await channel.say('deploy the site');
    const button = await approveButton(channel);
    await setting.restart({ owners: ['test:bob'] });
    const [approval] = setting.rows('SELECT id FROM approvals');
    expect(await channel.press(button)).toEqual({ notice: expect.stringContaining('You may not decide that') });
    for (const text of [`/approve ${approval?.id}`, '/claim k3f9abcd', 'list the files']) await channel.say(text);
    await channel.ask('/claim k3f9abcd', 'private assistant', { by: 'eve', at: 'test:ada' });
    await channel.sees('private assistant', 'test:eve');
    await channel.askAtRest('it is mine', 'echo: it is mine', { by: 'bob', at: 'test:bob' });
    expect(model.requests).toHaveLength(2);
    expect(deploy.executed).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(setting.rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
  });

  test('does not tell somebody else that it is theirs', async () => {
    const { channel } = await daemonSetting({ allowFrom: ['bob'] });
    await channel.ask('/claim k3f9abcd', 'already has an owner', { by: 'bob', at: 'test:bob' });
    await channel.ask('/claim k3f9abcd', 'already has an owner', { at: 'test:ada' });
  });

  test('a stranger is told once an hour that they may not talk', async () => {
    const { channel, clock } = await unclaimed();
    const told = () => channel.textsIn('test:eve').length;
    for (const text of ['a', 'b', 'c']) await channel.say(text, { by: 'eve' });
    await channel.sees('private assistant');
    clock.advance(hour - 1);
    await channel.say('d', { by: 'eve' });
    expect(told()).toBe(1);
    clock.advance(1);
    await channel.say('e', { by: 'eve' });
    await channel.changes.waitFor(() => told() === 2);
  });
});

async function unclaimed(allowFrom: readonly string[] = []) {
  const setting = await daemonSetting({ config: { owners: [] }, allowFrom });
  const { channel, clock } = setting;
  return { channel, clock, restart: () => setting.restart(), rows: (sql: string) => setting.rows(sql) };
}
