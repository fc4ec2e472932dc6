import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

const config = {
  agents: { builder: { description: 'builds', prompt: 'You are the builder.', tools: ['ledger'] } },
  custom_tools: [
    {
      name: 'ledger',
      description: 'Adds a line.',
      command: 'echo line >> ledger.txt',
      category: 'filesystem_write',
      parameters: {},
    },
  ],
};

/** A daemon that dies at this point; the agent of its person adds a line to a ledger, after an approval. */
async function delegating(point: string): Promise<TelegramSetting> {
  const setting = await TelegramSetting.start({ config, crashAt: point });
  const calls = (name: string, args: Record<string, string>) => ({ calls: [{ name, arguments: args }] });
  setting.model
    .onResult('It is built', 'All is done.')
    .onResult(/exit code 0|unknown/i, 'It is built')
    .onUser('You are asked to do this', calls('ledger', {}))
    .onUser('build', calls('delegate', { agent: 'builder', task: 'add the line' }));
  return setting;
}

// The second beginning of a call, and all that follows it, is the agent's.
const points = [
  'run-begun:2',
  'turn-stored',
  'call-begun',
  'call-executed',
  'sub-run-begun',
  'approval-open',
  'decision-stored',
  'call-begun:2',
  'call-executed:2',
  'call-done',
  'sub-run-ended',
];

test.each(points)(
  'what an agent does is done once, and comes to its person, though the process dies at %s',
  async (point) => {
    await using setting = await delegating(point);
    const { daemon, telegram } = setting;
    const chat = setting.newOwner();
    telegram.say(chat, 'build it');
    let isDead = false;
    const approved = new Set<string>();
    const isDone = (): boolean => setting.said(chat).some((text) => text.includes('All is done.'));
    const step = async (): Promise<boolean> => {
      if (!isDead && existsSync(join(daemon.folder, 'crashes'))) {
        isDead = true;
        await daemon.exited;
        await daemon.restart();
      }
      for (const card of telegram.chat(chat).filter(({ buttons }) => buttons.length > 0)) {
        const id = approvalIdOf(card);
        if (approved.has(id)) continue;
        approved.add(id);
        telegram.press(chat, card.id, '✅ Approve');
      }
      return isDone() && isDead;
    };
    await waitUntil(step, {
      what: 'the person to hear of it',
      describe: () => `${daemon.output}\n${setting.said(chat).join('\n')}`,
    });
    const ledger = join(daemon.workspace, 'ledger.txt');
    const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0;
    expect(lines).toBe(point === 'call-begun:2' ? 0 : 1);
    expect(approved.size).toBe(1);
    const tellings = setting.model.requests.filter(({ lastResults }) =>
      lastResults.some((text) => text === 'It is built'),
    );
    expect(tellings.length).toBeLessThanOrEqual(2);
  },
);
