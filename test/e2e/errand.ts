import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import type { ModelServer } from '../support/model-server.ts';
import { contains, waitUntil } from '../support/wait-for.ts';
import { approvalIdOf, TelegramSetting, type TelegramSettingOptions } from './telegram-setting.ts';

/** How often the model is asked for an errand that nothing disturbs: for the reading, for the writing, for the answer. */
export const errandRequests = 3;

const copy = 'the only line of the copy\n';

export type Errand = Awaited<ReturnType<typeof start>>;
export const Errand = { start } as const;

/**
 * One person's errand, and the daemon that does it although it dies on the way: a file is read without asking, then
 * another is written and a line is added to a ledger, each after an approval, and then all of it is reported. The daemon
 * dies at these points, one after the other, each time it was started.
 */
async function start(plan: readonly string[], options: TelegramSettingOptions = {}) {
  const config = { agent: { last_try_after_secs: 1 }, ...options.config };
  const setting = await TelegramSetting.start({ ...options, config, crashAt: plan.join(' ') });
  const { daemon, telegram, model } = setting;
  writeFileSync(join(daemon.workspace, 'notes.txt'), 'the note to copy\n');
  script(model);
  const chat = setting.newOwner();

  const deaths = (): readonly string[] => linesOf(join(daemon.folder, 'crashes'));

  /** Resolves when the process has died that often, each time where the plan says. */
  async function died(times: number): Promise<void> {
    await waitUntil(() => deaths().length >= times, {
      what: `the death at ${plan[times - 1]}`,
      describe: () => `${daemon.output}\n${JSON.stringify(setting.said(chat), null, 1)}`,
    });
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(deaths()).toEqual(plan.slice(0, times).map((step) => step.split(':')[0]));
  }

  async function noted(): Promise<void> {
    const count = z.object({ count: z.number() });
    const sql = `SELECT count(*) AS count FROM outbox WHERE state = 'queued'`;
    const isNoted = (): boolean => setting.rows(count, sql)[0]?.count === 0;
    await waitUntil(isNoted, { what: 'the note that the cards are shown' });
  }

  return {
    ...{ setting, chat, deaths, died },
    [Symbol.asyncDispose]: () => setting.dispose(),

    /** Starts the daemon again after each of its deaths. Resolves with the last start. */
    async revive(): Promise<void> {
      for (const index of plan.keys()) {
        await died(index + 1);
        await daemon.restart();
      }
    },

    begin: () => telegram.say(chat, 'please copy the note'),

    /**
     * The oldest card of each approval, once there are two and the daemon has noted them down: from then on, no death
     * makes it show them again.
     */
    async cards(): Promise<readonly [ShownMessage, ShownMessage]> {
      const find = (): readonly ShownMessage[] => {
        const asking = telegram.chat(chat).filter(({ buttons }) => buttons.length > 0);
        const ids = asking.map(approvalIdOf);
        return asking.filter((_, index) => ids.indexOf(ids[index] ?? '') === index);
      };
      await telegram.waitFor(() => find().length === 2, { what: 'two cards' });
      await noted();
      const [writing, ledger] = find();
      if (writing === undefined || ledger === undefined) throw new Error('A card has gone.');
      return [writing, ledger];
    },

    approve: (card: ShownMessage) => telegram.press(chat, card.id, '✅ Approve'),

    /** Waits for the report, and lets the person go on: what was left behind would be seen then. */
    async end(): Promise<void> {
      await telegram.waitForMessage(chat, 'Finished:');
      const asked = model.requests.length;
      telegram.say(chat, 'and now?');
      await telegram.waitForMessage(chat, 'echo: and now?');
      expect(model.requests).toHaveLength(asked + 1);
    },

    /** How often the bot has said something with these words. */
    countSaid: (words: string | RegExp) => setting.said(chat).filter((text) => contains(text, words)).length,

    /** What the card of the call shows that names this file. */
    decidedCard(file: string): string | undefined {
      return setting.said(chat).find((text) => /^✅ .* allowed it/.test(text) && text.includes(file));
    },

    /** What the model was told of the writing and of the ledger. */
    results(): readonly string[] {
      return model.requests.findLast(({ lastResults }) => lastResults.length === 2)?.lastResults ?? [];
    },

    isWritten(): boolean {
      const file = join(daemon.workspace, 'copy.txt');
      return existsSync(file) && readFileSync(file, 'utf8') === copy;
    },

    ledger: () => linesOf(join(daemon.workspace, 'ledger.txt')),
  };
}

function script(model: ModelServer): void {
  model
    .onUser('please copy the note', { calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] })
    .onResult('the note to copy', {
      text: 'I will write it down.',
      calls: [
        { name: 'write_file', arguments: { path: 'copy.txt', content: copy } },
        { name: 'shell', arguments: { command: 'echo unique >> ledger.txt' } },
      ],
    })
    .onResult(/./, ({ lastResults }) => `Finished: ${lastResults.map((result) => result.split('\n')[0]).join(' | ')}`);
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}
