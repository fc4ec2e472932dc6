import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerId, SlackSetting, team } from './slack-setting.ts';

const [first, second] = ['T00000001', 'T00000002'];
const open = 'C0OPEN';
let setting: SlackSetting;
let mention: string;

beforeAll(async () => {
  setting = await SlackSetting.start({
    server: { workspaces: [{}, { teamId: second, name: 'Others' }] },
    channel: {
      more_bot_tokens: [`xoxb-10000000001-20000000001-${'b'.repeat(24)}`],
      groups: {
        [`${first}/${team}`]: { allow_from: [`${first}/U0BEN`] },
        [second]: { allow_from: ['*'], require_mention: false },
      },
    },
    config: { agent: { burst_ms: 0 }, delivery: { tool_cards: false } },
  });
  const { slack } = setting;
  mention = `<@${slack.home.installation.botUserId}>`;
  for (const workspace of slack.workspaces) workspace.addChannel(open, { name: 'open' });
  await slack.waitFor(() => slack.callsOf('auth.test').length >= 2, { what: 'both workspaces to be known' });
});

afterAll(() => setting.dispose());

/** What the bot has said in a thread, the oldest first. */
function saidIn(channel: string, root: string, workspace = setting.slack.home): readonly string[] {
  const messages = workspace.thread(channel, root).filter(({ from }) => from === 'bot');
  return messages.map(({ text }) => text);
}

test('in a channel it answers a mention in a thread, and there needs no other one', async () => {
  const { slack } = setting;
  const { ts: root } = slack.say(team, `${mention} hello there`, { from: ownerId(0) });
  await setting.shows(team, /echo: .*hello there/s);
  expect(saidIn(team, root)).toHaveLength(1);
  slack.say(team, 'and then?', { from: ownerId(0), threadTs: root });
  await setting.shows(team, /echo: .*and then\?/s);
  slack.say(team, '<@U0BEN> what do you think?', { from: ownerId(0), threadTs: root });
  slack.say(team, 'nobody was called here', { from: ownerId(0) });
  slack.say(team, `${mention} last`, { from: 'U0BEN', threadTs: root });
  await setting.shows(team, /echo: .*last/s);
  expect(saidIn(team, root)).toHaveLength(3);
  expect(setting.said(team)).toHaveLength(3);
});

test('a stranger who calls it in a channel is told so, and nobody else', async () => {
  const { slack } = setting;
  slack.home.addChannel(team, { name: 'team', members: ['U0EVE'] });
  slack.say(team, `${mention} let me in`, { from: 'U0EVE' });
  const told = await slack.waitFor(() => slack.home.ephemerals(team, 'U0EVE')[0], { what: 'a word for the stranger' });
  expect(told.text).toContain(`slack:${first}/U0EVE`);
  expect(setting.said(team).join()).not.toContain('let me in');
});

test('two workspaces are told apart, though their channels and members have the same ids', async () => {
  const [home, others] = setting.slack.workspaces;
  if (home === undefined || others === undefined) throw new Error('There are not two workspaces.');
  others.say(open, 'in the second', { from: ownerId(0) });
  await others.waitFor(() => others.chat(open).some(({ from, text }) => from === 'bot' && /in the second/.test(text)));
  home.say(open, `${mention} in the first`, { from: ownerId(1) });
  await setting.shows(open, 'This group is not in my config');
  expect(setting.said(open).join()).toContain(`"${first}/${open}"`);
  const { ts: root } = others.say(open, 'what did I say?', { from: ownerId(0) });
  await others.waitFor(() => saidIn(open, root, others).length > 0, { what: 'an answer' });
  const request = setting.model.requests.at(-1);
  expect(JSON.stringify(request?.messages)).not.toContain('in the first');
});

test('a slash command is answered to its giver alone, also where the bot is not', async () => {
  const { slack } = setting;
  slack.home.addChannel('C0ELSEWHERE', { hasBot: false, members: [ownerId(0)] });
  slack.home.addChannel(team, { name: 'team', members: [ownerId(0), 'U0EVE'] });
  for (const [channel, words] of [
    [team, '/keyturn status'],
    ['C0ELSEWHERE', 'This group is not in my config'],
  ] as const) {
    const { delivery } = slack.home.command(channel, '/keyturn', 'help', { from: ownerId(0) });
    await slack.acknowledged(delivery);
    const look = () => slack.home.ephemerals(channel, ownerId(0)).find(({ text }) => text.includes(words));
    await slack.waitFor(look, { what: `an answer in ${channel}` });
  }
  expect(setting.said(team).join()).not.toContain('/keyturn status');
});

test('the pane of the assistant offers suggestions, says that it thinks, and shows the answer as it grows', async () => {
  const { slack, model } = setting;
  const { channel, ts: root } = slack.people.openAssistant(ownerId(2));
  await slack.waitFor(() => slack.home.assistant(channel, root).prompts.length > 0, { what: 'suggestions' });
  const words = Array.from({ length: 30 }, (_, index) => `Word ${index} is here.`);
  const thought = Promise.withResolvers<void>();
  model.onUser('tell me slowly', { text: words.join('\n'), pieceDelayMs: 80, until: thought.promise });
  slack.say(channel, 'tell me slowly', { threadTs: root, from: ownerId(2) });
  await slack.waitFor(() => slack.home.statuses.some((status) => status !== ''), { what: 'a status' });
  thought.resolve();
  await slack.waitFor(() => slack.callsOf('chat.appendStream').length > 0, { what: 'a stream' });
  await slack.waitFor(() => saidIn(channel, root).join('\n').includes('Word 29 is here.'), {
    what: 'the whole answer',
  });
  const [answer, ...others] = slack.home.thread(channel, root).filter(({ text }) => text.includes('Word 0 is here.'));
  expect(others).toEqual([]);
  expect(answer?.streaming).not.toBe('in_progress');
});
