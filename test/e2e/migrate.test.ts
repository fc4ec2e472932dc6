import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { migrateWords } from '../../src/cli/migrate/words.ts';
import { formerHomes, formerSecrets, writeFormer } from '../cli/migrate/former-homes.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { runCommandOf } from '../support/run-command.ts';
import { saidIn } from './platform-setting.ts';

test.concurrent('what was taken over from OpenClaw is there after the start: its model answers its person, with memories and tasks', async () => {
  await using model = await ModelServer.start();
  const telegram = await TelegramServer.start();
  try {
    const { token, root: api_root } = telegram;
    await using daemon = DaemonProcess.start({
      config: { channels: { telegram: { enabled: true, token, api_root } } },
    });
    const folder = join(daemon.folder, '.openclaw');
    // Its own model does not answer here; the other one does.
    const config = (formerHomes.openclaw['openclaw.json'] ?? '')
      .replace('anthropic/claude-opus-4-6', 'local/test')
      .replace('http://127.0.0.1:8080/v1', model.url)
      .replaceAll(formerSecrets.telegram, telegram.token);
    writeFormer(folder, { ...formerHomes.openclaw, 'openclaw.json': config });
    await telegram.waitFor(() => telegram.polls > 0, { what: 'a daemon that receives' });
    const before = readFileSync(daemon.configFile, 'utf8');
    const early = await runCommandOf(daemon, ['migrate', 'openclaw', '--yes']);
    expect(early.code).toBe(1);
    expect(readFileSync(daemon.configFile, 'utf8')).toBe(before);

    await daemon.stop();
    daemon.writeConfig({ channels: { telegram: { api_root } } });
    const polls = telegram.polls;
    const run = await runCommandOf(daemon, ['migrate', 'openclaw', '--yes']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain(migrateWords.en.finished({ config: daemon.configFile }));
    model.onUser('what do I drink', { calls: [{ name: 'memory_search', arguments: { query: 'drinks tea' } }] });
    model.onResult('no sugar', 'Tea.');
    await daemon.restart();
    await telegram.waitFor(() => telegram.polls > polls, { what: 'a daemon that receives again' });

    telegram.say(17, 'what do I drink');
    await telegram.waitForMessage(17, 'Tea.');
    const [request] = model.requests;
    expect(JSON.stringify(request?.messages)).toContain('Never guess a number.');
    telegram.say(17, '/schedules');
    await telegram.waitForMessage(17, 'Morning brief');
    expect(saidIn(telegram.chat(17)).join('\n')).toContain('Water the plants');
    // Whom nobody named knocks.
    telegram.say(99, 'hello');
    await telegram.waitFor(() => saidIn(telegram.chat(99)).length > 0, { what: 'a word to a stranger' });
    expect(model.requests.some(({ lastUserText }) => lastUserText.includes('hello'))).toBe(false);
  } finally {
    await telegram.close();
  }
});
