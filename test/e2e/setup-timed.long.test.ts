import { execFile } from 'node:child_process';
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { setupWords } from '../../src/cli/setup/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import { ModelServer } from '../support/model-server.ts';
import { newFolder } from '../support/new-folder.ts';
import { codeShown, keys, personSettingUp } from './setting-up.ts';

const run = promisify(execFile);
const project = resolve(import.meta.dirname, '../..');
const say = setupWords.en;

/**
 * A person who has the token at hand: how long each thing takes, in seconds. A key is that of somebody who does not type often;
 * a paste is two of them.
 */
const person = { reading: 1.5, key: 0.28, openingLink: 10 } as const;
const keysOfPaste = 2;
/** The address of the project is pasted, the rest typed as the README has it. */
const typedFirst = 'git clone \n'.length + keysOfPaste + 'cd keyturn\n'.length + 'npm install && npm start\n'.length;
const greeting = 'hello';

/** A fresh clone with its packages, whose program finds the platforms and models of the test; the rest is as it was committed. */
async function freshClone(): Promise<string> {
  const clone = join(await newFolder(), 'keyturn');
  await run('git', ['clone', '--quiet', '--no-hardlinks', project, clone]);
  symlinkSync(realpathSync(join(project, 'node_modules')), join(clone, 'node_modules'));
  const main = join(clone, 'src/main.ts');
  const before = readFileSync(main, 'utf8');
  const after = before.replace(
    'await runCommand({ process, ',
    "const surroundings = JSON.parse(process.env.KEYTURN_SURROUNDINGS ?? '{}');\nawait runCommand({ process, surroundings, ",
  );
  expect(after).not.toBe(before);
  writeFileSync(main, after);
  return clone;
}

test('a clone leads to the first answer in Telegram with three questions and in 90 s of a person', async () => {
  await using telegram = await TelegramServer.start();
  await using model = await ModelServer.start();
  model.onUser(/Call the tool report/, { calls: [{ name: 'report', arguments: { word: 'ready' } }] });
  const folder = await freshClone();
  const home = await newFolder();
  const begun = performance.now();
  const newcomer = await personSettingUp({
    folder,
    shellCommand: 'npm start',
    env: { HOME: home, npm_config_update_notifier: 'false' },
    servers: [{ name: 'Ollama', baseUrl: model.url }],
    channels: { telegram: { api_root: telegram.root } },
  });
  await newcomer.answers(say.whichModel, keys.enter);
  await newcomer.answers(say.whichChat, keys.enter);
  await newcomer.answers(say.tokenOfTelegram, telegram.token, keys.enter);
  const code = await codeShown(newcomer);
  telegram.say(501, `/start ${code}`);
  await newcomer.hears(cliWords.en.claimed({ principal: 'telegram:501' }));
  telegram.say(501, greeting);
  await telegram.waitForMessage(501, `echo: ${greeting}`);
  const machine = (performance.now() - begun) / 1000;
  newcomer.type('\u0004');
  await newcomer.ended();

  const questions = newcomer.asked.length;
  // Of what was pressed, one is the paste; at the end is the greeting, and what sends it.
  const pressed = typedFirst + newcomer.keysPressed - 1 + keysOfPaste + greeting.length + 1;
  const ofPerson = questions * person.reading + pressed * person.key + person.openingLink;
  const total = ofPerson + machine;
  console.log(
    `${questions} questions, ${pressed} keys: a person takes ${ofPerson.toFixed(1)} s, this machine ${machine.toFixed(1)} s; ` +
      `together ${total.toFixed(1)} s, without what npm downloads.`,
  );
  expect(questions).toBeLessThanOrEqual(3);
  expect(total).toBeLessThanOrEqual(90);
});
