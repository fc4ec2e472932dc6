import { describe, expect, test } from 'vitest';
import { slackWords } from '../../../channels/slack/words.ts';
import type { RoomEntry } from '../../../src/contract.ts';
import { folded } from '../../../src/lib/folds.ts';
import { ada, bob, type IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const button = (actionId: string, label: string) =>
  ({ actionId, label, shortcut: `/${label}`, style: 'plain' }) as const;
const entry = (id: string, markdown: string, ...buttons: RoomEntry['buttons']): RoomEntry => ({
  id,
  markdown,
  buttons,
});

async function opens(setting: IntakeSetting, person = ada) {
  await setting.takes(setting.slack.people.openHome(person, 'home'));
  return setting.slack.waitFor(() => setting.slack.home.homeOf(person), { what: 'a Home' });
}

function room(setting: IntakeSetting, ...entries: readonly RoomEntry[]): void {
  setting.host.room.set(`${team}/${ada}`, entries);
}

describe("the app's Home", () => {
  test('shows each person what waits for them, formatted, with its buttons', async () => {
    const setting = await intakeSetting();
    const fold = folded('Everything', '`rm -r old`');
    room(
      setting,
      entry('1', `**Run** \`rm -r old\`? <@U0000000B> *now*\n\n${fold}`, button('cmd:approve k3f9', 'Show')),
      entry('2', 'Undelivered', button('cmd:retry 1', 'Retry'), button('cmd:drop 1', 'Drop')),
    );
    const home = await opens(setting);
    expect(home.text).toContain('Run rm -r old?');
    expect(home.text).not.toMatch(/<@U|\*\*/);
    expect(home.buttons.map(({ label, value }) => [label, value])).toEqual([
      ['Show', 'cmd:approve k3f9'],
      ['Retry', 'cmd:retry 1'],
      ['Drop', 'cmd:drop 1'],
    ]);
    expect((await opens(setting, bob)).text).toBe(slackWords.en.nothingWaits);
  });

  test('is not published for the other tab, and says nothing in the language of the person', async () => {
    const setting = await intakeSetting();
    setting.slack.home.addPerson({ id: ada, locale: 'zh-CN' });
    await setting.takes(setting.slack.people.openHome(ada));
    expect(setting.slack.callsOf('views.publish')).toEqual([]);
    expect((await opens(setting)).text).toBe(slackWords.zh.nothingWaits);
  });

  test('holds no more than Slack takes, and says how much is left out', async () => {
    const setting = await intakeSetting();
    room(
      setting,
      ...Array.from({ length: 60 }, (_, at) => entry(`${at}`, `${at} ${'x'.repeat(9_000)}`, button('a', 'A'))),
    );
    const { blocks } = await opens(setting);
    expect(blocks.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(blocks.at(-1))).toContain(slackWords.en.moreWaits({ count: 27 }));
  });

  test('takes hostile texts, and shows them without formatting where Slack refuses that', async () => {
    const setting = await intakeSetting();
    room(setting, entry('1', '```\n<!channel> [x](javascript:alert(1)) ||\n> [!details]- '), entry('2', ''));
    await opens(setting);
    setting.slack.fault({ method: 'views.publish', kind: 'error', error: 'invalid_blocks', times: 1 });
    room(setting, entry('1', '**bold**'));
    await opens(setting);
    await setting.slack.waitFor(() => setting.slack.home.homeOf(ada)?.text === '**bold**');
  });
});

describe("a press in the app's Home", () => {
  test("is one in the person's direct chat, and the page is shown anew with what they are told", async () => {
    const setting = await intakeSetting();
    room(setting, entry('g1', 'You allow `npm test` until tomorrow', button('cmd:revoke k3f9', 'Revoke')));
    await opens(setting);
    setting.host.store = async () => {
      room(setting);
      return { notice: 'Gone now.' };
    };
    expect(await setting.intake.take(setting.slack.home.pressHome(ada, 'Revoke').payload)).toBe(true);
    expect(setting.host.received).toMatchObject([
      {
        type: 'action',
        key: expect.stringMatching(/^press:/),
        conversation: { chatId: setting.direct, kind: 'direct' },
        sender: { id: `${team}/${ada}`, name: 'Ada' },
        actionId: 'cmd:revoke k3f9',
      },
    ]);
    expect(setting.host.received[0]).not.toHaveProperty('messageRef.id');
    await setting.slack.waitFor(
      () => setting.slack.home.homeOf(ada)?.text === `Gone now.\n${slackWords.en.nothingWaits}`,
    );
  });

  test('that was not stored is not acknowledged, and one that is not ours is ignored', async () => {
    const setting = await intakeSetting();
    room(setting, entry('1', 'x', button('cmd:status', 'Show')));
    await opens(setting);
    const { payload } = setting.slack.home.pressHome(ada, 'Show');
    setting.host.store = () => Promise.reject(new Error('not stored'));
    await expect(setting.intake.take(payload)).rejects.toThrow('not stored');
    const view = { type: 'home', id: 'V1', private_metadata: '{"chatId":7}' };
    expect(await setting.intake.take({ ...payload, view })).toBe(false);
    expect(await setting.intake.take({ ...payload, actions: [] })).toBe(false);
  });
});

test('an app without a Home is told of once in the log, and is asked for none again', async () => {
  const setting = await intakeSetting();
  setting.slack.home.disableHome();
  const isTold = () => setting.host.logged.filter((line) => line.startsWith(slackWords.en.homeOff)).length;
  await setting.takes(setting.slack.people.openHome(ada, 'home'));
  await setting.slack.waitFor(() => isTold() === 1);
  await setting.takes(setting.slack.people.openHome(bob, 'home'));
  await setting.background.settled();
  expect(setting.slack.callsOf('views.publish')).toHaveLength(1);
});
