import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { daemonConfig, modelEnvironment } from '../e2e/daemon-config.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import type { EmulatedPerson } from './support/slack-emulate/emulated-person.ts';
import { type SlackEmulate, startSlackEmulate } from './support/slack-emulate.ts';

/** The same talk as elsewhere, with a Web API that others have written: what ours allows, theirs may not. */
describe.each(['http', 'socket'])('in the mode "%s"', (mode) => {
  let model: ModelServer;
  let slack: SlackEmulate;
  let daemon: DaemonProcess;
  let ann: EmulatedPerson;

  beforeAll(async () => {
    [model, slack] = await Promise.all([ModelServer.start(), startSlackEmulate({ sockets: mode === 'socket' })]);
    ann = slack.ann;
    daemon = DaemonProcess.start({ config: configOf(mode, model, slack), env: modelEnvironment });
    await daemon.waitForOutput('"channel":"slack","status":"connected"');
    if (mode === 'http') await slack.deliverTo(doorOf(daemon));
  });

  afterAll(async () => {
    await daemon.dispose();
    await Promise.all([model.close(), slack.close()]);
  });

  test('a person claims it with the printed code, and talks with it', async () => {
    const [, code] = /claim ([a-z0-9]+)/.exec(daemon.output) ?? [];
    await ann.say(ann.direct, `/claim ${code}`);
    await ann.sees(ann.direct, ({ text }) => text.includes('is yours now'));
    await ann.say(ann.direct, 'hello');
    await ann.sees(ann.direct, 'echo: hello');
  });

  test('a mention in a channel is answered in its thread, and what follows there without one', async () => {
    const ts = await ann.say(slack.general, `${slack.mention} who are you?`);
    const thread = { ...slack.general, threadTs: ts };
    await ann.sees(thread, 'echo: [ann] who are you?');
    await ann.say(slack.general, 'not for the bot');
    await ann.say(thread, 'and who am I?');
    await ann.sees(thread, 'echo: [ann] and who am I?');
    const outside = await ann.look(slack.general);
    expect(outside.map(({ text }) => text).slice(-2)).toEqual([`${slack.mention} who are you?`, 'not for the bot']);
  });

  test('a call that is approved by its button runs, and the card says so', async () => {
    model
      .onUser('run it', { calls: [{ name: 'shell', arguments: { command: 'echo it ran' } }] })
      .onResult('it ran', 'It ran.');
    await ann.say(ann.direct, 'run it');
    const card = await ann.sees(ann.direct, ({ text }) => text.startsWith('🔑 **Run `echo it ran`?**'));
    await ann.press(ann.direct, card, '✅ Approve');
    await ann.sees(ann.direct, 'It ran.');
    await ann.sees(ann.direct, ({ ts, text }) => ts === card.ts && text.includes('✔️'));
  });

  test('a stranger is told that the owner is asked, and nothing else, and their press decides nothing', async () => {
    const { ben } = slack;
    await ben.say(ben.direct, 'hello');
    await ben.sees(ben.direct, strangerWords.en.ownerAsked);

    model
      .onUser(/deploy it$/, { calls: [{ name: 'shell', arguments: { command: 'echo ran >> deployed.txt' } }] })
      .onRequest(
        ({ messages, lastResults }) =>
          lastResults.length > 0 && messages.some(({ text }) => text.includes('deploy it')),
        'Deployed.',
      );
    const threadTs = await ann.say(slack.general, `${slack.mention} deploy it`);
    const thread = { ...slack.general, threadTs };
    const card = await ann.sees(thread, ({ buttons }) => buttons.length > 0);
    await ben.press(thread, card, '✅ Approve');
    expect((await ben.look(thread)).at(-1)?.buttons).toEqual(card.buttons);
    await ann.press(thread, card, '✅ Approve');
    await ben.sees(thread, 'Deployed.');
    expect(readFileSync(join(daemon.workspace, 'deployed.txt'), 'utf8')).toBe('ran\n');
  });

  test('a call that is denied does not run, and the model is told so', async () => {
    model
      .onUser('leave it alone', { calls: [{ name: 'shell', arguments: { command: 'echo > never.txt' } }] })
      .onResult('denied this call', 'I did not run it.');
    await ann.say(ann.direct, 'leave it alone');
    const card = await ann.sees(ann.direct, ({ text, buttons }) => text.includes('never.txt') && buttons.length > 0);
    await ann.press(ann.direct, card, '❌ Deny');
    await ann.sees(ann.direct, 'I did not run it.');
    expect(files()).not.toContain('never.txt');
  });

  test('what a person corrects before it is answered is answered as it is now', async () => {
    const thinking = Promise.withResolvers<void>();
    model.onUser(/the wether$/, { text: 'I do not know that word.', until: thinking.promise });
    const ts = await ann.say(ann.direct, 'the wether');
    await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText === 'the wether'));
    await ann.edit(ann.direct, ts, 'the weather');
    await ann.sees(ann.direct, 'echo: the weather');
    thinking.resolve();
  });

  test('a reply in a thread that takes its time is shown once, though it cannot grow there', async () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index + 1}`).join(' ');
    model.onUser(/tell me$/, { text: words, pieceSize: 40, pieceDelayMs: 100 });
    const ts = await ann.say(slack.general, `${slack.mention} tell me`);
    const thread = { ...slack.general, threadTs: ts };
    await ann.sees(thread, words);
    const [question, ...answers] = await ann.look(thread);
    expect(answers.map(({ text }) => text)).toEqual([words]);
    await ann.sees(thread, (message) => message.ts === question?.ts && message.reactions.join() === 'white_check_mark');
  });

  test('a file comes in and is saved, and another one goes out', async () => {
    await ann.sendFile(ann.direct, 'notes.txt', Buffer.from('buy milk'), 'keep this');
    await ann.sees(ann.direct, ({ text }) => text.startsWith('echo: keep this'));
    const [saved = ''] = files().filter((name) => name.endsWith('notes.txt'));
    expect(readFileSync(join(daemon.workspace, saved), 'utf8')).toBe('buy milk');

    // The document taints; a new conversation has read nothing.
    await ann.say(ann.direct, '/new');
    const whole = Array.from({ length: 1_500 }, (_, index) => `line ${index} of the longer reply`).join('\n\n');
    model.onUser('at more length', whole);
    await ann.say(ann.direct, 'at more length');
    const shown = await ann.sees(ann.direct, ({ files: sent }) => sent.some(({ name }) => name.endsWith('.md')));
    expect((await ann.openFile(shown.files[0])).toString()).toBe(whole);
  });

  test('everything was acknowledged, and what is missing there disturbs nobody', () => {
    expect(slack.refused()).toEqual([]);
    expect(daemon.output.match(/^\{"level":[456]0.*/gm) ?? []).toEqual([]);
  });

  test('what is said while it is down is answered when it is back, and nothing else again', async () => {
    const before = await textsFor(ann);
    await daemon.kill();
    await ann.say(ann.direct, 'are you there?');
    const threadTs = await ann.say(slack.general, `${slack.mention} are you here?`);
    await daemon.restart();
    await ann.sees(ann.direct, 'echo: are you there?');
    await ann.sees({ ...slack.general, threadTs }, 'echo: [ann] are you here?');
    expect(await textsFor(ann)).toEqual([...before, 'are you there?', 'echo: are you there?']);
  });

  /** The files in the workspace, with their folders. */
  function files(): readonly string[] {
    return readdirSync(daemon.workspace, { recursive: true, encoding: 'utf8' });
  }
});

function configOf(mode: string, model: ModelServer, slack: SlackEmulate): Record<string, unknown> {
  const channel = {
    enabled: true,
    mode,
    api_url: slack.apiUrl,
    bot_token: slack.botToken,
    app_token: slack.appToken,
    signing_secret: slack.signingSecret,
    http: { port: 0 },
    reactions: true,
    groups: { [slack.general.channel]: {} },
  };
  return daemonConfig({ model, owners: [], channels: { slack: channel }, config: { delivery: { max_messages: 2 } } });
}

/** All that stands in the direct conversation. */
async function textsFor(person: EmulatedPerson): Promise<readonly string[]> {
  return (await person.look(person.direct)).map(({ text }) => text);
}

/** Where it listens: any port is free until somebody has it, so it takes one and says which. */
function doorOf({ output }: DaemonProcess): string {
  const [, port] = /"port":(\d+)/.exec(output) ?? [];
  return `http://127.0.0.1:${port}/slack/events`;
}
